#include "config.h"

#include "core/offer.h"

struct facet_text {
	const char *name;
	const char *words[HOLD_COUNT];
};

static const struct facet_text facets[FACET_COUNT] = {
	[FACET_FILES] = {"files", {"!FILES OPEN", "!outside in part", "files closed"}},
	[FACET_NETWORK] = {"network", {"!NETWORK ON", "!network cut once", "network cut twice"}},
	[FACET_PROCESSES] = {"processes",
		{"!PROCESSES OPEN", "!processes visible", "processes hidden"}},
	[FACET_MEMORY] = {"memory", {"!MEMORY SHARED", "!MEMORY SHARED", "memory apart"}},
	[FACET_SOCKETS] = {"sockets", {"!SOCKETS OPEN", "!socket inside", "sockets closed"}},
	[FACET_HOSTNAME] = {"hostname",
		{"!host name shared", "!host name shared", "host name apart"}},
	[FACET_END] = {"end", {"!CHILDREN MAY STAY", "!CHILDREN MAY STAY", "ends with its tree"}},
};

const char *facet_name(enum facet facet)
{
	return facets[facet].name;
}

const char *facet_words(enum facet facet, enum hold hold)
{
	return facets[facet].words[hold];
}

enum hold offer_summary(const struct offer *offer, bool network_granted)
{
	unsigned held = 0, full = 0, counted = 0;
	for (unsigned i = 0; i < FACET_COUNT; i++) {
		if (i == FACET_NETWORK && network_granted)
			continue;
		counted++;
		held += offer->facets[i] != HOLD_NONE;
		full += offer->facets[i] == HOLD_FULL;
	}
	if (full == counted)
		return HOLD_FULL;
	return held ? HOLD_PART : HOLD_NONE;
}

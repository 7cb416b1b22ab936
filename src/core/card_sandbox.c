#include "config.h"

#include "core/card_internal.h"

#include <stdio.h>

#include "base/mem.h"

static void add_network_why(struct fact *fact, const struct offer *offer)
{
	if (offer->network_why[0] == '\0')
		return;
	struct line *line = fact_line(fact);
	line_add(line, SPAN_OURS, "not kept apart (");
	/* It may quote what pasta printed. */
	line_add(line, SPAN_FOREIGN, "%s", offer->network_why);
	line_add(line, SPAN_OURS, ")");
}

void card_add_network(struct card *card, const struct card_inputs *in)
{
	bool granted = in->confinement->network;
	enum hold hold = in->offer->facets[FACET_NETWORK];
	struct fact *fact = facts_add(&card->facts, "network");
	struct line *line = fact_line(fact);

	card->network = CARD_NETWORK_OFF;
	if (card->unsandboxed || (!granted && hold == HOLD_NONE)) {
		card->network = CARD_NETWORK_ON_HOST;
		line_words(line, "!!NETWORK ON, reaches services of this machine");
		line_add(line, SPAN_OURS, ": nothing cuts it here");
	} else if (granted && in->offer->network_shared_with_host) {
		card->network = CARD_NETWORK_ON_HOST;
		line_words(line, "!!NETWORK ON, reaches services of this machine");
		line_add(line, SPAN_OURS, ": it can send out what it can read");
		add_network_why(fact, in->offer);
	} else if (granted) {
		card->network = CARD_NETWORK_ON;
		line_words(line, "!ON");
		line_add(
			line, SPAN_OURS, ", not to this machine: it can send out what it can read");
	} else if (hold == HOLD_PART) {
		line_add(line, SPAN_OURS, "off: ");
		line_words(line, facet_words(FACET_NETWORK, HOLD_PART));
		line_add(line, SPAN_OURS, ", by the socket filter alone");
	} else {
		line_add(line, SPAN_OURS, "off: own empty network, socket filter on top");
	}
}

/* These four are always said; the rest only where it does not hold in full. */
static bool is_said(enum facet facet, enum hold hold)
{
	return facet <= FACET_MEMORY || hold != HOLD_FULL;
}

static void add_facets(struct line *line, const struct offer *offer, bool granted)
{
	bool first = true;

	for (int i = 0; i < FACET_COUNT; i++) {
		enum facet facet = (enum facet)i;
		enum hold hold = offer->facets[facet];

		if (facet == FACET_NETWORK && granted)
			hold = HOLD_NONE;
		if (!is_said(facet, hold))
			continue;
		if (!first)
			line_add(line, SPAN_OURS, ", ");
		line_words(line, facet_words(facet, hold));
		first = false;
	}
}

static void add_open(struct fact *fact, const struct offer *offer)
{
	for (size_t i = 0; i < OFFER_OPEN_MAX && offer->open[i] != NULL; i++)
		line_words(fact_line(fact), offer->open[i]);
}

static void add_no_sandbox(struct fact *fact, const struct card_inputs *in)
{
	struct line *line = fact_line(fact);

	if (in->user != NULL) {
		line_words(line, "!NO SANDBOX: it runs with all rights of ");
		line_add(line, SPAN_FOREIGN, "%s", in->user);
		return;
	}
	line_add(line, SPAN_RISK, "!NO SANDBOX: it runs with all rights of uid %u",
		in->confinement->uid);
}

void card_add_sandbox(struct card *card, const struct card_inputs *in)
{
	const struct offer *offer = in->offer;
	struct fact *fact = facts_add(&card->facts, "sandbox");

	card->sandbox = offer_summary(offer, in->confinement->network);
	if (card->unsandboxed) {
		card->sandbox = HOLD_NONE;
		add_no_sandbox(fact, in);
	} else {
		struct line *line = fact_line(fact);

		line_add(line, SPAN_OURS, "%s%s", backend_id_name(offer->backend),
			offer->flat ? " without namespaces" : "");
		if (offer->why[0] != '\0')
			line_add(line, SPAN_OURS, ", %s", offer->why);
		if (offer->proved[0] != '\0')
			line_add(line, SPAN_OURS, ", %s", offer->proved);
	}
	if (offer->image[0] != '\0' && !card->unsandboxed) {
		struct line *line = fact_line(fact);

		line_add(line, SPAN_OURS, "image ");
		line_add(line, SPAN_FOREIGN, "%s", offer->image_name);
		line_add(line, SPAN_OURS, ", as it is now: %.19s", offer->image);
	}
	add_facets(fact_line(fact), offer, in->confinement->network);
	add_open(fact, offer);
	if (in->confinement->uid == 0)
		line_words(fact_line(fact), card->unsandboxed
						    ? "!AS ROOT: it can do anything to this machine"
						    : "!as root: what it writes belongs to root");
}

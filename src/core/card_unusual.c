#include "config.h"

#include "core/card_internal.h"

#include <stdio.h>
#include <string.h>

/* "line 1" or "line 1 at 32". */
static size_t place_words(const struct unusual *note, char buf[64])
{
	if (note->line_long)
		snprintf(buf, 64, "line %u at %u", note->line, note->at);
	else
		snprintf(buf, 64, "line %u", note->line);
	return strlen(buf);
}

static size_t widest_place(const struct unusual_list *list)
{
	size_t widest = 0;
	char place[64];

	for (size_t i = 0; i < list->count; i++) {
		size_t len = place_words(&list->items[i], place);

		widest = len > widest ? len : widest;
	}
	return widest;
}

/* ends: its sandbox ends all that it started. */
static void add_note(struct line *line, const struct unusual *note, size_t widest, bool ends)
{
	bool danger = note->severity == SEVERITY_DANGER;
	char place[64];

	place_words(note, place);
	line_words(line, danger ? "!!" : "!");
	line_add(
		line, SPAN_OURS, "%s%-*s  %s", danger ? " " : "  ", (int)widest, place, note->what);
	if (note->words == NULL)
		return;
	line_add(line, SPAN_OURS, ": ");
	line_add(line, SPAN_FOREIGN, "%s", note->words);
	if (ends && strcmp(note->what, UNUSUAL_OUTLIVES) == 0)
		line_add(line, SPAN_OURS, "   (it cannot: ends with its tree)");
}

void card_add_unusual(struct card *card, const struct card_inputs *in)
{
	if (card->unusual.count == 0)
		return;
	struct fact *fact = facts_add(&card->facts, "unusual");
	size_t widest = widest_place(&card->unusual);
	bool ends = in->offer->facets[FACET_END] == HOLD_FULL;

	for (size_t i = 0; i < card->unusual.count; i++)
		add_note(fact_line(fact), &card->unusual.items[i], widest, ends);
}

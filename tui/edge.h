/* Texts that are recorded are English; here they get the person's language, on their way to the screen. */
#ifndef TUI_EDGE_H
#define TUI_EDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "core/card.h"

/* A text that is composed where it is recorded: %u is a number, %s any text. Every part of it stays as it is, unless `deep`: then
   it is one of ours, too. */
struct edge_template {
	const char *format;
	bool deep;
};
extern const struct edge_template edge_card[], edge_says[];
extern const size_t edge_card_count, edge_says_count;

/* Appends what a text of ours reads as: itself where it has no translation. Never for foreign text. */
void edge_words(const char *english, struct str *out);
/* What is drawn of a line of a card, appended to an empty line: our own words in the person's language, everything else as it is.
   Blanks that fill a column give way to longer words. */
void edge_line(const struct line *line, struct line *ret);

#endif

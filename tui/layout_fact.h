/* The rows of facts: label, and lines wrapped at blanks. Private to layout*.c. */
#ifndef TUI_LAYOUT_FACT_H
#define TUI_LAYOUT_FACT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/card.h"
#include "tui/layout_rows.h"

/* base: position of the first line; each line counts as its raw bytes, at least one. Returns the position behind. old: the same
   facts as they were before the card changed, or NULL: a line that is another one now wears a `*`, and a row below it says what
   it was. */
size_t layout_facts(struct row_writer *w, const struct facts *facts, const struct facts *old,
	unsigned width, bool ascii, size_t base);
/* The same for the facts of a card, which are recorded in English: drawn in the person's language. */
size_t layout_card_facts(struct row_writer *w, const struct facts *facts, const struct facts *old,
	unsigned width, bool ascii, size_t base);
/* What a line counts among the positions: its raw bytes, at least one. */
size_t fact_line_length(const struct line *line);
/* Whether line n of a fact is not what it was; then *ret_was (appended) holds that. old may be NULL. */
bool fact_line_changed(
	const struct fact *fact, size_t n, const struct facts *old, struct str *ret_was);

#endif

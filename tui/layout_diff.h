/* The two commands of a card that a person edited, line by line. Private to layout*.c. */
#ifndef TUI_LAYOUT_DIFF_H
#define TUI_LAYOUT_DIFF_H

#include <stdbool.h>

#include "core/card.h"
#include "tui/layout_rows.h"

/* Every line of what was asked for and of what would run, each once where they agree; below one that was changed in place a row
   that points to the words. Every row has a position of its own, so that all of them must be seen. */
void layout_diff(struct row_writer *w, const struct card *card, unsigned width, bool ascii);

#endif

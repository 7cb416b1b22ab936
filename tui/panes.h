/* The wide arrangement (screens.md section 2): queue at the left, card at the right, output below. The view of the ui is the pane that has
   the keys. Any other view, and any view on a smaller screen, has the screen for itself. */
#ifndef TUI_PANES_H
#define TUI_PANES_H

#include <stdbool.h>

#include "tui/ui.h"

#define PANES_MIN_COLS 110u
#define PANES_MIN_ROWS 30u
#define PANES_HEAD_ROWS 2u      /* title, titles of the panes */
#define PANES_CARD_HEAD_ROWS 3u /* who, facts, unusual */

struct panes {
	unsigned queue_cols;  /* the edge between queue and card is in the column behind */
	unsigned card_cols;   /* with its edge at the right */
	unsigned upper_rows;  /* of queue and card, from PANES_HEAD_ROWS on */
	unsigned output_rule; /* row of the title of the output */
	unsigned output_rows; /* of its text, below that */
};
/* Whether the three panes are on the screen. */
bool panes_shown(const struct ui *ui);
/* Only for a screen of at least 110x30. */
struct panes panes_of(const struct ui *ui);
/* The card, the output are on the screen, alone or as a pane. */
bool panes_show(const struct ui *ui, enum view view);

#endif

/* The marked calls as one long card: their cards one under another, each below a row that names it. */
#ifndef TUI_MARKED_H
#define TUI_MARKED_H

#include "tui/layout.h"
#include "tui/ui.h"

struct marked {
	struct marked_part {
		const struct job *job;
		struct rows rows; /* of its card */
		size_t first;     /* its head among all rows; its card begins behind that */
	} parts[UI_MARKS_MAX];
	unsigned count;
	size_t total; /* rows: heads, cards, a blank one between two */
};

/* At the width of the screen. ret is initialised by the call and released with marked_release(). */
void marked_make(const struct ui *ui, const struct model *model, struct marked *ret);
void marked_release(struct marked *marked);
/* The part of a row, and which row of its card it is; NULL: a head or a blank row. */
const struct marked_part *marked_at(const struct marked *marked, size_t row, size_t *ret_index);
/* The head that is this row; NULL. */
const struct marked_part *marked_head(const struct marked *marked, size_t row);
/* It belongs to the deciding part of a card and was not seen yet. */
bool marked_is_fog(const struct ui *ui, const struct marked *marked, size_t row);
size_t marked_top(const struct marked *marked, size_t top, size_t body);

#endif

/* Where what is sought stands in the rows of a card. */
#ifndef TUI_LAYOUT_MARKS_H
#define TUI_LAYOUT_MARKS_H

#include <stddef.h>

#include "tui/layout.h"
#include "tui/seek.h"

struct row_mark {
	size_t match; /* which, from 0: one that goes over the end of a row has several marks */
	size_t row;
	unsigned col, columns;
};
struct row_marks {
	struct row_mark *items; /* by match, then from its first row on */
	size_t count, cap;
	size_t matches;
};
/* It is sought as the screen shows it, without the gutter. A line of a command that goes on in the next row is one text. ret is
   initialised by the call; row_marks_release() frees it. */
void layout_marks(const struct rows *rows, const struct seek *seek, struct row_marks *ret);
void row_marks_release(struct row_marks *marks);

#endif

/* The rows of an output from one of its lines on. Private to layout_output*.c. */
#ifndef TUI_LAYOUT_OUTPUT_ROWS_H
#define TUI_LAYOUT_OUTPUT_ROWS_H

#include <stddef.h>

#include "tui/layout.h"

struct checkpoint { /* a row at which a line begins, and the offset of that line */
	size_t row, offset;
};
/* Now and then one, in order: where a window can be built from without counting all rows again. */
struct checkpoints {
	struct checkpoint *items;
	size_t count, cap;
};

/* Rows first .. first + count - 1; `from` lies before them, or at the first. ret is initialised by the call. */
void output_rows_put(const struct job *job, const struct output_look *look, size_t first,
	size_t count, const struct checkpoint *from, struct rows *ret);
/* The number of all rows, counted from *at on, which becomes the place where the first line begins that has no LF yet. checkpoints
   gets what lies between; NULL: nobody wants them. */
size_t output_rows_count(const struct job *job, const struct output_look *look,
	struct checkpoints *checkpoints, struct checkpoint *at);

#endif

/* The queue as a list of rows: waiting oldest first, then what has a yes and runs, then the rest newest first. The keys move in
   the order that the view draws. */
#ifndef TUI_QUEUE_H
#define TUI_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model.h"

enum queue_row_kind {
	QUEUE_ROW_JOB,
	QUEUE_ROW_BLANK,
	QUEUE_ROW_RUNNING, /* "running 1 of 4 places" */
	QUEUE_ROW_DONE     /* "done 12, newest first" */
};
struct queue_row {
	enum queue_row_kind kind;
	const struct job *job; /* of a QUEUE_ROW_JOB */
};
struct queue_rows {
	struct queue_row *items;
	size_t count, cap;
};

void queue_rows_make(const struct model *model, struct queue_rows *ret);
void queue_rows_release(struct queue_rows *rows);
/* Index of a call's row; count when it is not there. */
size_t queue_rows_find(const struct queue_rows *rows, uint64_t seq);
/* From which row on a window of `body` lines has row `at` in sight, moved from `top` as little as that needs. tall: a call
   has two lines. */
size_t queue_rows_top(const struct queue_rows *rows, size_t top, size_t at, size_t body, bool tall);
unsigned queue_row_lines(const struct queue_row *row, bool tall);

#endif

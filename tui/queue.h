/* The queue as a list of rows: what waits, senders in turn and the oldest first within one; then who floods; then what has a
   yes and runs; then the rest newest first. The keys move in the order that the view draws. A row is made when it is asked for:
   none of this walks along the calls. */
#ifndef TUI_QUEUE_H
#define TUI_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model.h"
#include "core/turns.h"

enum queue_row_kind {
	QUEUE_ROW_JOB,
	QUEUE_ROW_GROUP, /* the other calls of a sender that floods: job is the oldest of them */
	QUEUE_ROW_BLANK,
	QUEUE_ROW_FLOOD,   /* a line about such a sender */
	QUEUE_ROW_RUNNING, /* "running 1 of 4 places" */
	QUEUE_ROW_DONE     /* "done 12, newest first" */
};
#define QUEUE_FLOOD_LINES 3u
struct queue_row {
	enum queue_row_kind kind;
	const struct job *job;       /* of a QUEUE_ROW_JOB or QUEUE_ROW_GROUP; else NULL */
	size_t calls;                /* of a QUEUE_ROW_GROUP */
	const struct sender *sender; /* of a QUEUE_ROW_FLOOD */
	unsigned line;               /* and which of its lines, from 0 */
};
struct queue_rows {
	size_t count;
	/* Private. */
	const struct model *model;
	struct turns turns;
	const struct sender **floods;
	size_t flood_count;
	size_t running_at, done_at; /* of the heads; count: there is none */
};

void queue_rows_make(const struct model *model, struct queue_rows *ret);
void queue_rows_release(struct queue_rows *rows);
struct queue_row queue_row_at(
	struct queue_rows *rows, size_t index); /* a blank one behind the last */
/* Index of a call's row; count when it is not there. */
size_t queue_rows_find(struct queue_rows *rows, uint64_t seq);
/* From which row on a window of `body` lines has row `at` in sight, moved from `top` as little as that needs. tall: a call
   has two lines. */
size_t queue_rows_top(struct queue_rows *rows, size_t top, size_t at, size_t body, bool tall);
unsigned queue_row_lines(const struct queue_row *row, bool tall);
size_t queue_rows_lines(const struct queue_rows *rows, size_t count); /* of the first rows, tall */
/* Calls that the row stands for beside one of its own; 0: it is one call. */
size_t queue_row_calls(const struct queue_row *row);
/* The call is this row's, or in it. */
bool queue_row_is(const struct model *model, const struct queue_row *row, uint64_t seq);

#endif

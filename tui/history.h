/* The calls that are over, newest end first, as the history lists them. */
#ifndef TUI_HISTORY_H
#define TUI_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "core/model.h"

struct history_rows {
	const struct job **items;
	size_t count;
	size_t all; /* without the filter */
};

/* filter: as of filter_parse(); one that cannot be read lists nothing. */
void history_rows_make(const struct model *model, const char *filter, struct history_rows *ret);
void history_rows_release(struct history_rows *rows);
/* Index of a call; count when it is not there. */
size_t history_rows_find(const struct history_rows *rows, uint64_t seq);
/* The same, or for a call that is not there the place that it would have; 0 for the call 0. */
size_t history_rows_at(const struct history_rows *rows, uint64_t seq);
/* Index of the first row that is drawn, of `body` at once, when this call should be it: nothing is left blank below. */
size_t history_rows_top(const struct history_rows *rows, uint64_t seq, size_t body);
/* When it was over, on the wall clock. */
int64_t history_end_of(const struct job *job);

#endif

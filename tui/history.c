#include "config.h"

#include "tui/history.h"

#include <stdlib.h>

#include "base/mem.h"
#include "tui/filter.h"

int64_t history_end_of(const struct job *job)
{
	if (job->ended_wall_ms > 0)
		return job->ended_wall_ms;
	return job->decided_wall_ms > 0 ? job->decided_wall_ms : job->received_wall_ms;
}

/* By the end on the session's own clock, which goes forward whatever is done to the wall clock. What ends from now on is above
   all that is listed. */
static bool is_behind(const struct job *a, const struct job *b)
{
	if (a->ended_at_ms != b->ended_at_ms)
		return a->ended_at_ms < b->ended_at_ms;
	return a->seq < b->seq;
}

static int newest_first(const void *a, const void *b)
{
	const struct job *x = *(const struct job *const *)a, *y = *(const struct job *const *)b;

	return is_behind(x, y) ? 1 : is_behind(y, x) ? -1 : 0;
}

/* Most sessions end their calls in the order they came, and this is done for each key. */
static void sort(struct history_rows *rows)
{
	for (size_t i = 1; i < rows->count; i++) {
		if (is_behind(rows->items[i - 1], rows->items[i])) {
			qsort(rows->items, rows->count, sizeof(*rows->items), newest_first);
			return;
		}
	}
}

void history_rows_make(const struct model *model, const char *filter, struct history_rows *ret)
{
	struct err err = ERR_INIT;
	struct filter parsed;
	bool readable = filter_parse(filter, model, &parsed, &err) == 0;

	*ret = (struct history_rows){.items = mem_array(model->over.count + 1, sizeof(*ret->items))};
	for (size_t i = model->over.count; i > 0; i--) {
		const struct job *job = job_list_at(&model->over, i - 1);

		ret->all++;
		if (readable && filter_match(&parsed, job))
			ret->items[ret->count++] = job;
	}
	sort(ret);
	if (readable)
		filter_release(&parsed);
}

void history_rows_release(struct history_rows *rows)
{
	free(rows->items);
	*rows = (struct history_rows){0};
}

size_t history_rows_find(const struct history_rows *rows, uint64_t seq)
{
	size_t i = 0;

	while (i < rows->count && rows->items[i]->seq != seq)
		i++;
	return i;
}

size_t history_rows_at(const struct history_rows *rows, uint64_t seq)
{
	size_t at = history_rows_find(rows, seq);

	if (at < rows->count || seq == 0 || rows->count == 0)
		return at < rows->count ? at : 0;
	for (at = 0; at + 1 < rows->count && rows->items[at]->seq > seq; at++)
		;
	return at;
}

size_t history_rows_top(const struct history_rows *rows, uint64_t seq, size_t body)
{
	size_t at = history_rows_at(rows, seq);

	if (rows->count <= body)
		return 0;
	return at > rows->count - body ? rows->count - body : at;
}

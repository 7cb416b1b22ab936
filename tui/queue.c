#include "config.h"

#include "tui/queue.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

enum group { GROUP_NONE, GROUP_WAITING, GROUP_RUNNING, GROUP_DONE };

static const enum group groups[JOB_STATE_COUNT] = {
	[JOB_WAITING] = GROUP_WAITING,
	[JOB_APPROVED] = GROUP_RUNNING,
	[JOB_STARTING] = GROUP_RUNNING,
	[JOB_RUNNING] = GROUP_RUNNING,
	[JOB_STOPPING] = GROUP_RUNNING,
	[JOB_ENDED] = GROUP_DONE,
	[JOB_REJECTED] = GROUP_DONE,
	[JOB_REFUSED] = GROUP_DONE,
	[JOB_WITHDRAWN] = GROUP_DONE,
	[JOB_EXPIRED] = GROUP_DONE,
	[JOB_LOST] = GROUP_DONE,
};

static void add(struct queue_rows *rows, enum queue_row_kind kind, const struct job *job)
{
	mem_grow(&rows->items, &rows->cap, rows->count, sizeof(*rows->items));
	rows->items[rows->count++] = (struct queue_row){.kind = kind, .job = job};
}

static bool in_group(const struct job *job, enum group group)
{
	return job->state < JOB_STATE_COUNT && groups[job->state] == group;
}

static size_t count_group(const struct model *model, enum group group)
{
	size_t n = 0;

	for (size_t i = 0; i < model->count; i++)
		n += in_group(model->jobs[i], group);
	return n;
}

static void add_head(struct queue_rows *rows, enum queue_row_kind kind)
{
	if (rows->count > 0)
		add(rows, QUEUE_ROW_BLANK, NULL);
	add(rows, kind, NULL);
}

static void add_forward(const struct model *model, enum group group, struct queue_rows *ret)
{
	for (size_t i = 0; i < model->count; i++) {
		if (in_group(model->jobs[i], group))
			add(ret, QUEUE_ROW_JOB, model->jobs[i]);
	}
}

static void add_backward(const struct model *model, enum group group, struct queue_rows *ret)
{
	for (size_t i = model->count; i > 0; i--) {
		if (in_group(model->jobs[i - 1], group))
			add(ret, QUEUE_ROW_JOB, model->jobs[i - 1]);
	}
}

void queue_rows_make(const struct model *model, struct queue_rows *ret)
{
	*ret = (struct queue_rows){0};
	add_forward(model, GROUP_WAITING, ret);
	if (count_group(model, GROUP_RUNNING) > 0) {
		add_head(ret, QUEUE_ROW_RUNNING);
		add_forward(model, GROUP_RUNNING, ret);
	}
	if (count_group(model, GROUP_DONE) > 0) {
		add_head(ret, QUEUE_ROW_DONE);
		add_backward(model, GROUP_DONE, ret);
	}
}

void queue_rows_release(struct queue_rows *rows)
{
	free(rows->items);
	*rows = (struct queue_rows){0};
}

size_t queue_rows_find(const struct queue_rows *rows, uint64_t seq)
{
	size_t i = 0;

	while (i < rows->count && (rows->items[i].job == NULL || rows->items[i].job->seq != seq))
		i++;
	return i;
}

unsigned queue_row_lines(const struct queue_row *row, bool tall)
{
	return tall && row->kind == QUEUE_ROW_JOB ? 2 : 1;
}

size_t queue_rows_top(const struct queue_rows *rows, size_t top, size_t at, size_t body, bool tall)
{
	size_t first = at, lines;

	if (at < top || body == 0)
		return at < top ? at : top;
	/* Backwards from `at`, as far as there is room. */
	lines = queue_row_lines(&rows->items[at], tall);
	while (first > top) {
		lines += queue_row_lines(&rows->items[first - 1], tall);
		if (lines > body)
			break;
		first--;
	}
	return first;
}

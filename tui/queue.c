#include "config.h"

#include "tui/queue.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

enum group { GROUP_WAITING, GROUP_RUNNING, GROUP_DONE };

static enum group group_of(const struct job *job)
{
	switch (job->state) {
	case JOB_NEW:
	case JOB_WAITING:
		return GROUP_WAITING;
	case JOB_APPROVED:
	case JOB_STARTING:
	case JOB_RUNNING:
	case JOB_STOPPING:
		return GROUP_RUNNING;
	case JOB_ENDED:
	case JOB_REJECTED:
	case JOB_REFUSED:
	case JOB_WITHDRAWN:
	case JOB_EXPIRED:
	case JOB_LOST:
	case JOB_STATE_COUNT:
		break;
	}
	return GROUP_DONE;
}

static void add(struct queue_rows *rows, enum queue_row_kind kind, const struct job *job)
{
	mem_grow(&rows->items, &rows->cap, rows->count, sizeof(*rows->items));
	rows->items[rows->count++] = (struct queue_row){.kind = kind, .job = job};
}

static bool in_group(const struct job *job, enum group group)
{
	return job->state != JOB_NEW && group_of(job) == group;
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

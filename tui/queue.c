#include "config.h"

#include "tui/queue.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

static void find_floods(const struct model *model, struct queue_rows *ret)
{
	ret->floods = mem_array(model->sender_count + 1, sizeof(*ret->floods));
	for (size_t i = 0; i < model->sender_count; i++) {
		if (sender_floods(model->senders[i]))
			ret->floods[ret->flood_count++] = model->senders[i];
	}
}

/* A head and what stands below it, behind a blank row unless it is the first. Returns where the head is. */
static size_t add_part(struct queue_rows *rows, size_t calls)
{
	size_t at = rows->count + (rows->count > 0 ? 1 : 0);

	if (calls == 0)
		return SIZE_MAX;
	rows->count = at + 1 + calls;
	return at;
}

void queue_rows_make(const struct model *model, struct queue_rows *ret)
{
	*ret = (struct queue_rows){.model = model};
	turns_make(model, true, &ret->turns);
	find_floods(model, ret);
	ret->count = ret->turns.total + ret->flood_count * (1 + QUEUE_FLOOD_LINES);
	ret->running_at = add_part(ret, model->active.count);
	ret->done_at = add_part(ret, model->over.count);
}

void queue_rows_release(struct queue_rows *rows)
{
	turns_release(&rows->turns);
	free(rows->floods);
	*rows = (struct queue_rows){0};
}

static struct queue_row waiting_row(struct queue_rows *rows, size_t index)
{
	struct queue_row row = {.kind = QUEUE_ROW_JOB};

	row.job = turns_at(&rows->turns, index, &row.calls);
	if (row.calls > 0)
		row.kind = QUEUE_ROW_GROUP;
	return row;
}

static struct queue_row flood_row(const struct queue_rows *rows, size_t index)
{
	size_t line = index % (1 + QUEUE_FLOOD_LINES);

	if (line == 0)
		return (struct queue_row){.kind = QUEUE_ROW_BLANK};
	return (struct queue_row){.kind = QUEUE_ROW_FLOOD,
		.sender = rows->floods[index / (1 + QUEUE_FLOOD_LINES)],
		.line = (unsigned)line - 1};
}

struct queue_row queue_row_at(struct queue_rows *rows, size_t index)
{
	const struct model *model = rows->model;
	size_t total = rows->turns.total;

	if (index < total)
		return waiting_row(rows, index);
	if (index < total + rows->flood_count * (1 + QUEUE_FLOOD_LINES))
		return flood_row(rows, index - total);
	if (index == rows->running_at)
		return (struct queue_row){.kind = QUEUE_ROW_RUNNING};
	if (index == rows->done_at)
		return (struct queue_row){.kind = QUEUE_ROW_DONE};
	if (index >= rows->count || index + 1 == rows->running_at || index + 1 == rows->done_at)
		return (struct queue_row){.kind = QUEUE_ROW_BLANK};
	if (index > rows->done_at)
		return (struct queue_row){.kind = QUEUE_ROW_JOB,
			.job = job_list_at(&model->over, rows->count - 1 - index)};
	return (struct queue_row){.kind = QUEUE_ROW_JOB,
		.job = job_list_at(&model->active, index - rows->running_at - 1)};
}

size_t queue_rows_find(struct queue_rows *rows, uint64_t seq)
{
	const struct model *model = rows->model;
	const struct job *job = model_job(model, seq);

	if (job == NULL || job->state == JOB_NEW)
		return rows->count;
	if (job->state == JOB_WAITING)
		return turns_find(&rows->turns, job);
	if (job_is_over(job->state))
		return rows->count - 1 - job_list_below(&model->over, seq);
	return rows->running_at + 1 + job_list_below(&model->active, seq);
}

unsigned queue_row_lines(const struct queue_row *row, bool tall)
{
	return tall && row->job != NULL ? 2 : 1;
}

/* Of the rows first, first + 1 .. so many are among the first `count`. */
static size_t among(size_t count, size_t first, size_t rows)
{
	if (count <= first)
		return 0;
	return count - first < rows ? count - first : rows;
}

size_t queue_rows_lines(const struct queue_rows *rows, size_t count)
{
	size_t lines = count + among(count, 0, rows->turns.total);

	if (rows->running_at < rows->count)
		lines += among(count, rows->running_at + 1, rows->model->active.count);
	if (rows->done_at < rows->count)
		lines += among(count, rows->done_at + 1, rows->model->over.count);
	return lines;
}

size_t queue_row_calls(const struct queue_row *row)
{
	if (row->kind == QUEUE_ROW_GROUP)
		return row->calls;
	return row->job != NULL && row->job->more > 0 ? row->job->more + 1 : 0;
}

bool queue_row_is(const struct model *model, const struct queue_row *row, uint64_t seq)
{
	const struct job *job = model_job(model, seq);

	if (row->kind != QUEUE_ROW_GROUP || job == NULL)
		return row->job != NULL && row->job->seq == seq;
	return job->state == JOB_WAITING && job->sender == row->job->sender && seq >= row->job->seq;
}

size_t queue_rows_top(struct queue_rows *rows, size_t top, size_t at, size_t body, bool tall)
{
	size_t first = at, lines;
	struct queue_row row = queue_row_at(rows, at);

	if (at < top || body == 0)
		return at < top ? at : top;
	/* Backwards from `at`, as far as there is room. */
	lines = queue_row_lines(&row, tall);
	while (first > top) {
		row = queue_row_at(rows, first - 1);
		lines += queue_row_lines(&row, tall);
		if (lines > body)
			break;
		first--;
	}
	return first;
}

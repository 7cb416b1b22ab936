#include "config.h"

#include "tui/layout.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tui/layout_output_rows.h"

/* A window on an output. What was counted once is kept in an index, since an output grows at its end alone: a key on a long one
   then costs no more than on a short one. */

struct output_index {
	uint64_t seq; /* of the call; 0: none yet */
	unsigned width;
	bool ascii, unfold, colours;
	struct checkpoints checkpoints;
	struct checkpoint end; /* behind the lines that are complete */
	size_t len, total;     /* of the output when it was counted last, and its rows */
};

struct output_index *output_index_new(void)
{
	return mem_alloc(sizeof(struct output_index));
}

static void clear(struct output_index *index)
{
	free(index->checkpoints.items);
	*index = (struct output_index){0};
}

void output_index_free(struct output_index *index)
{
	if (index == NULL)
		return;
	clear(index);
	free(index);
}

static bool is_about(
	const struct output_index *index, const struct job *job, const struct output_look *look)
{
	return index->seq == job->seq && index->width == look->width &&
	       index->ascii == look->ascii && index->unfold == look->unfold &&
	       index->colours == look->colours && index->len <= job->output.len;
}

/* Brings it up to the output. */
static void follow(
	struct output_index *index, const struct job *job, const struct output_look *look)
{
	if (!is_about(index, job, look)) {
		clear(index);
		index->seq = job->seq;
		index->width = look->width;
		index->ascii = look->ascii;
		index->unfold = look->unfold;
		index->colours = look->colours;
	}
	if (index->len == job->output.len)
		return;
	/* The last checkpoint may be that of the line which was not complete; it is found again, at the same place. */
	while (index->checkpoints.count > 0 &&
		index->checkpoints.items[index->checkpoints.count - 1].offset >= index->end.offset)
		index->checkpoints.count--;
	index->total = output_rows_count(job, look, &index->checkpoints, &index->end);
	index->len = job->output.len;
}

static size_t place(const struct checkpoint *c, bool by_offset)
{
	return by_offset ? c->offset : c->row;
}

/* The last place that is known up to a row, or up to an offset. */
static struct checkpoint before(const struct output_index *index, bool by_offset, size_t at)
{
	const struct checkpoints *c = &index->checkpoints;
	size_t low = 0, high = c->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (place(&c->items[middle], by_offset) <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? (struct checkpoint){0} : c->items[low - 1];
}

void layout_output(const struct job *job, const struct output_look *look, struct rows *ret)
{
	output_rows_put(job, look, 0, SIZE_MAX, &(struct checkpoint){0}, ret);
}

void layout_output_part(const struct job *job, const struct output_look *look, size_t first,
	size_t count, struct rows *ret)
{
	struct checkpoint from = {0};

	if (look->index != NULL) {
		follow(look->index, job, look);
		from = before(look->index, false, first);
	}
	output_rows_put(job, look, first, count, &from, ret);
}

size_t layout_output_line_row(const struct job *job, const struct output_look *look, size_t byte)
{
	size_t len = byte < job->output.len ? byte : job->output.len;
	const char *lf = len == 0 ? NULL : memrchr(job->output.data, '\n', len);
	struct checkpoint from = {0};
	struct job part = *job;

	if (lf == NULL)
		return 0;
	part.output.len = (size_t)(lf + 1 - job->output.data);
	if (look->index != NULL) {
		follow(look->index, job, look);
		from = before(look->index, true, part.output.len);
	}
	return output_rows_count(&part, look, NULL, &from);
}

size_t layout_output_rows(const struct job *job, const struct output_look *look)
{
	if (look->index == NULL)
		return output_rows_count(job, look, NULL, &(struct checkpoint){0});
	follow(look->index, job, look);
	return look->index->total;
}

size_t layout_output_window(const struct job *job, const struct output_look *look, bool following,
	size_t count, size_t *top, struct rows *ret)
{
	struct output_index own = {0};
	struct output_look indexed = *look;

	if (indexed.index == NULL)
		indexed.index = &own;
	size_t total = layout_output_rows(job, &indexed);
	size_t last = total > count ? total - count : 0;
	if (following || *top > last)
		*top = last;
	layout_output_part(job, &indexed, *top, count, ret);
	clear(&own);
	return total;
}

#include "config.h"

#include "tui/marked.h"

#include "tui/view.h"

void marked_make(const struct ui *ui, const struct model *model, struct marked *ret)
{
	*ret = (struct marked){0};
	for (unsigned i = 0; i < ui->mark_count; i++) {
		struct marked_part *part = &ret->parts[ret->count];

		part->job = model_job(model, ui->marks[i]);
		if (part->job == NULL)
			continue;
		part->first = ret->total + (ret->count > 0);
		layout_card(
			part->job, view_cols_of(ui, VIEW_MARKED), false, ui->ascii, &part->rows);
		ret->total = part->first + 1 + part->rows.count;
		ret->count++;
	}
}

void marked_release(struct marked *marked)
{
	for (unsigned i = 0; i < marked->count; i++)
		rows_release(&marked->parts[i].rows);
	*marked = (struct marked){0};
}

static const struct marked_part *part_of(const struct marked *marked, size_t row)
{
	for (unsigned i = marked->count; i > 0; i--) {
		if (marked->parts[i - 1].first <= row)
			return &marked->parts[i - 1];
	}
	return NULL;
}

const struct marked_part *marked_at(const struct marked *marked, size_t row, size_t *ret_index)
{
	const struct marked_part *part = part_of(marked, row);
	bool card = part != NULL && row > part->first && row - part->first <= part->rows.count;

	*ret_index = card ? row - part->first - 1 : 0;
	return card ? part : NULL;
}

const struct marked_part *marked_head(const struct marked *marked, size_t row)
{
	const struct marked_part *part = part_of(marked, row);

	return part != NULL && part->first == row ? part : NULL;
}

bool marked_is_fog(const struct ui *ui, const struct marked *marked, size_t row)
{
	size_t index;
	const struct marked_part *part = marked_at(marked, row, &index);

	return part != NULL && index < part->rows.deciding &&
	       !ui_row_seen(ui, part->job, &part->rows, index);
}

size_t marked_top(const struct marked *marked, size_t top, size_t body)
{
	size_t last = marked->total > body ? marked->total - body : 0;

	return top > last ? last : top;
}

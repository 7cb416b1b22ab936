#include "config.h"

#include "tui/view_parts.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "tui/layout_marks.h"
#include "tui/view_words.h"

/* A list's bar says where one is, and is never shorter than this. */
#define BAR_LEAST 2u
#define BAR_LEAST_PANE 1u

unsigned draw_text(
	const struct screen *s, unsigned col, unsigned row, enum style style, const char *text)
{
	return frame_put(s->frame, col, row, s->frame->cols, style, text);
}

unsigned draw_field(const struct screen *s, unsigned col, unsigned row, unsigned columns,
	enum style style, const char *text)
{
	STR_AUTO struct str shown = STR_INIT;

	words_field(text, columns, s->ui->ascii, &shown);
	return frame_put(s->frame, col, row, columns, style, str_c(&shown));
}

bool screen_has_unseen(const struct screen *s)
{
	size_t total, unseen;

	ui_seen_rows(s->ui, s->model, &total, &unseen);
	return unseen > 0;
}

void draw_selected(const struct screen *s, unsigned row, unsigned lines)
{
	draw_text(s, 0, row, STYLE_SELECT, ">");
	s->frame->cursor_row = (int)row;
	s->frame->cursor_col = 0;
	for (unsigned i = 0; i < lines; i++)
		frame_tint(s->frame, 0, row + i, s->frame->cols - 1, STYLE_SELECT);
}

bool draw_right(
	const struct screen *s, unsigned row, unsigned left, enum style style, const char *text)
{
	unsigned columns = text_columns(text);

	unsigned end = s->frame->cols - s->pane; /* a pane has an edge there */

	if (left + 2 + columns > end)
		return false;
	draw_text(s, end - columns, row, style, text);
	return true;
}

void draw_rule(const struct screen *s, unsigned row, enum style style, const char *text,
	const char *corner)
{
	unsigned cols = s->frame->cols, used, room = cols - 5;

	frame_fill(s->frame, 0, row, cols - 1, STYLE_RULE, "─");
	frame_put(s->frame, cols - 1, row, 1, STYLE_RULE, corner);
	if (text == NULL || text[0] == '\0')
		return;
	frame_put(s->frame, 1, row, 1, STYLE_RULE, " ");
	used = frame_put(s->frame, 2, row, room, style, text);
	if (used < text_columns(text)) {
		used = room;
		frame_put(s->frame, 2 + used - 1, row, 1, STYLE_FOLD, "…");
	}
	frame_put(s->frame, 2 + used, row, 1, STYLE_RULE, " ");
}

void draw_edge(const struct screen *s, unsigned row, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		frame_put(s->frame, s->frame->cols - 1, row + i, 1, STYLE_RULE, "│");
}

static void draw_one_row(const struct screen *s, unsigned at, const struct row *row)
{
	unsigned col = 0, end = s->frame->cols - 1;

	for (size_t i = 0; i < row->count && col < end; i++)
		col += frame_put(s->frame, col, at, end - col, row->segments[i].style,
			row->segments[i].text);
}

void draw_rows(
	const struct screen *s, unsigned row, unsigned count, const struct rows *rows, size_t top)
{
	for (unsigned i = 0; i < count && top + i < rows->count; i++)
		draw_one_row(s, row + i, &rows->items[top + i]);
}

void draw_list_bar(const struct screen *s, unsigned row, unsigned count, size_t top, size_t total)
{
	size_t size, start;

	draw_edge(s, row, count);
	if (total <= count)
		return;
	size_t least = s->pane ? BAR_LEAST_PANE : BAR_LEAST;

	size = (size_t)count * count / total;
	if (size < least)
		size = least;
	if (top > total - count)
		top = total - count;
	start = top * (count - size) / (total - count);
	for (size_t i = 0; i < size; i++)
		frame_put(s->frame, s->frame->cols - 1, row + (unsigned)(start + i), 1, STYLE_RULE,
			"█");
}

void draw_heads(const struct screen *s, unsigned row, const struct list_head *heads, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		unsigned end = s->frame->cols;
		STR_AUTO struct str name = STR_INIT;

		for (size_t k = count; k-- > i + 1;)
			end = heads[k].col > 0 ? heads[k].col : end;
		if (heads[i].col == 0)
			continue;
		words_shown(heads[i].name, end - heads[i].col - 1, &name);
		draw_text(s, heads[i].col, row, STYLE_RULE, str_c(&name));
	}
}

bool job_is_running(const struct job *job)
{
	return job->state == JOB_APPROVED || job->state == JOB_STARTING ||
	       job->state == JOB_RUNNING || job->state == JOB_STOPPING;
}

/* What hurts nobody is not red: a failed exit is only another end. */
enum style outcome_style(const struct job *job)
{
	bool ended = job->state == JOB_ENDED || job->state == JOB_LOST;

	return ended && job->reason != REASON_NONE ? STYLE_FAILED : STYLE_PLAIN;
}

/* What is dangerous goes on to look like that. */
static void tint_match(const struct screen *s, const struct row_mark *mark, unsigned row)
{
	for (unsigned col = mark->col; col < mark->col + mark->columns; col++) {
		enum style style = (enum style)frame_at(s->frame, col, row)->style;

		if (style != STYLE_ESCAPE && style != STYLE_DANGER && style != STYLE_NOTE)
			frame_tint(s->frame, col, row, 1, STYLE_MATCH);
	}
}

void draw_found(const struct screen *s, const char *find, unsigned row, unsigned count,
	const struct rows *rows, size_t top)
{
	struct row_marks marks;
	struct seek seek;

	seek_begin_shown(&seek, find);
	layout_marks(rows, &seek, &marks);
	for (size_t i = 0; i < marks.count; i++) {
		const struct row_mark *m = &marks.items[i];

		if (m->row >= top && m->row < top + count)
			tint_match(s, m, row + (unsigned)(m->row - top));
	}
	row_marks_release(&marks);
	seek_release(&seek);
}

#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"
#include "core/limits.h"
#include "tui/panes.h"
#include "tui/view_card.h"
#include "tui/view_words.h"

/* A pane on its way to the screen: the part of its frame that is copied, and where to. */
struct part {
	unsigned from_row, count;
	unsigned col, row;
};

static void copy_cells(const struct screen *s, const struct frame *from, const struct part *part)
{
	for (unsigned i = 0; i < part->count; i++)
		memcpy(frame_at(s->frame, part->col, part->row + i),
			&from->cells[(size_t)(part->from_row + i) * from->cols],
			from->cols * sizeof(struct cell));
}

/* The cursor goes with the pane that has the keys, if its view has put it somewhere. */
static void copy_cursor(const struct screen *s, const struct frame *from, const struct part *part)
{
	if (from->cursor_row < (int)part->from_row ||
		from->cursor_row >= (int)(part->from_row + part->count))
		return;
	s->frame->cursor_col = from->cursor_col + (int)part->col;
	s->frame->cursor_row = from->cursor_row - (int)part->from_row + (int)part->row;
	s->frame->cursor_shown = from->cursor_shown;
}

static void draw_pane(const struct screen *s, enum view view, unsigned cols, unsigned rows,
	const struct part *part)
{
	static void (*const views[])(const struct screen *) = {
		[VIEW_QUEUE] = draw_queue_pane,
		[VIEW_CARD] = draw_card,
		[VIEW_OUTPUT] = draw_output,
	};
	struct screen pane = *s;
	struct frame frame;

	frame_init(&frame, cols, rows);
	frame.ascii = s->frame->ascii;
	frame.cursor_row = -1;
	pane.frame = &frame;
	pane.pane = true;
	pane.job =
		view == VIEW_OUTPUT ? ui_output_job(s->ui, s->model) : ui_card_job(s->ui, s->model);
	views[view](&pane);
	copy_cells(s, &frame, part);
	if (view == s->ui->view)
		copy_cursor(s, &frame, part);
	frame_release(&frame);
}

/* "2 card", and with the keys "[2 card]". Returns the column behind it. */
static unsigned put_name(const struct screen *s, unsigned col, unsigned row, enum view view,
	const char *name, enum action key)
{
	bool keys = s->ui->view == view;
	STR_AUTO struct str shown = STR_INIT;
	STR_AUTO struct str text = STR_INIT;

	say_keyed(s, name, key, &shown);
	str_printf(&text, keys ? " [%s] " : " %s ", str_c(&shown));
	return col + draw_text(s, col, row, keys ? STYLE_KEY : STYLE_PLAIN, str_c(&text));
}

/* Behind a name of a pane: a number, and what it is about, up to column `end`. */
static unsigned put_about(const struct screen *s, unsigned col, unsigned end, unsigned row,
	const struct job *job, const char *about)
{
	char no[32];

	if (job == NULL)
		return col;
	snprintf(no, sizeof(no), "#%" PRIu64 " ", job->seq);
	col += draw_text(s, col, row, STYLE_PLAIN, no);
	if (about[0] == '\0' || col + 2 >= end)
		return col;
	col += draw_text(s, col, row, STYLE_PLAIN, " ");
	col += frame_put(s->frame, col, row, end - col - 1, STYLE_PLAIN, about);
	return col + draw_text(s, col, row, STYLE_PLAIN, " ");
}

static void put_sign(const struct screen *s, unsigned col, unsigned row, const char *sign)
{
	frame_put(s->frame, col, row, 1, STYLE_RULE, sign);
}

static void draw_upper_titles(const struct screen *s, const struct panes *p)
{
	unsigned row = PANES_HEAD_ROWS - 1, edge = p->queue_cols;

	draw_rule(s, row, STYLE_RULE, NULL, "┐");
	put_name(s, 1, row, VIEW_QUEUE, _("1 queue"), ACTION_VIEW_QUEUE);
	put_sign(s, edge, row, "┬");
	unsigned col = put_name(s, edge + 2, row, VIEW_CARD, _("2 card"), ACTION_VIEW_CARD);
	put_about(s, col, s->frame->cols, row, ui_card_job(s->ui, s->model), "");
}

static void add_figure(struct str *out, unsigned room, const char *figure)
{
	unsigned gap = out->len > 0 ? 3 : 0;

	if (figure[0] != '\0' && text_columns(str_c(out)) + gap + text_columns(figure) <= room)
		str_printf(out, "%*s%s", (int)gap, "", figure);
}

static void add_usage(const struct job *job, unsigned room, struct str *out)
{
	const struct job_usage *used = &job->used;
	STR_AUTO struct str memory = STR_INIT;
	STR_AUTO struct str processes = STR_INIT;
	char cpu[32];

	if (!job_is_running(job) || used->cpu_percent < 0)
		return;
	snprintf(cpu, sizeof(cpu), _("CPU %" PRId64 " %%"), used->cpu_percent);
	add_figure(out, room, cpu);
	words_memory(used->memory, used->memory_limit, &memory);
	add_figure(out, room, str_c(&memory));
	words_processes(used->processes, used->processes_limit, &processes);
	str_add(&processes, _(" processes"));
	add_figure(out, room, str_c(&processes));
}

/* Time, size, and what it uses: as many figures as there is room for. */
static void figures(const struct screen *s, const struct job *job, unsigned room, struct str *out)
{
	STR_AUTO struct str time = STR_INIT;
	STR_AUTO struct str size = STR_INIT;

	if (job_is_running(job))
		words_running(job, s->now_ms, &time);
	else
		words_ran(job, &time);
	add_figure(out, room, str_c(&time));
	words_size(job->output_bytes, &size);
	str_add(&size, _(" of "));
	words_size(LIMIT_OUTPUT_BYTES, &size);
	add_figure(out, room, str_c(&size));
	add_usage(job, room, out);
}

static void draw_output_title(const struct screen *s, const struct panes *p)
{
	const struct job *job = ui_output_job(s->ui, s->model);
	unsigned row = p->output_rule, edge = p->queue_cols, end = s->frame->cols - 1;
	STR_AUTO struct str command = STR_INIT;
	STR_AUTO struct str text = STR_INIT;

	draw_rule(s, row, STYLE_RULE, NULL, "┤");
	put_sign(s, edge, row, "┴");
	unsigned col = put_name(s, 1, row, VIEW_OUTPUT, _("3 output"), ACTION_VIEW_OUTPUT);
	if (job == NULL)
		return;
	/* number, two blanks, a rule's end */
	if (edge > col + 14)
		words_command(job, edge - col - 8, s->ui->ascii, &command);
	put_about(s, col, edge, row, job, str_c(&command));
	if (job->started_at_ms < 0)
		return;
	figures(s, job, end - edge - 5, &text);
	frame_fill(s->frame, edge + 2, row, text_columns(str_c(&text)) + 2, STYLE_RULE, " ");
	draw_text(
		s, edge + 3, row, job_is_running(job) ? STYLE_RUNNING : STYLE_PLAIN, str_c(&text));
}

/* Where a rule of the card begins, the edge beside it has an arm. */
static void join_rules(const struct screen *s, const struct panes *p)
{
	const char *rule = s->frame->ascii ? "-" : "─";

	for (unsigned row = PANES_HEAD_ROWS; row < p->output_rule; row++) {
		if (strcmp(frame_at(s->frame, p->queue_cols + 1, row)->text, rule) == 0)
			put_sign(s, p->queue_cols, row, "├");
	}
}

void draw_panes(const struct screen *s)
{
	struct panes p = panes_of(s->ui);
	unsigned edge = p.queue_cols, body = p.upper_rows - PANES_CARD_HEAD_ROWS;
	struct part queue = {0, p.upper_rows, 0, PANES_HEAD_ROWS};
	struct part card = {1, p.upper_rows, edge + 1, PANES_HEAD_ROWS};
	struct part output = {CARD_HEAD_ROWS, p.output_rows + 1, 0, p.output_rule + 1};

	draw_upper_titles(s, &p);
	draw_pane(s, VIEW_QUEUE, edge + 1, p.upper_rows, &queue);
	draw_pane(s, VIEW_CARD, p.card_cols, CARD_HEAD_ROWS + body + FOOT_ROWS, &card);
	join_rules(s, &p);
	draw_pane(s, VIEW_OUTPUT, s->frame->cols, CARD_HEAD_ROWS + p.output_rows + FOOT_ROWS,
		&output);
	draw_output_title(s, &p);
}

#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/words.h"
#include "tui/history.h"
#include "tui/queue.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

#define NARROW_BELOW 76u
#define WIDE_FROM 110u

/* Where the columns of the list begin; what came of a call takes those of note and net. 0: not shown. */
struct columns {
	unsigned no, note, net, agent, waits, left, command;
};
static const struct columns columns_narrow = {1, 7, 12, 0, 22, 29, 37};
static const struct columns columns_plain = {1, 8, 13, 23, 34, 41, 49};
static const struct columns columns_wide = {1, 8, 13, 25, 46, 53, 61};

static const struct columns *columns_for(const struct screen *s)
{
	if (s->frame->cols < NARROW_BELOW)
		return &columns_narrow;
	return s->frame->cols < WIDE_FROM ? &columns_plain : &columns_wide;
}

bool queue_is_empty(const struct model *model)
{
	return model->waiting == 0 && model->running == 0;
}

static void put_note(
	const struct screen *s, unsigned row, const struct columns *c, const struct card *card)
{
	if (unusual_has_danger(&card->unusual))
		draw_text(s, c->note, row, STYLE_DANGER, "!!");
	else if (card->unusual.count > 0)
		draw_text(s, c->note, row, STYLE_NOTE, "!");
	if (card->network == CARD_NETWORK_ON)
		draw_text(s, c->net, row, STYLE_NOTE, _("!ON"));
	else if (card->network == CARD_NETWORK_ON_HOST)
		draw_text(s, c->net, row, STYLE_DANGER, _("!!ON"));
}

static void put_waiting(
	const struct screen *s, unsigned row, const struct columns *c, const struct job *job)
{
	STR_AUTO struct str waits = STR_INIT;
	STR_AUTO struct str left = STR_INIT;

	if (job->card != NULL)
		put_note(s, row, c, job->card);
	words_waited(s->now_ms - job->received_at_ms, &waits);
	draw_text(s, c->waits, row, STYLE_QUIET, str_c(&waits));
	if (job->deadline_at_ms < 0)
		return;
	words_left(job->deadline_at_ms - s->now_ms, &left);
	draw_text(s, c->left, row, str_c(&left)[0] == '!' ? STYLE_NOTE : STYLE_QUIET, str_c(&left));
}

static void put_running(
	const struct screen *s, unsigned row, const struct columns *c, const struct job *job)
{
	STR_AUTO struct str ran = STR_INIT;

	if (job->state != JOB_RUNNING)
		draw_text(s, c->note, row, STYLE_RUNNING, _(job_state_name(job->state)));
	if (job->started_at_ms < 0)
		return;
	words_running(job, s->now_ms, &ran);
	draw_text(s, c->waits, row, STYLE_RUNNING, str_c(&ran));
}

static void put_done(
	const struct screen *s, unsigned row, const struct columns *c, const struct job *job)
{
	STR_AUTO struct str outcome = STR_INIT;
	unsigned next = c->agent > 0 ? c->agent : c->waits;
	char at[16];

	words_outcome(job, &outcome);
	draw_field(s, c->note, row, next - c->note - 1, outcome_style(job), str_c(&outcome));
	clock_format_hm(history_end_of(job), at);
	draw_text(s, c->waits, row, STYLE_QUIET, at);
}

/* "#14", or "+98" of a row that stands for so many. */
static void put_number(
	const struct screen *s, unsigned row, const struct columns *c, const struct queue_row *at)
{
	char no[32];

	snprintf(no, sizeof(no), "#%" PRIu64, at->job->seq);
	if (queue_row_calls(at) > 0)
		snprintf(no, sizeof(no), "+%zu", queue_row_calls(at));
	draw_text(s, c->no, row, STYLE_PLAIN, no);
	unsigned mark = c->no + (unsigned)strlen(no);
	if (ui_is_marked(s->ui, at->job->seq))
		draw_text(s, mark > c->note - 2 ? mark : c->note - 2, row, STYLE_KEY, "*");
}

static void put_job(
	const struct screen *s, unsigned row, const struct columns *c, const struct queue_row *at)
{
	STR_AUTO struct str command = STR_INIT;
	const struct job *job = at->job;
	unsigned more = queue_row_calls(at) > 0 ? 2 : 0, used;

	put_number(s, row, c, at);
	if (job->state == JOB_WAITING)
		put_waiting(s, row, c, job);
	else if (job_is_running(job))
		put_running(s, row, c, job);
	else
		put_done(s, row, c, job);
	if (c->agent > 0 && job->agent != NULL)
		draw_field(s, c->agent, row, c->waits - c->agent - 1, STYLE_AGENT, job->agent);
	words_command(job, s->frame->cols - 2 - c->command - more, s->ui->ascii, &command);
	used = draw_text(s, c->command, row, STYLE_PLAIN, str_c(&command));
	if (more > 0)
		draw_text(s, c->command + used + 1, row, STYLE_FOLD, "…");
	if (queue_row_is(s->model, at, s->ui->selected))
		draw_selected(s, row, 1);
}

void queue_head_words(const struct screen *s, enum queue_row_kind kind, struct str *out)
{
	if (kind == QUEUE_ROW_RUNNING) {
		str_printf(out, _("running %u of %u places"), s->model->running,
			s->model->max_running);
	} else {
		str_add(out, _("done "));
		words_count(s->model->done, out);
		str_add(out, _(", newest first"));
	}
}

static void put_head(const struct screen *s, unsigned row, enum queue_row_kind kind)
{
	STR_AUTO struct str text = STR_INIT;

	queue_head_words(s, kind, &text);
	draw_text(s, 1, row, STYLE_KEY, str_c(&text));
}

static void put_row(const struct screen *s, unsigned at, const struct queue_row *row)
{
	if (row->job != NULL)
		put_job(s, at, columns_for(s), row);
	else if (row->kind == QUEUE_ROW_FLOOD)
		draw_flood(s, at, row->sender, row->line);
	else if (row->kind != QUEUE_ROW_BLANK)
		put_head(s, at, row->kind);
}

static void put_at(const struct screen *s, unsigned at, struct queue_rows *rows, size_t index)
{
	const struct queue_row row = queue_row_at(rows, index);

	put_row(s, at, &row);
}

static void put_list(const struct screen *s, unsigned row, unsigned count)
{
	struct queue_rows rows;
	size_t top = s->ui->queue_top;

	queue_rows_make(s->model, &rows);
	for (unsigned i = 0; i < count && top + i < rows.count; i++)
		put_at(s, row + i, &rows, top + i);
	draw_list_bar(s, row, count, top, rows.count);
	queue_rows_release(&rows);
}

static void put_heads(const struct screen *s, unsigned row)
{
	const struct columns *c = columns_for(s);
	const struct list_head heads[] = {{c->no, _("no")}, {c->note, C_("column", "note")},
		{c->net, C_("column", "net")}, {c->agent, _("agent")},
		{c->waits, C_("column", "waits")}, {c->left, C_("column", "left")},
		{c->command, C_("column", "command")}};

	draw_heads(s, row, heads, ARRAY_LEN(heads));
}

void draw_queue(const struct screen *s)
{
	STR_AUTO struct str head = STR_INIT;
	unsigned row = LIST_HEAD_ROWS, end = s->frame->rows - FOOT_ROWS;
	const char *bar;

	str_add(&head, _("waiting "));
	words_count(s->model->waiting, &head);
	if (s->model->waiting > 1)
		str_add(&head, s->frame->cols < NARROW_BELOW
				       ? _(", oldest first")
				       : _(", oldest first, senders in turn"));
	draw_rule(s, LIST_HEAD_ROWS - 1, STYLE_KEY, str_c(&head), "┐");
	draw_flood_head(s, LIST_HEAD_ROWS - 1, 3 + text_columns(str_c(&head)));
	if (queue_is_empty(s->model)) {
		draw_empty(s, row);
		row += queue_empty_rows(s->ui, s->model);
		draw_edge(s, LIST_HEAD_ROWS, row - LIST_HEAD_ROWS);
	}
	put_list(s, row + 1, end > row + 1 ? end - row - 1 : 0);
	if (!queue_is_empty(s->model))
		put_heads(s, row);
	/* The row of names goes with the first row of the list. */
	bar = end > row + 1 ? frame_at(s->frame, s->frame->cols - 1, row + 1)->text : "│";
	frame_put(s->frame, s->frame->cols - 1, row, 1, STYLE_RULE, bar);
	draw_rule(s, end, STYLE_RULE, NULL, "┘");
}

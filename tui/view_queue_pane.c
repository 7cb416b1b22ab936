#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/words.h"
#include "tui/history.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

/* The queue beside a card: a call has two lines, what is known of it and its command. */

#define NOTE_COLUMN 6u
#define NET_END 12u
#define AGENT_COLUMN 13u
#define OUTCOME_COLUMN 5u
#define DONE_AGENT_COLUMN 20u
#define COMMAND_COLUMN 2u

static unsigned later(unsigned column, unsigned at_least)
{
	return column > at_least ? column : at_least;
}

/* Flush with column `end`. Returns the column where it begins. */
static unsigned put_until(
	const struct screen *s, unsigned row, unsigned end, enum style style, const char *text)
{
	unsigned columns = text_columns(text), col = end > columns ? end - columns : 0;

	draw_text(s, col, row, style, text);
	return col;
}

static void put_agent(
	const struct screen *s, unsigned row, unsigned col, unsigned end, const struct job *job)
{
	if (job->agent != NULL && end > col + 1)
		draw_field(s, col, row, end - col - 1, STYLE_AGENT, job->agent);
}

static void put_signs(const struct screen *s, unsigned row, unsigned col, const struct card *card)
{
	if (unusual_has_danger(&card->unusual))
		draw_text(s, col, row, STYLE_DANGER, "!!");
	else if (card->unusual.count > 0)
		draw_text(s, col, row, STYLE_NOTE, "!");
	if (card->network == CARD_NETWORK_ON)
		put_until(s, row, later(NET_END, col + 6), STYLE_NOTE, _("!ON"));
	else if (card->network == CARD_NETWORK_ON_HOST)
		put_until(s, row, later(NET_END, col + 7), STYLE_DANGER, _("!!ON"));
}

/* Number, note, network, agent, how long it waits, how long it has left. */
static void put_waiting(const struct screen *s, unsigned row, unsigned no, const struct job *job)
{
	unsigned end = s->frame->cols - 1, note = later(NOTE_COLUMN, no + 2);
	STR_AUTO struct str waits = STR_INIT;
	STR_AUTO struct str left = STR_INIT;

	if (job->card != NULL)
		put_signs(s, row, note, job->card);
	if (job->deadline_at_ms >= 0) {
		str_add(&left, _("left "));
		words_left(job->deadline_at_ms - s->now_ms, &left);
		end = put_until(s, row, end,
			      strchr(str_c(&left), '!') != NULL ? STYLE_NOTE : STYLE_QUIET,
			      str_c(&left)) -
		      1;
	}
	words_waited(s->now_ms - job->received_at_ms, &waits);
	end = put_until(s, row, end, STYLE_QUIET, str_c(&waits));
	put_agent(s, row, later(AGENT_COLUMN, note + 7), end, job);
}

static void put_running(const struct screen *s, unsigned row, unsigned no, const struct job *job)
{
	unsigned end = s->frame->cols - 1;
	STR_AUTO struct str ran = STR_INIT;

	if (job->state != JOB_RUNNING)
		str_add(&ran, _(job_state_name(job->state)));
	if (job->started_at_ms >= 0) {
		str_add(&ran, ran.len > 0 ? " " : "");
		words_running(job, s->now_ms, &ran);
	}
	end = put_until(s, row, end, STYLE_RUNNING, str_c(&ran));
	put_agent(s, row, later(AGENT_COLUMN, no + 2), end, job);
}

static void put_done(const struct screen *s, unsigned row, unsigned no, const struct job *job)
{
	unsigned outcome = later(OUTCOME_COLUMN, no + 1), agent = later(DONE_AGENT_COLUMN, outcome);
	STR_AUTO struct str words = STR_INIT;
	char at[16];

	words_outcome(job, &words);
	draw_field(s, outcome, row, agent - outcome - 1, outcome_style(job), str_c(&words));
	clock_format_hm(history_end_of(job), at);
	put_agent(s, row, agent, put_until(s, row, s->frame->cols - 1, STYLE_QUIET, at), job);
}

static void put_command(const struct screen *s, unsigned row, const struct queue_row *at)
{
	STR_AUTO struct str command = STR_INIT;
	unsigned more = queue_row_calls(at) > 0 ? 2 : 0, used;

	words_command(at->job, s->frame->cols - 3 - COMMAND_COLUMN - more, s->ui->ascii, &command);
	used = draw_text(s, COMMAND_COLUMN, row, STYLE_PLAIN, str_c(&command));
	if (more > 0)
		draw_text(s, COMMAND_COLUMN + used + 1, row, STYLE_FOLD, "…");
}

static void put_job(
	const struct screen *s, unsigned row, unsigned lines, const struct queue_row *at)
{
	const struct job *job = at->job;
	char no[32];
	unsigned behind;

	snprintf(no, sizeof(no), "#%" PRIu64, job->seq);
	if (queue_row_calls(at) > 0)
		snprintf(no, sizeof(no), "+%zu", queue_row_calls(at));
	behind = 1 + draw_text(s, 1, row, STYLE_PLAIN, no);
	if (ui_is_marked(s->ui, job->seq))
		draw_text(s, behind, row, STYLE_KEY, "*");
	if (job->state == JOB_WAITING)
		put_waiting(s, row, behind, job);
	else if (job_is_running(job))
		put_running(s, row, behind, job);
	else
		put_done(s, row, behind, job);
	if (lines > 1)
		put_command(s, row + 1, at);
	if (queue_row_is(s->model, at, s->ui->selected))
		draw_selected(s, row, lines < 2 ? lines : 2);
}

static void put_row(
	const struct screen *s, unsigned at, unsigned lines, const struct queue_row *row)
{
	STR_AUTO struct str head = STR_INIT;

	if (row->job != NULL) {
		put_job(s, at, lines, row);
	} else if (row->kind == QUEUE_ROW_FLOOD) {
		draw_flood(s, at, row->sender, row->line);
	} else if (row->kind != QUEUE_ROW_BLANK) {
		queue_head_words(s, row->kind, &head);
		draw_text(s, 1, at, STYLE_KEY, str_c(&head));
	}
}

void draw_queue_pane(const struct screen *s)
{
	unsigned row = 1, end = s->frame->rows;
	STR_AUTO struct str head = STR_INIT;
	struct queue_rows rows;

	str_add(&head, _("waiting "));
	words_count(s->model->waiting, &head);
	if (s->model->waiting > 1)
		str_add(&head, _(", oldest first"));
	else if (queue_is_empty(s->model))
		str_add(&head, _(", nothing runs"));
	draw_text(s, 1, 0, STYLE_KEY, str_c(&head));
	queue_rows_make(s->model, &rows);
	for (size_t i = s->ui->queue_top; row < end && i < rows.count; i++) {
		struct queue_row at = queue_row_at(&rows, i);

		put_row(s, row, end - row, &at);
		row += queue_row_lines(&at, true);
	}
	draw_edge(s, 0, end);
	/* What is over needs no bar: only a list that was moved, or calls that wait out of sight. */
	if (s->ui->queue_top > 0 || s->model->waiting * 2 > end - 1)
		draw_list_bar(s, 1, end - 1, queue_rows_lines(&rows, s->ui->queue_top),
			queue_rows_lines(&rows, rows.count));
	queue_rows_release(&rows);
}

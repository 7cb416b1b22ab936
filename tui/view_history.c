#include "config.h"

#include "tui/view_history.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/words.h"
#include "tui/history.h"
#include "tui/view.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

#define NARROW_BELOW 76u
#define WIDE_FROM 110u
#define NO_DIGITS 3u  /* for which the columns below leave room */
#define SHORT_ROWS 8u /* blank, head, six facts */
#define LIST_LEAST 5u /* rows of the list before the selected call in short has a place */

/* Where the columns of the list begin. 0: not shown. */
struct columns {
	unsigned no, agent, decided, ended, took, command;
};
static const struct columns columns_narrow = {8, 0, 0, 13, 28, 35};
static const struct columns columns_plain = {8, 13, 24, 37, 52, 59};
static const struct columns columns_wide = {8, 13, 34, 48, 65, 73};

static const struct {
	const char *name;
	size_t offset;
} heads[] = {
	{N_("no"), offsetof(struct columns, no)},
	{N_("agent"), offsetof(struct columns, agent)},
	{N_("decided"), offsetof(struct columns, decided)},
	{N_("ended"), offsetof(struct columns, ended)},
	{N_("took"), offsetof(struct columns, took)},
	{N_("command"), offsetof(struct columns, command)},
};

static unsigned *column(struct columns *columns, size_t head)
{
	return (unsigned *)((char *)columns + heads[head].offset);
}

/* A number of many digits moves what is behind it: it is never cut. */
static struct columns columns_for(const struct screen *s)
{
	struct columns columns = s->frame->cols < NARROW_BELOW ? columns_narrow
				 : s->frame->cols < WIDE_FROM  ? columns_plain
							       : columns_wide;
	size_t count = s->model->count;
	uint64_t last = count > 0 ? s->model->jobs[count - 1]->seq : 0;
	unsigned more = 0;

	for (unsigned digits = 1; last >= 10; digits++, last /= 10)
		more = digits >= NO_DIGITS ? digits + 1 - NO_DIGITS : 0;
	for (size_t i = 1; i < ARRAY_LEN(heads); i++)
		*column(&columns, i) += *column(&columns, i) > 0 ? more : 0;
	return columns;
}

static void put_heads(const struct screen *s, struct columns *columns)
{
	struct list_head shown[ARRAY_LEN(heads) + 1] = {{1, _("at")}};

	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		shown[i + 1] = (struct list_head){*column(columns, i), _(heads[i].name)};
	draw_heads(s, LIST_HEAD_ROWS, shown, ARRAY_LEN(shown));
}

static void put_call(
	const struct screen *s, unsigned row, const struct columns *c, const struct job *job)
{
	STR_AUTO struct str ended = STR_INIT;
	STR_AUTO struct str took = STR_INIT;
	STR_AUTO struct str decided = STR_INIT;
	STR_AUTO struct str command = STR_INIT;
	unsigned behind = c->agent > 0 ? c->decided : 0;
	char at[16], no[32];

	clock_format_hm(history_end_of(job), at);
	draw_text(s, 1, row, STYLE_QUIET, at);
	snprintf(no, sizeof(no), "#%" PRIu64, job->seq);
	draw_text(s, c->no, row, STYLE_PLAIN, no);
	if (c->agent > 0 && job->agent != NULL)
		draw_field(s, c->agent, row, behind - c->agent - 1, STYLE_AGENT, job->agent);
	words_decider(job, &decided);
	if (c->decided > 0)
		draw_field(s, c->decided, row, c->ended - c->decided - 1, STYLE_PLAIN,
			str_c(&decided));
	words_outcome(job, &ended);
	draw_field(s, c->ended, row, c->took - c->ended - 1, outcome_style(job), str_c(&ended));
	words_took_short(job, &took);
	draw_text(s, c->took, row, STYLE_QUIET, str_c(&took));
	words_command(job, s->frame->cols - 2 - c->command, s->ui->ascii, &command);
	draw_text(s, c->command, row, STYLE_PLAIN, str_c(&command));
}

static void put_list(
	const struct screen *s, const struct history_rows *rows, unsigned count, size_t top)
{
	struct columns columns = columns_for(s);

	put_heads(s, &columns);
	for (unsigned i = 0; i < count && top + i < rows->count; i++) {
		const struct job *job = rows->items[top + i];

		put_call(s, LIST_HEAD_ROWS + 1 + i, &columns, job);
		if (job->seq == s->ui->history_seq)
			draw_selected(s, LIST_HEAD_ROWS + 1 + i, 1);
	}
}

/* "calls 3-12 of 12, newest first": counted from the oldest, so that what ends later changes no number. */
static void say_calls(const struct history_rows *rows, unsigned count, size_t top, struct str *out)
{
	size_t end = top + count < rows->count ? top + count : rows->count;

	if (rows->count == 0) {
		str_add(out, rows->all == 0 ? _("no call is over yet") : _("no call matches"));
		return;
	}
	str_add(out, _("calls "));
	words_count(rows->count - end + 1, out);
	str_add(out, "-");
	words_count(rows->count - top, out);
	str_add(out, _(" of "));
	words_count(rows->count, out);
	str_add(out, _(", newest first"));
}

static void draw_head(
	const struct screen *s, const struct history_rows *rows, unsigned count, size_t top)
{
	STR_AUTO struct str calls = STR_INIT;
	STR_AUTO struct str head = STR_INIT;
	const char *filter = s->ui->filter;

	say_calls(rows, count, top, &calls);
	str_add(&head, filter[0] == '\0' ? _("filter none") : _("filter \""));
	if (filter[0] != '\0') {
		unsigned taken = text_columns(str_c(&calls)) + 4 + text_columns(str_c(&head)) + 7;

		words_field(filter, s->frame->cols > taken + 8 ? s->frame->cols - taken : 8,
			s->ui->ascii, &head);
		str_add(&head, "\"");
	}
	str_printf(&head, "    %s", str_c(&calls));
	draw_rule(s, LIST_HEAD_ROWS - 1, STYLE_KEY, str_c(&head), "┐");
}

static void draw_nothing(const struct screen *s, bool filtered)
{
	static const char *const none[] = {
		N_("No call is over yet: what was decided, and what came of it, is listed here."),
		N_("1 shows the queue, J opens the oldest call that waits."),
	};
	static const char *const unmatched[] = {
		N_("No call that is over matches the filter."),
		N_("/ changes it; an empty filter shows all of them again."),
	};
	const char *const *words = filtered ? unmatched : none;
	unsigned row = LIST_HEAD_ROWS + (s->frame->rows >= 20 ? 2 : 1);

	for (size_t i = 0; i < ARRAY_LEN(none); i++) {
		STR_AUTO struct str first = STR_INIT;
		STR_AUTO struct str both = STR_INIT;
		STR_AUTO struct str text = STR_INIT;

		say_keyed(s, _(words[i]), filtered ? ACTION_FIND : ACTION_VIEW_QUEUE, &first);
		say_keyed(s, str_c(&first), filtered ? ACTION_NONE : ACTION_NEXT_WAITING, &both);
		words_shown(str_c(&both), s->frame->cols - 3, &text);
		draw_text(s, 1, row + 2 * (unsigned)i, i == 0 ? STYLE_KEY : STYLE_PLAIN,
			str_c(&text));
	}
}

unsigned history_short_rows(const struct ui *ui)
{
	unsigned body = ui->rows > LIST_HEAD_ROWS + FOOT_ROWS + 1
				? ui->rows - LIST_HEAD_ROWS - FOOT_ROWS - 1
				: 0;
	unsigned room = body > LIST_LEAST ? body - LIST_LEAST : 0;

	return room < SHORT_ROWS ? room : SHORT_ROWS;
}

void draw_history(const struct screen *s)
{
	unsigned end = s->frame->rows - FOOT_ROWS, below = history_short_rows(s->ui);
	unsigned count = end - LIST_HEAD_ROWS - 1 - below;
	const struct job *job = model_job(s->model, s->ui->history_seq);
	struct history_rows rows;

	history_rows_make(s->model, s->ui->filter, &rows);
	size_t top = history_rows_top(&rows, s->ui->history_top, count);
	draw_head(s, &rows, count, top);
	draw_edge(s, LIST_HEAD_ROWS, end - LIST_HEAD_ROWS);
	if (rows.count > 0)
		put_list(s, &rows, count, top);
	else
		draw_nothing(s, rows.all > 0);
	if (s->ui->prompt.kind == PROMPT_FIND)
		draw_filter_help(s, end - below + 1, end);
	else if (job != NULL && history_rows_find(&rows, job->seq) < rows.count)
		draw_call_in_short(s, job, end - below + 1, end);
	draw_rule(s, end, STYLE_RULE, NULL, "┘");
	history_rows_release(&rows);
}

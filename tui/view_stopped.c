#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/words.h"
#include "tui/fit.h"
#include "tui/view_gate.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

#define TEXT_COLUMN 13u
#define AGENT_COLUMN 18u
#define COMMAND_COLUMN 30u
#define HOW_COLUMNS 27u /* at the right, how a command was ended */
#define HOW_FROM 76u    /* columns of a screen that has room for it */
#define ROOMY_FROM 20u  /* rows of a screen that has room for blank ones */
#define PROMPT_ROWS 5u

/* What the panic key did, in figures that come from events: how each command ended, who was rejected, what came since. */
struct sheet {
	const struct screen *s;
	unsigned row, end;
	unsigned ended, rejected; /* shown of each list */
};

static void put_words(struct sheet *sheet, enum style style, const char *words)
{
	/* The words of one sentence, wrapped at blanks. */
	unsigned room = sheet->s->frame->cols - 5;

	while (words[0] != '\0' && sheet->row < sheet->end) {
		size_t len = fit_row(words, room);
		MEM_AUTO char *part = mem_strndup(words, len);

		draw_text(sheet->s, 1, sheet->row++, style, part);
		words = fit_rest(words, len);
	}
}

static void put_row(
	struct sheet *sheet, const char *label, unsigned col, enum style style, const char *text)
{
	if (sheet->row >= sheet->end)
		return;
	if (label != NULL)
		draw_text(sheet->s, 1, sheet->row, STYLE_RULE, label);
	STR_AUTO struct str shown = STR_INIT;

	words_shown(text, sheet->s->frame->cols - col - 2, &shown);
	draw_text(sheet->s, col, sheet->row++, style, str_c(&shown));
}

static bool is_asking(const struct screen *s)
{
	return s->ui->prompt.kind == PROMPT_OPEN_INTAKE;
}

/* There is room for blank rows. */
static bool is_roomy(const struct sheet *sheet)
{
	return sheet->s->frame->rows >= ROOMY_FROM && !is_asking(sheet->s);
}

static void blank(struct sheet *sheet)
{
	sheet->row += is_roomy(sheet);
}

/* Rounded down, as all times. */
static void say_gone(const struct job *job, struct str *out)
{
	int64_t ms = job->ended_at_ms - job->stopping_at_ms;
	bool killed = job->card != NULL && ms >= (int64_t)job->card->grace_s * 1000;

	if (!job_is_over(job->state))
		str_add(out, _("SIGTERM sent"));
	else if (job->stopping_at_ms < 0)
		str_add(out, _("it had not started"));
	else
		str_printf(out, _("%s, gone in %" PRId64 ".%" PRId64 " s"),
			killed ? "SIGKILL" : "SIGTERM", ms / 1000, ms / 100 % 10);
}

static void put_call(struct sheet *sheet, const char *label, uint64_t seq, bool ended)
{
	const struct screen *s = sheet->s;
	const struct job *job = model_job(s->model, seq);
	unsigned cols = s->frame->cols, end = cols - 2;
	STR_AUTO struct str how = STR_INIT;
	char number[24];

	snprintf(number, sizeof(number), "#%" PRIu64, seq);
	put_row(sheet, label, TEXT_COLUMN, STYLE_PLAIN, number);
	if (job == NULL || sheet->row > sheet->end)
		return;
	if (ended && cols >= HOW_FROM) {
		say_gone(job, &how);
		end = cols - HOW_COLUMNS - 2;
		draw_text(s, cols - HOW_COLUMNS, sheet->row - 1, STYLE_PLAIN, str_c(&how));
	}
	if (job->agent != NULL)
		draw_field(s, AGENT_COLUMN, sheet->row - 1, COMMAND_COLUMN - AGENT_COLUMN - 2,
			STYLE_AGENT, job->agent);
	STR_AUTO struct str command = STR_INIT;

	words_command(job, end - COMMAND_COLUMN, s->ui->ascii, &command);
	draw_text(s, COMMAND_COLUMN, sheet->row - 1, STYLE_PLAIN, str_c(&command));
}

static void put_calls(struct sheet *sheet, const char *label, const uint64_t *list, unsigned count,
	unsigned shown, bool ended)
{
	char more[64];

	for (unsigned i = 0; i < shown; i++)
		put_call(sheet, i == 0 ? label : NULL, list[i], ended);
	if (shown == count)
		return;
	snprintf(more, sizeof(more),
		shown > 0 ? _("and %u more: the history has them") : _("%u: the history has them"),
		count - shown);
	put_row(sheet, shown == 0 ? label : NULL, TEXT_COLUMN, STYLE_PLAIN, more);
}

static void put_revoked(struct sheet *sheet)
{
	const struct model *model = sheet->s->model;
	const struct grant *first = NULL;
	STR_AUTO struct str text = STR_INIT;
	unsigned count = 0;

	for (size_t i = 0; i < model->grants.count; i++) {
		const struct grant *grant = &model->grants.items[i];

		if (grant->revoked_why == NULL || grant->revoked_wall_ms < model->stop.wall_ms)
			continue;
		first = count++ == 0 ? grant : first;
	}
	if (first == NULL)
		return;
	words_number(count, "grant", &text);
	str_add(&text, ": ");
	words_field(first->command, 40, sheet->s->ui->ascii, &text);
	if (first->agent != NULL) {
		str_add(&text, " (");
		words_field(first->agent, 12, sheet->s->ui->ascii, &text);
		str_add_char(&text, ')');
	}
	put_row(sheet, _("revoked"), TEXT_COLUMN, STYLE_PLAIN, str_c(&text));
}

static void put_refused(struct sheet *sheet)
{
	const struct stop_all *stop = &sheet->s->model->stop;
	const struct job *last = model_job(sheet->s->model, stop->refused_last);
	STR_AUTO struct str text = STR_INIT;
	char hms[16];

	words_number(stop->refused, "call", &text);
	if (sheet->s->frame->cols >= HOW_FROM || stop->refused == 0)
		str_add(&text, _(" since then"));
	if (stop->refused > 0) {
		clock_format_hms(stop->refused_wall_ms, hms);
		str_printf(&text, _(", the last at %s"), hms);
	}
	if (last != NULL && last->agent != NULL) {
		str_add(&text, _(" from "));
		words_field(last->agent, 20, sheet->s->ui->ascii, &text);
	}
	put_row(sheet, _("refused"), TEXT_COLUMN, STYLE_PLAIN, str_c(&text));
}

static void put_left_over(struct sheet *sheet)
{
	const struct model *model = sheet->s->model;
	const struct stop_all *stop = &model->stop;
	STR_AUTO struct str text = STR_INIT;
	enum style style = STYLE_PLAIN;
	char hms[16];

	clock_format_hms(stop->left_wall_ms, hms);
	if (stop->left < 0) {
		words_number(model->running, "command", &text);
		str_add(&text, _(" still on the way to its end"));
	} else if (stop->left == 0) {
		str_printf(&text, _("no process%s is alive, checked at %s"),
			sheet->s->frame->cols >= HOW_FROM ? _(" of any command") : "", hms);
	} else {
		style = STYLE_DANGER;
		str_printf(&text, _("!%" PRId64 " %s still alive, counted at %s"), stop->left,
			stop->left == 1 ? _("process is") : _("processes are"), hms);
	}
	put_row(sheet, _("left over"), TEXT_COLUMN, style, str_c(&text));
}

static unsigned list_rows(unsigned count, unsigned shown)
{
	return shown + (shown < count ? 1 : 0);
}

/* The lists give way to what is around them; each is cut with a count. */
static void fit_lists(struct sheet *sheet, unsigned around)
{
	const struct stop_all *stop = &sheet->s->model->stop;
	unsigned room = sheet->end > sheet->row + around ? sheet->end - sheet->row - around : 0;

	sheet->ended = stop->ended_count < MODEL_STOP_LIST ? stop->ended_count : MODEL_STOP_LIST;
	sheet->rejected =
		stop->rejected_count < MODEL_STOP_LIST ? stop->rejected_count : MODEL_STOP_LIST;
	while (list_rows(stop->ended_count, sheet->ended) +
				list_rows(stop->rejected_count, sheet->rejected) >
			room &&
		sheet->ended + sheet->rejected > 0) {
		if (sheet->rejected > 0 && sheet->rejected >= sheet->ended)
			sheet->rejected--;
		else
			sheet->ended--;
	}
}

static void draw_sheet(struct sheet *sheet)
{
	const struct stop_all *stop = &sheet->s->model->stop;
	char head[64], hms[16];

	clock_format_hms(stop->wall_ms, hms);
	snprintf(head, sizeof(head), _("ALL STOPPED at %s, by you."), hms);
	blank(sheet);
	put_words(sheet, STYLE_DANGER, head);
	blank(sheet);
	put_words(sheet, STYLE_PLAIN,
		_("Intake is closed: each new call is refused (intake_closed) until you open it "
		  "again. No agent can open it."));
	blank(sheet);
	unsigned around = (is_roomy(sheet) ? 6u : 4u) + (sheet->s->model->grants.count > 0);

	fit_lists(sheet, around);
	put_calls(sheet, _("ended"), stop->ended, stop->ended_count, sheet->ended, true);
	put_calls(
		sheet, _("rejected"), stop->rejected, stop->rejected_count, sheet->rejected, false);
	put_revoked(sheet);
	put_refused(sheet);
	blank(sheet);
	put_left_over(sheet);
	blank(sheet);
	if (is_asking(sheet->s))
		return;
	STR_AUTO struct str text = STR_INIT;

	say_keyed(sheet->s, _("O opens intake again; it asks for the word   open"),
		ACTION_INTAKE_OPEN, &text);
	put_row(sheet, NULL, 1, STYLE_PLAIN, str_c(&text));
}

static void draw_word(const struct screen *s, unsigned row)
{
	static const char *const labels[] = {N_("you are about to"), N_("type the word")};

	draw_edge(s, row + 1, PROMPT_ROWS - 1);
	draw_rule(s, row, STYLE_KEY, _("intake opens again"), "┤");
	for (unsigned i = 0; i < ARRAY_LEN(labels); i++)
		draw_text(s, 1, row + 1 + i, STYLE_RULE, _(labels[i]));
	draw_text(s, PROMPT_WORD_COLUMN, row + 1, STYLE_PLAIN, _("let agents ask again"));
	draw_text(s, PROMPT_WORD_COLUMN, row + 2, STYLE_KEY, UI_OPEN_WORD);
	draw_typed(s, PROMPT_WORD_COLUMN, row + 3);
}

void draw_stopped(const struct screen *s)
{
	unsigned bottom = s->frame->rows - FOOT_ROWS;
	bool asks = is_asking(s);
	struct sheet sheet = {
		.s = s, .row = LIST_HEAD_ROWS, .end = asks ? bottom - PROMPT_ROWS : bottom};

	draw_rule(s, LIST_HEAD_ROWS - 1, STYLE_DANGER, _("!! all stopped"), "┐");
	draw_edge(s, LIST_HEAD_ROWS, bottom - LIST_HEAD_ROWS);
	draw_sheet(&sheet);
	if (asks)
		draw_word(s, sheet.end);
	draw_rule(s, bottom, STYLE_RULE, NULL, "┘");
}

void gate_stopped(const struct screen *s, struct gate_row *row)
{
	const struct stop_all *stop = &s->model->stop;
	char hms[16];

	snprintf(row->right, sizeof(row->right), _("%u refused"), stop->refused);
	if (is_asking(s)) {
		row->head = _("intake closed");
		if (!ui_open_typed(s->ui)) {
			str_add(&row->text,
				_("type the word, then Enter; pasted text does not count"));
			return;
		}
		gate_word_typed(s, row, _("Enter opens intake"));
		row->head = row->ready ? _("intake ready") : _("intake waits");
		return;
	}
	clock_format_hms(stop->wall_ms, hms);
	row->head = _("nothing to approve");
	str_printf(&row->text, _("intake is closed since %s"), hms);
}

void question_stop_all(const struct model *model, struct str *out)
{
	unsigned rejected = model->waiting;

	for (size_t i = 0; i < model->active.count; i++)
		rejected += job_list_at(&model->active, i)->state == JOB_APPROVED;
	str_add(out, _("stop all: "));
	if (rejected > 0)
		str_printf(out, _("reject %u, "), rejected);
	if (model->running > 0)
		str_printf(out, _("end %u, "), model->running);
	str_add(out, _("close intake?"));
}

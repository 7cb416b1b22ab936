#include "config.h"

#include "tui/view_gate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/words.h"
#include "tui/edge.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

#define HEAD_COLUMN 5u
#define TEXT_COLUMN 20u

static void say_count(const struct screen *s, const char *one, const char *many, enum action action,
	struct str *out)
{
	STR_AUTO struct str does = STR_INIT;

	if (s->model->waiting == 0) {
		str_add(out, _("nothing waits"));
		return;
	}
	words_count(s->model->waiting, out);
	say_keyed(s, s->model->waiting == 1 ? one : many, action, &does);
	str_printf(out, _(" waiting: %s"), str_c(&does));
}

static void gate_output(const struct screen *s, struct gate_row *row)
{
	row->head = _("nothing to approve here");
	say_count(s, _("J opens it"), _("J opens the oldest"), ACTION_NEXT_WAITING, &row->text);
}

static void gate_queue(const struct screen *s, struct gate_row *row)
{
	const struct job *job = model_job(s->model, s->ui->selected);

	if (queue_is_empty(s->model)) {
		row->head = _("nothing to approve");
		str_add(&row->text, s->model->intake_open
					    ? _("a new call appears here and rings once")
					    : _("no new call can come"));
		snprintf(row->right, sizeof(row->right), _("0 waiting"));
	} else if (ui_group(s->ui, s->model) != NULL) {
		row->head = _("approve off");
		str_add(&row->text, _("a group can be opened or rejected, never approved"));
	} else if (s->ui->mark_count > 0) {
		gate_marks(s, row);
	} else if (job != NULL && job->state == JOB_WAITING) {
		row->head = _("approve off");
		STR_AUTO struct str text = STR_INIT;

		str_printf(
			&text, _("decisions are made on a card: Enter opens #%" PRIu64), job->seq);
		say_keyed(s, str_c(&text), ACTION_OPEN, &row->text);
	} else {
		gate_output(s, row);
	}
}

static void gate_help(const struct screen *s, struct gate_row *row)
{
	row->head = _("approve off");
	say_keyed(s, _("close this page first: Esc"), ACTION_BACK, &row->text);
}

static void gate_nothing(const struct screen *s, struct gate_row *row)
{
	const struct job *job = s->job;

	row->head = _("nothing to approve");
	if (job == NULL) {
		str_add(&row->text, _("no card is open"));
	} else if (job->state == JOB_WITHDRAWN) {
		str_add(&row->text, _("withdrawn by the agent after "));
		words_waited(job->ended_at_ms - job->received_at_ms, &row->text);
	} else if (job->state == JOB_EXPIRED) {
		str_add(&row->text, _("nobody decided within "));
		words_waited(s->model->approval_timeout_ms, &row->text);
		str_add(&row->text, _("; that is not a no"));
	} else if (job->reason == REASON_NO_SANDBOX_AVAILABLE) {
		str_add(&row->text, _("without a sandbox nothing runs"));
	} else if (job->state == JOB_LOST) {
		str_add(&row->text, _("it was lost, and was not run again"));
	} else {
		str_printf(&row->text, _("refused at once: %s"), _(reason_word(job->reason)));
	}
}

static void gate_decided(const struct screen *s, struct gate_row *row)
{
	const struct job *job = s->job;

	row->head = _("decided already");
	if (!job_is_running(job)) {
		say_count(s, _("Enter opens it"), _("Enter opens the oldest"), ACTION_OPEN,
			&row->text);
		return;
	}
	words_decided(job, &row->text);
	str_printf(&row->text, ", %s",
		job->state == JOB_APPROVED ? _("waits for a free place")
					   : _(job_state_name(job->state)));
	if (job->started_at_ms >= 0)
		str_printf(&row->text, " %" PRId64 " s", (s->now_ms - job->started_at_ms) / 1000);
	if (s->model->waiting > 0)
		say_keyed(s, _("    Enter next waiting"), ACTION_OPEN, &row->text);
}

static void gate_record(const struct screen *s, struct gate_row *row)
{
	row->head = _("approve off");
	str_printf(&row->text, _("the record cannot be written: %s"), s->model->record_failed);
}

void gate_word_typed(const struct screen *s, struct gate_row *row, const char *does)
{
	if (!ui_rested(s->ui, s->now_ms)) {
		row->lamp = "[.]";
		row->head = _("approve waits");
		str_add(&row->text, _("the word is complete: let the keys rest a moment"));
	} else {
		row->lamp = "[Enter]";
		row->head = _("approve ready");
		row->ready = true;
		str_add(&row->text, does);
	}
}

static void gate_prompt(const struct screen *s, struct gate_row *row)
{
	const struct ui *ui = s->ui;

	row->head = _("approve off");
	if (ui->prompt.kind == PROMPT_GRANT) {
		row->lamp = grant_lamp(s, &row->head, &row->text);
		row->ready = row->lamp == s->lamp_yes;
	} else if (ui->prompt.kind == PROMPT_REASON) {
		str_add(&row->text, _("you are typing a reason: keys are text now"));
	} else if (ui->prompt.kind == PROMPT_EDIT) {
		str_add(&row->text, _("you are editing the command: keys are text now"));
	} else if (screen_has_unseen(s)) { /* Enter would say so */
		str_add(&row->text, _("the card changed: Esc, then read it again"));
	} else if (!ui_words_typed(ui, s->job->card)) {
		str_add(&row->text, _("type the word, then Enter; pasted text does not count"));
	} else {
		gate_word_typed(s, row, _("Enter runs exactly this card"));
	}
}

static void gate_changed(const struct screen *s, struct gate_row *row)
{
	(void)s;
	row->head = _("approve off");
	str_add(&row->text, _("the card changed: read the lines with *"));
}

static void gate_not_seen(const struct screen *s, struct gate_row *row)
{
	size_t total, unseen;

	ui_seen_rows(s->ui, s->model, &total, &unseen);
	row->head = _("approve off");
	str_printf(&row->text, _("%zu of "), unseen);
	words_number(total, "line", &row->text);
	say_keyed(s, _(" not seen yet: press Space"), ACTION_PART_NEXT, &row->text);
}

static void say_all_seen(const struct screen *s, struct gate_row *row)
{
	size_t total, unseen;

	ui_seen_rows(s->ui, s->model, &total, &unseen);
	str_add(&row->text, _("all "));
	words_number(total, "line", &row->text);
	str_add(&row->text, _(" seen: "));
}

static void gate_rest(const struct screen *s, struct gate_row *row)
{
	row->lamp = "[.]";
	row->head = _("approve waits");
	say_all_seen(s, row);
	str_add(&row->text, _("let the keys rest a moment"));
}

static void gate_ready(const struct screen *s, struct gate_row *row)
{
	STR_AUTO struct str words = STR_INIT;
	STR_AUTO struct str text = STR_INIT;

	row->lamp = s->lamp_approve;
	row->head = _("approve ready");
	row->ready = true;
	card_words(s->job->card, &words);
	say_all_seen(s, row);
	if (s->ui->view == VIEW_MARKED)
		str_printf(&text, _("a runs exactly these %u"), s->ui->mark_count);
	else if (words.len == 0)
		str_add(&text, _("a runs exactly this card"));
	else
		str_printf(&text, _("a asks for the %s   %s"),
			strchr(str_c(&words), ' ') != NULL ? _("words") : _("word"), str_c(&words));
	say_keyed(s, str_c(&text), ACTION_APPROVE, &row->text);
}

static const struct sender *gate_group(const struct screen *s)
{
	return ui_group(s->ui, s->model);
}

/* Its name is foreign text. */
static void gate_sender(const struct screen *s, struct gate_row *row)
{
	const struct sender *sender =
		s->ui->view == VIEW_AGENTS ? ui_agent(s->ui, s->model) : gate_group(s);
	STR_AUTO struct str name = STR_INIT;
	STR_AUTO struct str shown = STR_INIT;

	row->right[0] = '\0';
	if (sender == NULL)
		return;
	sender_words(s->model, sender, &name);
	words_field(str_c(&name), 20, s->ui->ascii, &shown);
	text_fit(str_c(&shown), row->right, sizeof(row->right));
}

/* At the right: what the keys are about. */
static void gate_subject(const struct screen *s, struct gate_row *row)
{
	const struct job *job = ui_open_job(s->ui, s->model);

	if (job != NULL)
		snprintf(row->right, sizeof(row->right), "#%" PRIu64, job->seq);
	if (s->ui->view == VIEW_AGENTS || (s->ui->view == VIEW_QUEUE && gate_group(s) != NULL))
		gate_sender(s, row);
	if (s->ui->view == VIEW_MARKED)
		gate_of_marked(s, row);
	if (s->ui->view == VIEW_GRANTS && ui_grant(s->ui, s->model) != NULL)
		snprintf(row->right, sizeof(row->right), _("grant %" PRIu64), s->ui->grant_number);
}

static void gate_words(const struct screen *s, struct gate_row *row)
{
	static void (*const by_gate[GATE_COUNT])(const struct screen *, struct gate_row *) = {
		[GATE_RECORD] = gate_record,
		[GATE_LOCKED] = gate_locked,
		[GATE_STOPPED] = gate_stopped,
		[GATE_DECIDED] = gate_decided,
		[GATE_TOO_SMALL] = gate_nothing,
		[GATE_OTHER_VIEW] = gate_nothing,
		[GATE_PROMPT] = gate_prompt,
		[GATE_CHANGED] = gate_changed,
		[GATE_NOT_SEEN] = gate_not_seen,
		[GATE_REST] = gate_rest,
		[GATE_READY] = gate_ready,
		[GATE_NOTHING] = gate_nothing,
	};
	static void (*const by_view[VIEW_COUNT])(const struct screen *, struct gate_row *) = {
		[VIEW_QUEUE] = gate_queue,
		[VIEW_OUTPUT] = gate_output,
		[VIEW_HELP] = gate_help,
		[VIEW_HISTORY] = gate_output,
		[VIEW_GRANTS] = gate_output,
		[VIEW_AGENTS] = gate_output,
	};
	enum gate gate = ui_gate(s->ui, s->model, s->now_ms);

	gate_subject(s, row);
	bool secret = prompt_is_secret(s->ui->prompt.kind);
	bool whole = gate == GATE_RECORD || gate == GATE_LOCKED || gate == GATE_STOPPED;
	if (secret)
		gate_locked(s, row);
	else if (!whole && by_view[s->ui->view] != NULL)
		by_view[s->ui->view](s, row);
	else
		by_gate[gate](s, row);
}

/* What fits of a sentence: all of it, or without what is behind its last gap or colon (what to press), or cut with a sign. */
static void fit_text(const char *text, unsigned room, struct str *out)
{
	const char *gap = strstr(text, "    "), *colon = strrchr(text, ':');

	if (text_columns(text) <= room)
		str_add(out, text);
	else if (gap != NULL && (size_t)(gap - text) <= room)
		str_add_bytes(out, text, (size_t)(gap - text));
	else if (colon != NULL && (size_t)(colon - text) <= room)
		str_add_bytes(out, text, (size_t)(colon - text));
	else
		words_shown(text, room, out);
}

static void put_gate(const struct screen *s, const struct gate_row *row)
{
	unsigned line = screen_gate_row(s), cols = s->frame->cols, col;
	enum style style = row->ready ? STYLE_READY : STYLE_PLAIN;
	STR_AUTO struct str text = STR_INIT;

	draw_text(s, 1, line, row->ready ? STYLE_READY : STYLE_PLAIN, row->lamp);
	col = 2 + text_columns(row->lamp);
	col += draw_text(s, col, line, style, row->head);
	if (col + 2 <= TEXT_COLUMN)
		col = TEXT_COLUMN;
	else
		col += col + 4 + text_columns(str_c(&row->text)) <= cols ? 4 : 2;
	fit_text(str_c(&row->text), cols - col, &text);
	col += draw_text(s, col, line, style, str_c(&text));
	draw_right(s, line, col, style, row->right);
	if (row->ready)
		frame_tint(s->frame, 0, line, cols, STYLE_READY);
}

/* The word that the prompt asks for is complete. */
static bool word_is_typed(const struct screen *s, enum gate gate)
{
	enum prompt_kind kind = s->ui->prompt.kind;

	if (gate == GATE_STOPPED)
		return kind == PROMPT_OPEN_INTAKE && ui_open_typed(s->ui);
	return gate == GATE_PROMPT && kind == PROMPT_WORD && !screen_has_unseen(s) &&
	       ui_words_typed(s->ui, s->job->card);
}

static const char *card_lamp(const struct screen *s, enum style *ret_style)
{
	const struct ui *ui = s->ui;
	enum gate gate = ui_gate(ui, s->model, s->now_ms);
	bool word = word_is_typed(s, gate);
	bool rested = ui_rested(ui, s->now_ms);

	bool lit = (gate == GATE_READY && (ui->view == VIEW_CARD || ui->view == VIEW_MARKED)) ||
		   (word && rested);

	*ret_style = lit ? STYLE_KEY : STYLE_PLAIN;
	if (lit)
		return word ? "[Enter]" : s->lamp_approve;
	return gate == GATE_REST || word ? "[.]" : "[ ]";
}

/* The lamp goes on saying what a key would do now, also beside a message. */
static const char *message_lamp(const struct screen *s, enum style *ret_style)
{
	STR_AUTO struct str unused = STR_INIT;
	const char *head;

	if (s->ui->prompt.kind != PROMPT_GRANT ||
		ui_gate(s->ui, s->model, s->now_ms) != GATE_PROMPT)
		return card_lamp(s, ret_style);
	*ret_style = STYLE_KEY;
	return grant_lamp(s, &head, &unused);
}

static void draw_message(const struct screen *s)
{
	STR_AUTO struct str text = STR_INIT;
	STR_AUTO struct str message = STR_INIT;
	unsigned line = screen_gate_row(s), col;
	enum style style;
	const char *lamp = message_lamp(s, &style);

	draw_text(s, 1, line, style, lamp);
	col = 2 + (unsigned)strlen(lamp);
	edge_words(s->ui->message, &message);
	fit_text(str_c(&message), s->frame->cols - col, &text);
	draw_text(s, col, line, STYLE_KEY, str_c(&text));
}

void draw_gate(const struct screen *s)
{
	struct gate_row row = {.lamp = "[ ]", .head = ""};
	bool question = prompt_is_question(s->ui->prompt.kind);

	if (s->ui->prompt.kind == PROMPT_FIND || s->ui->prompt.kind == PROMPT_SAVE ||
		s->ui->prompt.kind == PROMPT_REASON_ALL) {
		draw_find(s);
		return;
	}
	/* A question whose lamp is lit must be there to be read. */
	if (s->ui->message[0] != '\0' && !(question && ui_rested(s->ui, s->now_ms))) {
		draw_message(s);
		return;
	}
	if (question) {
		draw_question(s);
		return;
	}
	gate_words(s, &row);
	put_gate(s, &row);
	str_release(&row.text);
}

#include "config.h"

#include "tui/ui.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tui/panes.h"
#include "tui/ui_internal.h"

/* Everything that cannot be taken back. A deciding key only makes a pending intent; ui_fire() looks at everything once more when
   the 50 ms behind it were silent, and refuses what changed in between. */

void ui_pending_off(struct ui *ui)
{
	free(ui->pending.text);
	ui->pending = (struct intent){.kind = INTENT_NONE};
	ui->pending_at_ms = -1;
	ui->pending_key = ACTION_NONE;
}

void ui_wait_alone(struct press *p, enum intent_kind kind, uint64_t seq, enum action key)
{
	struct ui *ui = p->ui;
	const struct seen *seen = ui_seen_of(ui, seq == 0 ? NULL : model_job(p->model, seq));

	ui_pending_off(ui);
	ui->pending = (struct intent){.kind = kind, .seq = seq};
	if (seen != NULL)
		ui->pending.digest =
			seen->digest; /* what is on the screen, whatever the model holds by now */
	if (ui_on_marked(ui))
		ui_bind_marked(p, &ui->pending);
	ui->pending_at_ms = p->now_ms;
	ui->pending_key = key;
}

/* A call waits or runs. */
static bool anything_open(const struct model *model)
{
	return model->waiting > 0 || model->active.count > 0;
}

bool ui_can_stop(const struct job *job)
{
	return job != NULL && (job->state == JOB_STARTING || job->state == JOB_RUNNING);
}

static bool has_danger(const struct model *model, uint64_t seq)
{
	const struct job *job = model_job(model, seq);

	return job != NULL && job->card != NULL && unusual_has_danger(&job->card->unusual);
}

int ui_approve(struct press *p, enum action action)
{
	uint64_t seq = p->ui->card_seq;
	enum gate gate = p->gate == GATE_READY && !p->rested ? GATE_REST : p->gate;

	if (gate != GATE_READY) {
		ui_refuse(p->ui, p->model, ui_key_of(p->ui, action), gate);
		return 0;
	}
	if (ui_on_marked(p->ui)) {
		ui_wait_alone(p, INTENT_APPROVE_MARKED, 0, ACTION_APPROVE);
		ui_say(p->ui, "approving all %u", p->ui->mark_count);
		return 0;
	}
	ui_wait_alone(p, INTENT_APPROVE, seq, ACTION_APPROVE);
	if (!has_danger(p->model, seq))
		ui_say(p->ui, "approving #%" PRIu64, seq);
	return 0;
}

/* Open to a card that was not read to its end: a no is always safe. */
int ui_reject(struct press *p, enum action action)
{
	enum gate gate = p->gate;

	if (p->ui->view == VIEW_AGENTS || ui_group(p->ui, p->model) != NULL)
		return ui_reject_all(p);
	if (p->ui->view != VIEW_CARD && !ui_on_marked(p->ui))
		gate = gate == GATE_READY ? GATE_OTHER_VIEW : gate;
	if (gate != GATE_NOT_SEEN && gate != GATE_REST && gate != GATE_READY &&
		gate != GATE_CHANGED)
		ui_refuse(p->ui, p->model, ui_key_of(p->ui, action), gate);
	else
		prompt_open(&p->ui->prompt, PROMPT_REASON,
			ui_on_marked(p->ui) ? 0 : p->ui->card_seq, p->now_ms);
	return 0;
}

const struct job *ui_stop_job(const struct ui *ui, const struct model *model)
{
	const struct job *job = ui_open_job(ui, model), *other = ui_output_job(ui, model);
	bool beside = ui->view == VIEW_CARD && panes_shown(ui) && !ui_can_stop(job) &&
		      (job == NULL || job->state != JOB_STOPPING);

	return beside && ui_can_stop(other) ? other : job;
}

int ui_stop(struct press *p, enum action action)
{
	const struct job *job = ui_stop_job(p->ui, p->model);
	const char *key = ui_key_of(p->ui, action);

	if (job != NULL && job->state == JOB_STOPPING)
		ui_say(p->ui, "%s did nothing: #%" PRIu64 " is being stopped", key, job->seq);
	else if (!ui_can_stop(job))
		ui_say(p->ui, "%s did nothing: no command of this card runs", key);
	else
		prompt_open(&p->ui->prompt, PROMPT_STOP, job->seq, p->now_ms);
	return 0;
}

bool ui_can_extend(const struct job *job)
{
	return job != NULL && job->state == JOB_RUNNING &&
	       (job->wall_most_ms == 0 || job->wall_limit_ms < job->wall_most_ms);
}

/* It takes back a limit that the card said, so it counts only alone, as a yes does. */
int ui_extend(struct press *p, enum action action)
{
	const struct job *job = ui_open_job(p->ui, p->model);
	const char *key = ui_key_of(p->ui, action);

	if (job == NULL || job->state != JOB_RUNNING)
		ui_say(p->ui, "%s did nothing: no command of this card runs", key);
	else if (!ui_can_extend(job))
		ui_say(p->ui,
			"%s did nothing: #%" PRIu64 " has %" PRId64 " s, the most it can have", key,
			job->seq, job->wall_limit_ms / 1000);
	else if (!p->still)
		ui_refuse(p->ui, p->model, key, GATE_REST);
	else
		ui_wait_alone(p, INTENT_EXTEND, job->seq, ACTION_EXTEND);
	return 0;
}

int ui_quit(struct press *p, enum action action)
{
	(void)action;
	if (anything_open(p->model))
		prompt_open(&p->ui->prompt, PROMPT_QUIT, 0, p->now_ms);
	else
		ui_wait_alone(p, INTENT_QUIT, 0, ACTION_QUIT);
	return 0;
}

int ui_yes(struct press *p, enum action action)
{
	struct ui *ui = p->ui;

	(void)action;
	/* The question stays with its lamp; a y that did not count changes nothing on the screen. */
	if (!p->rested || ui_too_small(ui))
		return 0;
	if (ui->prompt.kind == PROMPT_STOP) {
		ui_wait_alone(p, INTENT_STOP, ui->prompt.seq, ACTION_YES);
		ui_say(ui, "stopping #%" PRIu64, ui->prompt.seq);
	} else if (ui->prompt.kind == PROMPT_STOP_ALL) {
		ui_wait_alone(p, INTENT_STOP_ALL, 0, ACTION_YES);
		ui_say(ui, "stopping all");
	} else if (ui->prompt.kind == PROMPT_REVOKE) {
		ui_wait_alone(p, INTENT_REVOKE, ui->prompt.seq, ACTION_YES);
		ui_say(ui, "revoking grant %" PRIu64, ui->prompt.seq);
	} else if (ui->prompt.kind == PROMPT_QUIT) {
		ui_wait_alone(p, INTENT_QUIT, 0, ACTION_YES);
		ui_say(ui, "quitting");
	}
	return 0;
}

bool ui_still_there(struct press *p)
{
	const struct job *job = model_job(p->model, p->ui->prompt.seq);

	if (p->model->record_failed != NULL) {
		ui_refuse(p->ui, p->model, "Enter", GATE_RECORD);
		return false;
	}
	if (ui_too_small(p->ui)) {
		ui_refuse(p->ui, p->model, "Enter", GATE_TOO_SMALL);
		return false;
	}
	if (job != NULL && job->state == JOB_WAITING)
		return true;
	prompt_close(&p->ui->prompt);
	ui_refuse(p->ui, p->model, "Enter",
		p->gate == GATE_DECIDED || p->gate == GATE_NOTHING ? p->gate : GATE_DECIDED);
	return false;
}

int ui_send_text(struct press *p, enum intent_kind kind, const char *doing)
{
	struct ui *ui = p->ui;

	ui_wait_alone(p, kind, ui->prompt.seq, ACTION_NONE);
	ui->pending.text = mem_strdup(str_c(&ui->prompt.text));
	ui_say(ui, "%s #%" PRIu64, doing, ui->prompt.seq);
	return 0;
}

int ui_send_reason(struct press *p)
{
	struct ui *ui = p->ui;
	const struct job *job = model_job(p->model, ui->prompt.seq);

	if (ui_on_marked(ui))
		return ui_send_marked_reason(p);
	if (!ui_still_there(p))
		return 0;
	if (prompt_blank(&ui->prompt)) {
		ui_say(ui, "Enter did nothing: there is no reason yet");
		return 0;
	}
	if (ui_seen_of(ui, job) == NULL) {
		ui_refuse(ui, p->model, "Enter", GATE_CHANGED);
		return 0;
	}
	return ui_send_text(p, INTENT_REJECT, "rejecting");
}

int ui_send_word(struct press *p)
{
	struct ui *ui = p->ui;
	const struct job *job = model_job(p->model, ui->prompt.seq);

	if (!ui_still_there(p))
		return 0;
	enum gate gate = ui_gate_hard(ui, p->model);
	if (gate == GATE_READY && !ui_words_typed(ui, job->card)) {
		struct str words STR_AUTO = STR_INIT;

		card_words(job->card, &words);
		ui_say(ui, "Enter did nothing: type %s", str_c(&words));
		return 0;
	}
	if (gate != GATE_READY || !p->rested) {
		ui_refuse(ui, p->model, "Enter", gate);
		return 0;
	}
	return ui_send_text(p, INTENT_APPROVE, "approving");
}

static bool is_marked(enum intent_kind kind)
{
	return kind == INTENT_APPROVE_MARKED || kind == INTENT_REJECT_MARKED;
}

/* Each card is the one that the pending intent is bound to. */
static bool is_same(const struct ui *ui, const struct model *model)
{
	const struct job *job = model_job(model, ui->pending.seq);

	if (is_marked(ui->pending.kind))
		return ui_marked_same(ui, model);
	return job != NULL && job->card != NULL && ui->card_seq == ui->pending.seq &&
	       digest_equal(&job->card->digest, &ui->pending.digest);
}

/* What the pending intent would meet now. */
static enum gate fire_gate(const struct ui *ui, const struct model *model)
{
	enum gate gate = ui_gate_hard(ui, model);
	bool yes = ui->pending.kind == INTENT_APPROVE || ui->pending.kind == INTENT_APPROVE_MARKED;

	if (!yes && (gate == GATE_NOT_SEEN || gate == GATE_CHANGED))
		gate = GATE_READY;
	return gate == GATE_READY && !is_same(ui, model) ? GATE_CHANGED : gate;
}

static int hand_over(struct ui *ui, struct intent *ret)
{
	if (ui->pending.kind == INTENT_REJECT || ui->pending.kind == INTENT_REJECT_ALL ||
		ui->pending.kind == INTENT_REJECT_MARKED)
		ui_remember_reason(ui, ui->pending.text);
	if (ui->pending.kind == INTENT_EDIT)
		ui->card_top = 0; /* the new card is read from its first line */
	*ret = ui->pending;
	ui->pending.text = NULL;
	ui_pending_off(ui);
	prompt_close(&ui->prompt);
	return 1;
}

#define UI_LATE_MS 1000

static int fire_decision(
	struct ui *ui, const struct model *model, int64_t now_ms, struct intent *ret)
{
	uint64_t seq = ui->pending.seq;
	enum gate gate = fire_gate(ui, model);

	if (gate != GATE_READY) {
		ui_refuse(ui, model, ui_pending_name(ui), gate);
		ui_pending_off(ui);
		return 0;
	}
	if (ui->pending.kind == INTENT_APPROVE && ui->pending_key == ACTION_APPROVE &&
		has_danger(model, seq)) {
		ui_pending_off(ui);
		prompt_open(&ui->prompt, PROMPT_WORD, seq, now_ms);
		return 0;
	}
	if (ui->pending.kind == INTENT_EDITOR)
		return ui_begin_edit(ui, model, now_ms, ret);
	return hand_over(ui, ret);
}

static bool is_decision(enum intent_kind kind)
{
	return kind == INTENT_APPROVE || kind == INTENT_REJECT || kind == INTENT_EDIT ||
	       kind == INTENT_EDITOR || kind == INTENT_GRANT || is_marked(kind);
}

int ui_fire(struct ui *ui, const struct model *model, int64_t now_ms, struct intent *ret)
{
	enum intent_kind kind = ui->pending.kind;

	ui_touch(ui, now_ms);
	ui->message[0] = '\0';
	if (now_ms - ui->pending_at_ms >= UI_LATE_MS) {
		/* Stopped, or starved: what came behind the key in that time is not known. */
		ui_say(ui, "%s did nothing: the screen was not awake", ui_pending_name(ui));
		ui_pending_off(ui);
		return 0;
	}
	if (is_decision(kind))
		return fire_decision(ui, model, now_ms, ret);
	if (kind == INTENT_STOP && !ui_can_stop(model_job(model, ui->pending.seq))) {
		ui_say(ui, "%s did nothing: #%" PRIu64 " ended", ui_pending_name(ui),
			ui->pending.seq);
		ui_pending_off(ui);
		prompt_close(&ui->prompt);
		return 0;
	}
	if (kind == INTENT_EXTEND && !ui_can_extend(model_job(model, ui->pending.seq))) {
		ui_say(ui, "%s did nothing: #%" PRIu64 " ended", ui_pending_name(ui),
			ui->pending.seq);
		ui_pending_off(ui);
		return 0;
	}
	if (kind == INTENT_QUIT && ui->pending_key == ACTION_QUIT && anything_open(model)) {
		/* A call arrived within the 50 ms: quitting would reject it unseen. */
		ui_pending_off(ui);
		prompt_open(&ui->prompt, PROMPT_QUIT, 0, now_ms);
		return 0;
	}
	return hand_over(ui, ret);
}

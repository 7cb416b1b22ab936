#include "config.h"

#include "tui/ui.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/ui_internal.h"

/* Why approve is off, and the sentence for it. */

static const enum gate by_state[JOB_STATE_COUNT] = {
	[JOB_NEW] = GATE_NOTHING,
	[JOB_WAITING] = GATE_READY,
	[JOB_APPROVED] = GATE_DECIDED,
	[JOB_STARTING] = GATE_DECIDED,
	[JOB_RUNNING] = GATE_DECIDED,
	[JOB_STOPPING] = GATE_DECIDED,
	[JOB_ENDED] = GATE_DECIDED,
	[JOB_REJECTED] = GATE_DECIDED,
	[JOB_REFUSED] = GATE_NOTHING,
	[JOB_WITHDRAWN] = GATE_NOTHING,
	[JOB_EXPIRED] = GATE_NOTHING,
	[JOB_LOST] = GATE_NOTHING,
};

/* The steps up to the view: they hold for a reject too. */
static enum gate gate_job(const struct model *model, const struct job *job)
{
	if (model->record_failed != NULL)
		return GATE_RECORD;
	if (model->lock.on)
		return GATE_LOCKED;
	if (model->stop.on)
		return GATE_STOPPED;
	if (job == NULL || job->state >= JOB_STATE_COUNT)
		return GATE_NOTHING;
	if (by_state[job->state] == GATE_READY && job->card == NULL)
		return GATE_NOTHING;
	return by_state[job->state];
}

static enum gate gate_place(const struct ui *ui)
{
	if (ui_too_small(ui))
		return GATE_TOO_SMALL;
	return ui->view == VIEW_CARD || ui_on_marked(ui) ? GATE_READY : GATE_OTHER_VIEW;
}

static enum gate gate_seen(const struct ui *ui, const struct model *model, const struct job *job)
{
	const struct seen *any = ui_seen_find(ui, job->seq);
	size_t total, unseen;

	if (ui_on_marked(ui))
		return ui_marked_seen(ui, model);
	if (any != NULL && !digest_equal(&any->digest, &job->card->digest))
		return GATE_CHANGED; /* what is on the screen is still the old card */
	ui_seen_rows(ui, model, &total, &unseen);
	if (total > 0 && unseen == 0)
		return GATE_READY;
	return any != NULL && any->changed ? GATE_CHANGED : GATE_NOT_SEEN;
}

static enum gate gate_until_prompt(const struct ui *ui, const struct model *model)
{
	enum gate gate = gate_job(model, ui_open_job(ui, model));

	return gate != GATE_READY ? gate : gate_place(ui);
}

enum gate ui_gate_hard(const struct ui *ui, const struct model *model)
{
	enum gate gate = gate_until_prompt(ui, model);

	return gate != GATE_READY ? gate : gate_seen(ui, model, ui_open_job(ui, model));
}

enum gate ui_gate(const struct ui *ui, const struct model *model, int64_t now_ms)
{
	enum gate gate = gate_until_prompt(ui, model);

	if (gate != GATE_READY)
		return gate;
	if (ui->prompt.kind != PROMPT_NONE)
		return GATE_PROMPT;
	gate = gate_seen(ui, model, ui_open_job(ui, model));
	if (gate != GATE_READY)
		return gate;
	return ui_rested(ui, now_ms) ? GATE_READY : GATE_REST;
}

static const char *nothing_words(const struct job *job)
{
	if (job == NULL)
		return "no call is shown";
	if (job->state == JOB_WITHDRAWN)
		return "the agent took it back";
	if (job->state == JOB_EXPIRED)
		return "it expired";
	if (job->state == JOB_LOST)
		return "it was lost";
	return "it was refused, there is nothing to decide";
}

static void not_seen_words(const struct ui *ui, const struct model *model, char *buf, size_t bytes)
{
	size_t total, unseen;

	ui_seen_rows(ui, model, &total, &unseen);
	snprintf(buf, bytes, "%zu of %zu lines not seen yet", unseen, total);
}

void ui_refuse(struct ui *ui, const struct model *model, const char *key, enum gate gate)
{
	static const char *const words[GATE_COUNT] = {
		[GATE_LOCKED] = "the screen is locked",
		[GATE_STOPPED] = "all is stopped",
		[GATE_DECIDED] = "decided already",
		[GATE_TOO_SMALL] = "the screen is too small to decide",
		[GATE_OTHER_VIEW] = "decisions are made on a card",
		[GATE_PROMPT] = "a question is open",
		[GATE_CHANGED] = "the card changed",
		[GATE_REST] = "the keys must rest a moment",
		[GATE_READY] = "the keys must rest a moment",
	};
	char buf[sizeof(ui->message)];
	const char *why = words[gate];

	if (gate == GATE_RECORD) {
		snprintf(
			buf, sizeof(buf), "the record cannot be written: %s", model->record_failed);
		why = buf;
	} else if (gate == GATE_NOTHING) {
		why = nothing_words(ui_open_job(ui, model));
		if (ui_on_marked(ui) && ui_open_job(ui, model) != NULL) {
			snprintf(buf, sizeof(buf), "#%" PRIu64 ": %s", ui_open_job(ui, model)->seq,
				why);
			why = buf;
		}
	} else if (gate == GATE_NOT_SEEN) {
		not_seen_words(ui, model, buf, sizeof(buf));
		why = buf;
	} else if (gate == GATE_OTHER_VIEW && ui->view == VIEW_HELP) {
		snprintf(buf, sizeof(buf), "close this page first: %s", ui_key_of(ui, ACTION_BACK));
		why = buf;
	}
	ui_say(ui, "%s did nothing: %s", key, why);
}

bool ui_words_typed(const struct ui *ui, const struct card *card)
{
	return card_words_match(card, str_c(&ui->prompt.text));
}

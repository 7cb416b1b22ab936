#include "config.h"

#include "tui/ui.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tui/panes.h"
#include "tui/ui_cache.h"
#include "tui/ui_internal.h"

static unsigned side(unsigned value)
{
	return value == 0 ? 1 : value > UI_SIDE_MAX ? UI_SIDE_MAX : value;
}

void ui_init(struct ui *ui, unsigned cols, unsigned rows)
{
	*ui = (struct ui){
		.cache = ui_cache_new(),
		.cols = side(cols),
		.rows = side(rows),
		.pending_at_ms = -1,
		.clock_ms = -1000,
		.undrawn = true,
		.following = true,
	};
	keymap_make(&(struct strv)STRV_INIT, &ui->keymap);
}

void ui_release(struct ui *ui)
{
	for (size_t i = 0; i < ui->seen_count; i++)
		ui_seen_free(&ui->seen[i]);
	free(ui->seen);
	ui_secret_off(ui);
	ui_cache_free(ui->cache);
	prompt_close(&ui->prompt);
	free(ui->pending.text);
	for (size_t i = 0; i < ui->reason_count; i++)
		free(ui->reasons[i]);
	free(ui->reasons);
	*ui = (struct ui){.pending_at_ms = -1};
}

void ui_say(struct ui *ui, const char *fmt, ...)
{
	char whole[2 * sizeof(ui->message)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(whole, sizeof(whole), fmt, args);
	va_end(args);
	text_fit(whole, ui->message, sizeof(ui->message));
}

const char *ui_key_of(const struct ui *ui, enum action action)
{
	return keymap_key(&ui->keymap, action);
}

const char *ui_pending_name(const struct ui *ui)
{
	return ui->pending_key == ACTION_NONE ? "Enter" : ui_key_of(ui, ui->pending_key);
}

bool ui_too_small(const struct ui *ui)
{
	if (ui->film)
		return ui->film_cols < UI_MIN_COLS || ui->film_rows < UI_MIN_ROWS;
	return ui->cols < UI_MIN_COLS || ui->rows < UI_MIN_ROWS;
}

const struct job *ui_open_job(const struct ui *ui, const struct model *model)
{
	if (ui->view == VIEW_OUTPUT)
		return ui_output_job(ui, model);
	if (ui_on_marked(ui))
		return ui_marked_job(ui, model);
	if (ui->view == VIEW_HISTORY)
		return model_job(model, ui->history_seq);
	if (ui->view == VIEW_QUEUE)
		return ui->selected == 0 ? NULL : model_job(model, ui->selected);
	return ui_card_job(ui, model);
}

const struct job *ui_output_job(const struct ui *ui, const struct model *model)
{
	uint64_t seq = ui->output_seq;

	if (seq == 0 && !panes_shown(ui))
		seq = ui->card_seq;
	return seq == 0 ? NULL : model_job(model, seq);
}

const struct job *ui_card_job(const struct ui *ui, const struct model *model)
{
	return ui->card_seq == 0 ? NULL : model_job(model, ui->card_seq);
}

void ui_touch(struct ui *ui, int64_t now_ms)
{
	ui->last_input_ms = now_ms;
	ui->undrawn = true;
}

bool ui_rested(const struct ui *ui, int64_t now_ms)
{
	int64_t since = ui->drawn_at_ms > ui->last_input_ms ? ui->drawn_at_ms : ui->last_input_ms;

	return !ui->undrawn && now_ms - since >= UI_REST_MS;
}

void ui_arrival(struct ui *ui, int64_t now_ms)
{
	ui->last_input_ms = now_ms;
	if (ui->pending.kind == INTENT_NONE)
		return;
	/* What came at once behind a deciding key may be the rest of a sequence, a paste or a held key: then the key was none. */
	const char *key = ui_pending_name(ui);
	ui_pending_off(ui);
	ui_touch(ui, now_ms);
	ui_say(ui, "%s did nothing: something followed it at once", key);
}

void ui_disturb(struct ui *ui, int64_t now_ms)
{
	ui_arrival(ui, now_ms);
	ui_touch(ui, now_ms);
	/* Nobody knows how long the screen could really be read: rows stand anew from the next frame on. */
	ui_seen_leave(ui);
}

void ui_resize(struct ui *ui, unsigned cols, unsigned rows, int64_t now_ms)
{
	ui_seen_count(ui, now_ms);
	ui->cols = side(cols);
	ui->rows = side(rows);
	ui->reflow = true;
	ui_disturb(ui, now_ms);
}

static void remember_card(struct ui *ui, const struct job *job)
{
	ui->card_known = job == NULL ? 0 : job->seq;
	ui->card_state = job == NULL ? JOB_NEW : job->state;
	ui->card_digest = (struct digest){0};
	if (job != NULL && job->card != NULL)
		ui->card_digest = job->card->digest;
}

static bool card_changed(const struct ui *ui, const struct job *job)
{
	if (job == NULL || ui->card_known != job->seq)
		return false;
	return ui->card_state != job->state ||
	       (job->card != NULL && !digest_equal(&ui->card_digest, &job->card->digest));
}

/* Brings what is remembered up to the model: time that rows stood, a changed card, a new width, a list that became shorter. */
void ui_settle(struct ui *ui, const struct model *model, int64_t now_ms)
{
	const struct job *job = ui_card_job(ui, model);
	bool changed = card_changed(ui, job);

	if (model->keys.count > 0)
		keymap_make(&model->keys, &ui->keymap);
	ui_seen_count(ui, now_ms);
	ui_prune_marks(ui, model);
	ui_choose_output(ui, model);
	if (changed)
		ui_touch(
			ui, now_ms); /* no key pressed for the old card may count for the new one */
	remember_card(ui, job);
	if (ui->reflow)
		ui_keep_place(ui, model);
	if (ui->reflow || changed)
		ui_clamp(ui, model);
	ui->reflow = false;
}

void ui_drawing(struct ui *ui, int64_t now_ms)
{
	ui->rest_drawing = ui_rested(ui, now_ms);
}

void ui_drawn(struct ui *ui, const struct model *model, int64_t now_ms)
{
	ui->rest_drawn = ui->rest_drawing;
	if (ui->undrawn)
		ui->drawn_at_ms = now_ms;
	ui->undrawn = false;
	ui_seen_drawn(ui, model, now_ms);
}

static void close_answered_question(struct ui *ui, const struct model *model, int64_t now_ms)
{
	const struct job *job = model_job(model, ui->prompt.seq);

	if (ui->prompt.kind != PROMPT_STOP || ui_can_stop(job))
		return;
	ui_pending_off(ui);
	ui_say(ui, "#%" PRIu64 " ended before the answer: nothing to stop", ui->prompt.seq);
	prompt_close(&ui->prompt);
	ui_touch(ui, now_ms);
}

void ui_follow(struct ui *ui, const struct model *model, int64_t now_ms)
{
	ui_settle(ui, model, now_ms);
	close_answered_question(ui, model, now_ms);
	ui_follow_grants(ui, model, now_ms);
	ui_follow_stop(ui, model, now_ms);
	ui_follow_lock(ui, model, now_ms);
	ui_seen_prune(ui, model);
	if (ui->selected != 0 || model->lock.on)
		return;
	uint64_t first = model_next_waiting(model, 0, false);
	if (first == 0)
		return;
	ui->selected = first;
	if (ui->view == VIEW_QUEUE && ui->prompt.kind == PROMPT_NONE)
		ui_open_card(ui, first, now_ms);
}

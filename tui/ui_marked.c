#include "config.h"

#include "tui/ui.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "tui/marked.h"
#include "tui/ui_internal.h"
#include "tui/view.h"

/* Several calls marked on the queue, shown as one long card and decided together. Each decision is bound to its own card: if one
   of them changed, went or expired, none is decided. */

static unsigned find(const struct ui *ui, uint64_t seq)
{
	unsigned i = 0;

	while (i < ui->mark_count && ui->marks[i] != seq)
		i++;
	return i;
}

bool ui_is_marked(const struct ui *ui, uint64_t seq)
{
	return find(ui, seq) < ui->mark_count;
}

static void take_out(struct ui *ui, unsigned at)
{
	memmove(&ui->marks[at], &ui->marks[at + 1],
		(ui->mark_count - at - 1) * sizeof(ui->marks[0]));
	ui->mark_count--;
}

/* In the order of the queue, not of the marking: what is decided together is read as it lies there. */
static void put_in(struct ui *ui, uint64_t seq)
{
	unsigned at = ui->mark_count;

	while (at > 0 && ui->marks[at - 1] > seq)
		at--;
	memmove(&ui->marks[at + 1], &ui->marks[at], (ui->mark_count - at) * sizeof(ui->marks[0]));
	ui->marks[at] = seq;
	ui->mark_count++;
}

int ui_mark(struct press *p, enum action action)
{
	struct ui *ui = p->ui;
	const struct job *job = model_job(p->model, ui->selected);
	const char *key = ui_key_of(ui, action);

	if (ui_group(ui, p->model) != NULL)
		ui_say(ui, "%s did nothing: a group cannot be marked", key);
	else if (job != NULL && ui_is_marked(ui, job->seq))
		take_out(ui, find(ui, job->seq));
	else if (job == NULL || job->state != JOB_WAITING || job->card == NULL)
		ui_say(ui, "%s did nothing: only a call that waits can be marked", key);
	else if (unusual_has_danger(&job->card->unusual))
		ui_say(ui, "%s did nothing: #%" PRIu64 " asks for a word, so it is decided alone",
			key, job->seq);
	else if (ui->mark_count == UI_MARKS_MAX)
		ui_say(ui, "%s did nothing: %u are marked, the most", key, UI_MARKS_MAX);
	else
		put_in(ui, job->seq);
	return 0;
}

void ui_open_marked(struct press *p)
{
	p->ui->view = VIEW_MARKED;
	p->ui->marked_top = 0;
	ui_touch(p->ui, p->now_ms);
}

bool ui_on_marked(const struct ui *ui)
{
	return ui->view == VIEW_MARKED;
}

void ui_prune_marks(struct ui *ui, const struct model *model)
{
	/* What a person reads is not changed under the eye. */
	for (unsigned i = ui->mark_count; i > 0 && !ui_on_marked(ui); i--) {
		const struct job *job = model_job(model, ui->marks[i - 1]);

		if (job == NULL || job->state != JOB_WAITING || job->card == NULL ||
			unusual_has_danger(&job->card->unusual))
			take_out(ui, i - 1);
	}
}

const struct job *ui_marked_job(const struct ui *ui, const struct model *model)
{
	const struct job *first = NULL;

	for (unsigned i = 0; i < ui->mark_count; i++) {
		const struct job *job = model_job(model, ui->marks[i]);

		if (job != NULL && job->state != JOB_WAITING)
			return job;
		first = first == NULL ? job : first;
	}
	return first;
}

void ui_marked_rows(
	const struct ui *ui, const struct model *model, size_t *ret_total, size_t *ret_unseen)
{
	struct marked marked;

	*ret_total = *ret_unseen = 0;
	marked_make(ui, model, &marked);
	for (unsigned i = 0; i < marked.count; i++)
		*ret_total += marked.parts[i].rows.deciding;
	for (size_t row = 0; row < marked.total; row++)
		*ret_unseen += marked_is_fog(ui, &marked, row);
	marked_release(&marked);
}

/* One of them, without how much of it was seen. */
static enum gate gate_of(const struct ui *ui, const struct job *job)
{
	const struct seen *any = job == NULL ? NULL : ui_seen_find(ui, job->seq);

	if (job == NULL || job->card == NULL)
		return GATE_NOTHING;
	if (unusual_has_danger(&job->card->unusual))
		return GATE_CHANGED; /* it became one: it is decided alone */
	if (any == NULL)
		return GATE_NOT_SEEN;
	return digest_equal(&any->digest, &job->card->digest) ? GATE_READY : GATE_CHANGED;
}

enum gate ui_marked_seen(const struct ui *ui, const struct model *model)
{
	size_t total, unseen;
	bool changed = false;

	for (unsigned i = 0; i < ui->mark_count; i++) {
		const struct job *job = model_job(model, ui->marks[i]);
		enum gate gate = gate_of(ui, job);

		if (gate == GATE_NOTHING || gate == GATE_CHANGED)
			return gate;
		changed = changed || (gate == GATE_READY && ui_seen_find(ui, job->seq)->changed);
	}
	ui_marked_rows(ui, model, &total, &unseen);
	if (total > 0 && unseen == 0)
		return GATE_READY;
	return changed ? GATE_CHANGED : GATE_NOT_SEEN;
}

void ui_marked_drawn(struct ui *ui, const struct model *model, int64_t now_ms)
{
	size_t body = view_rows_of(ui, model, VIEW_MARKED);
	struct marked marked;

	marked_make(ui, model, &marked);
	size_t top = marked_top(&marked, ui->marked_top, body);

	for (unsigned i = 0; i < marked.count; i++) {
		const struct marked_part *part = &marked.parts[i];
		size_t first = part->first + 1, last = first + part->rows.deciding;
		size_t from = top > first ? top : first;
		size_t to = top + body < last ? top + body : last;

		if (part->job->state == JOB_WAITING && part->job->card != NULL)
			ui_seen_stand(ui, part->job, &part->rows, from < to ? from - first : 0,
				from < to ? to - first : 0, now_ms);
	}
	if (!ui->reflow) {
		size_t index;
		const struct marked_part *part = marked_at(&marked, top, &index);

		ui->marked_seq = part == NULL ? 0 : part->job->seq;
		ui->marked_byte = part == NULL ? 0 : part->rows.items[index].start;
	}
	marked_release(&marked);
}

void ui_marked_keep_place(struct ui *ui, const struct model *model)
{
	struct marked marked;

	marked_make(ui, model, &marked);
	for (unsigned i = 0; i < marked.count; i++) {
		const struct marked_part *part = &marked.parts[i];
		size_t at = 0;

		while (at < part->rows.count && part->rows.items[at].end <= ui->marked_byte)
			at++;
		if (part->job->seq == ui->marked_seq)
			ui->marked_top = part->first + 1 + at;
	}
	marked_release(&marked);
}

/* What is on the screen of each; of one that was not on it yet, what a person would see there. */
void ui_bind_marked(struct press *p, struct intent *intent)
{
	for (unsigned i = 0; i < p->ui->mark_count; i++) {
		const struct job *job = model_job(p->model, p->ui->marks[i]);
		const struct seen *seen = job == NULL ? NULL : ui_seen_find(p->ui, job->seq);

		if (job == NULL || job->card == NULL)
			continue;
		intent->cards[intent->card_count++] = (struct intent_card){
			job->seq, seen != NULL ? seen->digest : job->card->digest};
	}
}

bool ui_marked_same(const struct ui *ui, const struct model *model)
{
	const struct intent *intent = &ui->pending;

	for (unsigned i = 0; i < intent->card_count; i++) {
		const struct job *job = model_job(model, intent->cards[i].seq);

		if (job == NULL || job->card == NULL || !ui_is_marked(ui, job->seq) ||
			!digest_equal(&job->card->digest, &intent->cards[i].digest))
			return false;
	}
	return ui_on_marked(ui) && intent->card_count == ui->mark_count;
}

int ui_send_marked_reason(struct press *p)
{
	struct ui *ui = p->ui;
	enum gate gate = ui_gate_hard(ui, p->model);

	if (gate != GATE_NOT_SEEN && gate != GATE_CHANGED && gate != GATE_READY) {
		prompt_close(&ui->prompt);
		ui_refuse(ui, p->model, "Enter", gate);
		return 0;
	}
	if (prompt_blank(&ui->prompt)) {
		ui_say(ui, "Enter did nothing: there is no reason yet");
		return 0;
	}
	ui_wait_alone(p, INTENT_REJECT_MARKED, 0, ACTION_NONE);
	ui->pending.text = mem_strdup(str_c(&ui->prompt.text));
	ui_say(ui, "rejecting all %u", ui->mark_count);
	return 0;
}

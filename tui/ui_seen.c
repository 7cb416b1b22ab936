#include "config.h"

#include "tui/ui.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "tui/panes.h"
#include "tui/ui_cache.h"
#include "tui/ui_internal.h"
#include "tui/view.h"

/* Which bytes of a card stood on the screen long enough to be read. By byte and not by row: a new width makes new rows of the
   same text, and what was read stays read. */

void ui_seen_free(struct seen *seen)
{
	free(seen->bits);
	free(seen->stood_ms);
	free(seen->stood);
	*seen = (struct seen){0};
}

struct seen *ui_seen_find(const struct ui *ui, uint64_t seq)
{
	for (size_t i = 0; i < ui->seen_count; i++) {
		if (ui->seen[i].seq == seq)
			return &ui->seen[i];
	}
	return NULL;
}

const struct seen *ui_seen_of(const struct ui *ui, const struct job *job)
{
	struct seen *seen = job == NULL || job->card == NULL ? NULL : ui_seen_find(ui, job->seq);

	return seen != NULL && digest_equal(&seen->digest, &job->card->digest) ? seen : NULL;
}

bool ui_seen_has(const struct seen *seen, size_t start, size_t end)
{
	if (end > seen->len)
		return false;
	for (size_t i = start; i < end; i++) {
		if ((seen->bits[i / 8] & 1u << i % 8) == 0)
			return false;
	}
	return true;
}

void ui_seen_mark(struct seen *seen, size_t start, size_t end)
{
	for (size_t i = start; i < end && i < seen->len; i++)
		seen->bits[i / 8] = (uint8_t)(seen->bits[i / 8] | 1u << i % 8);
}

static void add_time(struct seen *seen, const struct stood *row, int64_t ms)
{
	for (size_t i = row->start; i < row->end && i < seen->len; i++) {
		uint32_t room = UINT32_MAX - seen->stood_ms[i];

		seen->stood_ms[i] += ms > room ? room : (uint32_t)ms;
	}
}

void ui_seen_count(struct ui *ui, int64_t now_ms)
{
	for (size_t i = 0; i < ui->seen_count; i++) {
		struct seen *seen = &ui->seen[i];

		for (size_t r = 0; r < seen->stood_count; r++) {
			struct stood *row = &seen->stood[r];

			if (now_ms <= row->counted_ms)
				continue;
			add_time(seen, row, now_ms - row->counted_ms);
			row->counted_ms = now_ms;
			if (now_ms - row->since_ms >= UI_SEEN_MS)
				ui_seen_mark(seen, row->start, row->end);
		}
	}
}

void ui_seen_leave(struct ui *ui)
{
	for (size_t i = 0; i < ui->seen_count; i++)
		ui->seen[i].stood_count = 0;
}

int64_t ui_seen_due(const struct ui *ui)
{
	int64_t due = -1;

	for (size_t i = 0; i < ui->seen_count; i++) {
		const struct seen *seen = &ui->seen[i];

		for (size_t r = 0; r < seen->stood_count; r++) {
			int64_t at = seen->stood[r].since_ms + UI_SEEN_MS;

			if ((due < 0 || at < due) &&
				!ui_seen_has(seen, seen->stood[r].start, seen->stood[r].end))
				due = at;
		}
	}
	return due;
}

/* Room for a longer text of the same card. */
static void widen(struct seen *seen, size_t len)
{
	if (len <= seen->len && seen->bits != NULL)
		return;
	uint8_t *bits = mem_array(len / 8 + 1, 1);
	uint32_t *ms = mem_array(len + 1, sizeof(*ms));
	if (seen->len > 0) {
		memcpy(bits, seen->bits, seen->len / 8 + 1);
		memcpy(ms, seen->stood_ms, seen->len * sizeof(*ms));
	}
	free(seen->bits);
	free(seen->stood_ms);
	seen->bits = bits;
	seen->stood_ms = ms;
	seen->len = len;
}

struct seen *ui_seen_add(
	struct ui *ui, uint64_t seq, const struct digest *digest, size_t len, int64_t now_ms)
{
	mem_grow(&ui->seen, &ui->seen_cap, ui->seen_count, sizeof(*ui->seen));
	ui->seen[ui->seen_count] =
		(struct seen){.seq = seq, .digest = *digest, .first_shown_ms = now_ms};
	widen(&ui->seen[ui->seen_count], len);
	return &ui->seen[ui->seen_count++];
}

/* The entry of this very card. A card that changed is fog again, all of it: which line changed is not known here, and who
   approved the rest from memory would approve something else. */
static struct seen *entry(struct ui *ui, const struct job *job, size_t len, int64_t now_ms)
{
	struct seen *seen = ui_seen_find(ui, job->seq);

	if (seen == NULL)
		return ui_seen_add(ui, job->seq, &job->card->digest, len, now_ms);
	if (!digest_equal(&seen->digest, &job->card->digest)) {
		int64_t first = seen->first_shown_ms;

		ui_seen_free(seen);
		*seen = (struct seen){.seq = job->seq,
			.digest = job->card->digest,
			/* A person who edited it knows what changed: it is drawn as a difference. */
			.changed = !card_was_edited(job->card, job->old_card),
			.first_shown_ms = first};
	}
	widen(seen, len);
	return seen;
}

/* A row that was on the screen in the frame before goes on standing, wherever it stands now. */
static struct stood stand(const struct seen *seen, const struct row *row, int64_t now_ms)
{
	for (size_t i = 0; i < seen->stood_count; i++) {
		if (seen->stood[i].start == row->start && seen->stood[i].end == row->end)
			return seen->stood[i];
	}
	return (struct stood){
		.start = row->start, .end = row->end, .since_ms = now_ms, .counted_ms = now_ms};
}

static void stand_rows(
	struct seen *seen, const struct rows *rows, size_t from, size_t to, int64_t now_ms)
{
	struct stood *now = mem_array(to - from + 1, sizeof(*now));
	size_t count = 0;

	for (size_t i = from; i < to; i++) {
		if (rows->items[i].start < rows->items[i].end)
			now[count++] = stand(seen, &rows->items[i], now_ms);
	}
	free(seen->stood);
	seen->stood = now;
	seen->stood_count = count;
}

void ui_seen_stand(struct ui *ui, const struct job *job, const struct rows *rows, size_t from,
	size_t to, int64_t now_ms)
{
	struct seen *seen = entry(ui, job, rows->total, now_ms);

	stand_rows(seen, rows, from, to, now_ms);
	seen->frame = ui->seen_frame;
}

static void card_drawn(
	struct ui *ui, const struct model *model, const struct job *job, int64_t now_ms)
{
	const struct rows *rows = ui_card_rows(ui, job);
	size_t body = view_rows_of(ui, model, VIEW_CARD);

	/* As the view does it: no row may count that was not drawn. */
	size_t top = rows_first(rows, ui->card_top, body);
	if (top < rows->count && !ui->reflow)
		ui->top_byte = rows->items[top].start;
	if (job->state == JOB_WAITING) {
		size_t end = top + body < rows->deciding ? top + body : rows->deciding;

		ui_seen_stand(ui, job, rows, top < end ? top : end, end, now_ms);
	}
}

static void output_drawn(struct ui *ui, const struct job *job)
{
	struct rows rows = {0};
	struct output_look look = view_output_look(ui);

	layout_output_part(job, &look, ui->output_top, 1, &rows);
	if (rows.count > 0)
		ui->output_byte = rows.items[0].start;
	rows_release(&rows);
}

/* Rows of a card that went stand no longer: the time of what is there now is not theirs. */
static void leave_gone(struct ui *ui)
{
	for (size_t i = 0; i < ui->seen_count; i++) {
		if (ui->seen[i].frame != ui->seen_frame)
			ui->seen[i].stood_count = 0;
	}
}

static void parts_drawn(struct ui *ui, const struct model *model, int64_t now_ms)
{
	const struct job *card = panes_show(ui, VIEW_CARD) ? ui_card_job(ui, model) : NULL;
	const struct job *output = ui_output_job(ui, model);

	if (ui_on_marked(ui)) {
		ui_marked_drawn(ui, model, now_ms);
		return;
	}
	if (card != NULL && card->card != NULL)
		card_drawn(ui, model, card, now_ms);
	/* Until the place was found again at a new width, the old one is kept. */
	if (output != NULL && panes_show(ui, VIEW_OUTPUT) && !ui->following && !ui->reflow)
		output_drawn(ui, output);
}

void ui_seen_drawn(struct ui *ui, const struct model *model, int64_t now_ms)
{
	ui->seen_frame++;
	/* The place is kept for when it grows. */
	if (!ui_too_small(ui) && !model->lock.on)
		parts_drawn(ui, model, now_ms);
	leave_gone(ui);
}

/* Keeps memory bounded: what was decided needs no fog, but for the card that is still open. */
void ui_seen_prune(struct ui *ui, const struct model *model)
{
	size_t kept = 0;

	for (size_t i = 0; i < ui->seen_count; i++) {
		struct seen *seen = &ui->seen[i];
		const struct job *job = model_job(model, seen->seq);

		if (seen->seq == ui->card_seq || (job != NULL && job->state == JOB_WAITING))
			ui->seen[kept++] = *seen;
		else
			ui_seen_free(seen);
	}
	ui->seen_count = kept;
}

bool ui_row_seen(const struct ui *ui, const struct job *job, const struct rows *rows, size_t index)
{
	const struct seen *seen = ui_seen_of(ui, job);
	size_t at = index;

	if (seen == NULL || index >= rows->deciding)
		return false;
	while (at < rows->deciding && rows->items[at].start >= rows->items[at].end)
		at++;
	if (at == rows->deciding)
		at = index;
	while (at > 0 && rows->items[at].start >= rows->items[at].end)
		at--;
	return rows->items[at].start < rows->items[at].end &&
	       ui_seen_has(seen, rows->items[at].start, rows->items[at].end);
}

void ui_seen_rows(
	const struct ui *ui, const struct model *model, size_t *ret_total, size_t *ret_unseen)
{
	const struct job *job = ui_card_job(ui, model);

	if (ui_on_marked(ui) && !ui_too_small(ui)) {
		ui_marked_rows(ui, model, ret_total, ret_unseen);
		return;
	}
	*ret_total = 0;
	*ret_unseen = 0;
	if (job == NULL || job->card == NULL || ui_too_small(ui))
		return;
	const struct rows *rows = ui_card_rows(ui, job);
	*ret_total = rows->deciding;
	for (size_t i = 0; i < rows->deciding; i++)
		*ret_unseen += !ui_row_seen(ui, job, rows, i);
}

static void push_stretch(struct json *rows, size_t start, size_t end, uint32_t ms)
{
	struct json *item = json_new_array();

	json_push(item, json_new_int((int64_t)start));
	json_push(item, json_new_int((int64_t)end));
	json_push(item, json_new_int(ms));
	json_push(rows, item);
}

struct json *ui_seen_json(const struct ui *ui, const struct model *model)
{
	return ui_seen_json_of(ui, model, ui->card_seq);
}

struct json *ui_seen_json_of(const struct ui *ui, const struct model *model, uint64_t seq)
{
	const struct job *job = seq == 0 ? NULL : model_job(model, seq);
	const struct seen *seen = ui_seen_of(ui, job);
	struct json *object = json_new_object();
	struct json *rows = json_new_array();
	size_t len = seen == NULL ? 0 : seen->len;
	size_t lines = 0, unseen = 0;

	for (size_t start = 0, end = 0; start < len; start = end) {
		while (end < len && seen->stood_ms[end] == seen->stood_ms[start])
			end++;
		if (seen->stood_ms[start] > 0)
			push_stretch(rows, start, end, seen->stood_ms[start]);
	}
	json_set(object, "rows", rows);
	json_set_int(object, "total", (int64_t)len);
	/* As the person counted them, at the width of then. */
	if (ui_on_marked(ui))
		ui_marked_rows_of(ui, model, seq, &lines, &unseen);
	else
		ui_seen_rows(ui, model, &lines, &unseen);
	json_set_int(object, "lines", (int64_t)lines);
	json_set_int(object, "lines_seen", (int64_t)(lines - unseen));
	return object;
}

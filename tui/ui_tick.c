#include "config.h"

#include "tui/ui.h"

#include "tui/panes.h"
#include "tui/queue.h"
#include "tui/ui_internal.h"
#include "tui/view.h"

/* Time passes on the screen. Every moment at which something changes by itself is known beforehand, so that the loop sleeps until
   then; with nothing waiting and nothing running it sleeps for ever. */

#define SECOND_MS 1000
#define MINUTE_MS (60 * SECOND_MS)
#define WAITED_IN_SECONDS_MS (2 * MINUTE_MS)
#define LEFT_IN_MINUTES_MS (2 * MINUTE_MS)
#define LEFT_IN_FIVES_MS (30 * SECOND_MS)
#define CLOCKS_TOGETHER_MS 10 /* what changes so soon behind another is drawn with it */

static int64_t clocks_due(const struct ui *ui, const struct model *model, int64_t now_ms);

/* Remembers when the clocks were due, not when the loop came to it, so that they do not fall behind. */
static void tick_clocks(struct ui *ui, const struct model *model, int64_t now_ms)
{
	int64_t due = clocks_due(ui, model, ui->clock_ms);

	if (due >= 0 && due <= now_ms)
		ui->clock_ms = now_ms - due < SECOND_MS ? due : now_ms;
}

int ui_tick(struct ui *ui, const struct model *model, int64_t now_ms, struct intent *ret)
{
	int due = 0;

	tick_clocks(ui, model, now_ms);
	ui_settle(ui, model, now_ms);
	if (ui->pending.kind != INTENT_NONE && now_ms - ui->pending_at_ms >= UI_ALONE_MS) {
		due = ui_fire(ui, model, now_ms, ret);
		ui_clamp(ui, model);
	}
	if (due == 0 && ui_lock_tick(ui, model, now_ms, ret))
		due = 1;
	return due;
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* Next change of a time that counts up since `since`. */
static int64_t next_up(int64_t since_ms, int64_t now_ms, int64_t step_ms)
{
	int64_t past = now_ms > since_ms ? now_ms - since_ms : 0;

	return since_ms + (past / step_ms + 1) * step_ms;
}

/* Next change of a time that counts down to `end` and is rounded down: just below a whole step. */
static int64_t next_down(int64_t end_ms, int64_t now_ms, int64_t step_ms)
{
	int64_t left = end_ms - now_ms;

	return left < 0 ? -1 : end_ms - left / step_ms * step_ms + 1;
}

/* Of a time that is left, as words_left() says it. */
static int64_t left_clock(int64_t end_ms, int64_t now_ms)
{
	int64_t left = end_ms - now_ms;
	int64_t step = left >= LEFT_IN_MINUTES_MS ? MINUTE_MS
		       : left >= LEFT_IN_FIVES_MS ? 5 * SECOND_MS
						  : SECOND_MS;

	return next_down(end_ms, now_ms, step);
}

static int64_t waiting_clock(const struct job *job, int64_t now_ms)
{
	int64_t waited = now_ms - job->received_at_ms;
	int64_t up = next_up(
		job->received_at_ms, now_ms, waited < WAITED_IN_SECONDS_MS ? SECOND_MS : MINUTE_MS);

	return job->deadline_at_ms < 0 ? up : sooner(up, left_clock(job->deadline_at_ms, now_ms));
}

static int64_t approved_clock(const struct job *job, int64_t now_ms)
{
	return job->decided_at_ms < 0 ? -1 : next_up(job->decided_at_ms, now_ms, SECOND_MS);
}

static int64_t running_clock(const struct job *job, int64_t now_ms)
{
	return job->started_at_ms < 0 ? approved_clock(job, now_ms)
				      : next_up(job->started_at_ms, now_ms, SECOND_MS);
}

static int64_t grants_clock(const struct model *model, int64_t now_ms)
{
	int64_t next = -1;

	for (size_t i = 0; i < model->grants.count; i++) {
		const struct grant *grant = &model->grants.items[i];

		if (grant_state(grant, now_ms) == GRANT_HOLDS)
			next = sooner(
				next, left_clock(now_ms + grant_left_ms(grant, now_ms), now_ms));
	}
	return next;
}

static int64_t job_clock(const struct job *job, int64_t now_ms)
{
	static int64_t (*const by_state[JOB_STATE_COUNT])(const struct job *, int64_t) = {
		[JOB_WAITING] = waiting_clock,
		[JOB_APPROVED] = approved_clock,
		[JOB_STARTING] = running_clock,
		[JOB_RUNNING] = running_clock,
		[JOB_STOPPING] = running_clock,
	};

	if (job->state >= JOB_STATE_COUNT || by_state[job->state] == NULL)
		return -1;
	return by_state[job->state](job, now_ms);
}

/* The first that is due of the rows that are on the screen; no walk along what waits below. */
static int64_t queue_clock(const struct ui *ui, const struct model *model, int64_t now_ms)
{
	size_t end = ui->queue_top + view_rows_of(ui, model, VIEW_QUEUE);
	struct queue_rows rows;
	int64_t next = -1;

	queue_rows_make(model, &rows);
	for (size_t i = ui->queue_top; i < end && i < rows.count; i++) {
		struct queue_row row = queue_row_at(&rows, i);

		if (row.job != NULL)
			next = sooner(next, job_clock(row.job, now_ms));
	}
	queue_rows_release(&rows);
	return next;
}

static int64_t marked_clock(const struct ui *ui, const struct model *model, int64_t now_ms)
{
	int64_t next = -1;

	for (unsigned i = 0; i < ui->mark_count; i++) {
		const struct job *job = model_job(model, ui->marks[i]);

		if (job != NULL && job->state == JOB_WAITING)
			next = sooner(next, job_clock(job, now_ms));
	}
	return next;
}

/* Of the clocks on the screen only: all calls where the queue is, else the one that is open. */
static int64_t clocks(const struct ui *ui, const struct model *model, int64_t now_ms)
{
	int64_t next = -1;

	if (ui_too_small(ui) || ui->view == VIEW_HELP)
		return -1;
	if (model->lock.on)
		next = next_down(model->lock.wait_until_ms, now_ms, SECOND_MS);
	else if (ui->view == VIEW_GRANTS)
		return grants_clock(model, now_ms);
	else if (ui->view == VIEW_HISTORY || ui->view == VIEW_STOPPED)
		return -1;
	else if (ui_on_marked(ui))
		return marked_clock(ui, model, now_ms);
	else if (!panes_show(ui, VIEW_QUEUE)) {
		const struct job *job = ui_open_job(ui, model);

		return job == NULL ? -1 : job_clock(job, now_ms);
	}
	return sooner(next, queue_clock(ui, model, now_ms));
}

/* However many clocks there are, each with a moment of its own: once a second at most. */
static int64_t clocks_due(const struct ui *ui, const struct model *model, int64_t now_ms)
{
	int64_t due = clocks(ui, model, now_ms);
	int64_t next = due < 0 ? -1 : clocks(ui, model, due);

	if (next >= 0 && next - due <= CLOCKS_TOGETHER_MS)
		due = next;
	return due >= 0 && due < ui->clock_ms + SECOND_MS ? ui->clock_ms + SECOND_MS : due;
}

/* When the lamp lights by itself: of the card, or of a question or a typed word. */
static int64_t lamp(const struct ui *ui, const struct model *model, int64_t now_ms)
{
	int64_t since = ui->drawn_at_ms > ui->last_input_ms ? ui->drawn_at_ms : ui->last_input_ms;

	if (ui->undrawn || ui_rested(ui, now_ms))
		return -1;
	if (ui->prompt.kind == PROMPT_NONE && ui_gate(ui, model, now_ms) != GATE_REST)
		return -1;
	return since + UI_REST_MS;
}

int64_t ui_next_tick(const struct ui *ui, const struct model *model, int64_t now_ms)
{
	int64_t next = ui->pending.kind == INTENT_NONE ? -1 : ui->pending_at_ms + UI_ALONE_MS;

	next = sooner(next, ui_seen_due(ui));
	next = sooner(next, ui_lock_due(ui, model));
	next = sooner(next, lamp(ui, model, now_ms));
	return sooner(next, clocks_due(ui, model, now_ms));
}

#include "config.h"

#include "tui/ui.h"

#include <inttypes.h>

#include "tui/queue.h"
#include "tui/ui_internal.h"
#include "tui/view.h"

/* From one view to another. Only a person's key comes here, and the very first call of an empty screen. */

void ui_open_card(struct ui *ui, uint64_t seq, int64_t now_ms)
{
	if (ui->card_seq != seq) {
		ui->card_top = 0;
		ui->output_top = 0;
		ui->details = false;
	}
	ui->selected = seq;
	ui->card_seq = seq;
	ui->view = VIEW_CARD;
	ui_touch(ui, now_ms);
}

static uint64_t next_waiting(const struct model *model, uint64_t seq, bool back)
{
	uint64_t next = model_next_waiting(model, seq, back);

	if (next != 0)
		return next;
	/* Round the end; for `back` that is the youngest, found from behind all. */
	return model_next_waiting(model, back ? UINT64_MAX : 0, back);
}

static int go_waiting(struct press *p, bool back)
{
	uint64_t seq = next_waiting(p->model, p->ui->selected, back);

	if (seq == 0)
		ui_say(p->ui, "nothing waits");
	else if (seq == p->ui->card_seq && p->ui->view == VIEW_CARD)
		ui_say(p->ui, "no other call waits");
	else
		ui_open_card(p->ui, seq, p->now_ms);
	return 0;
}

static int go_card(struct press *p)
{
	uint64_t seq = p->ui->view == VIEW_QUEUE     ? p->ui->selected
		       : p->ui->view == VIEW_HISTORY ? p->ui->history_seq
						     : p->ui->card_seq;

	if (seq == 0)
		seq = p->ui->selected;
	if (seq == 0)
		seq = model_next_waiting(p->model, 0, false);
	if (seq == 0)
		ui_say(p->ui, "there is no card to open");
	else
		ui_open_card(p->ui, seq, p->now_ms);
	return 0;
}

static int go_output(struct press *p)
{
	struct ui *ui = p->ui;
	bool history = ui->view == VIEW_HISTORY;
	bool by_row = ui->view == VIEW_QUEUE || ui->card_seq == 0;
	uint64_t seq = history ? ui->history_seq : by_row ? ui->selected : ui->card_seq;
	const struct job *job = seq == 0 ? NULL : model_job(p->model, seq);

	if (ui->view == VIEW_OUTPUT)
		return 0;
	if (job == NULL || job->started_at_ms < 0) {
		ui_say(ui, "%s",
			job == NULL               ? "there is no output to show"
			: job_is_over(job->state) ? "it did not start: no output"
						  : "it has not started yet: no output");
		return 0;
	}
	ui->output_back = ui->view == VIEW_QUEUE || history ? ui->view : VIEW_CARD;
	ui_open_card(ui, seq, p->now_ms);
	ui->view = VIEW_OUTPUT;
	ui->following = true;
	return 0;
}

static int go_queue(struct press *p)
{
	p->ui->view = VIEW_QUEUE;
	return 0;
}

static int go_history(struct press *p)
{
	ui_history_open(p);
	return 0;
}

static int go_back(struct press *p)
{
	switch (p->ui->view) {
	case VIEW_CARD:
	case VIEW_HISTORY:
		return go_queue(p);
	case VIEW_OUTPUT:
		p->ui->view = p->ui->output_back;
		return 0;
	case VIEW_HELP:
		p->ui->view = p->ui->back;
		return 0;
	case VIEW_QUEUE:
	case VIEW_COUNT:
		break;
	}
	ui_say(p->ui, "this is the first view; q quits");
	return 0;
}

static int go_help(struct press *p)
{
	if (p->ui->view == VIEW_HELP)
		return go_back(p);
	p->ui->back = p->ui->view;
	p->ui->view = VIEW_HELP;
	p->ui->help_top = 0;
	return 0;
}

/* Enter: opens a row of the queue, or behind a decision the next waiting call. On a card that waits it is told apart from yes. */
static int open_it(struct press *p)
{
	if (p->ui->view == VIEW_QUEUE || p->ui->view == VIEW_HISTORY)
		return go_card(p);
	const struct job *job = ui_open_job(p->ui, p->model);
	if (job != NULL && job->state == JOB_WAITING) {
		ui_say(p->ui, "Enter never approves: a does");
		return 0;
	}
	return go_waiting(p, false);
}

static int toggle_details(struct press *p)
{
	p->ui->details = !p->ui->details;
	return 0;
}

int ui_go(struct press *p, enum action action)
{
	static int (*const steps[ACTION_COUNT])(struct press *) = {
		[ACTION_OPEN] = open_it,
		[ACTION_BACK] = go_back,
		[ACTION_VIEW_QUEUE] = go_queue,
		[ACTION_VIEW_CARD] = go_card,
		[ACTION_VIEW_OUTPUT] = go_output,
		[ACTION_VIEW_HISTORY] = go_history,
		[ACTION_HELP] = go_help,
		[ACTION_DETAILS] = toggle_details,
	};

	if (action == ACTION_NEXT_WAITING || action == ACTION_PREV_WAITING)
		return go_waiting(p, action == ACTION_PREV_WAITING);
	return steps[action](p);
}

#include "config.h"

#include "tui/ui.h"

#include <inttypes.h>

#include "tui/panes.h"
#include "tui/queue.h"
#include "tui/ui_internal.h"
#include "tui/view.h"

/* From one view to another. Only a person's key comes here, and the very first call of an empty screen. */

void ui_open_card(struct ui *ui, uint64_t seq, int64_t now_ms)
{
	if (ui->card_seq != seq) {
		ui->card_top = 0;
		ui->top_byte = 0;
		ui->details = false;
	}
	ui->selected = seq;
	ui->card_seq = seq;
	ui->view = VIEW_CARD;
	ui_touch(ui, now_ms);
}

void ui_show_output(struct ui *ui, uint64_t seq)
{
	if (ui->output_seq == seq)
		return;
	ui->output_seq = seq;
	ui->output_top = 0;
	ui->output_byte = 0;
	ui->following = true;
}

static bool has_started(const struct job *job)
{
	return job != NULL && job->started_at_ms >= 0;
}

static bool is_live(const struct job *job)
{
	return has_started(job) && !job_is_over(job->state);
}

static uint64_t oldest_live(const struct model *model)
{
	for (size_t i = 0; i < model->active.count; i++) {
		if (is_live(job_list_at(&model->active, i)))
			return job_list_at(&model->active, i)->seq;
	}
	return 0;
}

void ui_choose_output(struct ui *ui, const struct model *model)
{
	/* What somebody reads with the keys on it is never torn away. */
	if (!panes_shown(ui) || ui->view == VIEW_OUTPUT)
		return;
	if (is_live(model_job(model, ui->selected)))
		ui_show_output(ui, ui->selected);
	if (is_live(model_job(model, ui->output_seq)))
		return;
	uint64_t seq = oldest_live(model);
	if (seq == 0 && has_started(model_job(model, ui->card_seq)))
		seq = ui->card_seq;
	if (seq != 0)
		ui_show_output(ui, seq);
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
	bool on_card = p->ui->view == VIEW_CARD && p->ui->card_seq != 0;
	uint64_t seq = next_waiting(p->model, on_card ? p->ui->card_seq : p->ui->selected, back);

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

	if (panes_shown(p->ui) && p->ui->card_seq != 0) {
		p->ui->view = VIEW_CARD;
		return 0;
	}
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

/* The pane keeps what it shows, but for the output of the call that the keys were about. */
static int go_output_pane(struct press *p)
{
	const struct job *job = ui_open_job(p->ui, p->model);

	if (p->ui->view == VIEW_OUTPUT)
		return 0;
	if (has_started(job))
		ui_show_output(p->ui, job->seq);
	p->ui->output_back = p->ui->view;
	p->ui->view = VIEW_OUTPUT;
	return 0;
}

static void say_no_output(struct ui *ui, const struct job *job)
{
	ui_say(ui, "%s",
		job == NULL               ? "there is no output to show"
		: job_is_over(job->state) ? "it did not start: no output"
					  : "it has not started yet: no output");
}

static int go_output(struct press *p)
{
	struct ui *ui = p->ui;
	bool history = ui->view == VIEW_HISTORY;
	bool by_row = ui->view == VIEW_QUEUE || ui->card_seq == 0;
	uint64_t seq = history ? ui->history_seq : by_row ? ui->selected : ui->card_seq;
	const struct job *job = seq == 0 ? NULL : model_job(p->model, seq);

	if (panes_shown(ui))
		return go_output_pane(p);
	if (ui->view == VIEW_OUTPUT)
		return 0;
	if (!has_started(job)) {
		say_no_output(ui, job);
		return 0;
	}
	ui->output_back = ui->view == VIEW_QUEUE || history ? ui->view : VIEW_CARD;
	ui_open_card(ui, seq, p->now_ms);
	ui_show_output(ui, seq);
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

static int go_grants(struct press *p)
{
	ui_open_grants(p);
	return 0;
}

static int go_agents(struct press *p)
{
	ui_open_agents(p);
	return 0;
}

static int go_back(struct press *p)
{
	switch (p->ui->view) {
	case VIEW_CARD:
	case VIEW_MARKED:
	case VIEW_HISTORY:
	case VIEW_GRANTS:
	case VIEW_AGENTS:
		return go_queue(p);
	case VIEW_OUTPUT:
		p->ui->view = p->ui->output_back;
		return 0;
	case VIEW_HELP:
		p->ui->view = p->ui->back;
		return 0;
	case VIEW_QUEUE:
		if (!p->model->stop.on)
			break;
		p->ui->view = VIEW_STOPPED;
		return 0;
	case VIEW_STOPPED:
	case VIEW_COUNT:
		break;
	}
	ui_say(p->ui, "this is the first view; %s quits", ui_key_of(p->ui, ACTION_QUIT));
	return 0;
}

/* The pane behind, or before. In the narrow arrangement the views come one after another. */
static int go_pane(struct press *p, bool back)
{
	enum view view = p->ui->view;
	bool output = has_started(ui_open_job(p->ui, p->model));

	if (panes_shown(p->ui)) {
		p->ui->view = (enum view)((view + (back ? 2u : 1u)) % 3u);
		if (p->ui->view == VIEW_OUTPUT)
			p->ui->output_back = view;
		return 0;
	}
	if (view == VIEW_QUEUE)
		return back && output ? go_output(p) : go_card(p);
	if (view == VIEW_CARD)
		return back || !output ? go_queue(p) : go_output(p);
	return back ? go_card(p) : go_queue(p);
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

static int open_row(struct press *p)
{
	if (p->ui->mark_count > 0) {
		ui_open_marked(p);
		return 0;
	}
	if (p->ui->selected == 0)
		return go_card(p);
	ui_open_card(p->ui, p->ui->selected, p->now_ms);
	return 0;
}

static int open_past(struct press *p)
{
	uint64_t seq = p->ui->history_seq;

	if (model_job(p->model, seq) == NULL)
		ui_say(p->ui, "%s did nothing: no call is selected", ui_key_of(p->ui, ACTION_OPEN));
	else
		ui_open_card(p->ui, seq, p->now_ms);
	return 0;
}

/* Enter: opens a row of the queue, or behind a decision the next waiting call. On a card that waits it is told apart from yes. */
static int open_it(struct press *p)
{
	if (p->ui->view == VIEW_HISTORY)
		return open_past(p);
	if (p->ui->view == VIEW_AGENTS)
		return ui_agent_calls(p);
	if (p->ui->view == VIEW_QUEUE)
		return open_row(p);
	const struct job *job = ui_open_job(p->ui, p->model);

	if (job != NULL && job->state == JOB_WAITING) {
		ui_say(p->ui, "%s never approves: %s does", ui_key_of(p->ui, ACTION_OPEN),
			ui_key_of(p->ui, ACTION_APPROVE));
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
		[ACTION_VIEW_GRANTS] = go_grants,
		[ACTION_VIEW_AGENTS] = go_agents,
		[ACTION_HELP] = go_help,
		[ACTION_DETAILS] = toggle_details,
	};

	if (action == ACTION_PANE_NEXT || action == ACTION_PANE_BACK)
		return go_pane(p, action == ACTION_PANE_BACK);
	if (action == ACTION_NEXT_WAITING || action == ACTION_PREV_WAITING)
		return go_waiting(p, action == ACTION_PREV_WAITING);
	return steps[action](p);
}

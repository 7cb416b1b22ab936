#include "config.h"

#include "tui/ui.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "core/turns.h"
#include "tui/agents.h"
#include "tui/ui_internal.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

/* Senders as a whole: the folded row of one that floods, view 6, and what a person does to one: a no to all that waits of it, no
   new calls of it. */

const struct sender *ui_group(const struct ui *ui, const struct model *model)
{
	const struct job *job = model_job(model, ui->selected);
	const struct sender *sender;
	struct turns turns;
	size_t folded = 0;

	if (job == NULL || job->state != JOB_WAITING)
		return NULL;
	sender = model_sender(model, job->sender);
	if (sender == NULL || !sender_floods(sender))
		return NULL;
	turns_make(model, true, &turns);
	turns_at(&turns, turns_find(&turns, job), &folded);
	turns_release(&turns);
	return folded > 0 ? sender : NULL;
}

const struct sender *ui_agent(const struct ui *ui, const struct model *model)
{
	return model_sender(model, ui->agent);
}

/* Whom the keys are about. */
static const struct sender *sender_here(const struct press *p)
{
	const struct job *job = ui_open_job(p->ui, p->model);

	if (p->ui->view == VIEW_AGENTS)
		return ui_agent(p->ui, p->model);
	return job != NULL ? model_sender(p->model, job->sender) : NULL;
}

int ui_reject_all(struct press *p)
{
	const struct sender *sender = sender_here(p);
	const struct job *last;

	if (sender == NULL || sender->waiting.count == 0) {
		ui_say(p->ui, "%s did nothing: nothing of it waits",
			ui_key_of(p->ui, ACTION_REJECT));
		return 0;
	}
	if (p->model->record_failed != NULL || ui_too_small(p->ui)) {
		ui_refuse(p->ui, p->model, ui_key_of(p->ui, ACTION_REJECT),
			p->model->record_failed != NULL ? GATE_RECORD : GATE_TOO_SMALL);
		return 0;
	}
	/* What comes while the reason is typed was not among those that were counted. */
	last = job_list_at(&sender->waiting, sender->waiting.count - 1);
	p->ui->reject_until = last->seq;
	prompt_open(&p->ui->prompt, PROMPT_REASON_ALL, sender->number, p->now_ms);
	return 0;
}

size_t ui_rejected_count(const struct ui *ui, const struct model *model)
{
	const struct sender *sender = model_sender(model, (unsigned)ui->prompt.seq);

	return sender == NULL ? 0 : job_list_below(&sender->waiting, ui->reject_until + 1);
}

int ui_send_reason_all(struct press *p)
{
	struct ui *ui = p->ui;
	size_t count = ui_rejected_count(ui, p->model);

	if (p->model->record_failed != NULL || ui_too_small(ui)) {
		ui_refuse(ui, p->model, "Enter",
			p->model->record_failed != NULL ? GATE_RECORD : GATE_TOO_SMALL);
	} else if (count == 0) {
		prompt_close(&ui->prompt);
		ui_say(ui, "Enter did nothing: nothing of it waits");
	} else if (prompt_blank(&ui->prompt)) {
		ui_say(ui, "Enter did nothing: there is no reason yet");
	} else {
		ui_wait_alone(p, INTENT_REJECT_ALL, ui->prompt.seq, ACTION_NONE);
		ui->pending.text = mem_strdup(str_c(&ui->prompt.text));
		ui->pending.until = ui->reject_until;
		ui_say(ui, "rejecting %zu", count);
	}
	return 0;
}

static void say_shut(struct ui *ui, const struct model *model, const struct sender *sender)
{
	const struct peer *peer = model_peer(model, sender->number);
	STR_AUTO struct str name = STR_INIT;
	STR_AUTO struct str shown = STR_INIT;

	sender_words(model, sender, &name);
	words_field(str_c(&name), 30, ui->ascii, &shown);
	if (peer != NULL && peer->pid >= 0)
		str_printf(&shown, " (pid %lld)", (long long)peer->pid);
	if (sender->shut)
		ui_say(ui, "%s: new calls are taken again", str_c(&shown));
	else
		ui_say(ui, "%s: new calls are refused, %s takes them again", str_c(&shown),
			ui_key_of(ui, ACTION_REFUSE_SENDER));
}

/* At once: nothing that waits is touched, and the same key takes it back. */
int ui_refuse_sender(struct press *p, enum action action)
{
	const struct sender *sender = sender_here(p);

	if (sender == NULL) {
		ui_say(p->ui, "%s did nothing: no agent is selected", ui_key_of(p->ui, action));
		return 0;
	}
	say_shut(p->ui, p->model, sender);
	*p->ret = (struct intent){.kind = sender->shut ? INTENT_TAKE_SENDER : INTENT_REFUSE_SENDER,
		.seq = sender->number};
	return 1;
}

/* View 6. */

void ui_open_agents(struct press *p)
{
	struct agent_rows rows;

	p->ui->view = VIEW_AGENTS;
	if (ui_agent(p->ui, p->model) != NULL)
		return;
	agent_rows_make(p->model, &rows);
	p->ui->agent = rows.count > 0 ? rows.items[0]->number : 0;
	agent_rows_release(&rows);
}

static size_t target(const struct agent_rows *rows, size_t at, enum action action, size_t part)
{
	size_t last = rows->count - 1;
	size_t by = action == ACTION_UP || action == ACTION_DOWN ? 1 : part;

	if (action == ACTION_FIRST)
		return 0;
	if (action == ACTION_LAST)
		return last;
	if (action == ACTION_UP || action == ACTION_PART_BACK)
		return at > by ? at - by : 0;
	return at + by < last ? at + by : last;
}

int ui_agents_move(struct press *p, enum action action)
{
	struct agent_rows rows;

	agent_rows_make(p->model, &rows);
	size_t at = agent_rows_find(&rows, p->ui->agent);

	if (rows.count == 0)
		ui_say(p->ui, "no agent is there");
	else
		p->ui->agent =
			rows.items[at == rows.count ? 0 : target(&rows, at, action, 8)]->number;
	agent_rows_release(&rows);
	return 0;
}

/* Its calls: where it has some that wait, in the queue; else those that are over. */
int ui_agent_calls(struct press *p)
{
	const struct sender *sender = ui_agent(p->ui, p->model);
	struct ui *ui = p->ui;

	if (sender == NULL) {
		ui_say(ui, "Enter did nothing: no agent is selected");
	} else if (sender->waiting.count > 0) {
		ui->view = VIEW_QUEUE;
		ui->selected = job_list_at(&sender->waiting, 0)->seq;
	} else {
		snprintf(ui->filter, sizeof(ui->filter), "from:%u", sender->number);
		ui->history_top = 0;
		ui_history_open(p);
	}
	return 0;
}

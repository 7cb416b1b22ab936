#include "config.h"

#include "tui/ui.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "tui/ui_internal.h"

/* A person changes the command of a card that waits. Nothing is decided by it: the new text is a new card, to be read anew. */

bool ui_edits_here(const struct job *job)
{
	return strchr(job->command, '\n') == NULL && strlen(job->command) <= PROMPT_BYTES_MAX;
}

bool ui_can_edit(const struct job *job)
{
	return job != NULL && job->state == JOB_WAITING && job->card != NULL &&
	       job->command != NULL;
}

/* Open to a card that was not read to its end, as a reject is. */
int ui_edit(struct press *p, enum action action)
{
	const struct job *job = model_job(p->model, p->ui->card_seq);
	enum gate gate = p->gate;

	(void)action;
	if ((gate != GATE_NOT_SEEN && gate != GATE_REST && gate != GATE_READY &&
		    gate != GATE_CHANGED) ||
		!ui_can_edit(job)) {
		ui_refuse(p->ui, p->model, ui_key_of(p->ui, ACTION_EDIT), gate);
		return 0;
	}
	/* Alone: a paste without brackets that holds an e must neither start a program nor write into a command. */
	ui_wait_alone(p, INTENT_EDITOR, job->seq, ACTION_EDIT);
	return 0;
}

int ui_begin_edit(struct ui *ui, const struct model *model, int64_t now_ms, struct intent *ret)
{
	const struct job *job = model_job(model, ui->pending.seq);
	struct intent intent = ui->pending;

	ui_pending_off(ui);
	if (!ui_edits_here(job)) {
		*ret = intent;
		ret->text = mem_strdup(job->command);
		ui->card_top = 0;
		return 1;
	}
	prompt_open(&ui->prompt, PROMPT_EDIT, job->seq, now_ms);
	prompt_set(&ui->prompt, job->command);
	return 0;
}

/* The editor gets what is in the line so far. */
int ui_edit_elsewhere(struct press *p)
{
	struct ui *ui = p->ui;
	const struct job *job = model_job(p->model, ui->prompt.seq);

	if (!ui_still_there(p))
		return 0;
	const struct seen *seen = ui_seen_of(ui, job);
	if (seen == NULL) {
		ui_refuse(ui, p->model, "Ctrl-E", GATE_CHANGED);
		return 0;
	}
	*p->ret = (struct intent){.kind = INTENT_EDITOR,
		.seq = job->seq,
		.digest = seen->digest,
		.text = mem_strdup(str_c(&ui->prompt.text))};
	prompt_close(&ui->prompt);
	ui->card_top = 0; /* the new card is read from its first line */
	return 1;
}

int ui_send_edit(struct press *p)
{
	struct ui *ui = p->ui;
	const struct job *job = model_job(p->model, ui->prompt.seq);

	if (!ui_still_there(p))
		return 0;
	if (prompt_blank(&ui->prompt)) {
		ui_say(ui, "Enter did nothing: the command is empty");
		return 0;
	}
	if (strcmp(str_c(&ui->prompt.text), job->command) == 0) {
		prompt_close(&ui->prompt);
		ui_say(ui, "not edited: the text is the same");
		return 0;
	}
	if (ui_seen_of(ui, job) == NULL) {
		ui_refuse(ui, p->model, "Enter", GATE_CHANGED);
		return 0;
	}
	return ui_send_text(p, INTENT_EDIT, "editing");
}

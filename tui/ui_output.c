#include "config.h"

#include "tui/ui.h"

#include <inttypes.h>

#include "base/mem.h"
#include "tui/ui_internal.h"
#include "tui/view.h"

/* What can be done with an output that is on the screen. */

int ui_unfold(struct press *p, enum action action)
{
	struct ui *ui = p->ui;

	(void)action;
	ui->unfold = !ui->unfold;
	ui->pan = 0;
	if (!ui->following)
		ui_keep_place(ui, p->model);
	return 0;
}

/* A line on the screen has more at its right. */
static bool goes_on(const struct ui *ui, const struct model *model)
{
	const struct job *job = ui_open_job(ui, model);
	struct output_look look = view_output_look(ui);
	size_t top = ui->output_top;
	bool found = false;
	struct rows rows;

	if (job == NULL)
		return false;
	layout_output_window(
		job, &look, ui->following, view_rows_of(ui, model, VIEW_OUTPUT), &top, &rows);
	for (size_t i = 0; i < rows.count && !found; i++)
		found = layout_output_goes_on(&rows.items[i]);
	rows_release(&rows);
	return found;
}

int ui_pan(struct press *p, enum action action)
{
	struct ui *ui = p->ui;
	size_t step = view_cols_of(ui, VIEW_OUTPUT) / 2;

	if (!ui->unfold)
		ui_say(ui, "lines are wrapped here: u unfolds them");
	else if (action == ACTION_PAN_LEFT && ui->pan == 0)
		ui_say(ui, "this is the left end");
	else if (action == ACTION_PAN_LEFT)
		ui->pan -= ui->pan < step ? ui->pan : step;
	else if (goes_on(ui, p->model))
		ui->pan += step;
	else
		ui_say(ui, "no line on the screen goes on at the right");
	return 0;
}

bool ui_can_save(const struct job *job)
{
	return job != NULL && job->output.len > 0;
}

int ui_save(struct press *p, enum action action)
{
	const struct job *job = ui_open_job(p->ui, p->model);

	(void)action;
	if (ui_can_save(job)) {
		MEM_AUTO char *name = mem_printf(
			"exequatur-%s-%" PRIu64 ".txt", p->model->session_short, job->seq);

		prompt_open(&p->ui->prompt, PROMPT_SAVE, job->seq, p->now_ms);
		prompt_set(&p->ui->prompt, name);
	} else if (job != NULL && job->forgotten && job->output_bytes > 0) {
		ui_say(p->ui, "o did nothing: its output is kept in the record alone");
	} else {
		ui_say(p->ui, "o did nothing: there is no output to save");
	}
	return 0;
}

int ui_send_save(struct press *p)
{
	struct prompt *prompt = &p->ui->prompt;

	if (prompt_blank(prompt)) {
		ui_say(p->ui, "Enter did nothing: there is no name yet");
		return 0;
	}
	*p->ret = (struct intent){
		.kind = INTENT_SAVE, .seq = prompt->seq, .text = mem_strdup(str_c(&prompt->text))};
	prompt_close(prompt);
	return 1;
}

#include "config.h"

#include "tui/ui.h"

#include <string.h>

#include "tui/ui_internal.h"

/* The panic key: one question, then nothing runs and nothing comes in until the person says so with a word. */

int ui_stop_all(struct press *p, enum action action)
{
	(void)action;
	if (p->model->stop.on)
		ui_say(p->ui, "%s did nothing: all is stopped already",
			ui_key_of(p->ui, ACTION_STOP_ALL));
	else
		prompt_open(&p->ui->prompt, PROMPT_STOP_ALL, 0, p->now_ms);
	return 0;
}

int ui_open_intake(struct press *p, enum action action)
{
	(void)action;
	p->ui->view = VIEW_STOPPED;
	prompt_open(&p->ui->prompt, PROMPT_OPEN_INTAKE, 0, p->now_ms);
	return 0;
}

bool ui_open_typed(const struct ui *ui)
{
	return strcmp(str_c(&ui->prompt.text), UI_OPEN_WORD) == 0;
}

int ui_send_open(struct press *p)
{
	struct ui *ui = p->ui;

	if (ui_too_small(ui)) {
		ui_refuse(ui, p->model, "Enter", GATE_TOO_SMALL);
	} else if (!ui_open_typed(ui)) {
		ui_say(ui, "Enter did nothing: type %s", UI_OPEN_WORD);
	} else if (!p->rested) {
		ui_refuse(ui, p->model, "Enter", GATE_REST);
	} else {
		ui_wait_alone(p, INTENT_OPEN_INTAKE, 0, ACTION_NONE);
		ui_say(ui, "opening intake");
	}
	return 0;
}

void ui_follow_stop(struct ui *ui, const struct model *model, int64_t now_ms)
{
	bool on = model->stop.on;

	if (on == ui->was_stopped)
		return;
	ui->was_stopped = on;
	ui_touch(ui, now_ms);
	if (on) {
		/* What was asked about is decided by now. */
		ui_pending_off(ui);
		if (!prompt_is_secret(ui->prompt.kind))
			prompt_close(&ui->prompt);
		ui->view = ui->back = ui->output_back = VIEW_STOPPED;
		return;
	}
	if (ui->prompt.kind == PROMPT_OPEN_INTAKE)
		prompt_close(&ui->prompt);
	if (ui->view == VIEW_STOPPED)
		ui->view = VIEW_QUEUE;
	if (ui->back == VIEW_STOPPED)
		ui->back = VIEW_QUEUE;
	if (ui->output_back == VIEW_STOPPED)
		ui->output_back = VIEW_QUEUE;
}

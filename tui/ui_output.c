#include "config.h"

#include "tui/ui.h"

#include <inttypes.h>

#include "base/mem.h"
#include "tui/seek.h"
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
		ui_say(p->ui, "%s did nothing: its output is kept in the record alone",
			ui_key_of(p->ui, ACTION_SAVE));
	} else {
		ui_say(p->ui, "%s did nothing: there is no output to save",
			ui_key_of(p->ui, ACTION_SAVE));
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

/* What is found comes into sight, with some rows above it; what is in sight already does not move. */
static void show_match(struct ui *ui, const struct model *model, const struct output_match *match)
{
	size_t body = view_rows_of(ui, model, VIEW_OUTPUT);
	size_t cols = view_cols_of(ui, VIEW_OUTPUT) / 2;

	if (match->row < ui->output_top || match->row >= ui->output_top + body)
		ui->output_top = match->row > body / 3 ? match->row - body / 3 : 0;
	if (ui->unfold && (match->column < ui->pan || match->column >= ui->pan + cols))
		ui->pan = match->column > cols ? match->column - cols / 2 : 0;
	ui->following = false;
}

static void go_match(struct press *p, int64_t from, bool back)
{
	struct ui *ui = p->ui;
	const struct job *job = ui_open_job(ui, p->model);
	struct output_look look = view_output_look(ui);
	struct output_match match;
	struct seek seek;

	seek_begin(&seek, ui->find);
	look.seek = &seek;
	if (job == NULL || !layout_output_match(job, &look, from, back, &match)) {
		ui_say(ui, "not found: %s", ui->find);
	} else {
		show_match(ui, p->model, &match);
		ui->found_byte = (int64_t)match.byte;
		ui_say(ui, "match %zu of %zu%s", match.number, match.count,
			!match.around ? ""
			: back        ? ", from the end again"
				      : ", from the start again");
	}
	seek_release(&seek);
}

/* Following keeps no number of the row at the top. */
static void find_top(struct ui *ui, const struct model *model)
{
	if (ui->following)
		ui->output_top = SIZE_MAX;
	ui_clamp(ui, model);
}

/* The first byte on the screen. */
static int64_t top_byte(const struct ui *ui, const struct model *model)
{
	const struct job *job = ui_open_job(ui, model);
	struct output_look look = view_output_look(ui);
	struct rows rows = {0};
	int64_t byte = 0;

	if (job != NULL)
		layout_output_part(job, &look, ui->output_top, 1, &rows);
	if (rows.count > 0)
		byte = (int64_t)rows.items[0].start;
	rows_release(&rows);
	return byte;
}

bool ui_find_any(struct press *p, const char *text)
{
	(void)p;
	(void)text;
	return true; /* what is not there yet may come */
}

void ui_output_changed(struct press *p)
{
	if (p->ui->find[0] == '\0')
		return;
	find_top(p->ui, p->model);
	go_match(p, top_byte(p->ui, p->model) - 1, false);
}

void ui_output_match(struct press *p, bool back)
{
	find_top(p->ui, p->model);
	go_match(p, p->ui->found_byte, back);
}

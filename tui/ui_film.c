#include "config.h"

#include "tui/film.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tui/layout.h"
#include "tui/panes.h"
#include "tui/ui_internal.h"
#include "tui/view.h"

/* The keys of a screen that plays a record. Whatever would decide says that this is a recording. */

static int step(struct press *p, enum film_step step)
{
	*p->ret = (struct intent){.kind = INTENT_FILM, .seq = step};
	return 1;
}

static int film_key(struct press *p, enum action action)
{
	static const enum film_step steps[ACTION_COUNT] = {
		[ACTION_FILM_PAUSE] = FILM_PAUSE,
		[ACTION_FILM_EVENT_ON] = FILM_EVENT_ON,
		[ACTION_FILM_EVENT_BACK] = FILM_EVENT_BACK,
		[ACTION_FILM_DECISION_ON] = FILM_DECISION_ON,
		[ACTION_FILM_DECISION_BACK] = FILM_DECISION_BACK,
		[ACTION_FILM_FAILURE] = FILM_FAILURE_ON,
		[ACTION_FILM_SLOWER] = FILM_SLOWER,
		[ACTION_FILM_FASTER] = FILM_FASTER,
	};

	if (action == ACTION_FILM_GOTO) {
		prompt_open(&p->ui->prompt, PROMPT_GOTO, 0, p->now_ms);
		return 0;
	}
	return step(p, steps[action]);
}

int ui_send_goto(struct press *p)
{
	struct ui *ui = p->ui;

	if (prompt_blank(&ui->prompt)) {
		prompt_close(&ui->prompt);
		return 0;
	}
	step(p, FILM_GOTO);
	p->ret->text = mem_strdup(str_c(&ui->prompt.text));
	prompt_close(&ui->prompt);
	return 1;
}

static bool is_live_only(enum action action)
{
	static const bool live[ACTION_COUNT] = {
		[ACTION_APPROVE] = true,
		[ACTION_REJECT] = true,
		[ACTION_EDIT] = true,
		[ACTION_AGAIN] = true,
		[ACTION_REVOKE] = true,
		[ACTION_REFUSE_SENDER] = true,
		[ACTION_MARK] = true,
		[ACTION_STOP] = true,
		[ACTION_EXTEND] = true,
		[ACTION_STOP_ALL] = true,
		[ACTION_INTAKE_OPEN] = true,
		[ACTION_LOCK] = true,
		[ACTION_YES] = true,
	};

	return live[action];
}

static bool stays_with_reviewer(enum action action)
{
	return action == ACTION_REDRAW || action == ACTION_FIND || action == ACTION_SAVE;
}

static int go_to_reviewer(struct press *p)
{
	p->ui->film_own = false;
	ui_say(p->ui, "the reviewer's view again, until a key of yours leaves it");
	return 0;
}

bool ui_film_key(struct press *p, enum action action, int *ret_due)
{
	enum action film = keymap_action(&p->ui->keymap, p->key, ON_FILM);
	enum action any = action != ACTION_NONE
				  ? action
				  : keymap_action(&p->ui->keymap, p->key, ON_ALL | ON_QUESTION);

	*ret_due = 0;
	if (action == ACTION_QUIT || action == ACTION_CANCEL) {
		/* Nothing waits for a film, and nothing ends with it. */
		*p->ret = (struct intent){.kind = INTENT_QUIT};
		*ret_due = 1;
	} else if (ui_too_small(p->ui)) {
		return action != ACTION_REDRAW;
	} else if (film != ACTION_NONE) {
		*ret_due = film_key(p, film);
	} else if (is_live_only(any)) {
		ui_say(p->ui, "this is a recording: %s does nothing here", ui_key_of(p->ui, any));
	} else if (action == ACTION_BACK && p->ui->view == VIEW_QUEUE) {
		*ret_due = go_to_reviewer(p);
	} else {
		p->ui->film_own |= action != ACTION_NONE && !stays_with_reviewer(action);
		return false;
	}
	return true;
}

bool ui_film_mouse(struct press *p, int *ret_due)
{
	struct film_place place = film_place(p->ui->film_cols, p->ui->film_rows);
	unsigned col = p->key->col, row = p->key->row;
	bool click = p->key->code == KEY_CODE_CLICK;

	*ret_due = 0;
	if (row < place.rule_row && col < place.cols) {
		p->ui->film_own = true;
		return false;
	}
	if (click && place.bar_row > 0 && row == place.bar_row && col >= place.bar_col &&
		col < place.bar_col + place.bar_cols) {
		*ret_due = step(p, FILM_BAR);
		/* The middle of the column: the click goes where the mark of it is. */
		p->ret->until = ((uint64_t)(col - place.bar_col) * 2 + 1) * 500000 / place.bar_cols;
	}
	return true;
}

static void set_size(struct ui *ui, unsigned cols, unsigned rows)
{
	struct film_place place;

	ui->film_cols = cols < 1 ? 1 : cols > UI_SIDE_MAX ? UI_SIDE_MAX : cols;
	ui->film_rows = rows < 1 ? 1 : rows > UI_SIDE_MAX ? UI_SIDE_MAX : rows;
	place = film_place(ui->film_cols, ui->film_rows);
	ui->cols = place.cols;
	ui->rows = place.rows;
	ui->reflow = true;
}

void ui_film_begin(struct ui *ui, unsigned cols, unsigned rows)
{
	ui->film = true;
	set_size(ui, cols, rows);
}

void ui_film_resize(struct ui *ui, const struct model *model, unsigned cols, unsigned rows)
{
	set_size(ui, cols, rows);
	ui_settle(ui, model, 0);
}

void ui_film_take_seen(struct ui *ui, struct ui *then)
{
	for (size_t i = 0; i < ui->seen_count; i++)
		ui_seen_free(&ui->seen[i]);
	free(ui->seen);
	ui->seen = STEAL(then->seen);
	ui->seen_count = then->seen_count;
	ui->seen_cap = then->seen_cap;
	then->seen_count = then->seen_cap = 0;
}

/* Where in the texts the reviewer was: by byte, since the rows of another width are others. */
static void find_bytes(struct ui *ui, const struct model *model, const struct ui *then)
{
	const struct job *card = ui_card_job(then, model), *output = ui_output_job(then, model);
	struct rows rows;

	ui->top_byte = ui->output_byte = 0;
	if (card != NULL && then->card_top > 0) {
		layout_card(card, view_cols_of(then, VIEW_CARD), then->details, then->ascii, &rows);
		if (then->card_top < rows.count)
			ui->top_byte = rows.items[then->card_top].start;
		rows_release(&rows);
	}
	if (output != NULL && then->output_top > 0) {
		struct output_look look = view_output_look(then);

		layout_output_part(output, &look, then->output_top, 1, &rows);
		if (rows.count > 0)
			ui->output_byte = rows.items[0].start;
		rows_release(&rows);
	}
}

void ui_film_go(struct ui *ui, const struct model *model, const struct ui *then)
{
	ui->view = then->view == VIEW_HELP ? then->back : then->view;
	if (ui->view == VIEW_HELP)
		ui->view = VIEW_QUEUE;
	ui->back = ui->output_back = VIEW_QUEUE;
	ui->selected = then->selected;
	ui->card_seq = then->card_seq;
	ui->output_seq = then->output_seq;
	ui->queue_top = then->queue_top;
	memcpy(ui->marks, then->marks, sizeof(ui->marks));
	ui->mark_count = then->mark_count;
	ui->marked_top = then->marked_top;
	ui->details = then->details;
	ui->following = then->following;
	ui->unfold = then->unfold;
	ui->pan = then->pan;
	ui->grant_number = then->grant_number;
	ui->agent = then->agent;
	ui->history_seq = then->history_seq;
	ui->history_top = then->history_top;
	memcpy(ui->filter, then->filter, sizeof(ui->filter));
	find_bytes(ui, model, then);
	ui->reflow = true;
	ui_settle(ui, model, 0);
}

void ui_film_follow(struct ui *ui, const struct model *model)
{
	ui_settle(ui, model, 0);
	ui_clamp(ui, model);
}

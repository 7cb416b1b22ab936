#include "config.h"

#include "tui/ui.h"

#include "tui/panes.h"
#include "tui/queue.h"
#include "tui/ui_internal.h"
#include "tui/view.h"

/* The mouse scrolls what is under it, selects a row and gives a pane the keys. It never decides, and nothing that it does needs it. */

#define WHEEL_ROWS 3u
#define FOOT_ROWS 3u /* rule, gate, keys */

/* The pane under a place of the screen; the view itself where it has the screen. False: none. */
static bool view_at(const struct ui *ui, unsigned col, unsigned row, enum view *ret)
{
	*ret = ui->view;
	if (row == 0 || row + FOOT_ROWS > ui->rows)
		return false;
	if (!panes_shown(ui))
		return true;
	struct panes p = panes_of(ui);
	if (row >= p.output_rule)
		*ret = VIEW_OUTPUT;
	else
		*ret = col <= p.queue_cols ? VIEW_QUEUE : VIEW_CARD;
	return true;
}

/* The first line of the list of the queue, and the one behind its last. */
static unsigned list_from(const struct press *p, unsigned *ret_end)
{
	*ret_end = panes_shown(p->ui) ? panes_of(p->ui).output_rule : p->ui->rows - FOOT_ROWS;
	return *ret_end - view_rows_of(p->ui, p->model, VIEW_QUEUE);
}

static void select_row(struct press *p)
{
	unsigned end, line = list_from(p, &end);
	struct queue_rows rows;

	queue_rows_make(p->model, &rows);
	for (size_t i = p->ui->queue_top; i < rows.count && line < end; i++) {
		struct queue_row row = queue_row_at(&rows, i);

		line += queue_row_lines(&row, panes_shown(p->ui));
		if (line <= p->key->row)
			continue;
		if (row.job != NULL && p->key->row >= list_from(p, &end))
			p->ui->selected = row.job->seq;
		break;
	}
	queue_rows_release(&rows);
}

static void click(struct press *p)
{
	enum view view;

	if (p->key->row + 2 >= p->ui->rows && p->key->row < p->ui->rows) {
		ui_say(p->ui, "decisions need the keyboard");
		return;
	}
	if (p->ui->prompt.kind != PROMPT_NONE || !view_at(p->ui, p->key->col, p->key->row, &view))
		return;
	if (view == VIEW_OUTPUT && p->ui->view != VIEW_OUTPUT)
		p->ui->output_back = p->ui->view;
	p->ui->view = view;
	if (view == VIEW_QUEUE)
		select_row(p);
	else if (view == VIEW_HISTORY)
		ui_history_click(p);
}

static void wheel_queue(struct press *p, bool up)
{
	size_t body = view_rows_of(p->ui, p->model, VIEW_QUEUE), last = 0;
	struct queue_rows rows;

	queue_rows_make(p->model, &rows);
	if (rows.count > 0)
		last = queue_rows_top(&rows, 0, rows.count - 1, body, panes_shown(p->ui));
	size_t *top = &p->ui->queue_top;
	if (up)
		*top -= *top > WHEEL_ROWS ? WHEEL_ROWS : *top;
	else
		*top = *top + WHEEL_ROWS < last ? *top + WHEEL_ROWS : last;
	queue_rows_release(&rows);
}

static void wheel_list(struct press *p, enum view view, bool up)
{
	if (view == VIEW_QUEUE)
		wheel_queue(p, up);
	else
		ui_history_wheel(p, up, WHEEL_ROWS);
}

static void wheel(struct press *p, bool up)
{
	enum view had = p->ui->view, view;

	if (!view_at(p->ui, p->key->col, p->key->row, &view))
		return;
	if (view == VIEW_QUEUE || view == VIEW_HISTORY) {
		wheel_list(p, view, up);
		return;
	}
	/* The pane scrolls as it does with the keys on it. */
	p->ui->view = view;
	for (unsigned i = 0; i < WHEEL_ROWS; i++)
		ui_move(p, up ? ACTION_UP : ACTION_DOWN);
	p->ui->view = had;
}

bool ui_is_mouse(enum key_code code)
{
	return code == KEY_CODE_CLICK || code == KEY_CODE_WHEEL_UP || code == KEY_CODE_WHEEL_DOWN;
}

int ui_mouse(struct press *p)
{
	int due;
	if (ui_too_small(p->ui) || (p->model->lock.on && !p->ui->film))
		return 0;
	if (p->ui->film && ui_film_mouse(p, &due))
		return due;
	if (p->key->code == KEY_CODE_CLICK)
		click(p);
	else if (p->ui->prompt.kind == PROMPT_NONE)
		wheel(p, p->key->code == KEY_CODE_WHEEL_UP);
	return 0;
}

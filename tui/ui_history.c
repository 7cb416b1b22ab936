#include "config.h"

#include "tui/ui.h"

#include "tui/filter.h"
#include "tui/history.h"
#include "tui/ui_internal.h"
#include "tui/view.h"

/* The keys of the history. What is selected and what stands in the first row are calls, not numbers of rows: a call that ends
   meanwhile moves nothing on the screen. */

#define FIRST_LINE 3u /* title, rule, names of the columns */

static void select_row(struct ui *ui, const struct history_rows *rows, size_t at, size_t body)
{
	size_t top = history_rows_top(rows, ui->history_top, body);

	ui->history_seq = rows->items[at]->seq;
	if (at < top)
		top = at;
	else if (body > 0 && at >= top + body)
		top = at - body + 1;
	ui->history_top = rows->items[top]->seq;
}

static size_t target(const struct history_rows *rows, size_t at, enum action action, size_t body)
{
	size_t last = rows->count - 1, part = body > 0 ? body : 1;

	if (action == ACTION_FIRST)
		return 0;
	if (action == ACTION_LAST)
		return last;
	if (action == ACTION_UP || action == ACTION_PART_BACK) {
		size_t by = action == ACTION_UP ? 1 : part;

		return at > by ? at - by : 0;
	}
	size_t by = action == ACTION_PART_NEXT ? part : 1;
	return at + by < last ? at + by : last;
}

int ui_history_move(struct press *p, enum action action)
{
	struct ui *ui = p->ui;
	size_t body = view_body_rows(ui, p->model);
	struct history_rows rows;

	history_rows_make(p->model, ui->filter, &rows);
	size_t at = history_rows_find(&rows, ui->history_seq);
	if (rows.count == 0)
		ui_say(ui, "%s",
			rows.all == 0 ? "no call is over yet" : "no call matches the filter");
	else if (at < rows.count)
		select_row(ui, &rows, target(&rows, at, action, body), body);
	else
		select_row(ui, &rows, history_rows_at(&rows, ui->history_seq), body);
	history_rows_release(&rows);
	return 0;
}

/* Something is selected whenever the list has something. */
static void reselect(struct press *p)
{
	struct ui *ui = p->ui;
	struct history_rows rows;

	history_rows_make(p->model, ui->filter, &rows);
	if (rows.count == 0)
		ui->history_seq = 0; /* Enter opens nothing that is not listed */
	else
		select_row(ui, &rows, history_rows_at(&rows, ui->history_seq),
			view_body_rows(ui, p->model));
	history_rows_release(&rows);
}

void ui_history_open(struct press *p)
{
	p->ui->view = VIEW_HISTORY;
	reselect(p);
}

bool ui_history_accept(struct press *p, const char *text)
{
	struct err err = ERR_INIT;
	struct filter filter;

	if (filter_parse(text, p->model, &filter, &err) != 0) {
		ui_say(p->ui, "%s", err.text);
		return false;
	}
	filter_release(&filter);
	return true;
}

void ui_history_changed(struct press *p)
{
	p->ui->history_top = 0;
	reselect(p);
}

void ui_history_match(struct press *p, bool back)
{
	uint64_t before = p->ui->history_seq;

	ui_history_move(p, back ? ACTION_UP : ACTION_DOWN);
	if (p->ui->history_seq == before && p->ui->message[0] == '\0')
		ui_say(p->ui, "no match %s", back ? "before this one" : "behind this one");
}

/* The call in a row of the screen; what is no call of the list selects nothing. */
void ui_history_click(struct press *p)
{
	struct ui *ui = p->ui;
	size_t body = view_body_rows(ui, p->model), line = p->key->row;
	struct history_rows rows;

	history_rows_make(p->model, ui->filter, &rows);
	size_t at = history_rows_top(&rows, ui->history_top, body) + line - FIRST_LINE;
	if (line >= FIRST_LINE && line < FIRST_LINE + body && at < rows.count)
		ui->history_seq = rows.items[at]->seq;
	history_rows_release(&rows);
}

void ui_history_wheel(struct press *p, bool up, size_t by)
{
	struct ui *ui = p->ui;
	size_t body = view_body_rows(ui, p->model);
	struct history_rows rows;

	history_rows_make(p->model, ui->filter, &rows);
	size_t top = history_rows_top(&rows, ui->history_top, body);
	size_t last = rows.count > body ? rows.count - body : 0;
	if (up)
		top -= top > by ? by : top;
	else
		top = top + by < last ? top + by : last;
	if (rows.count > 0)
		ui->history_top = rows.items[top]->seq;
	history_rows_release(&rows);
}

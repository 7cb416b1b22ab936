#include "config.h"

#include "tui/ui.h"

#include "base/mem.h"
#include "tui/marked.h"
#include "tui/panes.h"
#include "tui/queue.h"
#include "tui/ui_cache.h"
#include "tui/ui_internal.h"
#include "tui/view.h"

/* Movement: rows of a text, and the selection on the queue. Movement shows, it never decides. */

struct text { /* the text of the view and the window on it */
	const struct job *job;
	const struct rows *rows; /* of a card; NULL */
	struct marked marked;    /* of the marked ones; empty */
	size_t *top;
	size_t count, body;
};

static size_t last_top(const struct text *text)
{
	return text->count > text->body ? text->count - text->body : 0;
}

static size_t *top_of(struct ui *ui, enum view view)
{
	if (view == VIEW_HELP)
		return &ui->help_top;
	if (view == VIEW_MARKED)
		return &ui->marked_top;
	return view == VIEW_OUTPUT ? &ui->output_top : &ui->card_top;
}

/* The rows themselves are made for a card only: an output can be long, and its number of rows is enough. */
static void measure(struct ui *ui, const struct model *model, enum view view, struct text *ret)
{
	*ret = (struct text){
		.job = view == VIEW_OUTPUT ? ui_output_job(ui, model) : ui_card_job(ui, model),
		.top = top_of(ui, view),
		.body = view_rows_of(ui, model, view),
	};
	if (view == VIEW_HELP) {
		ret->count = view_help_rows(ui);
	} else if (view == VIEW_MARKED) {
		marked_make(ui, model, &ret->marked);
		ret->job = ui_open_job(ui, model);
		ret->count = ret->marked.total;
	} else if (ret->job != NULL && view == VIEW_OUTPUT) {
		struct output_look look = view_output_look(ui);

		ret->count = layout_output_rows(ret->job, &look);
	} else if (ret->job != NULL) {
		ret->rows = ui_card_rows(ui, ret->job);
		ret->count = ret->rows->count;
	}
}

static bool is_fog(const struct ui *ui, const struct text *text, size_t row)
{
	if (ui_on_marked(ui))
		return marked_is_fog(ui, &text->marked, row);
	return !ui_row_seen(ui, text->job, text->rows, row);
}

/* First row from `from` on, below `to`, that is not seen; `to` when there is none. */
static size_t first_fog(const struct ui *ui, const struct text *text, size_t from, size_t to)
{
	while (from < to && !is_fog(ui, text, from))
		from++;
	return from;
}

/* Rows among which there can be fog. */
static size_t deciding_rows(const struct ui *ui, const struct text *text)
{
	if (text->job == NULL || text->job->state != JOB_WAITING)
		return 0;
	if (ui_on_marked(ui))
		return text->count;
	return ui->view == VIEW_CARD ? text->rows->deciding : 0;
}

/* The next part that was not seen, wherever it is: below, then from the top again, then what stands here and was not long enough on
   the screen yet. A card without fog is paged through. */
static void part_next(struct ui *ui, const struct text *text)
{
	size_t deciding = deciding_rows(ui, text);
	size_t below = *text->top + text->body;
	size_t at = first_fog(ui, text, below, deciding);

	if (below < deciding && at < deciding) {
		*text->top = at;
		return;
	}
	at = first_fog(ui, text, 0, *text->top < deciding ? *text->top : deciding);
	if (at < *text->top && at < deciding) {
		*text->top = at;
		return;
	}
	if (*text->top < deciding && first_fog(ui, text, *text->top, deciding) < deciding)
		return;
	if (below < text->count)
		*text->top = below;
	else
		ui_say(ui, "this is the end");
}

static void move_top(struct ui *ui, const struct text *text, enum action action)
{
	size_t *top = text->top;

	if (action == ACTION_DOWN)
		*top += 1;
	else if (action == ACTION_UP)
		*top -= *top > 0;
	else if (action == ACTION_PART_BACK)
		*top -= *top > text->body ? text->body : *top;
	else if (action == ACTION_FIRST)
		*top = 0;
	else if (action == ACTION_LAST)
		*top = last_top(text);
	else
		part_next(ui, text);
	if (*top > last_top(text))
		*top = last_top(text);
}

int ui_scroll(struct press *p, enum action action)
{
	struct ui *ui = p->ui;
	struct text text;

	measure(ui, p->model, ui->view, &text);
	if (ui->view == VIEW_OUTPUT && ui->following)
		ui->output_top = last_top(&text);
	move_top(ui, &text, action);
	/* Down keys do not end the following, nor begin it: that is G alone, so that reading is never torn away. */
	if (ui->view == VIEW_OUTPUT)
		ui->following =
			action == ACTION_LAST ||
			(ui->following && (action == ACTION_DOWN || action == ACTION_PART_NEXT));
	marked_release(&text.marked);
	p->in_range = true;
	return 0;
}

static void clamp_text(struct ui *ui, const struct model *model, enum view view)
{
	struct text text;

	measure(ui, model, view, &text);
	if (*text.top > last_top(&text))
		*text.top = last_top(&text);
	marked_release(&text.marked);
}

void ui_clamp(struct ui *ui, const struct model *model)
{
	static const enum view views[] = {VIEW_CARD, VIEW_OUTPUT, VIEW_HELP, VIEW_MARKED};

	/* A pane without the keys only at a new size: measuring a long output costs more than a key may. */
	for (size_t i = 0; i < ARRAY_LEN(views) && !ui_too_small(ui); i++) {
		bool beside = ui->reflow && panes_shown(ui) && views[i] != VIEW_HELP &&
			      views[i] != VIEW_MARKED;

		if (views[i] == ui->view || beside)
			clamp_text(ui, model, views[i]);
	}
}

static size_t row_of_byte(const struct rows *rows, size_t byte)
{
	size_t at = 0;

	while (byte > 0 && at < rows->count && rows->items[at].end <= byte)
		at++;
	return at;
}

static void keep_card(struct ui *ui, const struct job *job)
{
	ui->card_top = row_of_byte(ui_card_rows(ui, job), ui->top_byte);
}

static void keep_output(struct ui *ui, const struct job *job)
{
	struct output_look look = view_output_look(ui);

	ui->output_top = layout_output_line_row(job, &look, ui->output_byte);
}

/* The selected row stays in sight where the list has another height, or rows of another. */
static void keep_selection(struct ui *ui, const struct model *model)
{
	struct queue_rows rows;

	queue_rows_make(model, &rows);
	size_t at = queue_rows_find(&rows, ui->selected);
	if (at < rows.count) {
		size_t body = view_rows_of(ui, model, VIEW_QUEUE);
		bool tall = panes_shown(ui);
		size_t last = queue_rows_top(&rows, 0, rows.count - 1, body, tall);

		ui->queue_top = queue_rows_top(&rows, ui->queue_top, at, body, tall);
		if (ui->queue_top > last)
			ui->queue_top = last;
	}
	queue_rows_release(&rows);
}

void ui_keep_place(struct ui *ui, const struct model *model)
{
	const struct job *card = ui_card_job(ui, model), *output = ui_output_job(ui, model);

	if (ui_too_small(ui))
		return;
	/* Also of a pane that a smaller screen has no room for: it is there when somebody goes back to it. */
	if (ui_on_marked(ui))
		ui_marked_keep_place(ui, model);
	if (card != NULL)
		keep_card(ui, card);
	if (output != NULL && panes_show(ui, VIEW_OUTPUT))
		keep_output(ui, output);
	keep_selection(ui, model);
}

/* The next row of a call from `at` in steps of `by`, or `at` itself. */
static size_t step_job(struct queue_rows *rows, size_t at, bool back)
{
	size_t i = at;

	while (back ? i > 0 : i + 1 < rows->count) {
		i = back ? i - 1 : i + 1;
		if (queue_row_at(rows, i).job != NULL)
			return i;
	}
	return at;
}

static size_t step_many(struct queue_rows *rows, size_t at, size_t times, bool back)
{
	for (size_t i = 0; i < times; i++) {
		size_t next = step_job(rows, at, back);

		if (next == at)
			break;
		at = next;
	}
	return at;
}

static size_t target(struct queue_rows *rows, size_t at, enum action action, size_t body)
{
	bool back = action == ACTION_UP || action == ACTION_PART_BACK || action == ACTION_FIRST;
	size_t times = 1;

	/* Both ends are calls: no head is the last row, and none that has no call below it is there. */
	if (action == ACTION_FIRST || action == ACTION_LAST)
		return step_job(rows, back ? 1 : rows->count - 2, back);
	if (action == ACTION_PART_NEXT || action == ACTION_PART_BACK)
		times = body;
	return step_many(rows, at, times, back);
}

int ui_select(struct press *p, enum action action)
{
	struct ui *ui = p->ui;
	size_t body = view_rows_of(ui, p->model, VIEW_QUEUE);
	bool tall = panes_shown(ui);
	struct queue_rows rows;

	queue_rows_make(p->model, &rows);
	size_t at = queue_rows_find(&rows, ui->selected);
	if (at < rows.count)
		at = target(&rows, at, action, tall ? body / 2 : body);
	else
		at = 0;
	while (at < rows.count && queue_row_at(&rows, at).job == NULL)
		at++;
	if (at < rows.count) {
		ui->selected = queue_row_at(&rows, at).job->seq;
		ui->queue_top = queue_rows_top(&rows, ui->queue_top, at, body, tall);
	} else {
		ui_say(ui, "the queue is empty");
	}
	queue_rows_release(&rows);
	return 0;
}

#include "config.h"

#include "tui/ui.h"

#include "tui/layout_marks.h"
#include "tui/ui_cache.h"
#include "tui/ui_internal.h"
#include "tui/view.h"

/* `/` and `n` on a card and on the help page. A jump shows rows and leaves fog between, as End does. */

struct page {
	const char *find;
	size_t *found, *top;
	size_t body;
	struct row_marks marks;
};

static void page_seek(struct page *page, const struct rows *rows)
{
	struct seek seek;

	seek_begin_shown(&seek, page->find);
	layout_marks(rows, &seek, &page->marks);
	seek_release(&seek);
}

static void on_card(struct ui *ui, const struct model *model, struct page *ret)
{
	const struct job *job = ui_card_job(ui, model);
	const struct rows none = {0};

	*ret = (struct page){.find = ui->find,
		.found = &ui->found_card,
		.top = &ui->card_top,
		.body = view_rows_of(ui, model, VIEW_CARD)};
	page_seek(ret, job != NULL ? ui_card_rows(ui, job) : &none);
}

static void on_help(struct ui *ui, const struct model *model, struct page *ret)
{
	struct rows rows;

	*ret = (struct page){.find = ui->find_help,
		.found = &ui->found_help,
		.top = &ui->help_top,
		.body = view_rows_of(ui, model, VIEW_HELP)};
	view_help_layout(ui, &rows);
	page_seek(ret, &rows);
	rows_release(&rows);
}

static void show(struct ui *ui, struct page *page)
{
	const struct row_marks *marks = &page->marks;
	size_t row = 0;

	for (size_t i = marks->count; i-- > 0;) {
		if (marks->items[i].match == *page->found)
			row = marks->items[i].row;
	}
	if (row < *page->top || row >= *page->top + page->body)
		*page->top = row > page->body / 3 ? row - page->body / 3 : 0;
	ui_say(ui, "match %zu of %zu", *page->found + 1, marks->matches);
}

static void found(struct ui *ui, struct page *page)
{
	const struct row_marks *marks = &page->marks;

	*page->found = 0;
	/* From what is on the screen on, or else from the start. */
	for (size_t i = marks->count; i-- > 0;) {
		if (marks->items[i].row >= *page->top)
			*page->found = marks->items[i].match;
	}
	if (marks->matches > 0)
		show(ui, page);
	else if (page->find[0] != '\0')
		ui_say(ui, "not found: %s", page->find);
	row_marks_release(&page->marks);
}

static void match(struct ui *ui, struct page *page, bool back)
{
	size_t matches = page->marks.matches;

	if (matches == 0) {
		ui_say(ui, "not found: %s", page->find);
	} else {
		size_t at = *page->found < matches ? *page->found : 0;

		*page->found = (at + (back ? matches - 1 : 1)) % matches;
		show(ui, page);
	}
	row_marks_release(&page->marks);
}

void ui_card_found(struct press *p)
{
	struct page page;

	on_card(p->ui, p->model, &page);
	found(p->ui, &page);
}

void ui_card_match(struct press *p, bool back)
{
	struct page page;

	on_card(p->ui, p->model, &page);
	match(p->ui, &page, back);
}

void ui_help_found(struct press *p)
{
	struct page page;

	on_help(p->ui, p->model, &page);
	found(p->ui, &page);
}

void ui_help_match(struct press *p, bool back)
{
	struct page page;

	on_help(p->ui, p->model, &page);
	match(p->ui, &page, back);
}

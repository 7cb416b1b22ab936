#include "config.h"

#include "tui/ui.h"

#include "tui/layout_marks.h"
#include "tui/ui_cache.h"
#include "tui/ui_internal.h"
#include "tui/view.h"

/* `/` and `n` on a card. A jump shows rows and leaves fog between, as End does. */

static void card_marks(const struct ui *ui, const struct model *model, struct row_marks *ret)
{
	const struct job *job = ui_card_job(ui, model);
	const struct rows none = {0};
	struct seek seek;

	seek_begin_shown(&seek, ui->find);
	layout_marks(job != NULL ? ui_card_rows(ui, job) : &none, &seek, ret);
	seek_release(&seek);
}

static void show(struct ui *ui, const struct model *model, const struct row_marks *marks)
{
	size_t body = view_rows_of(ui, model, VIEW_CARD), row = 0;

	for (size_t i = marks->count; i-- > 0;) {
		if (marks->items[i].match == ui->found_card)
			row = marks->items[i].row;
	}
	if (row < ui->card_top || row >= ui->card_top + body)
		ui->card_top = row > body / 3 ? row - body / 3 : 0;
	ui_say(ui, "match %zu of %zu", ui->found_card + 1, marks->matches);
}

void ui_card_found(struct press *p)
{
	struct ui *ui = p->ui;
	struct row_marks marks;

	card_marks(ui, p->model, &marks);
	ui->found_card = 0;
	/* From what is on the screen on, or else from the start. */
	for (size_t i = marks.count; i-- > 0;) {
		if (marks.items[i].row >= ui->card_top)
			ui->found_card = marks.items[i].match;
	}
	if (marks.matches > 0)
		show(ui, p->model, &marks);
	else if (ui->find[0] != '\0')
		ui_say(ui, "not found: %s", ui->find);
	row_marks_release(&marks);
}

void ui_card_match(struct press *p, bool back)
{
	struct ui *ui = p->ui;
	struct row_marks marks;

	card_marks(ui, p->model, &marks);
	if (marks.matches == 0) {
		ui_say(ui, "not found: %s", ui->find);
	} else {
		size_t at = ui->found_card < marks.matches ? ui->found_card : 0;

		ui->found_card = (at + (back ? marks.matches - 1 : 1)) % marks.matches;
		show(ui, p->model, &marks);
	}
	row_marks_release(&marks);
}

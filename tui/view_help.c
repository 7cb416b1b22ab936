#include "config.h"

#include "base/words.h"
#include "tui/action.h"
#include "tui/view.h"
#include "tui/view_parts.h"

static const struct {
	unsigned where;
	const char *name; /* of a part of its own on the page, or NULL */
} backs[VIEW_COUNT] = {
	[VIEW_QUEUE] = {ON_QUEUE, NULL},
	[VIEW_CARD] = {ON_CARD, N_("card")},
	[VIEW_OUTPUT] = {ON_OUTPUT, N_("output")},
	[VIEW_HELP] = {ON_HELP, NULL},
	[VIEW_STOPPED] = {ON_STOPPED, NULL},
	[VIEW_HISTORY] = {ON_HISTORY, NULL},
	[VIEW_GRANTS] = {ON_GRANTS, N_("grants")},
	[VIEW_MARKED] = {ON_MARKED, NULL},
	[VIEW_AGENTS] = {ON_AGENTS, N_("agents")},
};

/* What the page is about. */
static unsigned where_of(const struct ui *ui)
{
	return ui->film ? ON_FILM : backs[ui->back].where;
}

void view_help_layout(const struct ui *ui, struct rows *ret)
{
	layout_help(where_of(ui), view_body_cols(ui), &ui->keymap, ret);
}

size_t view_help_rows(const struct ui *ui)
{
	struct rows rows;
	size_t count;

	view_help_layout(ui, &rows);
	count = rows.count;
	rows_release(&rows);
	return count;
}

void draw_help(const struct screen *s)
{
	unsigned body = s->frame->rows - LIST_HEAD_ROWS - FOOT_ROWS;
	STR_AUTO struct str head = STR_INIT;
	struct rows rows;

	str_add(&head, _("keys"));
	if (backs[s->ui->back].name != NULL && !s->ui->film)
		str_printf(&head, _("; this view first: %s"), _(backs[s->ui->back].name));
	layout_help(where_of(s->ui), s->frame->cols - 1, s->keys, &rows);
	size_t top = rows_first(&rows, s->ui->help_top, body);
	draw_rule(s, LIST_HEAD_ROWS - 1, STYLE_KEY, str_c(&head), "┐");
	draw_rows(s, LIST_HEAD_ROWS, body, &rows, top);
	draw_found(s, s->ui->find_help, LIST_HEAD_ROWS, body, &rows, top);
	draw_list_bar(s, LIST_HEAD_ROWS, body, top, rows.count);
	draw_rule(s, LIST_HEAD_ROWS + body, STYLE_RULE, NULL, "┘");
	rows_release(&rows);
}

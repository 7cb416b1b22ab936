#include "config.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/words.h"
#include "tui/fit.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

#define TEXT_COLUMN 13u
#define LISTENING_GAP 3u

/* What an empty queue says: what is true now and what to do next. */
struct page {
	const struct screen *s;
	unsigned row, end;
};

static void page_text(struct page *page, unsigned col, enum style style, const char *text)
{
	if (page->row < page->end)
		draw_text(page->s, col, page->row, style, text);
	page->row++;
}

static void page_label(const struct page *page, const char *label)
{
	if (page->row < page->end)
		draw_text(page->s, 1, page->row, STYLE_RULE, label);
}

/* Our words, wrapped at blanks. */
static void page_wrapped(struct page *page, unsigned col, enum style style, const char *words)
{
	unsigned room = page->s->frame->cols - col - 2;

	do {
		size_t len = fit_row(words, room);
		MEM_AUTO char *part = mem_strndup(words, len);

		page_text(page, col, style, part);
		words = fit_rest(words, len);
	} while (words[0] != '\0');
}

static void page_words(struct page *page, const char *words)
{
	page_wrapped(page, TEXT_COLUMN, STYLE_PLAIN, words);
}

/* Where agents connect, and how many have; on a row of its own where the path is long. */
static void page_listening(struct page *page)
{
	const struct screen *s = page->s;
	unsigned n = s->model->connected, room = s->frame->cols - TEXT_COLUMN - 2;
	const char *path = s->model->listening;
	STR_AUTO struct str count = STR_INIT;
	STR_AUTO struct str shown = STR_INIT;

	str_printf(&count, P_("%u agent connected", "%u agents connected", n), n);
	text_escape(path, strlen(path), s->ui->ascii ? TEXT_ASCII_ONLY : 0, &shown);
	/* The same whether it is drawn or only counted. */
	unsigned used = text_columns(str_c(&shown));
	bool fits = used + LISTENING_GAP + text_columns(str_c(&count)) <= room;

	page_label(page, _("listening"));
	if (page->row < page->end)
		draw_field(s, TEXT_COLUMN, page->row, room, STYLE_PLAIN, path);
	page->row += fits ? 0 : 1;
	page_text(
		page, TEXT_COLUMN + (fits ? used + LISTENING_GAP : 0), STYLE_PLAIN, str_c(&count));
}

/* An example for who has just started it; where agents are or were it is of no use. */
static void page_try(struct page *page)
{
	const struct model *model = page->s->model;

	if (model->listening == NULL || model->done > 0 || model->connected > 0)
		return;
	page->row++;
	page_label(page, _("try it"));
	page_words(page, _("in another terminal:   exequatur submit ls -la"));
}

static void page_intake(struct page *page)
{
	const struct model *model = page->s->model;

	if (model->listening != NULL && model->intake_open) {
		page_listening(page);
		return;
	}
	if (model->intake_open) {
		page_label(page, _("reading"));
		page_words(page, _("requests on standard input, one JSON object a line"));
		return;
	}
	page_label(page, _("input"));
	STR_AUTO struct str text = STR_INIT;
	str_printf(&text, _("no more: %s"),
		model->intake_why != NULL ? model->intake_why : _("closed"));
	page_words(page, str_c(&text));
}

static void page_sandbox(struct page *page)
{
	const struct model *model = page->s->model;
	STR_AUTO struct str text = STR_INIT;

	page_label(page, _("sandbox"));
	if (model->no_sandbox || model->unsandboxed) {
		page_text(page, TEXT_COLUMN, STYLE_DANGER,
			model->unsandboxed ? _("!NO SANDBOX: commands run with all your rights")
					   : _("!NO SANDBOX: nothing can run; exequatur doctor"));
		return;
	}
	str_add(&text, model->backend_title != NULL ? model->backend_title : _("not known yet"));
	if (model->probe.tried && model->probe.ok) {
		str_add(&text, _(", proved at start:"));
		for (unsigned i = FACET_FILES; i <= FACET_MEMORY; i++)
			str_printf(&text, "%s %s", i > 0 ? "," : "",
				_(facet_words((enum facet)i, model->probe.facets[i])));
	}
	page_words(page, str_c(&text));
}

static void page_record(struct page *page)
{
	const struct model *model = page->s->model;
	STR_AUTO struct str text = STR_INIT;

	page_label(page, _("record"));
	if (model->record_failed != NULL) {
		str_printf(&text, _("!RECORD FAILED: %s"), model->record_failed);
		page_text(page, TEXT_COLUMN, STYLE_DANGER, str_c(&text));
		return;
	}
	str_add(&text, _("ok, "));
	words_number(model->done, "call", &text);
	page_words(page, str_c(&text));
}

static void page_workspace(struct page *page)
{
	const struct screen *s = page->s;

	page_label(page, _("may write"));
	if (page->row < page->end)
		draw_field(s, TEXT_COLUMN, page->row, s->frame->cols - TEXT_COLUMN - 2, STYLE_PLAIN,
			s->model->workspace != NULL ? s->model->workspace : "-");
	page->row++;
}

/* Draws up to `end` and says how many rows the whole page has. */
static unsigned draw_page(const struct screen *s, unsigned row, unsigned end)
{
	struct page page = {.s = s, .row = row, .end = end};
	bool roomy = s->frame->rows >= 20;

	page.row += roomy ? 2 : 0;
	page_text(&page, 1, STYLE_KEY,
		_("Nothing waits, nothing runs. There is nothing for you to do."));
	page.row++;
	page_intake(&page);
	page_sandbox(&page);
	page_workspace(&page);
	page_record(&page);
	if (s->model->found_open != NULL) {
		page_label(&page, _("found"));
		page_words(&page, s->model->found_open);
	}
	page_try(&page);
	return page.row - row;
}

void draw_empty(const struct screen *s, unsigned row)
{
	draw_page(s, row, s->frame->rows - FOOT_ROWS);
}

unsigned queue_empty_rows(const struct ui *ui, const struct model *model)
{
	struct frame size = {.cols = ui->cols, .rows = ui->rows};
	struct screen s = {.model = model, .ui = ui, .frame = &size};

	/* With no row to draw on it only counts. */
	return queue_is_empty(model) ? draw_page(&s, LIST_HEAD_ROWS, 0) : 0;
}

#include "config.h"

#include <string.h>

#include "base/mem.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

#define TEXT_COLUMN 13u

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
	size_t room = page->s->frame->cols - col - 2, len;

	while ((len = strlen(words)) > room) {
		size_t cut = room;

		while (cut > 0 && words[cut] != ' ')
			cut--;
		if (cut == 0)
			break;
		MEM_AUTO char *part = mem_strndup(words, cut);
		page_text(page, col, style, part);
		words += cut + 1;
	}
	page_text(page, col, style, words);
}

static void page_words(struct page *page, const char *words)
{
	page_wrapped(page, TEXT_COLUMN, STYLE_PLAIN, words);
}

static void page_intake(struct page *page)
{
	const struct model *model = page->s->model;

	if (model->intake_open) {
		page_label(page, "reading");
		page_words(page, "requests on standard input, one JSON object a line");
		return;
	}
	page_label(page, "input");
	STR_AUTO struct str text = STR_INIT;
	str_printf(&text, "no more: %s", model->intake_why != NULL ? model->intake_why : "closed");
	page_words(page, str_c(&text));
}

static void page_sandbox(struct page *page)
{
	const struct model *model = page->s->model;
	STR_AUTO struct str text = STR_INIT;

	page_label(page, "sandbox");
	if (model->no_sandbox || model->unsandboxed) {
		page_text(page, TEXT_COLUMN, STYLE_DANGER,
			model->unsandboxed ? "!NO SANDBOX: commands run with all your rights"
					   : "!NO SANDBOX: nothing can run; exequatur doctor");
		return;
	}
	str_add(&text, model->backend_title != NULL ? model->backend_title : "not known yet");
	if (model->probe.tried && model->probe.ok) {
		str_add(&text, ", proved at start:");
		for (unsigned i = FACET_FILES; i <= FACET_MEMORY; i++)
			str_printf(&text, "%s %s", i > 0 ? "," : "",
				facet_words((enum facet)i, model->probe.facets[i]));
	}
	page_words(page, str_c(&text));
}

static void page_record(struct page *page)
{
	const struct model *model = page->s->model;
	STR_AUTO struct str text = STR_INIT;

	page_label(page, "record");
	if (model->record_failed != NULL) {
		str_printf(&text, "!RECORD FAILED: %s", model->record_failed);
		page_text(page, TEXT_COLUMN, STYLE_DANGER, str_c(&text));
		return;
	}
	str_add(&text, "ok, ");
	words_number(model->done, "call", &text);
	page_words(page, str_c(&text));
}

static void page_workspace(struct page *page)
{
	const struct screen *s = page->s;

	page_label(page, "may write");
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
		"Nothing waits, nothing runs. There is nothing for you to do.");
	page.row++;
	page_intake(&page);
	page_sandbox(&page);
	page_workspace(&page);
	page_record(&page);
	if (s->model->found_open != NULL) {
		page_label(&page, "found");
		page_words(&page, s->model->found_open);
	}
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

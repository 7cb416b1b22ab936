#include "config.h"

#include "tui/view.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/words.h"
#include "tui/action.h"
#include "tui/panes.h"
#include "tui/ui_cache.h"
#include "tui/view_parts.h"

void say_keyed(const struct screen *s, const char *text, enum action action, struct str *out)
{
	keymap_words(s->keys, text, action, out);
}

unsigned screen_gate_row(const struct screen *s)
{
	return s->frame->rows - 2;
}

unsigned view_cols_of(const struct ui *ui, enum view view)
{
	if (view == VIEW_CARD && panes_shown(ui))
		return panes_of(ui).card_cols - 1;
	return ui->cols > UI_MIN_COLS ? ui->cols - 1 : UI_MIN_COLS - 1;
}

struct output_look view_output_look(const struct ui *ui)
{
	return (struct output_look){.width = view_cols_of(ui, VIEW_OUTPUT),
		.ascii = ui->ascii,
		.colours = ui->output_colours,
		.index = ui_cache_output(ui),
		.unfold = ui->unfold,
		.pan = ui->unfold ? ui->pan : 0};
}

/* In a recording the card has its name above it, and the output nothing but that. */
static unsigned head_rows(const struct ui *ui, enum view view)
{
	if (view == VIEW_CARD)
		return CARD_HEAD_ROWS + (ui->film ? 1 : 0);
	return view == VIEW_OUTPUT && !ui->film ? CARD_HEAD_ROWS : LIST_HEAD_ROWS;
}

/* Between the rule at the top and the one at the bottom. */
static unsigned rows_within(const struct ui *ui, unsigned head)
{
	return ui->rows > head + FOOT_ROWS ? ui->rows - head - FOOT_ROWS : 0;
}

unsigned view_body_cols(const struct ui *ui)
{
	return view_cols_of(ui, ui->view);
}

/* The same of a pane. */
static unsigned pane_rows(const struct ui *ui, const struct model *model, enum view view)
{
	struct panes p = panes_of(ui);

	if (view == VIEW_OUTPUT)
		return p.output_rows;
	if (view == VIEW_QUEUE)
		return p.upper_rows - 1; /* without the head of the list */
	return p.upper_rows - PANES_CARD_HEAD_ROWS - prompt_rows(ui, ui_card_job(ui, model));
}

unsigned view_rows_of(const struct ui *ui, const struct model *model, enum view view)
{
	unsigned rows = rows_within(ui, head_rows(ui, view)), taken = 0;

	if (panes_shown(ui) && (view == VIEW_QUEUE || view == VIEW_CARD || view == VIEW_OUTPUT))
		return pane_rows(ui, model, view);
	if (view == VIEW_QUEUE) /* with the names of the columns, or the head of the list */
		taken = queue_empty_rows(ui, model) + 1;
	else if (view == VIEW_CARD)
		taken = prompt_rows(ui, model_job(model, ui->card_seq));
	else if (view == VIEW_MARKED)
		taken = prompt_rows(ui, ui_open_job(ui, model));
	else if (view == VIEW_HISTORY)
		taken = 1 + history_short_rows(ui);
	return rows > taken ? rows - taken : 0;
}

unsigned view_body_rows(const struct ui *ui, const struct model *model)
{
	return view_rows_of(ui, model, ui->view);
}

void draw_too_small(const struct screen *s)
{
	char text[240];
	unsigned row = 0, col = 0;

	snprintf(text, sizeof(text), _("Too small to decide: %ux%u. %ux%u is enough."),
		s->frame->cols, s->frame->rows, (unsigned)UI_MIN_COLS, (unsigned)UI_MIN_ROWS);
	for (char *rest = text, *word; (word = strsep(&rest, " ")) != NULL;) {
		if (col > 0 && col + 1 + text_columns(word) > s->frame->cols) {
			row++;
			col = 0;
		}
		col += col > 0;
		col += frame_put(s->frame, col, row, s->frame->cols, STYLE_PLAIN, word);
	}
}

void frame_fit(struct frame *frame, unsigned cols, unsigned rows, bool ascii)
{
	if (frame->cols != cols || frame->rows != rows || frame->cells == NULL) {
		frame_release(frame);
		frame_init(frame, cols, rows);
	}
	frame_clear(frame);
	frame->ascii = ascii;
}

void draw_view(const struct screen *s)
{
	static void (*const views[VIEW_COUNT])(const struct screen *s) = {
		[VIEW_QUEUE] = draw_queue,
		[VIEW_CARD] = draw_card,
		[VIEW_OUTPUT] = draw_output,
		[VIEW_HELP] = draw_help,
		[VIEW_STOPPED] = draw_stopped,
		[VIEW_HISTORY] = draw_history,
		[VIEW_GRANTS] = draw_grants,
		[VIEW_MARKED] = draw_marked,
		[VIEW_AGENTS] = draw_agents,
	};

	views[s->ui->view](s);
}

void screen_begin(struct screen *s, struct keymap *keys)
{
	const struct ui *ui = s->ui;

	keymap_make(&s->model->keys, keys);
	s->keys = keys;
	snprintf(
		s->lamp_approve, sizeof(s->lamp_approve), "[%s]", keymap_key(keys, ACTION_APPROVE));
	snprintf(s->lamp_yes, sizeof(s->lamp_yes), "[%s]", keymap_key(keys, ACTION_YES));
	s->job = ui->view == VIEW_OUTPUT   ? ui_output_job(ui, s->model)
		 : ui->view == VIEW_MARKED ? ui_open_job(ui, s->model)
					   : ui_card_job(ui, s->model);
}

void view_draw(const struct model *model, const struct ui *ui, int64_t now_ms, struct frame *frame)
{
	struct keymap keys;
	struct screen s = {.model = model, .ui = ui, .now_ms = now_ms, .frame = frame};

	screen_begin(&s, &keys);
	frame_fit(frame, ui->cols, ui->rows, ui->ascii);
	if (ui_too_small(ui)) {
		draw_too_small(&s);
		return;
	}
	/* Hidden, it is parked where the screen is about something: a braille display follows it. */
	frame->cursor_row = (int)screen_gate_row(&s);
	frame->cursor_col = 1;
	draw_title(&s);
	if (screen_is_locked(ui, model))
		draw_locked(&s);
	else if (panes_shown(ui))
		draw_panes(&s);
	else
		draw_view(&s);
	draw_gate(&s);
	draw_keys(&s);
}

#include "config.h"

#include "tui/film.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"
#include "tui/edge.h"
#include "tui/panes.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

/* The live view in a recording: drawn as it is live, on a frame of its own, and copied below the title. */
struct piece {
	unsigned rows;     /* of its frame */
	unsigned from_row; /* that goes to the row below the title */
	bool named;        /* that row is ours: it names the view */
};

static struct piece piece_of(const struct ui *ui)
{
	if (panes_shown(ui))
		return (struct piece){ui->rows, 1, false};
	/* The output has two rows more than alone, the card its name above it. */
	if (ui->view == VIEW_OUTPUT)
		return (struct piece){
			ui->rows + CARD_HEAD_ROWS - LIST_HEAD_ROWS, CARD_HEAD_ROWS - 1, true};
	if (ui->view == VIEW_CARD)
		return (struct piece){ui->rows - 1, 0, true};
	return (struct piece){ui->rows, 1, false};
}

/* "3 output #13  make -j2 test   18 of 60 s" */
static void name_words(const struct screen *s, struct str *out)
{
	const struct job *job = s->job;
	STR_AUTO struct str command = STR_INIT;
	STR_AUTO struct str time = STR_INIT;

	str_add(out, s->ui->view == VIEW_CARD ? _("2 card") : _("3 output"));
	if (job == NULL)
		return;
	str_printf(out, " #%" PRIu64, job->seq);
	if (s->ui->view == VIEW_CARD)
		return;
	if (job->started_at_ms >= 0 && job_is_running(job))
		words_running(job, s->now_ms, &time);
	else if (job->started_at_ms >= 0)
		words_ran(job, &time);
	unsigned taken = text_columns(str_c(out)) + text_columns(str_c(&time)) + 2 + 3 + 6;

	if (s->frame->cols > taken) {
		words_command(job, s->frame->cols - taken, s->ui->ascii, &command);
		str_printf(out, "  %s", str_c(&command));
	}
	if (time.len > 0)
		str_printf(out, "   %s", str_c(&time));
}

static void copy_rows(
	const struct screen *s, const struct frame *from, unsigned from_row, unsigned count)
{
	for (unsigned i = 0; i < count && from_row + i < from->rows; i++)
		memcpy(frame_at(s->frame, 0, 1 + i),
			&from->cells[(size_t)(from_row + i) * from->cols],
			from->cols * sizeof(struct cell));
	if (from->cursor_row >= (int)from_row && from->cursor_row < (int)(from_row + count)) {
		s->frame->cursor_col = from->cursor_col;
		s->frame->cursor_row = from->cursor_row - (int)from_row + 1;
	}
}

static void draw_live(const struct screen *s, const struct film_place *place)
{
	struct piece piece = piece_of(s->ui);
	struct screen live = *s;
	struct frame frame;

	frame_init(&frame, place->cols, piece.rows);
	frame.ascii = s->frame->ascii;
	frame.cursor_row = -1;
	live.frame = &frame;
	live.pane = piece.named;
	if (panes_shown(s->ui))
		draw_panes(&live);
	else
		draw_view(&live);
	if (piece.named) {
		STR_AUTO struct str name = STR_INIT;

		name_words(&live, &name);
		draw_rule(&live, piece.from_row, STYLE_KEY, str_c(&name), "┐");
	}
	copy_rows(s, &frame, piece.from_row, place->rule_row - 1);
	frame_release(&frame);
}

static void draw_right_pane(
	const struct screen *s, const struct film *film, const struct film_place *place)
{
	unsigned edge = place->cols - 1, count = place->rule_row - 1;
	struct screen right = *s;
	struct frame frame;

	frame_init(&frame, place->right_cols, count);
	frame.ascii = s->frame->ascii;
	right.frame = &frame;
	draw_film_then(&right, film);
	for (unsigned i = 0; i < count; i++)
		memcpy(frame_at(s->frame, place->cols, 1 + i), &frame.cells[(size_t)i * frame.cols],
			frame.cols * sizeof(struct cell));
	frame_put(s->frame, edge, 1, 1, STYLE_RULE, "┬");
	frame_release(&frame);
}

static void draw_film_gate(const struct screen *s, const struct film *film)
{
	unsigned row = screen_gate_row(s), cols = s->frame->cols;
	const struct job *job = ui_open_job(s->ui, s->model);
	STR_AUTO struct str text = STR_INIT;
	STR_AUTO struct str shown = STR_INIT;
	char right[32] = "";

	if (job != NULL)
		snprintf(right, sizeof(right), "#%" PRIu64, job->seq);
	if (s->ui->message[0] != '\0')
		edge_words(s->ui->message, &text);
	else if (film->broken != NULL && film->at_end)
		str_printf(&text, _("it cannot be played on: %s"), film->broken);
	else
		str_add(&text, _("this is a recording"));
	draw_text(s, 1, row, STYLE_FILM, "[=]");
	words_shown(str_c(&text), cols - 5 - text_columns(right) - 2, &shown);
	unsigned col = 5 + draw_text(s, 5, row, STYLE_FILM, str_c(&shown));
	draw_right(s, row, col, STYLE_FILM, right);
	frame_tint(s->frame, 0, row, cols, STYLE_FILM);
}

static const struct action_row *row_of(enum action action)
{
	for (unsigned i = 0; i < action_count; i++) {
		if (action_table[i].action == action)
			return &action_table[i];
	}
	return NULL;
}

/* "Space go on": key and what it does. Returns the column behind, or col when there is no room. */
static unsigned put_label(
	const struct screen *s, unsigned col, unsigned end, enum action action, const char *does)
{
	const char *words = row_of(action) != NULL ? _(row_of(action)->footer) : "";
	const char *key = keymap_key(s->keys, action);
	unsigned row = s->frame->rows - 1;

	words += strcspn(words, " ");
	words += strspn(words, " ");
	if (does != NULL)
		words = does;
	if (col + text_columns(key) + 1 + text_columns(words) > end)
		return col;
	col += draw_text(s, col, row, STYLE_KEY, key) + 1;
	return col + draw_text(s, col, row, STYLE_PLAIN, words);
}

static void draw_film_keys(const struct screen *s, const struct film *film)
{
	static const enum action lefts[] = {ACTION_FILM_PAUSE, ACTION_FILM_EVENT_BACK,
		ACTION_FILM_DECISION_ON, ACTION_FILM_SLOWER, ACTION_FILM_GOTO, ACTION_FILM_FAILURE,
		ACTION_FIND};
	bool goes = !film->paused && !film->at_end, list = s->ui->view == VIEW_HISTORY;
	STR_AUTO struct str right = STR_INIT;
	unsigned cols = s->frame->cols, col = 1, end;

	str_printf(
		&right, "%s  %s", _(row_of(ACTION_HELP)->footer), _(row_of(ACTION_QUIT)->footer));
	end = cols - text_columns(str_c(&right));
	for (size_t i = 0; i < sizeof(lefts) / sizeof(lefts[0]); i++) {
		const char *does = lefts[i] == ACTION_FILM_PAUSE && goes ? _("pause")
				   : lefts[i] == ACTION_FIND && list     ? _("filter")
									 : NULL;
		unsigned next = put_label(s, col, end - 2, lefts[i], does);

		col = next > col ? next + 2 : col;
	}
	col = put_label(s, end, cols, ACTION_HELP, NULL);
	put_label(s, col + 2, cols, ACTION_QUIT, NULL);
}

void view_draw_film(const struct model *model, const struct ui *ui, const struct film *film,
	struct frame *frame)
{
	struct film_place place = film_place(ui->film_cols, ui->film_rows);
	struct keymap keys;
	struct screen s = {.model = model, .ui = ui, .now_ms = film->at_ms, .frame = frame};

	screen_begin(&s, &keys);
	frame_fit(frame, ui->film_cols, ui->film_rows, ui->ascii);
	if (ui_too_small(ui)) {
		draw_too_small(&s);
		return;
	}
	frame->cursor_row = (int)screen_gate_row(&s);
	frame->cursor_col = 1;
	draw_film_title(&s, film);
	draw_live(&s, &place);
	if (place.right_cols > 0)
		draw_right_pane(&s, film, &place);
	draw_film_foot(&s, film, &place);
	if (ui->prompt.kind != PROMPT_NONE) {
		draw_find(&s);
		draw_keys(&s);
		return;
	}
	draw_film_gate(&s, film);
	draw_film_keys(&s, film);
}

#include "config.h"

#include "tui/frame.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* The signs of screens.md section 2 and what stands for them where only ASCII can be shown. */
static const struct {
	const char *sign;
	const char *ascii;
} signs[] = {
	{"─", "-"},
	{"│", "|"},
	{"┌", "+"},
	{"┐", "+"},
	{"└", "+"},
	{"┘", "+"},
	{"├", "+"},
	{"┤", "+"},
	{"┬", "+"},
	{"┴", "+"},
	{"┼", "+"},
	{"…", "~"},
	{"█", "#"},
	{"░", "."},
	{"║", "\""},
};

static const char style_letters[STYLE_COUNT] = {
	[STYLE_PLAIN] = '.',
	[STYLE_TITLE] = 'T',
	[STYLE_RULE] = '-',
	[STYLE_QUIET] = 'q',
	[STYLE_KEY] = 'K',
	[STYLE_SELECT] = 'S',
	[STYLE_READY] = 'R',
	[STYLE_NOTE] = 'n',
	[STYLE_DANGER] = 'D',
	[STYLE_MARK] = 'm',
	[STYLE_ESCAPE] = 'E',
	[STYLE_FOLD] = 'F',
	[STYLE_PROGRAM] = 'p',
	[STYLE_JOIN] = 'j',
	[STYLE_STRING] = 's',
	[STYLE_EXPAND] = 'x',
	[STYLE_AGENT] = 'a',
	[STYLE_RUNNING] = 'r',
	[STYLE_FAILED] = 'f',
	[STYLE_TAKEN] = 't',
	[STYLE_ADDED] = 'd',
	[STYLE_MATCH] = 'M',
	[STYLE_FILM] = 'i',
	[STYLE_OUT_BOLD] = '1',
	[STYLE_OUT_RED] = '2',
	[STYLE_OUT_GREEN] = '3',
	[STYLE_OUT_YELLOW] = '4',
	[STYLE_OUT_BLUE] = '5',
	[STYLE_OUT_MAGENTA] = '6',
	[STYLE_OUT_CYAN] = '7',
};

static void cell_blank(struct cell *cell, enum style style)
{
	memset(cell, 0, sizeof(*cell));
	cell->text[0] = ' ';
	cell->width = 1;
	cell->style = (uint8_t)style;
}

void frame_init(struct frame *frame, unsigned cols, unsigned rows)
{
	memset(frame, 0, sizeof(*frame));
	frame->cols = cols;
	frame->rows = rows;
	frame->cells = mem_array((size_t)cols * rows, sizeof(*frame->cells));
	frame_clear(frame);
}

void frame_release(struct frame *frame)
{
	free(frame->cells);
	memset(frame, 0, sizeof(*frame));
}

void frame_clear(struct frame *frame)
{
	for (size_t i = 0; i < (size_t)frame->cols * frame->rows; i++)
		cell_blank(&frame->cells[i], STYLE_PLAIN);
	frame->cursor_col = frame->cursor_row = 0;
	frame->cursor_shown = false;
}

struct cell *frame_at(struct frame *frame, unsigned col, unsigned row)
{
	assert(col < frame->cols && row < frame->rows);
	return &frame->cells[(size_t)row * frame->cols + col];
}

/* What is about to be overwritten may be half of a wide cell: its other half must not stay behind. */
static void cell_clear_halves(struct frame *frame, unsigned col, unsigned row)
{
	struct cell *cell = frame_at(frame, col, row);

	if (cell->width == 0 && col > 0)
		cell_blank(frame_at(frame, col - 1, row), frame_at(frame, col - 1, row)->style);
	if (cell->width == 2 && col + 1 < frame->cols)
		cell_blank(frame_at(frame, col + 1, row), frame_at(frame, col + 1, row)->style);
}

static void cell_set(struct frame *frame, unsigned col, unsigned row, unsigned width,
	enum style style, const char *text, size_t len)
{
	struct cell *cell = frame_at(frame, col, row);

	assert(len < CELL_BYTES);
	cell_clear_halves(frame, col, row);
	if (width == 2) {
		struct cell *right = frame_at(frame, col + 1, row);

		cell_clear_halves(frame, col + 1, row);
		memset(right, 0, sizeof(*right));
		right->style = (uint8_t)style;
	}
	memset(cell, 0, sizeof(*cell));
	memcpy(cell->text, text, len);
	cell->width = (uint8_t)width;
	cell->style = (uint8_t)style;
}

/* Where frame_put() writes. */
struct pen {
	struct frame *frame;
	unsigned col, row, end; /* end: the first column that is not ours */
	bool full;
};

static void pen_cell(
	struct pen *pen, enum style style, const char *text, size_t len, unsigned width)
{
	if (pen->full || pen->col + width > pen->end) {
		pen->full = true;
		return;
	}
	cell_set(pen->frame, pen->col, pen->row, width, style, text, len);
	pen->col += width;
}

static void pen_ascii(struct pen *pen, enum style style, const char *text)
{
	for (; *text != '\0'; text++)
		pen_cell(pen, style, text, 1, 1);
}

static const char *ascii_sign(const char *shown)
{
	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		if (strcmp(signs[i].sign, shown) == 0)
			return signs[i].ascii;
	}
	return NULL;
}

static bool is_printable_ascii(const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text < ' ' || *text > '~')
			return false;
	}
	return true;
}

/* A visible character; on a frame of ASCII one of our signs, or else an escape for each byte's worth of it. */
static void pen_plain(struct pen *pen, enum style style, const struct text_piece *piece)
{
	const char *sign;

	if (!pen->frame->ascii || is_printable_ascii(piece->shown)) {
		pen_cell(pen, style, piece->shown, strlen(piece->shown), piece->columns);
		return;
	}
	sign = ascii_sign(piece->shown);
	if (sign != NULL) {
		pen_ascii(pen, style, sign);
		return;
	}
	STR_AUTO struct str shown = STR_INIT;
	text_escape(piece->shown, strlen(piece->shown), TEXT_OUTPUT | TEXT_ASCII_ONLY, &shown);
	pen_ascii(pen, STYLE_ESCAPE, str_c(&shown));
}

/* The text went through the rule once, so that a '<' in it begins an escape of the first pass and stays as it is; what is
   still a control or invisible is a mistake of a view and becomes an escape now. */
static void pen_text(struct pen *pen, enum style style, const char *text)
{
	struct text_iter *it = text_begin(text, strlen(text), TEXT_OUTPUT);
	struct text_piece piece;

	while (!pen->full && text_next(it, &piece)) {
		if (text[piece.start] == '<' || text[piece.start] == ' ')
			pen_ascii(pen, style, text[piece.start] == '<' ? "<" : " ");
		else if (piece.kind == TEXT_PLAIN)
			pen_plain(pen, style, &piece);
		else
			pen_ascii(pen, STYLE_ESCAPE, piece.shown);
	}
	text_end(it);
}

unsigned frame_put(struct frame *frame, unsigned col, unsigned row, unsigned max_cols,
	enum style style, const char *text)
{
	struct pen pen = {.frame = frame, .col = col, .row = row};

	if (row >= frame->rows || col >= frame->cols)
		return 0;
	pen.end = max_cols < frame->cols - col ? col + max_cols : frame->cols;
	if (is_printable_ascii(text))
		pen_ascii(&pen, style, text);
	else
		pen_text(&pen, style, text);
	return pen.col - col;
}

void frame_fill(struct frame *frame, unsigned col, unsigned row, unsigned cols, enum style style,
	const char *sign)
{
	struct cell first;

	if (cols == 0 || frame_put(frame, col, row, 1, style, sign) == 0)
		return;
	first = *frame_at(frame, col, row);
	for (unsigned i = 1; i < cols && col + i < frame->cols; i++)
		cell_set(frame, col + i, row, 1, style, first.text, strlen(first.text));
}

void frame_tint(struct frame *frame, unsigned col, unsigned row, unsigned cols, enum style style)
{
	for (unsigned i = 0; row < frame->rows && i < cols && col + i < frame->cols; i++)
		frame_at(frame, col + i, row)->style = (uint8_t)style;
}

static void print_row(const struct frame *frame, unsigned row, bool styles, struct str *out)
{
	for (unsigned col = 0; col < frame->cols; col++) {
		const struct cell *cell = &frame->cells[(size_t)row * frame->cols + col];

		if (styles)
			str_add_char(out, style_letters[cell->style]);
		else
			str_add(out, cell->text);
	}
	str_add_char(out, '\n');
}

void frame_print(const struct frame *frame, bool with_styles, struct str *out)
{
	for (unsigned row = 0; row < frame->rows; row++)
		print_row(frame, row, false, out);
	for (unsigned row = 0; with_styles && row < frame->rows; row++)
		print_row(frame, row, true, out);
}

char frame_style_letter(enum style style)
{
	return style_letters[style];
}

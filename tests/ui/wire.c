#include "config.h"

#include "wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#include "base/mem.h"

#define PARAMS_MAX 24 /* bytes of a sequence's numbers */

void wire_init(struct wire *wire, unsigned cols, unsigned rows)
{
	*wire = (struct wire){.cols = cols,
		.rows = rows,
		.bottom = rows - 1,
		.cells = mem_array((size_t)cols * rows, sizeof(*wire->cells))};
	for (size_t i = 0; i < (size_t)cols * rows; i++)
		strcpy(wire->cells[i], " ");
}

void wire_release(struct wire *wire)
{
	free(wire->cells);
}

static char *cell(const struct wire *wire, unsigned col, unsigned row)
{
	return wire->cells[(size_t)row * wire->cols + col];
}

static void blank(struct wire *wire, unsigned from, unsigned to, unsigned row)
{
	for (unsigned col = from; col < to && col < wire->cols; col++)
		strcpy(cell(wire, col, row), " ");
}

static void blank_rows(struct wire *wire, unsigned from)
{
	for (unsigned row = from; row < wire->rows; row++)
		blank(wire, 0, wire->cols, row);
}

static unsigned at_most(unsigned value, unsigned most)
{
	return value < most ? value : most;
}

/* Half a wide character is none. */
static void put(struct wire *wire, const char *bytes, size_t len, int width)
{
	assert_true(len < CELL_BYTES);
	if (wire->wraps) {
		wire->col = 0;
		wire->row = at_most(wire->row + 1, wire->rows - 1);
	}
	wire->wraps = false;
	assert_true(wire->col + (unsigned)width <= wire->cols);
	char *to = cell(wire, wire->col, wire->row);

	memcpy(to, bytes, len);
	to[len] = '\0';
	if (width == 2)
		cell(wire, wire->col + 1, wire->row)[0] = '\0';
	bool ends = wire->col + (unsigned)width == wire->cols;

	wire->wraps = ends && !wire->stays;
	wire->col += ends ? (unsigned)width - 1 : (unsigned)width;
}

static char *last_cell(struct wire *wire)
{
	unsigned col = wire->wraps ? wire->col : wire->col - 1;

	while (col > 0 && cell(wire, col, wire->row)[0] == '\0')
		col--;
	return cell(wire, col, wire->row);
}

static void combine(struct wire *wire, const char *bytes, size_t len)
{
	char *to = last_cell(wire);
	size_t has = strlen(to);

	assert_true(has + len < CELL_BYTES);
	memcpy(to + has, bytes, len);
	to[has + len] = '\0';
}

static void repeat(struct wire *wire, unsigned times)
{
	char last[CELL_BYTES];

	memcpy(last, last_cell(wire), CELL_BYTES);
	for (unsigned i = 0; i < times; i++)
		put(wire, last, strlen(last), 1);
}

static void delete_cells(struct wire *wire, unsigned n)
{
	for (unsigned col = wire->col; col < wire->cols; col++) {
		if (col + n < wire->cols)
			memcpy(cell(wire, col, wire->row), cell(wire, col + n, wire->row),
				CELL_BYTES);
		else
			strcpy(cell(wire, col, wire->row), " ");
	}
}

static void insert_cells(struct wire *wire, unsigned n)
{
	for (unsigned col = wire->cols; col-- > wire->col + n;)
		memcpy(cell(wire, col, wire->row), cell(wire, col - n, wire->row), CELL_BYTES);
	blank(wire, wire->col, wire->col + n, wire->row);
}

static void go(struct wire *wire, unsigned col, unsigned row)
{
	wire->col = at_most(col, wire->cols - 1);
	wire->row = at_most(row, wire->rows - 1);
	wire->wraps = false;
}

static void move(struct wire *wire, char final, unsigned n)
{
	unsigned col = wire->col, row = wire->row;

	if (final == 'A')
		go(wire, col, row - at_most(n, row));
	else if (final == 'B')
		go(wire, col, row + n);
	else if (final == 'C')
		go(wire, col + n, row);
	else if (final == 'D')
		go(wire, col - at_most(n, col), row);
	else if (final == 'G')
		go(wire, n - 1, row);
	else
		go(wire, col, n - 1);
}

static void erase(struct wire *wire, char final, unsigned n)
{
	if (final == 'K') {
		assert_true(n <= 1);
		blank(wire, n == 1 ? 0 : wire->col, n == 1 ? wire->col + 1 : wire->cols, wire->row);
		return;
	}
	assert_true(n == 0 || n == 2);
	if (n == 0)
		blank(wire, wire->col, wire->cols, wire->row);
	blank_rows(wire, n == 2 ? 0 : wire->row + 1);
}

static void change(struct wire *wire, char final, unsigned n)
{
	if (final == 'X')
		blank(wire, wire->col, wire->col + n, wire->row);
	else if (final == 'P')
		delete_cells(wire, n);
	else if (final == '@')
		insert_cells(wire, n);
	else
		repeat(wire, n);
}

/* Rows from .. to go up by n, or down; blank ones follow. */
static void scroll(struct wire *wire, unsigned from, unsigned to, int n)
{
	unsigned count = to - from + 1;
	size_t row_bytes = wire->cols * sizeof(*wire->cells);
	unsigned by = at_most((unsigned)abs(n), count);

	if (n > 0)
		memmove(cell(wire, 0, from), cell(wire, 0, from + by - (by == count)),
			(count - by) * row_bytes);
	else
		memmove(cell(wire, 0, from + by - (by == count)), cell(wire, 0, from),
			(count - by) * row_bytes);
	for (unsigned i = 0; i < by; i++)
		blank(wire, 0, wire->cols, n > 0 ? to - i : from + i);
}

static void line_down(struct wire *wire)
{
	if (wire->row == wire->bottom)
		scroll(wire, wire->top, wire->bottom, 1);
	else
		go(wire, wire->col, wire->row + 1);
	wire->wraps = false;
}

static void line_up(struct wire *wire)
{
	if (wire->row == wire->top)
		scroll(wire, wire->top, wire->bottom, -1);
	else
		go(wire, wire->col, wire->row - 1);
}

static void scroll_by(struct wire *wire, char final, int n)
{
	bool here = final == 'L' || final == 'M';

	assert_true(!here || (wire->row >= wire->top && wire->row <= wire->bottom));
	scroll(wire, here ? wire->row : wire->top, wire->bottom,
		final == 'S' || final == 'M' ? n : -n);
}

static void set_region(struct wire *wire, int count, unsigned top, unsigned bottom)
{
	wire->top = count < 1 ? 0 : top - 1;
	wire->bottom = count < 2 ? wire->rows - 1 : bottom - 1;
	assert_true(wire->top < wire->bottom && wire->bottom < wire->rows);
	go(wire, 0, 0);
}

/* The cursor, seen or not; the wrap, off for the last cell of all. */
static void private_mode(struct wire *wire, const char *params, char final)
{
	bool cursor = strcmp(params, "?25") == 0 || strcmp(params, "?12") == 0 ||
		      strcmp(params, "?12;25") == 0;

	if ((!cursor && strcmp(params, "?7") != 0) || (final != 'h' && final != 'l'))
		fail_msg("CSI %s%c is not ours", params, final);
	if (!cursor)
		wire->stays = final == 'l';
}

static void place(struct wire *wire, char final, int count, const unsigned numbers[2])
{
	unsigned row = count < 1 || numbers[0] == 0 ? 1 : numbers[0];

	if (final == 'r')
		set_region(wire, count, numbers[0], numbers[1]);
	else
		go(wire, count < 2 || numbers[1] == 0 ? 0 : numbers[1] - 1, row - 1);
}

/* CSI: numbers, then the letter. */
static void sequence(struct wire *wire, const char *params, char final)
{
	unsigned n[2] = {0, 0};
	int count = sscanf(params, "%u;%u", &n[0], &n[1]);
	unsigned one = count < 1 || n[0] == 0 ? 1 : n[0];

	if (params[0] == '?')
		private_mode(wire, params, final);
	else if (strchr("Hr", final) != NULL)
		place(wire, final, count, n);
	else if (final != 'm' && count == 2)
		fail_msg("CSI %s%c is not ours", params, final);
	else if (strchr("ABCDGd", final) != NULL)
		move(wire, final, one);
	else if (strchr("JK", final) != NULL)
		erase(wire, final, n[0]);
	else if (strchr("XP@b", final) != NULL)
		change(wire, final, one);
	else if (strchr("LMST", final) != NULL)
		scroll_by(wire, final, (int)one);
	else if (final != 'm')
		fail_msg("CSI %s%c is not ours", params, final);
}

/* 0: it is cut. */
static size_t escape(struct wire *wire, const char *bytes, size_t len)
{
	char params[PARAMS_MAX + 1] = "";
	size_t n = 2;

	if (len >= 2 && bytes[1] == 'M') {
		line_up(wire);
		return 2;
	}
	if (len < 3)
		return 0;
	if (memcmp(bytes, "\x1B(B", 3) == 0)
		return 3;
	if (bytes[1] != '[')
		fail_msg("ESC %02x is not ours: %.*s", (unsigned char)bytes[1],
			(int)(len < 40 ? len : 40) - 1, bytes + 1);
	while (n < len && strchr("0123456789;?", bytes[n]) != NULL && bytes[n] != '\0')
		n++;
	if (n == len)
		return 0;
	if (n - 2 > PARAMS_MAX)
		fail_msg("a sequence of %zu bytes is not ours", n);
	memcpy(params, bytes + 2, n - 2);
	sequence(wire, params, bytes[n]);
	return n + 1;
}

static size_t control(struct wire *wire, char byte)
{
	if (byte == '\r')
		go(wire, 0, wire->row);
	else if (byte == '\n')
		line_down(wire);
	else if (byte == '\b')
		go(wire, wire->col - at_most(1, wire->col), wire->row);
	else
		fail_msg("control %02x on the wire", (unsigned char)byte);
	return 1;
}

static size_t character(struct wire *wire, const char *bytes, size_t len)
{
	mbstate_t state = {0};
	wchar_t wide = 0;
	size_t n = mbrtowc(&wide, bytes, len, &state);

	if (n == (size_t)-2)
		return 0;
	if (n == (size_t)-1 || n == 0)
		fail_msg("byte %02x is no character", (unsigned char)*bytes);
	int width = wcwidth(wide);

	if (width < 0)
		fail_msg("U+%04X on the wire", (unsigned)wide);
	if (width == 0)
		combine(wire, bytes, n);
	else
		put(wire, bytes, n, width);
	return n;
}

size_t wire_read(struct wire *wire, const char *bytes, size_t len)
{
	size_t at = 0, n = 1;

	while (at < len && n > 0) {
		unsigned char byte = (unsigned char)bytes[at];

		if (byte == 0x1B)
			n = escape(wire, bytes + at, len - at);
		else if (byte < ' ' || byte == 0x7F)
			n = control(wire, bytes[at]);
		else
			n = character(wire, bytes + at, len - at);
		at += n;
	}
	return at;
}

bool wire_shows(const struct wire *wire, const struct frame *frame)
{
	for (size_t i = 0; i < (size_t)wire->cols * wire->rows; i++) {
		if (strcmp(wire->cells[i], frame->cells[i].text) != 0)
			return false;
	}
	return true;
}

void wire_print_difference(const struct wire *wire, const struct frame *frame)
{
	for (size_t i = 0; i < (size_t)wire->cols * wire->rows; i++) {
		if (strcmp(wire->cells[i], frame->cells[i].text) == 0)
			continue;
		print_error("row %zu column %zu: \"%s\" on the wire, \"%s\" in the frame\n",
			i / wire->cols, i % wire->cols, wire->cells[i], frame->cells[i].text);
		return;
	}
}

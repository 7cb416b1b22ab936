/* What a terminal shows for the bytes that it got, by a strict grammar: only what term*.c may write is known, and anything else is a
   fault. */
#ifndef TESTS_UI_WIRE_H
#define TESTS_UI_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/frame.h"

struct wire {
	unsigned cols, rows;
	char (*cells)[CELL_BYTES]; /* "" for the right half of a wide character */
	unsigned col, row;
	unsigned top, bottom; /* rows that scroll */
	bool wraps;           /* the next character begins a new row */
	bool stays;           /* it never does */
};

void wire_init(struct wire *wire, unsigned cols, unsigned rows);
void wire_release(struct wire *wire);
/* Whole sequences and characters; fails the test at anything that is not one of ours. Returns the bytes that it took: what is
   cut at the end is left for later. */
size_t wire_read(struct wire *wire, const char *bytes, size_t len);
bool wire_shows(const struct wire *wire, const struct frame *frame);
void wire_print_difference(const struct wire *wire, const struct frame *frame);

#endif

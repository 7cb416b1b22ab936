/* What may go to a terminal: cells, titles. No curses, no terminal needed. Private to term*.c. */
#ifndef TUI_TERM_CELL_H
#define TUI_TERM_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#include "tui/frame.h"

#define TERM_TITLE_BYTES 96

/* The last gate before the wire: true when the cell is one thing that the safe-text rule shows as it is, as wide as it says and as
   the C library thinks. Then wide holds its characters (at most max) and an end. */
bool term_cell_wide(const struct cell *cell, bool utf8, size_t max, wchar_t *wide);
/* Kernel consoles and the oldest terminals show title sequences as text or take them for something else. */
bool term_knows_titles(const char *term_name);
/* The sequence that sets the title, printable ASCII only, cut. Returns its length. */
size_t term_title_bytes(const char *ours, char ret[TERM_TITLE_BYTES]);

#endif

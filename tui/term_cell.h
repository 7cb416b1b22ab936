/* What may go to a terminal: cells, titles. No curses, no terminal needed. Private to term*.c. */
#ifndef TUI_TERM_CELL_H
#define TUI_TERM_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#include "tui/frame.h"
#include "tui/term.h"

#define TERM_TITLE_BYTES 96
#define TERM_NOTICE_BYTES 192

/* What is between us and the terminal of the person, and hands sequences on that it does not know itself only in an envelope. */
enum term_between { TERM_BETWEEN_NOTHING, TERM_BETWEEN_TMUX, TERM_BETWEEN_SCREEN };

/* The last gate before the wire: true when the cell is one thing that the safe-text rule shows as it is, as wide as it says and as
   the C library thinks. Then wide holds its characters (at most max) and an end. */
bool term_cell_wide(const struct cell *cell, bool utf8, size_t max, wchar_t *wide);
/* Kernel consoles and the oldest terminals show title sequences as text or take them for something else. */
bool term_knows_titles(const char *term_name);
/* The sequence that sets the title, printable ASCII only, cut. Returns its length. */
size_t term_title_bytes(const char *ours, char ret[TERM_TITLE_BYTES]);
/* By TERM and by the variables TMUX and STY, that may be NULL. */
enum term_between term_between(const char *term_name, const char *tmux, const char *sty);
/* The sequence of a desktop notice, printable ASCII only, cut. Returns its length; 0 for TERM_NOTICE_OFF. */
size_t term_notice_bytes(enum term_notice form, enum term_between between, const char *ours,
	char ret[TERM_NOTICE_BYTES]);

#endif

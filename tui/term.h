/* The terminal: the only user of curses. /dev/tty, whatever stdin and stdout are. */
#ifndef TUI_TERM_H
#define TUI_TERM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tui/frame.h"

struct term; /* opaque; one a process */
/* What COLORFGBG says ("15;0"); dark when it says nothing. The terminal itself is never asked: its answer would arrive among the
   keys. colorfgbg may be NULL. */
enum theme term_theme_auto(const char *colorfgbg);
/* Opens /dev/tty, raw keys (ISIG on, VINTR and VQUIT disabled, VSUSP kept), alternate screen, bracketed paste, focus events; throws away type-ahead.
   Errors: ERR_UNAVAILABLE without /dev/tty, in the background, or with a TERM that cannot place the cursor. Installs the handlers that
   restore the terminal on SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL and on Ctrl-Z. */
int term_open(enum theme theme, enum depth *ret_depth, struct term **ret, struct err *err);
/* Before term_open(): whether the terminal is to report the mouse. Off unless called. */
void term_use_mouse(bool on);
int term_fd(const struct term *term); /* to poll for keys; read them by term_read() */
/* Bytes typed: how many, 0 when there are none now, -1 when the terminal hung up. */
int term_read(struct term *term, void *buf, size_t len);
void term_size(struct term *term, unsigned *ret_cols, unsigned *ret_rows);
/* Puts a frame; only changed cells; gate row first (screens.md 8.9). Returns when the last byte was written. all: full redraw. */
int term_put(struct term *term, const struct frame *frame, bool all, struct err *err);
void term_bell(struct term *term);
void term_title(struct term *term, const char *ours); /* our words only */
/* A notice on the desktop, by the terminal; nothing where it may show the sequence as text. */
enum term_notice { TERM_NOTICE_OFF, TERM_NOTICE_OSC9, TERM_NOTICE_OSC777 };
enum term_notice term_notice_form(const char *name);                          /* "osc9" */
void term_notice(struct term *term, enum term_notice form, const char *ours); /* our words only */
/* The terminal as it was before, for a program that the person runs on it; then again as behind a stop. */
void term_pause(struct term *term);
void term_resume(struct term *term);
bool term_take_resumed(struct term *term); /* true once after a stop and SIGCONT */
void term_drop_input(struct term *term);   /* tcflush */
void term_close(struct term *term);        /* restores everything; safe to call twice */

#endif

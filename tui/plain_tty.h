/* The terminal of plain mode: whole lines with their echo, and no byte but text. No curses. */
#ifndef TUI_PLAIN_TTY_H
#define TUI_PLAIN_TTY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tui/term_tty.h"

/* Canonical modes with echo, Ctrl-Z kept, Ctrl-C and Ctrl-\ bytes as on the screen; throws away type-ahead, and restores on the same
   signals. Errors: ERR_UNAVAILABLE without /dev/tty or in the background. TERM does not matter. */
int plain_tty_open(struct term_tty *ret, struct err *err);
/* The modes alone: pure. */
void plain_tty_modes(const struct termios *now, struct termios *ret);
enum plain_tty_read { PLAIN_TTY_NOTHING, PLAIN_TTY_BYTES, PLAIN_TTY_END, PLAIN_TTY_GONE };
/* END: Ctrl-D on an empty line. */
enum plain_tty_read plain_tty_read(
	const struct term_tty *tty, void *buf, size_t size, size_t *ret_len);
void plain_tty_drop(const struct term_tty *tty); /* what was typed and not read */
/* true once after a stop and SIGCONT. */
bool plain_tty_resumed(void);
void plain_tty_close(struct term_tty *tty); /* restores everything */

#endif

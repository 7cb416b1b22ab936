/* /dev/tty: opening it, its modes, its size, its bytes. No curses. Private to term*.c. */
#ifndef TUI_TERM_TTY_H
#define TUI_TERM_TTY_H

#include <stddef.h>
#include <termios.h>

#include "base/err.h"

struct term_tty {
	int in_fd;  /* nonblocking, for keys */
	int out_fd; /* an opening of its own, blocking: a frame is written to its last byte */
	struct termios before;
};

/* ERR_UNAVAILABLE: there is no controlling terminal, or this process is in its background. */
int term_tty_open(struct term_tty *ret, struct err *err);
void term_tty_close(struct term_tty *tty);
/* `now` with the modes that our keys need; the bytes of Ctrl-C and Ctrl-\ become keys, Ctrl-Z stays what it is. */
void term_tty_modes(const struct termios *now, struct termios *ret);
void term_tty_size(int fd, unsigned *ret_cols, unsigned *ret_rows); /* untouched when not known */
/* As term_read(). */
int term_tty_read(int fd, void *buf, size_t len);
/* Without a wait: the other side is gone. */
int term_tty_hung_up(int fd);

#endif

#include "config.h"

#include "tui/plain_tty.h"

#include <errno.h>
#include <unistd.h>

#include "tui/term_signals.h"

void plain_tty_modes(const struct termios *now, struct termios *ret)
{
	*ret = *now;
	ret->c_lflag |= ICANON | ECHO | ECHOE | ECHOK | ISIG;
#ifdef ECHOCTL
	ret->c_lflag |= ECHOCTL; /* an arrow key is shown, not sent back to act */
#endif
	ret->c_iflag |= ICRNL;
	/* A Ctrl-S would hold us in a write, and with us every agent. */
	ret->c_iflag &= ~(tcflag_t)(IXON | IXOFF | INLCR | IGNCR | ISTRIP);
	ret->c_oflag |= OPOST | ONLCR;
	/* In a pipe Ctrl-C would end the agent too, without a question. */
	ret->c_cc[VINTR] = _POSIX_VDISABLE;
	ret->c_cc[VQUIT] = _POSIX_VDISABLE;
}

int plain_tty_open(struct term_tty *ret, struct err *err)
{
	static const struct term_strings nothing;
	struct termios ours;

	if (term_tty_open(ret, err) < 0)
		return -1;
	plain_tty_modes(&ret->before, &ours);
	term_signals_install(ret->out_fd, &ret->before, &ours, &nothing, &nothing);
	tcsetattr(ret->out_fd, TCSAFLUSH, &ours);
	return 0;
}

enum plain_tty_read plain_tty_read(
	const struct term_tty *tty, void *buf, size_t size, size_t *ret_len)
{
	ssize_t n;

	do {
		n = read(tty->in_fd, buf, size);
	} while (n < 0 && errno == EINTR);
	*ret_len = n > 0 ? (size_t)n : 0;
	if (n > 0)
		return PLAIN_TTY_BYTES;
	if (n < 0 && errno == EAGAIN)
		return PLAIN_TTY_NOTHING;
	return n == 0 && !term_tty_hung_up(tty->out_fd) ? PLAIN_TTY_END : PLAIN_TTY_GONE;
}

void plain_tty_drop(const struct term_tty *tty)
{
	tcflush(tty->in_fd, TCIFLUSH);
}

bool plain_tty_resumed(void)
{
	return term_signals_take_resumed();
}

void plain_tty_close(struct term_tty *tty)
{
	term_signals_remove();
	tcsetattr(tty->out_fd, TCSAFLUSH, &tty->before);
	term_tty_close(tty);
}

#include "config.h"

#include "tui/term_tty.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fd.h"

int term_tty_open(struct term_tty *ret, struct err *err)
{
	int in_fd FD_AUTO = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int out_fd FD_AUTO = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

	if (in_fd < 0 || out_fd < 0)
		return err_set(
			err, ERR_UNAVAILABLE, "there is no terminal (/dev/tty cannot be opened)");
	/* In the background changing the modes would stop the process, and its screen would cover another program's. */
	if (tcgetpgrp(out_fd) != getpgrp())
		return err_set(
			err, ERR_UNAVAILABLE, "this process is in the background of its terminal");
	if (tcgetattr(out_fd, &ret->before) < 0)
		return err_set(err, ERR_UNAVAILABLE, "the modes of the terminal cannot be read");
	ret->in_fd = in_fd;
	ret->out_fd = out_fd;
	in_fd = -1;
	out_fd = -1;
	return 0;
}

void term_tty_close(struct term_tty *tty)
{
	fd_close(&tty->in_fd);
	fd_close(&tty->out_fd);
}

void term_tty_modes(const struct termios *now, struct termios *ret)
{
	*ret = *now;
	ret->c_lflag |= ISIG; /* Ctrl-Z; the other two signals have no byte any more */
	ret->c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | IEXTEN);
	ret->c_iflag &=
		~(tcflag_t)(IXON | IXOFF | ICRNL | INLCR | IGNCR | ISTRIP | BRKINT | PARMRK);
	ret->c_cc[VINTR] = _POSIX_VDISABLE;
	ret->c_cc[VQUIT] = _POSIX_VDISABLE;
	ret->c_cc[VMIN] = 1;
	ret->c_cc[VTIME] = 0;
}

void term_tty_size(int fd, unsigned *ret_cols, unsigned *ret_rows)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col == 0 || size.ws_row == 0)
		return;
	*ret_cols = size.ws_col;
	*ret_rows = size.ws_row;
}

int term_tty_read(int fd, void *buf, size_t len)
{
	ssize_t n;

	do {
		n = read(fd, buf, len > INT_MAX ? INT_MAX : len);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return 0;
	return n > 0 ? (int)n : -1;
}

int term_tty_hung_up(int fd)
{
	struct pollfd one = {.fd = fd, .events = POLLOUT};

	return poll(&one, 1, 0) > 0 && (one.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

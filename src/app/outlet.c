#include "config.h"

#include "app/outlet.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"

static void lose(struct outlet *outlet)
{
	if (outlet->gone)
		return;
	outlet->gone = true;
	str_release(&outlet->queue);
	outlet->sent = 0;
	if (outlet->polled)
		uv_poll_stop(&outlet->poll);
	outlet->on_gone(outlet->ctx);
}

/* A pipe that polls writable takes PIPE_BUF bytes without blocking; a socket is told not to block. */
static ssize_t write_some(int fd, const char *bytes, size_t len)
{
	ssize_t n = send(fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0 && errno == ENOTSOCK)
		n = write(fd, bytes, len < PIPE_BUF ? len : PIPE_BUF);
	return n;
}

static bool writable(const struct outlet *outlet)
{
	struct pollfd p = {.fd = outlet->fd, .events = POLLOUT};
	return !outlet->polled || (poll(&p, 1, 0) == 1 && (p.revents & (POLLOUT | POLLERR)) != 0);
}

static void watch(struct outlet *outlet);

static void flush(struct outlet *outlet)
{
	while (outlet->sent < outlet->queue.len && writable(outlet)) {
		ssize_t n = write_some(outlet->fd, outlet->queue.data + outlet->sent,
			outlet->queue.len - outlet->sent);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			break;
		if (n < 0) {
			lose(outlet);
			return;
		}
		outlet->sent += (size_t)n;
		outlet->moved_ms = clock_mono_ms();
	}
	if (outlet->sent == outlet->queue.len) {
		str_clear(&outlet->queue);
		outlet->sent = 0;
		outlet->on_drained(outlet->ctx);
	}
	watch(outlet);
}

bool outlet_is_dead(const struct outlet *outlet)
{
	struct pollfd p = {.fd = outlet->fd};
	if (outlet->gone)
		return true;
	return outlet->polled && poll(&p, 1, 0) == 1 &&
	       (p.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct outlet *outlet = poll->data;
	(void)events;
	if (status != 0 || outlet_is_dead(outlet))
		lose(outlet); /* the reader closed its end: known before the next answer */
	else if (outlet->sent < outlet->queue.len)
		flush(outlet);
	else
		uv_poll_stop(
			&outlet->poll); /* urgent bytes of a stranger: nothing to wake up for */
}

/* With nothing to write only for the end of the reader. UV_DISCONNECT would come without end from a socket whose other side
   has said that it sends no more, and still reads. */
static void watch(struct outlet *outlet)
{
	if (!outlet->polled || outlet->gone)
		return;
	bool more = outlet->sent < outlet->queue.len;
	uv_poll_start(&outlet->poll, more ? UV_WRITABLE : UV_PRIORITIZED, on_poll);
}

void outlet_start(struct outlet *outlet, uv_loop_t *loop, int fd, bool hold, void *ctx,
	void (*on_gone)(void *ctx), void (*on_drained)(void *ctx))
{
	*outlet = (struct outlet){
		.fd = fd, .held = hold, .ctx = ctx, .on_gone = on_gone, .on_drained = on_drained};
	if (hold)
		return;
	outlet->polled = uv_poll_init(loop, &outlet->poll, fd) == 0;
	outlet->poll.data = outlet;
	watch(outlet);
}

size_t outlet_waiting(const struct outlet *outlet)
{
	return outlet->queue.len - outlet->sent;
}

/* A reader that takes a little, and never all, must not make the queue grow by what it took. */
static void forget_sent(struct outlet *outlet)
{
	if (outlet->sent < outlet->queue.len / 2)
		return;
	struct str rest = STR_INIT;
	str_add_bytes(&rest, outlet->queue.data + outlet->sent, outlet_waiting(outlet));
	str_release(&outlet->queue);
	outlet->queue = rest;
	outlet->sent = 0;
}

void outlet_write(struct outlet *outlet, struct str *line)
{
	if (outlet->gone)
		return;
	if (outlet_waiting(outlet) == 0)
		outlet->moved_ms = clock_mono_ms();
	if (outlet->queue.len > 0) {
		forget_sent(outlet);
		str_add_bytes(&outlet->queue, line->data, line->len);
	} else {
		str_release(&outlet->queue);
		outlet->queue = *line;
		*line = (struct str)STR_INIT;
	}
	if (!outlet->held)
		flush(outlet);
}

bool outlet_empty(const struct outlet *outlet)
{
	return outlet->held || outlet->gone || outlet->sent == outlet->queue.len;
}

void outlet_release(struct outlet *outlet)
{
	struct err err = ERR_INIT;
	if (outlet->held && outlet->queue.len > 0)
		fd_write_all(outlet->fd, outlet->queue.data, outlet->queue.len, &err);
	str_clear(&outlet->queue);
}

bool outlet_stop(struct outlet *outlet, uv_close_cb on_closed)
{
	str_release(&outlet->queue);
	if (outlet->polled)
		uv_close((uv_handle_t *)&outlet->poll, on_closed);
	return outlet->polled;
}

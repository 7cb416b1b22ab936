#include "config.h"

#include "app/outlet.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

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
	}
	if (outlet->sent == outlet->queue.len) {
		str_clear(&outlet->queue);
		outlet->sent = 0;
		outlet->on_drained(outlet->ctx);
	}
	watch(outlet);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct outlet *outlet = poll->data;
	(void)events;
	if (status != 0)
		lose(outlet); /* the reader closed its end: known before the next answer */
	else
		flush(outlet);
}

static void watch(struct outlet *outlet)
{
	if (!outlet->polled || outlet->gone)
		return;
	bool more = outlet->sent < outlet->queue.len;
	uv_poll_start(&outlet->poll, more ? UV_WRITABLE | UV_DISCONNECT : UV_DISCONNECT, on_poll);
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

void outlet_write(struct outlet *outlet, struct str *line)
{
	if (outlet->gone)
		return;
	if (outlet->queue.len > 0) {
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

void outlet_stop(struct outlet *outlet)
{
	if (outlet->polled)
		uv_close((uv_handle_t *)&outlet->poll, NULL);
	str_release(&outlet->queue);
}

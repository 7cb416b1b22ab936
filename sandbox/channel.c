#include "config.h"

#include "sandbox/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

#define STREAM_FD_IN LAUNCHER_FD_PLAN /* free: a plan that comes by the stream has no descriptor */

static struct {
	bool is_stream;
	size_t have; /* bytes of incoming */
	union {
		struct message message;
		char bytes[sizeof(struct message) + STREAM_INPUT_BYTES];
	} incoming;
	int input_fd; /* write end of the command's input; -1 */
	size_t held, fed;
	char piece[STREAM_INPUT_BYTES];
} channel = {.input_fd = -1};

static int take(int from, int to, struct err *err)
{
	if (dup2(from, to) < 0)
		return err_set_errno(err, "taking the streams");
	return fd_set_cloexec(to, true, err);
}

int channel_use_streams(struct err *err)
{
	/* A hang-up is seen where we poll. The command's dispositions are set when it is started. */
	signal(SIGPIPE, SIG_IGN);
	channel.is_stream = true;
	if (take(0, STREAM_FD_IN, err) || take(2, LAUNCHER_FD_STATUS, err) ||
		fd_set_nonblock(STREAM_FD_IN, err))
		return -1;
	FD_AUTO int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null_fd < 0 || dup2(null_fd, 0) < 0 || dup2(1, 2) < 0)
		return err_set_errno(err, "taking the streams");
	return 0;
}

bool channel_is_stream(void)
{
	return channel.is_stream;
}

int channel_fd(void)
{
	return channel.is_stream ? STREAM_FD_IN : LAUNCHER_FD_STATUS;
}

/* 1: all of len is there; 0: not yet; -1: hung up. */
static int fill(char *bytes, size_t len, size_t *have)
{
	while (*have < len) {
		ssize_t n = read(STREAM_FD_IN, bytes + *have, len - *have);
		if (n > 0)
			*have += (size_t)n;
		else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			return -1;
		else if (errno == EAGAIN)
			return 0;
	}
	return 1;
}

static void fill_or_end(char *bytes, size_t len)
{
	struct pollfd in = {.fd = STREAM_FD_IN, .events = POLLIN};
	size_t have = 0;
	int got;
	while ((got = fill(bytes, len, &have)) == 0)
		poll(&in, 1, -1);
	if (got < 0)
		_exit(1); /* nothing was started yet */
}

int channel_read_plan(struct plan *ret, struct err *err)
{
	struct message head;
	fill_or_end((char *)&head, sizeof(head));
	if (head.kind != MSG_PLAN || head.value == 0 || head.value > PLAN_BYTES_MAX)
		return err_set(err, ERR_INVALID, "no plan came");
	MEM_AUTO char *bytes = mem_alloc((size_t)head.value);
	fill_or_end(bytes, (size_t)head.value);
	return plan_decode(bytes, (size_t)head.value, ret, err);
}

static int write_stream(const void *bytes, size_t len)
{
	struct err err = ERR_INIT;
	return fd_write_all(LAUNCHER_FD_STATUS, bytes, len, &err) ? -1 : 1;
}

int channel_send(const struct message *message)
{
	if (channel.is_stream)
		return write_stream(message, sizeof(*message));
	return message_send(LAUNCHER_FD_STATUS, message);
}

int channel_send_ready(const union message_buffer *ready, const int *fds, size_t fd_count)
{
	if (channel.is_stream)
		return write_stream(ready->bytes,
			sizeof(struct message) +
				ready->message.check_count * sizeof(struct message_check));
	return message_send_ready(LAUNCHER_FD_STATUS, ready, fds, fd_count);
}

static void close_input(void)
{
	fd_close(&channel.input_fd);
	channel.held = channel.fed = 0;
}

static void acknowledge(void)
{
	channel.held = channel.fed = 0;
	channel_send(&(struct message){.kind = MSG_INPUT, .value = channel.input_fd >= 0});
}

static void hold_piece(size_t len)
{
	if (channel.input_fd < 0 || len == 0) {
		close_input();
		return;
	}
	memcpy(channel.piece, channel.incoming.bytes + sizeof(struct message), len);
	channel.held = len;
	channel_feed_input();
}

static int receive_stream(struct message *ret)
{
	struct message *head = &channel.incoming.message;
	int got = fill(channel.incoming.bytes, sizeof(*head), &channel.have);
	if (got != 1)
		return got;
	size_t len = head->kind == MSG_INPUT ? (size_t)head->value : 0;
	if (head->kind >= MSG_KIND_COUNT || len > STREAM_INPUT_BYTES)
		return -1;
	got = fill(channel.incoming.bytes, sizeof(*head) + len, &channel.have);
	if (got != 1)
		return got;
	channel.have = 0;
	*ret = *head;
	if (head->kind == MSG_INPUT)
		hold_piece(len);
	return 1;
}

int channel_receive(struct message *ret)
{
	static union message_buffer incoming;
	if (channel.is_stream)
		return receive_stream(ret);
	int got = message_receive(LAUNCHER_FD_STATUS, &incoming, NULL);
	if (got > 0)
		*ret = incoming.message;
	return got;
}

int channel_open_input(struct err *err)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_set_errno(err, "making a pipe for the input");
	FD_AUTO int read_end = ends[0];
	channel.input_fd = ends[1];
	if (dup2(read_end, 0) < 0)
		return err_set_errno(err, "making a pipe for the input");
	return fd_set_nonblock(channel.input_fd, err);
}

int channel_input_fd(void)
{
	return channel.held ? channel.input_fd : -1;
}

void channel_feed_input(void)
{
	while (channel.fed < channel.held) {
		ssize_t n = write(
			channel.input_fd, channel.piece + channel.fed, channel.held - channel.fed);
		if (n < 0 && errno == EAGAIN)
			return;
		if (n > 0)
			channel.fed += (size_t)n;
		else if (errno != EINTR) {
			close_input(); /* nobody reads it */
			break;
		}
	}
	acknowledge();
}

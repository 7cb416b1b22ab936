#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/supervisor_engine.h"

#define CHUNK_BYTES 65536

enum { STREAM_OUT = 1, STREAM_ERR = 2 }; /* the first byte of the engine's frame header */

static void close_streams(struct engine_run *e)
{
	fd_close(&e->attach_fd);
	fd_close(&e->pump_fd);
	fd_close(&e->input_fd);
}

static void drop(struct str *s, size_t len)
{
	memmove(s->data, s->data + len, s->len - len);
	str_truncate(s, s->len - len);
}

void pump_poll(const struct engine_run *e, struct pollfd fds[PUMP_COUNT])
{
	short attach = (short)(e->to_send.len ? POLLOUT : 0);
	bool blocked = e->output.len > 0;
	/* Output that nobody takes holds the engine back, and with it the command, as a full pipe does. */
	if (!blocked)
		attach = (short)(attach | POLLIN);
	fds[PUMP_ATTACH] = (struct pollfd){.fd = e->attach_fd, .events = attach};
	if (blocked && !e->to_send.len)
		fds[PUMP_ATTACH].fd = -1; /* its hang-up would be told without end */
	fds[PUMP_STATUS] = (struct pollfd){.fd = e->pump_fd, .events = POLLIN};
	fds[PUMP_OUTPUT] = (struct pollfd){.fd = blocked ? e->output_fd : -1, .events = POLLOUT};
	fds[PUMP_INPUT] =
		(struct pollfd){.fd = e->input_may_go ? e->input_fd : -1, .events = POLLIN};
}

static void write_output(struct engine_run *e)
{
	while (e->output.len) {
		ssize_t n = write(e->output_fd, e->output.data, e->output.len);
		if (n > 0)
			drop(&e->output, (size_t)n);
		else if (n < 0 && errno == EAGAIN)
			return;
		else if (n == 0 || errno != EINTR)
			str_clear(&e->output); /* nobody reads it any more */
	}
}

static size_t whole_message(const struct str *words, struct message *ret)
{
	if (words->len < sizeof(*ret))
		return 0;
	memcpy(ret, words->data, sizeof(*ret));
	if (ret->check_count > PLAN_CHECKS_MAX)
		return SIZE_MAX;
	size_t len = sizeof(*ret) + ret->check_count * sizeof(struct message_check);
	return words->len < len ? 0 : len;
}

/* What the launcher says, into the pair; what only we two know stays here. */
static void hear_words(struct engine_run *e)
{
	struct message message;
	size_t len;
	while (e->pump_fd >= 0 && (len = whole_message(&e->words, &message)) > 0) {
		if (len == SIZE_MAX) {
			close_streams(e); /* that is no launcher of ours */
			return;
		}
		if (message.kind == MSG_INPUT)
			e->input_may_go = message.value != 0;
		else if (send(e->pump_fd, e->words.data, len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			fd_close(&e->pump_fd);
		drop(&e->words, len);
	}
}

static size_t frame_length(const char header[8])
{
	size_t len = 0;
	for (int i = 4; i < 8; i++)
		len = len << 8 | (unsigned char)header[i];
	return len;
}

static size_t take_header(struct engine_run *e, const char *bytes, size_t len)
{
	size_t n = sizeof(e->frame) - e->frame_have;
	n = len < n ? len : n;
	memcpy(e->frame + e->frame_have, bytes, n);
	e->frame_have += n;
	if (e->frame_have == sizeof(e->frame))
		e->frame_left = frame_length(e->frame);
	return n;
}

static void take_bytes(struct engine_run *e, const char *bytes, size_t len)
{
	while (len > 0) {
		size_t n;
		if (e->frame_have < sizeof(e->frame)) {
			n = take_header(e, bytes, len);
		} else {
			n = len < e->frame_left ? len : e->frame_left;
			if (e->frame[0] == STREAM_OUT)
				str_add_bytes(&e->output, bytes, n);
			else if (e->frame[0] == STREAM_ERR)
				str_add_bytes(&e->words, bytes, n);
			e->frame_left -= n;
		}
		if (e->frame_have == sizeof(e->frame) && e->frame_left == 0)
			e->frame_have = 0;
		bytes += n;
		len -= n;
	}
}

static void read_attached(struct engine_run *e)
{
	char bytes[CHUNK_BYTES];
	ssize_t n = recv(e->attach_fd, bytes, sizeof(bytes), 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close_streams(e);
		return;
	}
	take_bytes(e, bytes, (size_t)n);
	write_output(e);
	hear_words(e);
}

static void write_attached(struct engine_run *e)
{
	while (e->to_send.len && e->attach_fd >= 0) {
		ssize_t n = send(e->attach_fd, e->to_send.data, e->to_send.len, MSG_NOSIGNAL);
		if (n > 0)
			drop(&e->to_send, (size_t)n);
		else if (n < 0 && errno == EAGAIN)
			return;
		else if (n == 0 || errno != EINTR)
			str_clear(&e->to_send); /* read_attached() sees the end */
	}
}

void pump_send(struct engine_run *e, const void *bytes, size_t len)
{
	str_add_bytes(&e->to_send, bytes, len);
	write_attached(e);
}

static void send_input(struct engine_run *e)
{
	char bytes[STREAM_INPUT_BYTES];
	ssize_t n = read(e->input_fd, bytes, sizeof(bytes));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	size_t len = n > 0 ? (size_t)n : 0;
	pump_send(e, &(struct message){.kind = MSG_INPUT, .value = len}, sizeof(struct message));
	pump_send(e, bytes, len);
	e->input_may_go = false;
	if (len == 0)
		fd_close(&e->input_fd);
}

static void hear_supervisor(struct engine_run *e)
{
	struct message message;
	while (recv(e->pump_fd, &message, sizeof(message), MSG_DONTWAIT) ==
		(ssize_t)sizeof(message)) {
		pump_send(e, &message, sizeof(message));
		/* The first piece of input goes behind the go byte. */
		if (message.kind == MSG_GO)
			e->input_may_go = e->input_fd >= 0;
	}
}

void pump_act(struct engine_run *e, const struct pollfd fds[PUMP_COUNT])
{
	if (fds[PUMP_OUTPUT].revents)
		write_output(e);
	if (fds[PUMP_STATUS].revents && e->pump_fd >= 0)
		hear_supervisor(e);
	if (fds[PUMP_INPUT].revents && e->input_fd >= 0)
		send_input(e);
	if (fds[PUMP_ATTACH].revents && e->attach_fd >= 0) {
		write_attached(e);
		read_attached(e);
	}
}

void pump_release(struct engine_run *e)
{
	close_streams(e);
	fd_close(&e->output_fd);
	str_release(&e->to_send);
	str_release(&e->output);
	str_release(&e->words);
}

#include "config.h"

#include "sandbox/engine_http.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

/* Whoever answers in place of an engine must not make us read for ever. */
#define ANSWER_MAX (8u << 20)
#define HEADER_MAX 16384u

static int wait_for(const struct engine_call *call, int fd, short events, struct err *err)
{
	struct pollfd fds[] = {
		{.fd = fd, .events = events}, {.fd = call->cancel_fd, .events = POLLIN}};
	for (;;) {
		int64_t left = call->due_ms - clock_mono_ms();
		if (left <= 0)
			return err_set(err, ERR_LIMIT, "the engine did not answer in time");
		int n = poll(fds, ARRAY_LEN(fds), (int)left);
		if (n < 0 && errno != EINTR)
			return err_set_errno(err, "waiting for the engine");
		if (n > 0 && fds[1].revents && call->is_cancelled(call->context))
			return err_set(err, ERR_REFUSED, "stopped while the engine was asked");
		if (n > 0 && fds[0].revents)
			return 0;
	}
}

static int connect_to(const struct engine_call *call, int *ret_fd, struct err *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(call->socket) >= sizeof(address.sun_path))
		return err_set(err, ERR_LIMIT, "%s is too long for a socket", call->socket);
	memcpy(address.sun_path, call->socket, strlen(call->socket) + 1);
	FD_AUTO int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_set_errno(err, "making a socket");
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
		if (errno == EAGAIN)
			return err_set(err, ERR_LIMIT, "the engine takes no more connections");
		return err_set_errno(err, "%s", call->socket);
	}
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static int send_all(const struct engine_call *call, int fd, const struct str *text, struct err *err)
{
	size_t at = 0;
	while (at < text->len) {
		ssize_t n = send(fd, text->data + at, text->len - at, MSG_NOSIGNAL);
		if (n > 0)
			at += (size_t)n;
		else if (errno == EAGAIN && wait_for(call, fd, POLLOUT, err))
			return -1;
		else if (errno != EAGAIN && errno != EINTR)
			return err_set_errno(err, "asking the engine");
	}
	return 0;
}

/* 1: something was appended; 0: the end. */
static int receive_some(
	const struct engine_call *call, int fd, size_t max, struct str *out, struct err *err)
{
	char bytes[16384];
	for (;;) {
		ssize_t n = recv(fd, bytes, max < sizeof(bytes) ? max : sizeof(bytes), 0);
		if (n >= 0) {
			str_add_bytes(out, bytes, (size_t)n);
			return n > 0;
		}
		if (errno == EAGAIN && wait_for(call, fd, POLLIN, err))
			return -1;
		if (errno != EAGAIN && errno != EINTR)
			return err_set_errno(err, "reading what the engine says");
	}
}

static int parse_status(const char *answer, int *ret_status, struct err *err)
{
	char *end;
	if (strncmp(answer, "HTTP/1.", 7) != 0 || strlen(answer) < 12)
		return err_set(err, ERR_INVALID, "what answers there is no engine");
	long status = strtol(answer + 9, &end, 10);
	if (end != answer + 12)
		return err_set(err, ERR_INVALID, "what answers there is no engine");
	*ret_status = (int)status;
	return 0;
}

/* An answer to HTTP/1.0 ends with the connection: there are no chunks to put together. */
static void write_request(struct str *text, const char *version, const char *method,
	const char *target, const char *more)
{
	str_printf(text, "%s %s HTTP/%s\r\nHost: engine\r\n%s%s\r\n", method, target, version,
		strcmp(method, "POST") == 0 ? "Content-Length: 0\r\n" : "", more);
}

int engine_send(const struct engine_call *call, const char *method, const char *target, int *ret_fd,
	struct err *err)
{
	STR_AUTO struct str text = STR_INIT;
	FD_AUTO int fd = -1;
	write_request(&text, "1.0", method, target, "");
	if (connect_to(call, &fd, err) || send_all(call, fd, &text, err))
		return -1;
	*ret_fd = fd;
	fd = -1;
	return 0;
}

int engine_receive(const struct engine_call *call, int fd, struct str *ret_body, int *ret_status,
	struct err *err)
{
	STR_AUTO struct str answer = STR_INIT;
	int got;
	while ((got = receive_some(call, fd, SIZE_MAX, &answer, err)) == 1)
		if (answer.len > ANSWER_MAX)
			return err_set(err, ERR_LIMIT, "the engine says too much");
	if (got < 0 || parse_status(str_c(&answer), ret_status, err))
		return -1;
	const char *body = strstr(str_c(&answer), "\r\n\r\n");
	if (body == NULL)
		return err_set(err, ERR_INVALID, "the engine's answer has no end");
	str_add(ret_body, body + 4);
	return 0;
}

int engine_request(const struct engine_call *call, const char *method, const char *target,
	struct str *ret_body, int *ret_status, struct err *err)
{
	FD_AUTO int fd = -1;
	return engine_send(call, method, target, &fd, err) ||
			       engine_receive(call, fd, ret_body, ret_status, err)
		       ? -1
		       : 0;
}

static int receive_header(const struct engine_call *call, int fd, struct str *ret, struct err *err)
{
	/* Byte by byte: what follows the header belongs to the streams. */
	while (ret->len < 4 || memcmp(ret->data + ret->len - 4, "\r\n\r\n", 4) != 0) {
		int got = receive_some(call, fd, 1, ret, err);
		if (got < 0)
			return -1;
		if (got == 0 || ret->len > HEADER_MAX)
			return err_set(err, ERR_INVALID, "the engine's answer has no end");
	}
	return 0;
}

static int refused_attach(const struct engine_call *call, int fd, struct err *err)
{
	STR_AUTO struct str body = STR_INIT;
	char words[256];
	while (body.len < HEADER_MAX && receive_some(call, fd, HEADER_MAX, &body, err) == 1)
		;
	engine_message(&body, words, sizeof(words));
	return err_set(err, ERR_UNAVAILABLE, "%s", words[0] ? words : "attaching was refused");
}

int engine_attach(
	const struct engine_call *call, const char *container, int *ret_fd, struct err *err)
{
	STR_AUTO struct str text = STR_INIT;
	STR_AUTO struct str header = STR_INIT;
	FD_AUTO int fd = -1;
	int status = 0;
	MEM_AUTO char *target =
		mem_printf("/containers/%s/attach?stream=1&stdin=1&stdout=1&stderr=1", container);
	write_request(&text, "1.1", "POST", target, "Connection: Upgrade\r\nUpgrade: tcp\r\n");
	if (connect_to(call, &fd, err) || send_all(call, fd, &text, err) ||
		receive_header(call, fd, &header, err) ||
		parse_status(str_c(&header), &status, err))
		return -1;
	if (status != 101 && status != 200)
		return refused_attach(call, fd, err);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static char unescaped(char c)
{
	return c == 'n' || c == 't' || c == 'r' ? ' ' : c;
}

/* Not a reader of JSON: the programs that hold a command link none. An escaped quote cannot be taken for the end. */
void engine_message(const struct str *body, char *ret, size_t size)
{
	static const char key[] = "\"message\":\"";
	const char *at = strstr(str_c(body), key);
	size_t len = 0;
	if (at) {
		for (at += strlen(key); *at && *at != '"' && len + 1 < size; at++) {
			bool escape = *at == '\\' && at[1];
			at += escape;
			ret[len++] = escape ? unescaped(*at) : *at;
		}
	}
	ret[len] = '\0';
}

void engine_escape(struct str *target, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-._~/:";
	for (; *text; text++) {
		if (strchr(plain, *text))
			str_add_char(target, *text);
		else
			str_printf(target, "%%%02X", (unsigned)(unsigned char)*text);
	}
}

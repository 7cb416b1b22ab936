/* The little of HTTP that a container engine needs: a connection a request, over a Unix socket, bounded in time. */
#ifndef SANDBOX_ENGINE_HTTP_H
#define SANDBOX_ENGINE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct engine_call {
	const char *socket;                  /* path */
	int64_t due_ms;                      /* clock_mono_ms() after which it is given up */
	int cancel_fd;                       /* asked when it is readable or hung up; -1: none */
	bool (*is_cancelled)(void *context); /* takes what came; true: given up at once */
	void *context;
};

#define ENGINE_OK(status) ((status) >= 200 && (status) < 300)

/* method and target are ours: nothing is escaped here. Appends the body to *ret_body. Errors: ERR_NOT_FOUND and ERR_SYSTEM
   with saved_errno for the socket, ERR_LIMIT when the time is over, ERR_REFUSED when cancelled, ERR_INVALID for an answer
   that is none. A status that says no is no error. */
int engine_request(const struct engine_call *call, const char *method, const char *target,
	struct str *ret_body, int *ret_status, struct err *err);
/* The same in two steps, so that something else can be done meanwhile; ret_fd is owned by the caller. */
int engine_send(const struct engine_call *call, const char *method, const char *target, int *ret_fd,
	struct err *err);
int engine_receive(const struct engine_call *call, int fd, struct str *ret_body, int *ret_status,
	struct err *err);
/* The streams of a container: what is written goes to its standard input; what is read comes in frames of its two outputs
   (engine API, "attach"). Non-blocking. ERR_UNAVAILABLE with the engine's words when it says no. */
int engine_attach(
	const struct engine_call *call, const char *container, int *ret_fd, struct err *err);

/* What the engine says in the body of a refusal, without its quotes and line breaks; "" when nothing. */
void engine_message(const struct str *body, char *ret, size_t size);
/* Appends the text so that it can stand in the path or the query of a target. */
void engine_escape(struct str *target, const char *text);

#endif

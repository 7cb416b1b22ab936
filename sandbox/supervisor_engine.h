/* A command in a container: made by the engine's client, started, watched and removed over the engine's socket. */
#ifndef SANDBOX_SUPERVISOR_ENGINE_H
#define SANDBOX_SUPERVISOR_ENGINE_H

#include <poll.h>
#include <stdbool.h>

#include "base/str.h"
#include "sandbox/engine_http.h"
#include "sandbox/protocol.h"

struct supervisor;

/* The streams of a container, between the engine's one connection and what the supervisor knows natively. */
struct engine_run {
	bool may_exist;     /* a container of our name */
	bool may_come;      /* one more, of a client that did not tell what it did */
	int attach_fd;      /* -1: none */
	int pump_fd;        /* the launcher's end of the status pair: what it says is put in here */
	int output_fd;      /* write end of the command's output */
	int input_fd;       /* what is passed as its input; -1 */
	bool input_may_go;  /* the last piece was taken */
	struct str to_send; /* to its standard input */
	struct str output;  /* from its standard output, not written yet */
	struct str words;   /* from its standard error: messages, the last one not whole */
	char frame[8];      /* the engine's frame header */
	size_t frame_have, frame_left;
};

/* supervisor_engine_start.c */
/* Makes, attaches and starts. Takes fds[OUTPUT_WRITE] and fds[STDIN] over. Failures are put into s->end. */
void supervisor_engine_start(struct supervisor *s, int fds[PLAN_FD_COUNT], int pump_fd);

/* supervisor_engine.c */
struct engine_call engine_ask_for(const struct supervisor *s);
/* Of the container that closes addresses; owned. */
char *engine_closer_name(const struct supervisor *s);
/* SIGTERM to the command's processes. */
void supervisor_engine_stop(struct supervisor *s);
/* Ends what is in the container, takes the rest of its output and removes it, until it is gone. */
void supervisor_engine_end(struct supervisor *s);
/* What the launcher says of its tree: MSG_USAGE and MSG_LIMIT in s->incoming. */
void supervisor_engine_usage(struct supervisor *s);
/* Why it ended early, in the engine's words; "" when it has none. */
void supervisor_engine_words(struct supervisor *s, char *text, size_t size);

/* supervisor_pump.c */
enum { PUMP_ATTACH, PUMP_STATUS, PUMP_OUTPUT, PUMP_INPUT, PUMP_COUNT };
void pump_poll(const struct engine_run *e, struct pollfd fds[PUMP_COUNT]);
/* Moves what can be moved. The end of the streams closes the status pair, as the launcher's end does natively. */
void pump_act(struct engine_run *e, const struct pollfd fds[PUMP_COUNT]);
void pump_send(struct engine_run *e, const void *bytes, size_t len);
void pump_release(struct engine_run *e);

#endif

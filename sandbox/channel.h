/* How the launcher talks with its supervisor: by the socket that it was given or, as the entry point of a container, by the
   streams that the engine carries: messages (and the plan, and the command's input) come from standard input, ours leave by
   standard error, and standard output is the command's. */
#ifndef SANDBOX_CHANNEL_H
#define SANDBOX_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "sandbox/protocol.h"

/* Descriptor 0 becomes the null device, 1 and 2 the command's output. */
int channel_use_streams(struct err *err);
bool channel_is_stream(void);
/* The plan that came first. Waits; ends the process when the supervisor hangs up. */
int channel_read_plan(struct plan *ret, struct err *err);

/* As message_send() and message_receive(). */
int channel_send(const struct message *message);
/* fds only by the socket. */
int channel_send_ready(const union message_buffer *ready, const int *fds, size_t fd_count);
int channel_receive(struct message *ret);
/* Readable or hung up when channel_receive() has something to say. */
int channel_fd(void);

/* A passed standard input: a pipe takes the place of descriptor 0, and is filled from MSG_INPUT. One piece at a time is on
   its way, so that the messages behind it are never stuck. */
int channel_open_input(struct err *err);
int channel_input_fd(void); /* to be polled for POLLOUT while a piece is held; -1: none */
void channel_feed_input(void);

#endif

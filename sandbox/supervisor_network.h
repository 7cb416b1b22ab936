/* A network namespace that leads out: pasta, run by the supervisor for the launcher's namespace. */
#ifndef SANDBOX_SUPERVISOR_NETWORK_H
#define SANDBOX_SUPERVISOR_NETWORK_H

#include <stdbool.h>
#include <sys/types.h>

#include "sandbox/protocol.h"

struct supervisor;

struct network_run {
	int program_fd; /* pasta; -1: the plan names none */
	int pidfd;      /* of it, once it was started; -1 */
	int ready_fd;   /* it writes a line there when it leads out; -1 afterwards */
	int words_fd;   /* its standard error */
	bool up;        /* it leads out, and the filter is on */
};

#define NETWORK_RUN_INIT                                                                           \
	{                                                                                          \
		.program_fd = -1, .pidfd = -1, .ready_fd = -1, .words_fd = -1                      \
	}

/* MSG_NETWORK of the launcher: starts pasta. A failure ends everything, as it does of those below. */
void network_start(struct supervisor *s, const struct message_extras *extras);
/* ready_fd has something to say: puts the filter on, and tells the launcher. */
void network_hear(struct supervisor *s);
/* Before the command is let go. False: s has failed. */
bool network_is_there(struct supervisor *s);

#endif

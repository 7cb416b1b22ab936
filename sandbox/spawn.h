/* Starts a supervisor and talks with it; never blocks but in spawn_supervisor (vfork until exec). */
#ifndef SANDBOX_SPAWN_H
#define SANDBOX_SPAWN_H

#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"
#include "sandbox/plan.h"
#include "sandbox/protocol.h"

/* Our two static programs, opened once, run by descriptor. */
struct helpers {
	int supervisor_fd, launcher_fd;
	char *supervisor_path, *launcher_path;
	uint64_t supervisor_dev, supervisor_ino, launcher_dev, launcher_ino;
};
/* Beside realpath(/proc/self/exe), else in LIBEXECDIR. Owner us or root, not writable by others. */
int helpers_open(struct helpers *ret, struct err *err);
/* The same with both programs in one directory. */
int helpers_open_in(const char *dir, struct helpers *ret, struct err *err);
void helpers_close(struct helpers *helpers);
/* The path of another program of ours, looked for and checked in the same way; the caller frees it. */
int program_find(const char *name, char **ret_path, struct err *err);

struct child {
	pid_t pid;      /* the supervisor */
	int pidfd;      /* readable when it ended; then waitid(P_PIDFD) */
	int control_fd; /* SOCK_SEQPACKET, nonblocking */
	int output_fd;  /* read end of the command's output, nonblocking */
};
#define CHILD_INIT                                                                                 \
	{                                                                                          \
		.pid = -1, .pidfd = -1, .control_fd = -1, .output_fd = -1                          \
	}
/* Starts the supervisor with an empty environment; may be called before the plan is known. */
int spawn_supervisor(const struct helpers *helpers, struct child *ret, struct err *err);
/* The same from a small program that does not wait for it: when it cannot be executed, it hangs up. */
int spawn_supervisor_ahead(const struct helpers *helpers, struct child *ret, struct err *err);
/* Before the plan: makes these namespaces (CLONE_NEW*) and starts a launcher in them, which waits. When the plan asks for
   others, it is ended and nothing is lost but time. */
int spawn_prepare(
	struct child *child, const struct helpers *helpers, unsigned namespaces, struct err *err);
/* The same for a plan whose wrapper will be this bwrap: it is started, and waits for its options. */
int spawn_prepare_wrapper(
	struct child *child, const struct helpers *helpers, int wrapper_fd, struct err *err);
/* After spawn_prepare: the mounts that the plan will begin with, as the bytes of a plan without more, are made already. */
int spawn_base(struct child *child, const struct str *plan_bytes, struct err *err);
/* Sends the plan's bytes and the descriptors; stdin_fd -1: /dev/null. programs: just those that the plan names. */
int spawn_plan(struct child *child, const struct helpers *helpers, const struct str *plan_bytes,
	int stdin_fd, struct plan_programs programs, struct err *err);
int spawn_tell(struct child *child, enum message_kind kind, uint64_t value, struct err *err);

/* 1: *ret is filled; 0: nothing now; -1: hung up or a message that cannot be. */
int spawn_receive(struct child *child, union message_buffer *ret);
/* Reaps the supervisor when it has ended: 1 and *ret_status, 0 not yet. */
int spawn_reap(struct child *child, int *ret_status);
void child_close(
	struct child *child); /* closes all; the supervisor then ends everything by itself */
/* Ends and reaps a supervisor without a plan, or after its last word (its tree is gone then). Waits for it, but not longer
   than it needs. */
void child_end(struct child *child);

#endif

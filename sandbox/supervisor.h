/* Inside of exequatur-supervisor: one command, its processes and its deadlines. */
#ifndef SANDBOX_SUPERVISOR_H
#define SANDBOX_SUPERVISOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "sandbox/plan.h"
#include "sandbox/protocol.h"
#include "sandbox/supervisor_limits.h"
#include "sandbox/supervisor_engine.h"
#include "sandbox/supervisor_network.h"
#include "sandbox/tree.h"

enum phase {
	PHASE_SETUP,   /* the launcher confines itself and verifies */
	PHASE_WAITING, /* READY was told; the console has not let go yet */
	PHASE_GOING,   /* go was passed on; not yet known whether the command was executed */
	PHASE_RUNNING,
	PHASE_STOPPING, /* SIGTERM was sent */
	PHASE_DRAINING, /* the shell has ended; its pipe is still held by somebody */
	PHASE_OVER,     /* kill what is left, reap, tell */
};

#define NEVER_MS INT64_MAX

/* Directories that are locked as long as they are open. */
struct place_locks {
	int *fds;
	size_t count, cap;
};

/* One that was started before its plan. */
struct waiting_wrapper {
	int options_fd; /* it reads them to their end first; -1: there is none */
	uint64_t dev, ino;
};

struct supervisor {
	struct plan plan;
	enum phase phase;
	int64_t due_ms;     /* when this phase is over by itself; NEVER_MS */
	int64_t started_ms; /* when the command was executed */
	int control_fd;     /* to the console; -1 after its hang-up */
	int status_fd;      /* to the launcher; -1 after its hang-up */
	int output_fd; /* a second read end, only to see when the last writer closed; -1 afterwards */
	int words_fd;       /* what a wrapper writes to its standard error; -1 */
	pid_t main_pid;     /* our child: the launcher, or the wrapper around it */
	int main_pidfd;     /* -1 after it was reaped */
	pid_t launcher_pid; /* in our pid namespace; 0: not known yet */
	int launcher_pidfd;
	bool in_reach; /* what we start we can end */
	unsigned
		prepared; /* namespaces of a launcher that waits for its plan (MSG_PREPARE); 0: none */
	int mounts_fd;    /* the command's mount namespace; never closed: it goes with us */
	struct plan base; /* its mounts are made already */
	struct waiting_wrapper waiting;
	bool let_go; /* the console's go byte came before the launcher was ready */
	bool launcher_gone;
	bool children_left;       /* when the shell had ended, by the launcher's word */
	enum stop_cause early;    /* a stop that came while the command was being executed */
	struct engine_run engine; /* where the plan names an engine */
	int private_fd;           /* holds the private directory of the plan; -1: none */
	struct limits_run limits;
	struct place_locks locks;
	struct network_run network; /* where it names pasta */
	struct tree_used used;      /* by what has ended */
	bool failed;
	struct message end; /* what is told at last: MSG_FAILED or MSG_ENDED */
	union message_buffer incoming;
};

/* supervisor_start.c */
/* Waits for the plan and its descriptors, in fds by enum; a missing wrapper is -1. */
int supervisor_take_plan(struct supervisor *s, int fds[PLAN_FD_COUNT], struct err *err);
/* Starts the launcher natively, below the wrapper, or bare; takes the descriptors. Failures are put into s->end. */
void supervisor_start(struct supervisor *s, int fds[PLAN_FD_COUNT]);

int supervisor_pair(struct supervisor *s, int *ret_theirs,
	struct err *err); /* s->status_fd and its other end */

/* supervisor_native.c: a launcher in namespaces of its own, by our hand alone */
#define LAUNCHER_NAME "exequatur-launcher"
/* Failures are put into s->end. */
void supervisor_start_native(struct supervisor *s, const int fds[PLAN_FD_COUNT], int status_fd);
/* MSG_PREPARE. Any failure here is no loss: the plan's own start tells what is wrong. */
void supervisor_prepare(struct supervisor *s, int program_fd);
void supervisor_prepare_base(struct supervisor *s, int plan_fd); /* MSG_BASE */
/* 1: the prepared launcher has the plan; 0: there is none that fits, any other was ended. */
int supervisor_start_prepared(struct supervisor *s, const int fds[PLAN_FD_COUNT], struct err *err);

int supervisor_send_plan(struct supervisor *s, const int fds[PLAN_FD_COUNT],
	struct err *err); /* to a launcher that waits */

/* supervisor_wrapper.c: a launcher below bwrap or firejail */
int supervisor_start_wrapped(
	struct supervisor *s, const int fds[PLAN_FD_COUNT], int status_fd, struct err *err);
/* MSG_PREPARE with a wrapper. Any failure here is no loss. */
void supervisor_prepare_wrapper(struct supervisor *s, int launcher_fd, int wrapper_fd);
/* 1: the wrapper that waits has its options and the plan; 0: there is none that fits, any other was ended. */
int supervisor_start_waiting(struct supervisor *s, const int fds[PLAN_FD_COUNT], struct err *err);
void supervisor_end_waiting(struct supervisor *s);

/* supervisor_places.c: both wait, and are given up when the console says so (phase OVER) */
/* From now on we work where the plan lets its command write. */
int places_share(struct supervisor *s, struct err *err);
/* Nobody else does, on the way to what an engine will mount inside; checks that the way is still the one of the card.
   Undone by places_share(). */
int places_alone(struct supervisor *s, struct err *err);
void places_failed(struct supervisor *s, const struct err *err);

/* supervisor_events.c */
/* Waits for one thing to happen and acts on it. */
void supervisor_step(struct supervisor *s);
/* Takes what the console has said. */
void supervisor_hear_console(struct supervisor *s);
/* Takes what the launcher has said. */
void supervisor_hear_launcher(struct supervisor *s);

/* supervisor_end.c */
void supervisor_fail(struct supervisor *s, enum stage stage, int error_number, const char *text);
/* SIGTERM to the command's processes, and the grace begins. */
void supervisor_stop(struct supervisor *s, enum stop_cause cause);
/* Why the launcher is not there, in the wrapper's own words where it has some. */
void supervisor_describe_early_end(struct supervisor *s, char *text, size_t size);
/* Kills all that is left, reaps it, tells the end and waits until it is told or nobody listens. */
void supervisor_finish(struct supervisor *s);
/* To the console; what cannot be sent now means that the console does not read: everything ends. */
void supervisor_tell(struct supervisor *s, const struct message *message);
void supervisor_tell_ready(struct supervisor *s); /* what came in, with its checks */

#endif

/* The processes below one process, found through /proc and reached only by pidfd. */
#ifndef SANDBOX_TREE_H
#define SANDBOX_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct rusage;

/* Whether this kernel and /proc let us find and signal what is below us, tried on ourselves. ERR_UNAVAILABLE, ERR_SYSTEM: then
   nothing may be started, since nobody could end it. */
int tree_check(struct err *err);

/* Sends sig (0: none) to every descendant of root, never to root itself, and returns how many there are that still run
   (zombies and processes that are already exiting do not count). root_pidfd: a pidfd of root, or -1 when root is the
   calling process. A process is signalled through a pidfd only after its parent and start time were read again behind
   it, so a number that was given to a stranger meanwhile reaches nobody. Best effort: what is forked during the walk
   may be missed; see tree_end. */
size_t tree_signal(pid_t root, int root_pidfd, int sig);

struct proc_stat;
/* A pidfd of the process that was seen, if it still is that one; else -1. */
int tree_open(const struct proc_stat *process);

/* Processes that were stopped, by their pidfds. */
struct tree_stopped {
	int *pidfds;
	size_t count, cap;
};
/* Stops every descendant of root that is not stopped already, as above, and adds it. */
void tree_stop(pid_t root, int root_pidfd, struct tree_stopped *stopped);
/* Lets them go on, and forgets them. */
void tree_resume(struct tree_stopped *stopped);

/* What reaped processes used, theirs included. */
struct tree_used {
	pid_t apart; /* a child that helps and is none of the tree: it is ended, and not counted; 0: none */
	uint64_t cpu_us, largest_bytes; /* of all together, of the largest one */
};
void tree_used_add(struct tree_used *used, const struct rusage *usage);

/* Kills every descendant of the calling process, a subreaper with SIGCHLD blocked, and reaps until none is left. */
void tree_end(void);
void tree_end_counted(struct tree_used *used); /* the same, and adds them */

#endif

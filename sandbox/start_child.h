/* Starts a program by descriptor without copying memory: our thread waits until the child has exec'd. */
#ifndef SANDBOX_START_CHILD_H
#define SANDBOX_START_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* A descriptor of ours and the number under which the child finds it. */
struct placed_fd {
	int from, to;
};

struct sock_fprog;

struct start_child {
	int program_fd; /* executed by descriptor; -1: program by its path */
	const char *program;
	char *const *argv, *const *envp;
	const struct placed_fd *fds; /* everything else is closed */
	size_t fd_count;
	bool new_session;
	int cwd_fd; /* directory that the child begins in; 0: ours */
	int foreground_fd; /* a terminal: the child is a process group of its own, and that terminal's foreground; 0: none */
	bool in_copy; /* in a copy of our memory: we go on at once, and hear nothing of an exec that failed */
	bool signals_are_default; /* we were started by this very function and ignore none ourselves */
	bool sigchld_kept;        /* ours is default already: to set it would ask the supervisor */
	const int *
		join_fds; /* two: the child joins the control groups whose members these are; -1: none; may be NULL */
	uint64_t word;  /* see fork_filter_word(); 0: none */
	int ruleset_fd; /* a Landlock ruleset that the child alone enters; 0: none */
	const struct sock_fprog
		*filter; /* of system calls, that the child alone loads; NULL: none */
};

/* What a child enters that we do not: the ruleset and the filter. Only system calls. 0 or -1 with errno. */
int start_child_confine(const struct start_child *what);

/* The child gets default dispositions, an empty mask and only the placed descriptors. Returns when the program was
   executed; the child is then no longer ours in memory. ret_pidfd may be NULL. ERR_SYSTEM (ERR_NOT_FOUND) with the
   errno of execve otherwise; the child is reaped then. */
int start_child(const struct start_child *what, pid_t *ret_pid, int *ret_pidfd, struct err *err);

/* For a child after fork: puts the descriptors in place (also when a number is both wanted and in the way) and marks
   the rest close-on-exec. 0 or -1 with errno. */
int place_fds(const struct placed_fd *fds, size_t count);

#endif

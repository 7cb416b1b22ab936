/* The processes of one command, counted at one moment. */
#ifndef SANDBOX_CENSUS_H
#define SANDBOX_CENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/proc_stat.h"

struct census {
	int proc_fd; /* the /proc of the command's own pid namespace; -1: it has none, then our own */
	/* As that /proc numbers it. As process 1 of an own namespace, all others in it are the command's; else those that
	   descend from it. */
	pid_t launcher;
	pid_t shell; /* the same of the first shell; 0: not known yet */
	bool shell_ended;

	struct proc_stat launcher_stat;
	struct proc_stat *items; /* zombies too, the first shell too; the launcher not */
	size_t count, cap;
	size_t alive; /* of those, without the first shell */
};

#define CENSUS_INIT                                                                                \
	{                                                                                          \
		.proc_fd = -1                                                                      \
	}

/* Counts anew. A process that is alive all the while is found in an own namespace; without one, as long as no process
   changes its parent twice during the count. */
void census_take(struct census *census);
uint64_t census_cpu_us(const struct census *census); /* of the whole tree, the dead included */
void census_release(struct census *census);

#endif

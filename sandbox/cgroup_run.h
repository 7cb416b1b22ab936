/* The control group of one command: made by its supervisor, which takes it away again. */
#ifndef SANDBOX_CGROUP_RUN_H
#define SANDBOX_CGROUP_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sandbox/plan.h"

struct cgroup_run {
	bool v2;
	char *memory_path, *cpu_path; /* NULL: none; version 2: one group, in one of them */
	int memory_fd;                /* its directory; -1 */
	int join_fds[2];              /* a process that writes "0" into each of these joins */
	int into_fd;                  /* version 2: its directory, for CLONE_INTO_CGROUP; -1 */
};

#define CGROUP_RUN_INIT                                                                            \
	{                                                                                          \
		.memory_fd = -1, .join_fds = {-1, -1}, .into_fd = -1                               \
	}

/* Makes what the plan asks for, with its limits. ERR_SYSTEM; what was made is taken away then. */
int cgroup_run_make(struct cgroup_run *run, const struct plan *plan, struct err *err);
/* How many processes the kernel killed for want of memory. */
uint64_t cgroup_run_oom_kills(const struct cgroup_run *run);
/* What is used now, without the file cache, which the kernel takes back when it needs to. */
uint64_t cgroup_run_memory(const struct cgroup_run *run);
/* Version 2: kills all of it at once. */
void cgroup_run_kill(const struct cgroup_run *run);
/* When nobody is left in it. */
void cgroup_run_remove(struct cgroup_run *run);

#endif

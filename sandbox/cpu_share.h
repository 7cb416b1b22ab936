/* Holds the CPU share of a command by stopping its processes and letting them go on, where no cgroup does. */
#ifndef SANDBOX_CPU_SHARE_H
#define SANDBOX_CPU_SHARE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/tree.h"

struct cpu_share {
	uint32_t percent;  /* of one CPU: 160 is 80 % of two; 0: not held */
	bool begun;        /* used_us and at_ms are of a look before */
	int64_t credit_us; /* CPU time that it may use now; below 0 it waits */
	uint64_t used_us;  /* at the last look */
	bool dipped;       /* it was less than before */
	int64_t at_ms;
	struct tree_stopped stopped; /* whom we stopped */
};

/* used_us: CPU time of the whole tree until now. Stops it when it has used more than its share, lets it go on when that has
   been waited for. Returns in how many milliseconds it must look again; 0: it has no wish of its own. root and its pidfd are
   those of tree_signal. */
int64_t cpu_share_look(
	struct cpu_share *share, uint64_t used_us, int64_t now_ms, pid_t root, int root_pidfd);
/* Lets everybody go on: before they are asked to end. */
void cpu_share_resume(struct cpu_share *share);
void cpu_share_release(struct cpu_share *share);

#endif

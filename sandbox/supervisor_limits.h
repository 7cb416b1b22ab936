/* The limits of the whole tree, and what it uses. */
#ifndef SANDBOX_SUPERVISOR_LIMITS_H
#define SANDBOX_SUPERVISOR_LIMITS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "sandbox/census.h"
#include "sandbox/cgroup_run.h"
#include "sandbox/cpu_share.h"
#include "sandbox/fork_counter.h"
#include "sandbox/memory_meter.h"
#include "sandbox/protocol.h"

struct supervisor;

struct limits_run {
	struct census census;
	struct fork_counter forks;
	struct memory_meter meter;
	struct cpu_share share;
	struct cgroup_run cgroup;
	int64_t due_ms;       /* when limits_look has something to do; INT64_MAX */
	int64_t look_ms;      /* the next look at the tree */
	int64_t usage_ms;     /* the next word about what it uses */
	unsigned looks;       /* until now */
	bool counted;         /* the tree was seen at least once */
	uint64_t group_bytes; /* in the control group, at the last look */
	uint64_t memory_peak; /* as far as it was seen otherwise than by the meter */
	uint64_t estimate;    /* of the memory at the last look, and when */
	int64_t estimate_ms;
	uint64_t cpu_us; /* of the tree, at the last look */
};

#define LIMITS_RUN_INIT                                                                            \
	{                                                                                          \
		.census = CENSUS_INIT, .forks = FORK_COUNTER_INIT, .meter = MEMORY_METER_INIT,     \
		.cgroup = CGROUP_RUN_INIT, .due_ms = INT64_MAX                                     \
	}

/* Makes the control group that the launcher is born into (version 2), where the plan names one. */
int limits_prepare(struct supervisor *s, struct err *err);
/* Makes those that it joins by itself (version 1), while it is busy with its mounts, and sends them. */
int limits_send_groups(struct supervisor *s, struct err *err);
/* As clone(2) without a stack; into the control group where the kernel can do that. */
pid_t limits_clone(struct supervisor *s, unsigned namespaces, int *ret_pidfd);
/* Where it could not be, or was prepared before: moves it there, by itself (pid 0) or from outside. */
int limits_join(const struct supervisor *s, pid_t pid, struct err *err);
/* MSG_ASKS: takes the listener. */
void limits_hear_from(struct supervisor *s, struct message_extras *extras);
/* Takes the descriptors that came with READY. -1: what the plan needs is not among them; s has failed then. */
int limits_take(struct supervisor *s, struct message_extras *extras);
void limits_begin(struct supervisor *s); /* the command was executed */
void limits_hear_forks(struct supervisor *s, short events);
void limits_look(struct supervisor *s);
void limits_let_go(struct supervisor *s); /* before it is asked to end: it must be able to */
void limits_kill(struct supervisor *s);
/* Into s->end; largest_bytes: of its processes, the one that was. After everything has ended. */
void limits_measure(struct supervisor *s, uint64_t largest_bytes);
void limits_release(struct supervisor *s);

#endif

/* How much memory a command uses, where no cgroup counts it: a cheap sum each time, the exact one when that could be too much. */
#ifndef SANDBOX_MEMORY_METER_H
#define SANDBOX_MEMORY_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/census.h"

#define METER_TMPFS_MAX 12

/* What a process had when the exact sum was made. */
struct meter_mark {
	pid_t pid;
	uint64_t start, resident_bytes, faults;
};

struct memory_meter {
	uint64_t limit_bytes;
	int tmpfs_fds[METER_TMPFS_MAX]; /* roots of the private ones; owned */
	size_t tmpfs_count;
	int shm_fd; /* /proc/sysvipc/shm of the command's own ipc namespace; -1: it has none */

	uint64_t exact_bytes;       /* the last exact sum */
	uint64_t exact_files_bytes; /* of it, what lies in files of memory */
	int64_t rested_ms; /* until then no exact sum is made: they would take all our time */
	struct meter_mark *marks; /* of that moment */
	size_t mark_count, mark_cap;

	uint64_t memfd_bytes;   /* at the last look through all descriptors */
	uint64_t memfd_dev;     /* 0: not known yet */
	uint64_t shared_system; /* shared memory of the whole machine at that time */
	unsigned looks_left;    /* until the next one in any case */
	uint64_t peak_bytes;
};

#define MEMORY_METER_INIT                                                                          \
	{                                                                                          \
		.shm_fd = -1                                                                       \
	}

/* What a tree uses is what each process has alone, its share of what several have, and what lies in files of memory (tmpfs,
   memfd, System V), mapped or not. Since the last exact sum that grew at most by what became resident and by a page for each
   fault (a fork's copy shows only there); while that stays below the limit nothing more is read. Returns true when the limit
   was passed; the census may be taken anew for that. `exact`: measure in any case; the figure is in exact_bytes then.
   One process that has passed the limit by itself needs no sum. */
bool memory_meter_look(struct memory_meter *meter, struct census *census, bool exact);
/* What is used now, but for copies that forks made since the last exact sum. */
uint64_t memory_meter_estimate(const struct memory_meter *meter, const struct census *census);
void memory_meter_release(struct memory_meter *meter);

#endif

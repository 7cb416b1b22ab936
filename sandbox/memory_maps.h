/* The exact memory of one process, from its own maps. */
#ifndef SANDBOX_MEMORY_MAPS_H
#define SANDBOX_MEMORY_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct memory_share {
	uint64_t own_bytes;    /* its proportional share of all but shared memory */
	uint64_t shared_bytes; /* the same of shared memory: memfd, tmpfs, System V, anonymous */
};

/* From smaps_rollup, below proc_fd (-1: /proc). 0 or -1: it may not be read, or the process is gone. Milliseconds for a
   large process. */
int memory_share_of(int proc_fd, pid_t pid, struct memory_share *ret);
/* What a process has of anonymous memory, as far as the kernel has counted: each page of it is another one, so a tree has at
   least what the largest of its processes has. Cheap at any size. 0 when it is gone. */
uint64_t memory_anonymous_of(int proc_fd, pid_t pid);
/* Of shared memory only what no file system and no descriptor shows. all_unseen: segments and /dev/shm count too, since
   nothing else shows them. */
uint64_t memory_unseen_of(int proc_fd, pid_t pid, bool all_unseen);

#endif

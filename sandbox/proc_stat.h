/* What /proc says of one process. */
#ifndef SANDBOX_PROC_STAT_H
#define SANDBOX_PROC_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
	pid_t pid, parent, group; /* as this /proc numbers them */
	uint64_t start;           /* in clock ticks since boot: with pid, its identity */
	char state;               /* 'R' 'S' 'D' 'T' 'Z' ... */
	bool ending;              /* zombie or on its way, with no thread left that runs on */
	uint64_t faults;          /* minor ones */
	uint64_t cpu_us;          /* its own and that of the children it has reaped */
	uint64_t resident_bytes;
	uint32_t threads;
};

/* Reads PID/stat below the directory proc_fd (-1: /proc). 0 or -1: gone. */
int proc_stat_read(int proc_fd, pid_t pid, struct proc_stat *ret);
/* The same of one file, such as 12/task/14/stat. */
int proc_stat_read_file(int proc_fd, const char *name, struct proc_stat *ret);

/* Reads a file of a /proc, at most size - 1 bytes, NUL terminated. 0: gone or empty. */
size_t proc_read(int proc_fd, const char *name, char *buf, size_t size);

#endif

#include "config.h"

#include "sandbox/proc_stat.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"

#define EXITING_FLAG 0x4 /* PF_EXITING in field 9 of /proc/PID/stat; proc(5) */

/* Numbers of the fields of /proc/PID/stat; proc(5). */
enum {
	FIELD_PARENT = 4,
	FIELD_GROUP = 5,
	FIELD_FLAGS = 9,
	FIELD_MINFLT = 10,
	FIELD_UTIME = 14, /* then stime, cutime, cstime */
	FIELD_CSTIME = 17,
	FIELD_THREADS = 20,
	FIELD_START = 22,
	FIELD_RSS = 24,
	FIELD_END
};

size_t proc_read(int proc_fd, const char *name, char *buf, size_t size)
{
	char path[80];
	if (proc_fd < 0) {
		snprintf(path, sizeof(path), "/proc/%s", name);
		name = path;
	}
	FD_AUTO int fd = openat(proc_fd, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	/* One read gives a page at most. */
	size_t len = 0;
	for (ssize_t n; len < size - 1 && (n = read(fd, buf + len, size - 1 - len)) > 0;)
		len += (size_t)n;
	buf[len] = '\0';
	return len;
}

static uint64_t ticks_to_us(uint64_t ticks)
{
	static long per_second;
	if (per_second == 0)
		per_second = sysconf(_SC_CLK_TCK);
	return ticks * 1000000u / (uint64_t)(per_second > 0 ? per_second : 100);
}

static void fill(const uint64_t fields[FIELD_END], char state, struct proc_stat *ret)
{
	uint64_t ticks = 0;
	for (unsigned i = FIELD_UTIME; i <= FIELD_CSTIME; i++)
		ticks += fields[i];
	bool dead = state == 'Z' || state == 'X' || (fields[FIELD_FLAGS] & EXITING_FLAG);
	*ret = (struct proc_stat){.parent = (pid_t)fields[FIELD_PARENT],
		.group = (pid_t)fields[FIELD_GROUP],
		.start = fields[FIELD_START],
		.state = state,
		/* A first thread that ended alone looks like a zombie while the others run on. */
		.ending = dead && fields[FIELD_THREADS] <= 1,
		.faults = fields[FIELD_MINFLT],
		.cpu_us = ticks_to_us(ticks),
		.resident_bytes = fields[FIELD_RSS] * (uint64_t)sysconf(_SC_PAGESIZE),
		.threads = (uint32_t)fields[FIELD_THREADS]};
}

/* proc(5): "pid (comm) state ppid ..."; comm may hold blanks and parentheses, so the last one counts. */
int proc_stat_read_file(int proc_fd, const char *name, struct proc_stat *ret)
{
	char text[1024];
	if (!proc_read(proc_fd, name, text, sizeof(text)))
		return -1;
	char *at = strrchr(text, ')');
	if (!at || at[1] != ' ')
		return -1;
	at += 2;
	char state = *at++;
	uint64_t fields[FIELD_END] = {0};
	for (unsigned i = FIELD_PARENT; i < FIELD_END; i++) {
		char *end;
		fields[i] = strtoull(at, &end, 10);
		if (end == at)
			return -1;
		at = end;
	}
	fill(fields, state, ret);
	ret->pid = (pid_t)strtol(text, NULL, 10);
	return 0;
}

int proc_stat_read(int proc_fd, pid_t pid, struct proc_stat *ret)
{
	char name[40];
	snprintf(name, sizeof(name), "%d/stat", (int)pid);
	return proc_stat_read_file(proc_fd, name, ret);
}

#include "config.h"

#include "sandbox/memory_maps.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/proc_stat.h"

#define KIB 1024u

static FILE *open_maps(int proc_fd, pid_t pid, const char *name)
{
	char path[64];
	snprintf(path, sizeof(path), "%s%d/%s", proc_fd < 0 ? "/proc/" : "", (int)pid, name);
	int fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? NULL : fdopen(fd, "r");
}

static bool take_figure(const char *line, const char *name, uint64_t *ret)
{
	size_t len = strlen(name);
	if (strncmp(line, name, len) != 0)
		return false;
	*ret = strtoull(line + len, NULL, 10) * KIB;
	return true;
}

static bool find_figure(const char *text, const char *name, uint64_t *ret)
{
	const char *at = strstr(text, name);
	return at && take_figure(at, name, ret);
}

/* Not by a stream: one that is closed before its end seeks, and a seek makes the kernel walk all pages once more. */
int memory_share_of(int proc_fd, pid_t pid, struct memory_share *ret)
{
	char name[32], text[2048];
	uint64_t all, shared = 0;
	snprintf(name, sizeof(name), "%d/smaps_rollup", (int)pid);
	if (!proc_read(proc_fd, name, text, sizeof(text)) || !find_figure(text, "\nPss:", &all))
		return -1;
	find_figure(text, "\nPss_Shmem:", &shared);
	*ret = (struct memory_share){all > shared ? all - shared : 0, shared};
	return 0;
}

/* "7f12-7f34 rw-s 00000000 00:01 1027 /dev/zero (deleted)" */
static bool is_unseen(const char *heading, bool all_unseen)
{
	static const char *const names[] = {" /dev/zero", " /SYSV", " /dev/shm/"};
	for (size_t i = 0; i < (all_unseen ? ARRAY_LEN(names) : 1); i++)
		if (strstr(heading, names[i]))
			return true;
	return false;
}

uint64_t memory_unseen_of(int proc_fd, pid_t pid, bool all_unseen)
{
	char line[512];
	uint64_t sum = 0, share;
	bool counts = false;
	FILE *file = open_maps(proc_fd, pid, "smaps");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (isdigit((unsigned char)line[0]) || islower((unsigned char)line[0]))
			counts = is_unseen(line, all_unseen);
		else if (counts && take_figure(line, "Pss:", &share))
			sum += share;
	fclose(file);
	return sum;
}

uint64_t memory_anonymous_of(int proc_fd, pid_t pid)
{
	char name[32], text[128];
	unsigned long long size, resident, shared;
	snprintf(name, sizeof(name), "%d/statm", (int)pid);
	if (!proc_read(proc_fd, name, text, sizeof(text)) ||
		sscanf(text, "%llu %llu %llu", &size, &resident, &shared) != 3 || shared > resident)
		return 0;
	return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

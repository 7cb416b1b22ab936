#include "config.h"

#include "sandbox/cgroup_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "sandbox/cgroup.h"
#include "sandbox/namespaces.h"
#include "sandbox/proc_stat.h"

#define PERIOD_US 100000 /* the kernel's default */
#define REMOVE_TRIES 20

static int write_value(int dir_fd, const char *name, const char *text)
{
	FD_AUTO int fd = openat(dir_fd, name, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	return write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
}

static int set_number(int dir_fd, const char *name, uint64_t value, struct err *err)
{
	char text[32];
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return write_value(dir_fd, name, text) ? err_set_errno(err, "setting %s", name) : 0;
}

/* "name value" lines. */
static uint64_t read_figure(int dir_fd, const char *file, const char *name)
{
	char text[8192];
	size_t len = strlen(name);
	if (dir_fd < 0 || !proc_read(dir_fd, file, text, sizeof(text)))
		return 0;
	for (const char *at = text; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, name, len) == 0 && at[len] == ' ')
			return strtoull(at + len, NULL, 10);
	}
	return 0;
}

static int make_dir(const char *parent, char **ret_path, int *ret_fd, struct err *err)
{
	uint64_t pidns = 0;
	struct err unknown = ERR_INIT;
	/* 0: nobody can tell whose pid it is, and the group is never taken for a dead one's. */
	namespace_inode(PLAN_NS_PID, &pidns, &unknown);
	MEM_AUTO char *path = mem_printf("%s/" CGROUP_PREFIX "%d-%lld-%llu", parent, (int)getpid(),
		(long long)clock_mono_ms(), (unsigned long long)pidns);
	if (mkdir(path, 0755) != 0)
		return err_set_errno(err, "making a control group in %s", parent);
	*ret_path = STEAL(path);
	*ret_fd = open(*ret_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return *ret_fd < 0 ? err_set_errno(err, "%s", *ret_path) : 0;
}

static int open_members(int dir_fd, const char *name, int *ret_fd, struct err *err)
{
	*ret_fd = openat(dir_fd, name, O_WRONLY | O_CLOEXEC);
	return *ret_fd < 0 ? err_set_errno(err, "opening %s of a control group", name) : 0;
}

static int limit_memory(struct cgroup_run *run, uint64_t bytes, struct err *err)
{
	if (set_number(
		    run->memory_fd, run->v2 ? "memory.max" : "memory.limit_in_bytes", bytes, err))
		return -1;
	/* Without these the limit could be passed into the swap. A kernel without swap accounting has no such file. */
	char text[32];
	snprintf(text, sizeof(text), "%llu", run->v2 ? 0 : (unsigned long long)bytes);
	write_value(
		run->memory_fd, run->v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes", text);
	if (run->v2)
		write_value(run->memory_fd, "memory.oom.group", "1");
	return 0;
}

static int limit_cpu(int dir_fd, bool v2, uint32_t percent, struct err *err)
{
	char text[48];
	uint64_t quota_us = (uint64_t)percent * (PERIOD_US / 100);
	if (!v2)
		return set_number(dir_fd, "cpu.cfs_quota_us", quota_us, err);
	snprintf(text, sizeof(text), "%llu %d", (unsigned long long)quota_us, PERIOD_US);
	return write_value(dir_fd, "cpu.max", text) ? err_set_errno(err, "setting cpu.max") : 0;
}

static int make_memory(struct cgroup_run *run, const struct plan *plan, struct err *err)
{
	if (make_dir(plan->cgroup_memory, &run->memory_path, &run->memory_fd, err))
		return -1;
	return limit_memory(run, plan->memory_bytes, err);
}

/* Version 1 has a tree for each controller. */
static int make_v1(struct cgroup_run *run, const struct plan *plan, struct err *err)
{
	FD_AUTO int cpu_fd = -1;
	if (plan->cgroup_memory &&
		(make_memory(run, plan, err) ||
			open_members(run->memory_fd, "tasks", &run->join_fds[0], err)))
		return -1;
	if (!plan->cgroup_cpu)
		return 0;
	if (make_dir(plan->cgroup_cpu, &run->cpu_path, &cpu_fd, err) ||
		limit_cpu(cpu_fd, false, plan->cpu_percent, err))
		return -1;
	return open_members(cpu_fd, "tasks", &run->join_fds[1], err);
}

static int make_v2(struct cgroup_run *run, const struct plan *plan, struct err *err)
{
	if (make_memory(run, plan, err))
		return -1;
	if (plan->cgroup_cpu && limit_cpu(run->memory_fd, true, plan->cpu_percent, err))
		return -1;
	run->into_fd = run->memory_fd;
	return open_members(run->memory_fd, "cgroup.procs", &run->join_fds[0], err);
}

int cgroup_run_make(struct cgroup_run *run, const struct plan *plan, struct err *err)
{
	*run = (struct cgroup_run)CGROUP_RUN_INIT;
	run->v2 = plan->cgroup_v2;
	if ((run->v2 && plan->cgroup_memory ? make_v2 : make_v1)(run, plan, err) == 0)
		return 0;
	cgroup_run_remove(run);
	return -1;
}

uint64_t cgroup_run_oom_kills(const struct cgroup_run *run)
{
	return read_figure(
		run->memory_fd, run->v2 ? "memory.events" : "memory.oom_control", "oom_kill");
}

uint64_t cgroup_run_memory(const struct cgroup_run *run)
{
	return read_figure(run->memory_fd, "memory.stat", run->v2 ? "anon" : "total_rss") +
	       read_figure(run->memory_fd, "memory.stat", run->v2 ? "shmem" : "total_shmem");
}

void cgroup_run_kill(const struct cgroup_run *run)
{
	if (run->v2 && run->memory_fd >= 0)
		write_value(run->memory_fd, "cgroup.kill", "1");
}

static void remove_dir(char **path)
{
	/* The last one may still be on its way out. */
	for (int i = 0; *path && i < REMOVE_TRIES && rmdir(*path) != 0 && errno == EBUSY; i++)
		poll(NULL, 0, 1);
	free(*path);
	*path = NULL;
}

void cgroup_run_remove(struct cgroup_run *run)
{
	fd_close(&run->memory_fd);
	fd_close(&run->join_fds[0]);
	fd_close(&run->join_fds[1]);
	run->into_fd = -1;
	remove_dir(&run->memory_path);
	remove_dir(&run->cpu_path);
}

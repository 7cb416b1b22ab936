#include "config.h"

#include "sandbox/launcher.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "sandbox/fork_filter.h"

static void add(struct launcher *l, int fd)
{
	if (fd < 0)
		return;
	if (l->report_count < READY_FDS_MAX)
		l->report_fds[l->report_count++] = fd;
	else
		close(fd);
}

static void add_named(struct launcher *l, enum ready_flags flag, int fd)
{
	if (fd >= 0)
		l->ready.message.flags |= flag;
	add(l, fd);
}

static bool is_reported(const struct launcher *l, const struct stat *st)
{
	struct stat other;
	for (size_t i = 0; i < l->report_count; i++)
		if (fstat(l->report_fds[i], &other) == 0 && other.st_dev == st->st_dev)
			return true;
	return false;
}

/* What lies in a private tmpfs is memory of the command, though no process has it mapped. */
static void add_tmpfs(struct launcher *l, const char *path)
{
	FD_AUTO int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	struct statfs fs;
	if (fd < 0 || fstat(fd, &st) != 0 || fstatfs(fd, &fs) != 0 || fs.f_type != TMPFS_MAGIC ||
		is_reported(l, &st))
		return;
	add(l, fd);
	fd = -1;
}

static void add_tmpfs_below_home(struct launcher *l)
{
	static const char *const names[] = {"", ".cache", ".npm"};
	for (size_t i = 0; l->plan.home && i < ARRAY_LEN(names); i++) {
		MEM_AUTO char *path = path_join(l->plan.home, names[i]);
		add_tmpfs(l, path);
	}
}

/* Before Landlock; in the order of ready_flags, the tmpfs last. All of it is what the supervisor could not reach from
   outside: its own /proc numbers otherwise, and a wrapper may keep it out of ours. */
void launcher_open_reports(struct launcher *l)
{
	static const char *const roots[] = {"/", "/tmp", "/dev/shm", "/var/tmp", "/run"};
	const struct plan *plan = &l->plan;
	if (l->streams)
		return;
	if (plan->proofs & PLAN_PROOF_PIDNS)
		add_named(l, READY_PROC, open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	bool sampled = plan->memory_bytes && !plan->cgroup_memory;
	if (sampled && (plan->proofs & PLAN_PROOF_IPCNS))
		add_named(l, READY_SHM, open("/proc/sysvipc/shm", O_RDONLY | O_CLOEXEC));
	if (plan->proofs & PLAN_PROOF_MOUNTNS)
		add_named(l, READY_MOUNTS, open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
	if (!sampled)
		return;
	if (!(plan->proofs & PLAN_PROOF_MOUNTNS) && plan->wrapper.count == 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(roots); i++)
		add_tmpfs(l, roots[i]);
	add_tmpfs_below_home(l);
}

/* By itself: the kernel lets it join at once then, while to move another process it waits until all processors are through
   with what they do. */
int launcher_join_groups(struct launcher *l, struct err *err)
{
	static union message_buffer incoming;
	struct message_extras extras;
	struct pollfd status = {.fd = LAUNCHER_FD_STATUS, .events = POLLIN};
	int got = 0, result = 0;
	if (l->streams || !plan_has_groups_to_join(&l->plan))
		return 0;
	while (got == 0) {
		poll(&status, 1, -1);
		got = message_receive(LAUNCHER_FD_STATUS, &incoming, &extras);
	}
	if (got < 0 || incoming.message.kind != MSG_JOIN)
		return err_set(err, ERR_UNAVAILABLE, "the supervisor sent no control group");
	for (size_t i = 0; i < extras.fd_count; i++) {
		if (result == 0 && write(extras.fds[i], "0", 1) != 1)
			result = err_set_errno(err, "joining a control group");
		close(extras.fds[i]);
	}
	l->lost = result ? LOST_CGROUP : 0;
	return result;
}

/* The last of all: from now on each fork of ours waits for the supervisor, who does not know of it yet. */
int launcher_count_forks(struct launcher *l, struct err *err)
{
	int fd;
	bool counted = l->plan.max_processes && l->plan.counting == PLAN_COUNT_ASKED;
	if (l->streams || (!counted && !l->plan.signals_asked))
		return 0;
	/* Without namespaces the supervisor hears the questions already, and the proofs that follow start children too. */
	l->word = plan_is_flat(&l->plan) ? 0 : fork_filter_word();
	if (fork_filter_load(l->plan.signals_asked, l->word, &fd, err)) {
		l->lost = LOST_FORK_QUESTIONS;
		return -1;
	}
	if (plan_is_flat(&l->plan))
		return launcher_send_listener(l, fd, err);
	/* The first of them. */
	memmove(l->report_fds + 1, l->report_fds, l->report_count * sizeof(int));
	l->report_fds[0] = fd;
	l->report_count++;
	l->ready.message.flags |= READY_FORKS;
	return 0;
}

/* Ours are closed: when the supervisor is gone, nobody must wait for its answer. */
void launcher_close_reports(struct launcher *l)
{
	for (size_t i = 0; i < l->report_count; i++)
		fd_close(&l->report_fds[i]);
	l->report_count = 0;
}

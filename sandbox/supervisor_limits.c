#include "config.h"

#include "sandbox/supervisor_limits.h"

#include <errno.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/supervisor.h"
#include "sandbox/tree.h"

/* Between two looks; sandbox.md says why. */
#define LOOK_MS 20
#define CLOSE_LOOK_MS 4
#define CLOSE_PERCENT 70
/* With a control group, the tree is only looked at for its number of processes. */
#define CENSUS_EVERY 5
#define USAGE_MS 1000
#define RETRY_MS 1
/* A console that does not read is not to find a full socket when something important is said. */
#define UNREAD_BYTES_MAX 4096

static bool is_sampled(const struct supervisor *s)
{
	return s->plan.memory_bytes && !s->plan.cgroup_memory;
}

static bool is_shared(const struct supervisor *s)
{
	return s->plan.cpu_percent && !s->plan.cgroup_cpu;
}

static bool is_watched(const struct supervisor *s)
{
	return s->plan.max_processes && s->plan.counting == PLAN_COUNT_WATCHED;
}

int limits_prepare(struct supervisor *s, struct err *err)
{
	struct limits_run *l = &s->limits;
	if (s->plan.engine)
		return 0; /* it holds them */
	l->forks.limit = s->plan.max_processes;
	l->meter.limit_bytes = is_sampled(s) ? s->plan.memory_bytes : 0;
	l->share.percent = is_shared(s) ? s->plan.cpu_percent : 0;
	return s->plan.cgroup_v2 ? cgroup_run_make(&l->cgroup, &s->plan, err) : 0;
}

int limits_send_groups(struct supervisor *s, struct err *err)
{
	const struct message join = {.kind = MSG_JOIN};
	struct cgroup_run *cgroup = &s->limits.cgroup;
	int fds[ARRAY_LEN(cgroup->join_fds)];
	size_t count = 0;
	if (!plan_has_groups_to_join(&s->plan))
		return 0;
	if (cgroup_run_make(cgroup, &s->plan, err))
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(cgroup->join_fds); i++)
		if (cgroup->join_fds[i] >= 0)
			fds[count++] = cgroup->join_fds[i];
	/* A launcher that has hung up meanwhile says why by itself. */
	message_send_fds(s->status_fd, &join, fds, count);
	return 0;
}

pid_t limits_clone(struct supervisor *s, unsigned namespaces, int *ret_pidfd)
{
	struct limits_run *l = &s->limits;
	struct clone_args args = {
		.flags = (uint64_t)namespaces | (unsigned)CLONE_PIDFD | CLONE_INTO_CGROUP,
		.pidfd = (uint64_t)(uintptr_t)ret_pidfd,
		.exit_signal = SIGCHLD,
		.cgroup = (unsigned)l->cgroup.into_fd};
	if (l->cgroup.into_fd >= 0) {
		pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
		if (pid >= 0)
			fd_close(&l->cgroup.join_fds[0]);
		if (pid >= 0 || (errno != ENOSYS && errno != EINVAL && errno != EPERM))
			return pid;
	}
	/* Not with CLONE_VM: the child has to be dumpable for a moment, and that is a property of the memory. */
	return (pid_t)syscall(SYS_clone, (unsigned long)namespaces | CLONE_PIDFD | SIGCHLD, NULL,
		ret_pidfd, NULL, NULL);
}

int limits_join(const struct supervisor *s, pid_t pid, struct err *err)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", (int)pid);
	const struct cgroup_run *cgroup = &s->limits.cgroup;
	for (size_t i = 0; i < ARRAY_LEN(cgroup->join_fds); i++)
		if (cgroup->join_fds[i] >= 0 &&
			write(cgroup->join_fds[i], text, (size_t)len) != len)
			return err_set_errno(err, "joining the control group");
	return 0;
}

static int take(struct message_extras *extras, size_t *at, unsigned flag, unsigned flags)
{
	if (!(flags & flag) || *at >= extras->fd_count)
		return -1;
	int fd = extras->fds[*at];
	extras->fds[(*at)++] = -1;
	return fd;
}

/* A wrapper may leave one of the host's in its place, which holds what others wrote. */
static bool is_the_hosts(int tmpfs_fd)
{
	static const char *const paths[] = {"/", "/tmp", "/dev/shm", "/var/tmp", "/run"};
	struct stat inner, outer;
	if (fstat(tmpfs_fd, &inner) != 0)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		if (stat(paths[i], &outer) == 0 && outer.st_dev == inner.st_dev)
			return true;
	return false;
}

static void take_tmpfs(const struct plan *plan, struct memory_meter *meter,
	struct message_extras *extras, size_t at)
{
	for (; meter->tmpfs_count < METER_TMPFS_MAX && at < extras->fd_count; at++) {
		/* On a root of our own nothing is the host's. */
		if (!(plan->proofs & PLAN_PROOF_MOUNTNS) && is_the_hosts(extras->fds[at]))
			continue;
		meter->tmpfs_fds[meter->tmpfs_count++] = extras->fds[at];
		extras->fds[at] = -1;
	}
}

void limits_hear_from(struct supervisor *s, struct message_extras *extras)
{
	struct limits_run *l = &s->limits;
	if (s->phase != PHASE_SETUP || !plan_is_flat(&s->plan) || extras->fd_count != 1 ||
		l->forks.fd >= 0)
		return;
	/* By the kernel's word for who sent it, as with READY. */
	fork_counter_listen(&l->forks, extras->fds[0], extras->pid);
	extras->fds[0] = -1;
	l->census.launcher = extras->pid;
}

int limits_take(struct supervisor *s, struct message_extras *extras)
{
	struct limits_run *l = &s->limits;
	struct memory_meter *meter = &l->meter;
	unsigned flags = s->incoming.message.flags;
	size_t at = 0;
	if (l->forks.fd < 0)
		fork_counter_listen(
			&l->forks, take(extras, &at, READY_FORKS, flags), s->launcher_pid);
	l->census.proc_fd = take(extras, &at, READY_PROC, flags);
	l->census.launcher = l->census.proc_fd >= 0 ? s->incoming.message.pid : s->launcher_pid;
	meter->shm_fd = take(extras, &at, READY_SHM, flags);
	s->mounts_fd = take(extras, &at, READY_MOUNTS, flags);
	take_tmpfs(&s->plan, meter, extras, at);
	if (s->plan.engine || s->plan.max_processes == 0 || is_watched(s) || l->forks.fd >= 0)
		return 0;
	supervisor_fail(s, STAGE_LIMITS, 0, "nobody will ask before a new process");
	return -1;
}

/* --- usage --------------------------------------------------------------------------------- */

static void fill_usage(struct supervisor *s, struct message_usage *ret)
{
	struct limits_run *l = &s->limits;
	*ret = (struct message_usage){.processes_refused = l->forks.refused,
		.processes = (uint32_t)l->census.alive,
		.processes_peak = (uint32_t)l->forks.peak};
	if (l->counted || s->plan.counting == PLAN_COUNT_ASKED)
		ret->measured |= MEASURED_PROCESSES;
	if (l->cgroup.memory_fd >= 0) {
		ret->memory_bytes = l->group_bytes;
	} else {
		ret->memory_bytes = l->meter.exact_bytes;
		ret->memory_peak_bytes = l->meter.peak_bytes;
	}
	if (l->memory_peak > ret->memory_peak_bytes)
		ret->memory_peak_bytes = l->memory_peak;
	if (ret->memory_peak_bytes)
		ret->measured |= MEASURED_MEMORY;
}

static void tell_usage(struct supervisor *s, int64_t now_ms)
{
	struct message usage = {.kind = MSG_USAGE,
		.elapsed_ms = (uint64_t)(now_ms - s->started_ms),
		.cpu_us = census_cpu_us(&s->limits.census)};
	int unread = 0;
	fill_usage(s, &usage.usage);
	if (ioctl(s->control_fd, SIOCOUTQ, &unread) == 0 && unread < UNREAD_BYTES_MAX)
		message_send(s->control_fd, &usage);
}

static void tell_limit(struct supervisor *s, enum limit_hit hit)
{
	struct message limit = {.kind = MSG_LIMIT, .value = hit};
	fill_usage(s, &limit.usage);
	supervisor_tell(s, &limit);
}

/* All of it at once: what goes on would only take more. */
static void end_by(struct supervisor *s, enum limit_hit hit, enum stop_cause cause)
{
	s->end.cause = cause;
	s->end.flags |= ENDED_BY_KILL;
	/* The end of a namespace begins when the processor next comes to its first process, and takes the others after it. */
	tree_signal(s->launcher_pid, s->launcher_pidfd, SIGKILL);
	tell_limit(s, hit);
	s->phase = PHASE_OVER;
	s->due_ms = NEVER_MS;
}

/* --- looking ------------------------------------------------------------------------------- */

static void set_due(struct supervisor *s)
{
	struct limits_run *l = &s->limits;
	l->due_ms = l->look_ms < l->usage_ms ? l->look_ms : l->usage_ms;
	if (l->forks.held_count) {
		int64_t retry_ms = clock_mono_ms() + RETRY_MS;
		l->due_ms = retry_ms < l->due_ms ? retry_ms : l->due_ms;
	}
}

void limits_begin(struct supervisor *s)
{
	if (s->plan.engine)
		return;
	s->limits.look_ms = s->started_ms + LOOK_MS;
	s->limits.usage_ms = s->started_ms + USAGE_MS;
	set_due(s);
}

void limits_hear_forks(struct supervisor *s, short events)
{
	struct limits_run *l = &s->limits;
	if (events & POLLHUP)
		fd_close(&l->forks.fd); /* nobody is left who could ask */
	else if (fork_counter_hear(&l->forks, &l->census, clock_mono_ms()))
		tell_limit(s, LIMIT_HIT_PROCESSES);
	if (s->limits.due_ms != NEVER_MS)
		set_due(s);
}

static void take_census(struct supervisor *s)
{
	struct limits_run *l = &s->limits;
	census_take(&l->census);
	l->counted = true;
	if (census_cpu_us(&l->census) > l->cpu_us)
		l->cpu_us = census_cpu_us(&l->census);
	if (is_watched(s) && l->census.alive > l->forks.peak)
		l->forks.peak = l->census.alive;
	else
		fork_counter_note(&l->forks, l->census.alive);
}

/* Until the next look: sooner when there is little left, or when at this pace it would not last for two of them. */
static int64_t memory_wait_ms(struct limits_run *l, uint64_t estimate)
{
	uint64_t limit = l->meter.limit_bytes;
	int64_t now_ms = clock_mono_ms(), passed_ms = now_ms - l->estimate_ms;
	uint64_t grown = estimate > l->estimate ? estimate - l->estimate : 0;
	l->estimate = estimate;
	l->estimate_ms = now_ms;
	if (limit == 0)
		return LOOK_MS;
	if (estimate >= limit / 100 * CLOSE_PERCENT)
		return CLOSE_LOOK_MS;
	uint64_t ahead = passed_ms > 0 ? grown / (uint64_t)passed_ms * LOOK_MS * 2 : 0;
	return estimate + ahead > limit ? CLOSE_LOOK_MS : LOOK_MS;
}

/* The kernel has killed one of them; the others would only be next. */
static void look_at_group(struct supervisor *s, bool figures)
{
	struct limits_run *l = &s->limits;
	bool killed = cgroup_run_oom_kills(&l->cgroup) > 0;
	if (figures)
		l->group_bytes = cgroup_run_memory(&l->cgroup);
	if (killed)
		l->group_bytes = s->plan.memory_bytes;
	if (l->group_bytes > l->memory_peak)
		l->memory_peak = l->group_bytes;
	if (killed)
		end_by(s, LIMIT_HIT_MEMORY, STOP_MEMORY);
}

static int64_t look_at_memory(struct supervisor *s, bool exact)
{
	struct limits_run *l = &s->limits;
	if (l->cgroup.memory_fd >= 0) {
		look_at_group(s, exact || l->looks % CENSUS_EVERY == 0);
		return LOOK_MS;
	}
	if (memory_meter_look(&l->meter, &l->census, exact)) {
		end_by(s, LIMIT_HIT_MEMORY, STOP_MEMORY);
		return LOOK_MS;
	}
	return memory_wait_ms(l, memory_meter_estimate(&l->meter, &l->census));
}

static void look_at_tree(struct supervisor *s, int64_t now_ms, bool usage)
{
	struct limits_run *l = &s->limits;
	if (is_sampled(s) || is_shared(s) || is_watched(s) || usage ||
		l->looks++ % CENSUS_EVERY == 0)
		take_census(s);
	int64_t wait_ms = look_at_memory(s, usage);
	if (s->phase == PHASE_OVER)
		return;
	if (is_watched(s) && l->census.alive > s->plan.max_processes) {
		end_by(s, LIMIT_HIT_PROCESSES, STOP_PROCESSES);
		return;
	}
	int64_t share_ms = cpu_share_look(
		&l->share, census_cpu_us(&l->census), now_ms, s->launcher_pid, s->launcher_pidfd);
	l->look_ms = now_ms + (share_ms && share_ms < wait_ms ? share_ms : wait_ms);
}

void limits_look(struct supervisor *s)
{
	struct limits_run *l = &s->limits;
	int64_t now_ms = clock_mono_ms();
	if (l->forks.held_count && fork_counter_retry(&l->forks, &l->census, now_ms))
		tell_limit(s, LIMIT_HIT_PROCESSES);
	bool usage = now_ms >= l->usage_ms;
	if (usage || now_ms >= l->look_ms)
		look_at_tree(s, now_ms, usage);
	if (usage && s->phase != PHASE_OVER) {
		tell_usage(s, now_ms);
		l->usage_ms = now_ms + USAGE_MS;
	}
	set_due(s);
}

/* --- the end ------------------------------------------------------------------------------- */

void limits_let_go(struct supervisor *s)
{
	cpu_share_resume(&s->limits.share);
	s->limits.share.percent = 0;
}

void limits_kill(struct supervisor *s)
{
	/* A namespace that is killed forgets what its processes used. */
	if (s->limits.due_ms != NEVER_MS && !s->limits.census.shell_ended)
		take_census(s);
	cgroup_run_kill(&s->limits.cgroup);
}

void limits_measure(struct supervisor *s, uint64_t largest_bytes)
{
	struct limits_run *l = &s->limits;
	if (largest_bytes > l->memory_peak)
		l->memory_peak = largest_bytes;
	if (l->cpu_us > s->end.cpu_us)
		s->end.cpu_us = l->cpu_us;
	/* Killed in the last moment, before we looked. */
	if (s->end.cause == STOP_NONE && l->cgroup.memory_fd >= 0)
		look_at_group(s, false);
	fill_usage(s, &s->end.usage);
	s->end.usage.memory_bytes = 0;
	s->end.usage.processes = 0;
}

void limits_release(struct supervisor *s)
{
	struct limits_run *l = &s->limits;
	cpu_share_release(&l->share);
	memory_meter_release(&l->meter);
	fork_counter_release(&l->forks);
	census_release(&l->census);
	fd_close(&l->census.proc_fd);
	cgroup_run_remove(&l->cgroup);
}

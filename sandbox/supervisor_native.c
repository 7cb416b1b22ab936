#include "config.h"

#include "sandbox/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/caps.h"
#include "sandbox/namespaces.h"
#include "sandbox/plan_fd.h"
#include "sandbox/start_child.h"
#include "sandbox/supervisor_limits.h"

/* What a native launcher is started with. */
struct native {
	unsigned namespaces;
	uid_t uid, outside_uid;
	gid_t gid, outside_gid;
	bool prepared;               /* it waits for its plan */
	const struct placed_fd *fds; /* LAUNCHER_FD_STATUS among them */
	size_t fd_count;
	int program_fd, status_fd;
};

/* In the cloned child, before the launcher is executed: what only its parent's program can do. */
static int prepare_native(const struct native *n, enum stage *ret_stage, struct err *err)
{
	*ret_stage = STAGE_ID_MAPS;
	if (n->namespaces & CLONE_NEWUSER) {
		/* The map files of a non-dumpable process belong to root. Nobody else is in this namespace yet. */
		prctl(PR_SET_DUMPABLE, 1);
		int result =
			namespace_map_user(n->uid, n->outside_uid, n->gid, n->outside_gid, err);
		prctl(PR_SET_DUMPABLE, 0);
		if (result)
			return -1;
		*ret_stage = STAGE_CAPABILITIES;
		/* Else the exec of any uid but 0 loses what the launcher needs for its mounts. */
		if (n->uid != 0 && caps_keep_over_exec(err))
			return -1;
	}
	/* The supervisor's hang-up is what counts; this is faster, and holds while the launcher is busy. Not where the
	   launcher has to end its tree itself. */
	if ((n->namespaces & CLONE_NEWPID) && prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		return err_set_errno(err, "asking for a signal at the parent's death");
	return 0;
}

static void report(int fd, enum stage stage, const struct err *err)
{
	struct message message = {
		.kind = MSG_FAILED, .stage = stage, .error_number = err->saved_errno};
	message_say(&message, err->text);
	message_send(fd, &message);
}

/* Out of the way of the numbers that the launcher expects, so that a failure can still be told. */
#define SPARE_FD 32

_Noreturn static void native_child(const struct supervisor *s, const struct native *n)
{
	int program_fd = fcntl(n->program_fd, F_DUPFD_CLOEXEC, SPARE_FD);
	int report_fd = fcntl(n->status_fd, F_DUPFD_CLOEXEC, SPARE_FD);
	char flags[16];
	snprintf(flags, sizeof(flags), "%u", n->namespaces);
	char *const argv[] = {
		(char *)LAUNCHER_NAME, n->prepared ? (char *)LAUNCHER_PREPARED : NULL, flags, NULL};
	char *const envp[] = {NULL};
	enum stage stage = STAGE_LIMITS;
	struct err err = ERR_INIT;
	if (limits_join(s, 0, &err) == 0 && prepare_native(n, &stage, &err) == 0) {
		stage = STAGE_WRAPPER;
		if (place_fds(n->fds, n->fd_count) == 0)
			syscall(SYS_execveat, program_fd, "", argv, envp, AT_EMPTY_PATH);
		err_set_errno(&err, "executing the launcher");
	}
	report(report_fd, stage, &err);
	_exit(1);
}

static int clone_native(struct supervisor *s, const struct native *n)
{
	int pidfd = -1;
	pid_t pid = limits_clone(s, n->namespaces, &pidfd);
	if (pid == 0)
		native_child(s, n);
	if (pid < 0)
		return -1;
	s->main_pid = pid;
	s->main_pidfd = pidfd;
	return 0;
}

static void say_refused_namespaces(struct supervisor *s, int error_number)
{
	/* Too many processes, or no memory: that says nothing about namespaces. */
	bool for_now = error_number == EAGAIN || error_number == ENOMEM;
	unsigned mask = for_now ? 0 : namespaces_refused(s->plan.namespaces);
	char text[sizeof(s->end.text)];
	size_t len = 0;
	for (unsigned ns = 0; ns < PLAN_NS_COUNT; ns++)
		if (mask & (1u << ns))
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
				len ? ", " : "", namespace_words(ns));
	if (!mask)
		snprintf(text, sizeof(text), "these namespaces together: %s",
			strerror(error_number));
	else
		snprintf(text + len, sizeof(text) - len, " namespace refused: %s",
			strerror(error_number));
	supervisor_fail(s, STAGE_NAMESPACES, error_number, text);
	s->end.value = mask;
}

void supervisor_start_native(struct supervisor *s, const int fds[PLAN_FD_COUNT], int status_fd)
{
	const struct placed_fd placed[] = {{fds[PLAN_FD_STDIN], 0}, {fds[PLAN_FD_OUTPUT_WRITE], 1},
		{fds[PLAN_FD_OUTPUT_WRITE], 2}, {status_fd, LAUNCHER_FD_STATUS},
		{fds[PLAN_FD_PLAN], LAUNCHER_FD_PLAN}};
	const struct native n = {.namespaces = s->plan.namespaces,
		.uid = s->plan.uid,
		.outside_uid = geteuid(),
		.gid = s->plan.gid,
		.outside_gid = getegid(),
		.fds = placed,
		.fd_count = ARRAY_LEN(placed),
		.program_fd = fds[PLAN_FD_LAUNCHER],
		.status_fd = status_fd};
	if (clone_native(s, &n) != 0)
		say_refused_namespaces(s, errno);
}

static bool are_namespaces(uint64_t flags)
{
	for (unsigned ns = 0; ns < PLAN_NS_COUNT; ns++)
		flags &= ~(uint64_t)namespace_flag(ns);
	return flags == 0;
}

void supervisor_prepare(struct supervisor *s, int program_fd)
{
	struct err err = ERR_INIT;
	FD_AUTO int status_fd = -1;
	uint64_t namespaces = s->incoming.message.value;
	supervisor_end_waiting(s);
	if (!s->in_reach || s->prepared || namespaces == 0 || !are_namespaces(namespaces) ||
		supervisor_pair(s, &status_fd, &err))
		return;
	const struct placed_fd placed[] = {{status_fd, LAUNCHER_FD_STATUS}};
	const struct native n = {.namespaces = (unsigned)namespaces,
		.uid = geteuid(),
		.outside_uid = geteuid(),
		.gid = getegid(),
		.outside_gid = getegid(),
		.prepared = true,
		.fds = placed,
		.fd_count = ARRAY_LEN(placed),
		.program_fd = program_fd,
		.status_fd = status_fd};
	if (clone_native(s, &n) == 0)
		s->prepared = n.namespaces;
	else
		fd_close(&s->status_fd);
}

void supervisor_prepare_base(struct supervisor *s, int plan_fd)
{
	struct err err = ERR_INIT;
	const struct message message = {.kind = MSG_BASE};
	/* A launcher that has ended is seen later. */
	if (s->prepared && s->base.mount_count == 0 && plan_read_fd(plan_fd, &s->base, &err) == 0)
		message_send_fds(s->status_fd, &message, &plan_fd, 1);
}

static bool fits(const struct supervisor *s)
{
	struct err err = ERR_INIT;
	return s->prepared && !s->plan.wrapper.count && s->plan.namespaces == s->prepared &&
	       s->plan.uid == geteuid() && s->plan.gid == getegid() &&
	       plan_mounts_begin_with(&s->plan, &s->base) && limits_join(s, s->main_pid, &err) == 0;
}

static void end_prepared(struct supervisor *s)
{
	if (!s->prepared)
		return;
	siginfo_t info;
	syscall(SYS_pidfd_send_signal, s->main_pidfd, SIGKILL, NULL, 0);
	waitid(P_PIDFD, (id_t)s->main_pidfd, &info, WEXITED);
	fd_close(&s->main_pidfd);
	fd_close(&s->status_fd);
	s->main_pid = 0;
	s->prepared = 0;
}

int supervisor_send_plan(struct supervisor *s, const int fds[PLAN_FD_COUNT], struct err *err)
{
	const struct message message = {.kind = MSG_PLAN};
	const int given[PREPARED_FD_COUNT] = {
		[PREPARED_FD_PLAN] = fds[PLAN_FD_PLAN],
		[PREPARED_FD_OUTPUT] = fds[PLAN_FD_OUTPUT_WRITE],
		[PREPARED_FD_STDIN] = fds[PLAN_FD_STDIN],
	};
	/* One that ended meanwhile has said why, or its end is seen. */
	if (message_send_fds(s->status_fd, &message, given, ARRAY_LEN(given)) == 0)
		return err_set(err, ERR_SYSTEM, "the launcher does not read");
	return 0;
}

int supervisor_start_prepared(struct supervisor *s, const int fds[PLAN_FD_COUNT], struct err *err)
{
	if (!fits(s)) {
		end_prepared(s);
		return 0;
	}
	if (supervisor_send_plan(s, fds, err))
		return -1;
	/* It has more to do than we before it is ready. */
	sched_yield();
	return 1;
}

#include "config.h"

#include "sandbox/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/caps.h"
#include "sandbox/namespaces.h"
#include "sandbox/plan_fd.h"
#include "sandbox/start_child.h"

/* Longer than any healthy set-up takes on a loaded machine; a dead network file system must not hold a command for ever. */
#define SETUP_LIMIT_MS 30000

#define LAUNCHER_NAME "exequatur-launcher"

static int make_status_pair(struct supervisor *s, int *ret_theirs, struct err *err)
{
	const int on = 1;
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return err_set_errno(err, "making a socket pair");
	s->status_fd = pair[0];
	*ret_theirs = pair[1];
	/* The kernel then says in each message who sent it, by its pid here: also of a launcher that a wrapper started. */
	if (setsockopt(s->status_fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) != 0)
		return err_set_errno(err, "asking for the sender of messages");
	return 0;
}

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

_Noreturn static void native_child(const struct native *n)
{
	int program_fd = fcntl(n->program_fd, F_DUPFD_CLOEXEC, SPARE_FD);
	int report_fd = fcntl(n->status_fd, F_DUPFD_CLOEXEC, SPARE_FD);
	char flags[16];
	snprintf(flags, sizeof(flags), "%u", n->namespaces);
	char *const argv[] = {
		(char *)LAUNCHER_NAME, n->prepared ? (char *)LAUNCHER_PREPARED : NULL, flags, NULL};
	char *const envp[] = {NULL};
	enum stage stage;
	struct err err = ERR_INIT;
	if (prepare_native(n, &stage, &err) == 0) {
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
	/* Not with CLONE_VM: the child has to be dumpable for a moment, and that is a property of the memory. */
	pid_t pid = (pid_t)syscall(SYS_clone, (unsigned long)n->namespaces | CLONE_PIDFD | SIGCHLD,
		NULL, &pidfd, NULL, NULL);
	if (pid == 0)
		native_child(n);
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

static void start_native(struct supervisor *s, const int fds[PLAN_FD_COUNT], int status_fd)
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

/* Any failure here is no loss: the plan's own start tells what is wrong. */
static void prepare(struct supervisor *s, int program_fd)
{
	struct err err = ERR_INIT;
	FD_AUTO int status_fd = -1;
	uint64_t namespaces = s->incoming.message.value;
	if (s->prepared || namespaces == 0 || !are_namespaces(namespaces) ||
		make_status_pair(s, &status_fd, &err))
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

/* One message of the console before its plan is complete. 1: it was the plan. */
static int take_message(struct supervisor *s, struct message_extras *extras, struct err *err)
{
	if (s->incoming.message.kind == MSG_PREPARE && extras->fd_count == 1) {
		prepare(s, extras->fds[0]);
		close(extras->fds[0]);
		return 0;
	}
	if (s->incoming.message.kind != MSG_PLAN || extras->fd_count < PLAN_FD_WRAPPER)
		return err_set(err, ERR_INVALID, "no plan came");
	return 1;
}

int supervisor_take_plan(struct supervisor *s, int fds[PLAN_FD_COUNT], struct err *err)
{
	struct message_extras extras;
	struct pollfd poll_control = {.fd = s->control_fd, .events = POLLIN};
	int got;
	do {
		poll(&poll_control, 1, -1);
		got = message_receive(s->control_fd, &s->incoming, &extras);
		if (got > 0)
			got = take_message(s, &extras, err);
		else if (got < 0)
			err_set(err, ERR_INVALID, "no plan came");
	} while (got == 0);
	if (got < 0)
		return -1;
	for (size_t i = 0; i < PLAN_FD_COUNT; i++)
		fds[i] = i < extras.fd_count ? extras.fds[i] : -1;
	if (plan_read_fd(fds[PLAN_FD_PLAN], &s->plan, err))
		return -1;
	if (s->plan.wrapper.count && fds[PLAN_FD_WRAPPER] < 0)
		return err_set(err, ERR_INVALID, "the wrapper's descriptor is missing");
	return 0;
}

static int start_wrapped(
	struct supervisor *s, const int fds[PLAN_FD_COUNT], int status_fd, struct err *err)
{
	int words[2];
	if (pipe2(words, O_CLOEXEC | O_NONBLOCK) != 0)
		return err_set_errno(err, "making a pipe");
	s->words_fd = words[0];
	FD_AUTO int words_end = words[1];
	/* A wrapper keeps its own 1 and 2 open as long as it lives; the command's output must not be among them, or its
	   end would never be seen. */
	const struct placed_fd placed[] = {{fds[PLAN_FD_STDIN], 0}, {words_end, 1}, {words_end, 2},
		{status_fd, LAUNCHER_FD_STATUS}, {fds[PLAN_FD_PLAN], LAUNCHER_FD_PLAN},
		{fds[PLAN_FD_LAUNCHER], LAUNCHER_FD_SELF},
		{fds[PLAN_FD_OUTPUT_WRITE], LAUNCHER_FD_OUTPUT}};
	char *const no_env[] = {NULL};
	const struct start_child what = {.program_fd = fds[PLAN_FD_WRAPPER],
		.program = s->plan.wrapper.items[0],
		.argv = s->plan.wrapper.items,
		.envp = s->plan.env.count ? s->plan.env.items : no_env,
		.fds = placed,
		.fd_count = ARRAY_LEN(placed)};
	return start_child(&what, &s->main_pid, &s->main_pidfd, err);
}

static int start_bare(
	struct supervisor *s, const int fds[PLAN_FD_COUNT], int status_fd, struct err *err)
{
	const struct placed_fd placed[] = {{fds[PLAN_FD_STDIN], 0}, {fds[PLAN_FD_OUTPUT_WRITE], 1},
		{fds[PLAN_FD_OUTPUT_WRITE], 2}, {status_fd, LAUNCHER_FD_STATUS},
		{fds[PLAN_FD_PLAN], LAUNCHER_FD_PLAN}};
	char *const argv[] = {(char *)LAUNCHER_NAME, NULL};
	char *const envp[] = {NULL};
	const struct start_child what = {.program_fd = fds[PLAN_FD_LAUNCHER],
		.program = LAUNCHER_NAME,
		.argv = argv,
		.envp = envp,
		.fds = placed,
		.fd_count = ARRAY_LEN(placed)};
	return start_child(&what, &s->main_pid, &s->main_pidfd, err);
}

static bool fits(const struct supervisor *s)
{
	return s->prepared && !s->plan.wrapper.count && s->plan.namespaces == s->prepared &&
	       s->plan.uid == geteuid() && s->plan.gid == getegid();
}

static int start_prepared(struct supervisor *s, const int fds[PLAN_FD_COUNT], struct err *err)
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

static int start_anew(struct supervisor *s, const int fds[PLAN_FD_COUNT], struct err *err)
{
	FD_AUTO int status_fd = -1;
	end_prepared(s);
	if (make_status_pair(s, &status_fd, err))
		return -1;
	if (s->plan.wrapper.count)
		return start_wrapped(s, fds, status_fd, err);
	if (!s->plan.namespaces)
		return start_bare(s, fds, status_fd, err);
	start_native(s, fds, status_fd);
	return 0;
}

void supervisor_start(struct supervisor *s, int fds[PLAN_FD_COUNT])
{
	struct err err = ERR_INIT;
	if (fits(s) ? start_prepared(s, fds, &err) : start_anew(s, fds, &err))
		supervisor_fail(s, STAGE_WRAPPER, err.saved_errno, err.text);
	/* Only the read end stays: its hang-up must mean that no process of the command writes any more. */
	s->output_fd = fds[PLAN_FD_OUTPUT_READ];
	for (int i = 0; i < PLAN_FD_COUNT; i++)
		if (i != PLAN_FD_OUTPUT_READ)
			fd_close(&fds[i]);
	s->due_ms = clock_mono_ms() + SETUP_LIMIT_MS;
}

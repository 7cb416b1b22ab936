#include "config.h"

#include "sandbox/start_child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLACED_FDS_MAX 16
/* Above every number that a program of ours expects. */
#define FIRST_FREE_FD 24
#define STACK_BYTES (32 * 1024)

/* What getdents64(2) gives. */
struct entry {
	uint64_t inode, next;
	unsigned short size;
	unsigned char type;
	char name[];
};

static int number_of(const char *name)
{
	int number = 0;
	for (; *name >= '0' && *name <= '9'; name++)
		number = number * 10 + (*name - '0');
	return *name == '\0' ? number : -1; /* "." and ".." */
}

/* One by one, before Linux 5.11. */
static int close_listed(int highest)
{
	char buf[2048] __attribute__((aligned(8)));
	int dir_fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n = -1;
	if (dir_fd < 0)
		return -1;
	while ((n = syscall(SYS_getdents64, dir_fd, buf, sizeof(buf))) > 0)
		for (long at = 0; at < n; at += ((const struct entry *)(buf + at))->size) {
			int fd = number_of(((const struct entry *)(buf + at))->name);
			if (fd > highest)
				fcntl(fd, F_SETFD, FD_CLOEXEC);
		}
	close(dir_fd);
	return n < 0 ? -1 : 0;
}

static int close_rest(const struct placed_fd *fds, size_t count)
{
	int highest = 2;
	for (size_t i = 0; i < count; i++)
		if (fds[i].to > highest)
			highest = fds[i].to;
	if (syscall(SYS_close_range, (unsigned)highest + 1, ~0u, (unsigned)CLOSE_RANGE_CLOEXEC) ==
		0)
		return 0;
	return close_listed(highest);
}

int place_fds(const struct placed_fd *fds, size_t count)
{
	int moved[PLACED_FDS_MAX];
	if (count > PLACED_FDS_MAX) {
		errno = EINVAL;
		return -1;
	}
	/* First out of the way of each other; then none of the dup2 below overwrites one still needed, and all of
	   them differ from their target, so that dup2 clears close-on-exec. */
	for (size_t i = 0; i < count; i++) {
		moved[i] = fds[i].from >= FIRST_FREE_FD
				   ? fds[i].from
				   : fcntl(fds[i].from, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
		if (moved[i] < 0)
			return -1;
	}
	for (size_t i = 0; i < count; i++)
		if (dup2(moved[i], fds[i].to) < 0)
			return -1;
	return close_rest(fds, count);
}

/* A SIGTERM that our parent ignores would be ignored by the command too. */
static void reset_signals(bool are_default, bool sigchld_kept)
{
	/* The kernel's own struct, all zero: SIG_DFL. The C library refuses the two numbers that it keeps for itself. */
	static const unsigned long default_action[4];
	for (int sig = 1; sig < NSIG && !are_default; sig++)
		if (sig != SIGCHLD || !sigchld_kept)
			syscall(SYS_rt_sigaction, sig, default_action, NULL, NSIG / 8);
	uint64_t none = 0;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, NSIG / 8);
}

struct starting {
	const struct start_child *what;
	int program_fd;
	/* Written by the child, in our memory. */
	const char *doing;
	int error_number;
};

__attribute__((no_sanitize("address", "undefined"))) int start_child_confine(
	const struct start_child *what)
{
	if (what->ruleset_fd > 0 && syscall(SYS_landlock_restrict_self, what->ruleset_fd, 0) != 0)
		return -1;
	return what->filter ? (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, what->filter)
			    : 0;
}

__attribute__((no_sanitize("address", "undefined"))) static int join(const int fds[2])
{
	for (int i = 0; fds && i < 2; i++)
		if (fds[i] >= 0 && write(fds[i], "0", 1) != 1)
			return -1;
	return 0;
}

__attribute__((no_sanitize("address", "undefined"))) static int prepare(struct starting *s)
{
	const struct start_child *what = s->what;
	s->doing = "joining the control group of";
	if (join(what->join_fds))
		return -1;
	s->doing = "choosing the directory of";
	if (what->cwd_fd > 0 && fchdir(what->cwd_fd))
		return -1;
	s->doing = "confining";
	if (start_child_confine(what))
		return -1;
	s->doing = "closing descriptors of";
	return place_fds(what->fds, what->fd_count);
}

/* By the child itself and before its program runs, so that it never reads from a terminal that is not its own. Every signal is
   blocked, SIGTTOU too: a background process may then do it. */
__attribute__((no_sanitize("address", "undefined"))) static void take_foreground(int tty_fd)
{
	setpgid(0, 0);
	pid_t group = getpid();
	ioctl(tty_fd, TIOCSPGRP, &group);
}

/* Runs in our memory, on its own stack, while we wait: it may change nothing that we still need, so a new session and
   dispositions (both the child's own) are the most it does before exec. */
__attribute__((no_sanitize("address", "undefined"))) static int child_main(void *arg)
{
	struct starting *s = arg;
	const struct start_child *what = s->what;
	if (what->new_session)
		setsid();
	if (what->foreground_fd > 0)
		take_foreground(what->foreground_fd);
	if (prepare(s) == 0) {
		s->doing = "executing";
		reset_signals(what->signals_are_default, what->sigchld_kept);
		if (s->program_fd >= 0)
			syscall(SYS_execveat, s->program_fd, "", what->argv, what->envp,
				AT_EMPTY_PATH);
		else
			execve(what->program, what->argv, what->envp);
	}
	s->error_number = errno;
	_exit(127);
}

/* What is small is copied sooner than it is waited for. */
static pid_t clone_copy(struct starting *s, int *ret_pidfd)
{
	pid_t pid = (pid_t)syscall(
		SYS_clone, (unsigned long)CLONE_PIDFD | SIGCHLD, NULL, ret_pidfd, NULL, NULL);
	if (pid == 0)
		child_main(s);
	return pid;
}

static pid_t clone_and_wait(struct starting *s, int *ret_pidfd)
{
	/* Inside our frame, which stays while the child runs on it. */
	char stack[STACK_BYTES] __attribute__((aligned(16)));
	/* A handler of ours must not run in the child, where it would find our memory in use. */
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid_t pid = clone(child_main, stack + sizeof(stack),
		CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, s, ret_pidfd,
		(void *)(uintptr_t)s->what->word, NULL);
	int saved = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return pid;
}

int start_child(const struct start_child *what, pid_t *ret_pid, int *ret_pidfd, struct err *err)
{
	struct starting s = {.what = what, .program_fd = what->program_fd};
	int moved = -1;
	if (what->program_fd >= 0 && what->program_fd < FIRST_FREE_FD) {
		moved = fcntl(what->program_fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
		if (moved < 0)
			return err_set_errno(err, "duplicating the descriptor of a program");
		s.program_fd = moved;
	}
	int pidfd = -1;
	pid_t pid = what->in_copy ? clone_copy(&s, &pidfd) : clone_and_wait(&s, &pidfd);
	if (moved >= 0)
		close(moved);
	if (pid < 0)
		return err_set_errno(err, "starting a process");
	if (s.error_number) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		close(pidfd);
		errno = s.error_number;
		return err_set_errno(err, "%s %s", s.doing, what->program);
	}
	if (ret_pidfd)
		*ret_pidfd = pidfd;
	else
		close(pidfd);
	*ret_pid = pid;
	return 0;
}

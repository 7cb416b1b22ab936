#include "config.h"

#include "sandbox/verify_flat.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "sandbox/caps.h"

/* --- a process outside --------------------------------------------------------------------- */

static struct {
	pid_t pid;
	int hold_fd; /* its input: it ends with it */
} outside = {.hold_fd = -1};

static pid_t fork_alone(void)
{
	return (pid_t)syscall(SYS_clone, (unsigned long)SIGCHLD, NULL, NULL, NULL, NULL);
}

/* Before Linux 5.9. The command's own limit is set already. */
static void close_each(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		_exit(1);
	for (rlim_t fd = 1; fd < limit.rlim_cur; fd++)
		close((int)fd);
}

/* Nothing of ours stays open in it: what it held would be taken for held by us. */
_Noreturn static void be_outside(int input_fd)
{
	char byte;
	prctl(PR_SET_DUMPABLE, 1);
	dup2(input_fd, 0);
	if (syscall(SYS_close_range, 1, ~0u, 0) != 0)
		close_each();
	while (read(0, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

static int wait_until_ready(int fd, struct err *err)
{
	char byte;
	ssize_t n;
	do
		n = read(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 0 ? 0 : err_set_errno(err, "waiting for a process outside");
}

int verify_flat_begin(struct err *err)
{
	int hold[2], ready[2];
	if (pipe2(hold, O_CLOEXEC) != 0)
		return err_set_errno(err, "making a pipe");
	FD_AUTO int input_fd = hold[0];
	outside.hold_fd = hold[1];
	if (pipe2(ready, O_CLOEXEC) != 0)
		return err_set_errno(err, "making a pipe");
	FD_AUTO int ready_fd = ready[0];
	FD_AUTO int ready_end = ready[1];
	outside.pid = fork_alone();
	if (outside.pid == 0)
		be_outside(input_fd);
	if (outside.pid < 0)
		return err_set_errno(err, "starting a process outside");
	fd_close(&ready_end);
	return wait_until_ready(ready_fd, err);
}

static void end_outside(void)
{
	fd_close(&outside.hold_fd);
	while (waitpid(outside.pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* --- what is tried ------------------------------------------------------------------------- */

/* The mark belongs to us, and no rule names it: nothing but Landlock is in the way. */
static int at_mark(const struct plan *plan, int (*try)(const char *path))
{
	MEM_AUTO char *path = path_join(plan->private_dir, PRIVATE_MARK);
	return try(path);
}

static int opened(int fd)
{
	if (fd >= 0)
		close(fd);
	return fd;
}

static int try_read(const char *path)
{
	return opened(open(path, O_RDONLY | O_CLOEXEC));
}

static int try_write(const char *path)
{
	return opened(open(path, O_WRONLY | O_APPEND | O_CLOEXEC));
}

static int try_cut_on_the_way(const char *path)
{
	return opened(open(path, O_RDONLY | O_TRUNC | O_CLOEXEC));
}

static int try_cut(const char *path)
{
	return truncate(path, 10);
}

static int read_mark(const struct plan *plan)
{
	return at_mark(plan, try_read);
}

static int write_mark(const struct plan *plan)
{
	return at_mark(plan, try_write);
}

static int cut_mark(const struct plan *plan)
{
	return at_mark(plan, try_cut);
}

static int cut_mark_on_the_way(const struct plan *plan)
{
	return at_mark(plan, try_cut_on_the_way);
}

static int take_mark(const struct plan *plan)
{
	MEM_AUTO char *from = path_join(plan->private_dir, PRIVATE_MARK);
	MEM_AUTO char *to = path_join(plan->home, ".cache/" PRIVATE_MARK);
	return rename(from, to);
}

static int remove_mark(const struct plan *plan)
{
	return at_mark(plan, unlink);
}

static int list_around(const struct plan *plan)
{
	return opened(open(plan->private_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static int make_beside(const struct plan *plan)
{
	MEM_AUTO char *path = path_join(plan->private_dir, "beside");
	int result = mkdir(path, 0700);
	if (result == 0)
		rmdir(path);
	return result;
}

static int look_at_outside(const struct plan *plan)
{
	char path[40];
	(void)plan;
	snprintf(path, sizeof(path), "/proc/%d/environ", (int)outside.pid);
	return opened(open(path, O_RDONLY | O_CLOEXEC));
}

/* Asked, the supervisor lets a signal to our own child pass: then the child that comes last proves it. */
static int signal_outside(const struct plan *plan)
{
	if (!plan->signals_asked)
		return kill(outside.pid, 0);
	errno = EPERM;
	return -1;
}

static int local_socket(const struct plan *plan)
{
	(void)plan;
	return opened(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

static int inet_socket(const struct plan *plan)
{
	(void)plan;
	return opened(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

static int loose_pair(const struct plan *plan)
{
	int pair[2];
	(void)plan;
	int result = socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair);
	if (result == 0) {
		close(pair[0]);
		close(pair[1]);
	}
	return result;
}

static int shared_memory(const struct plan *plan)
{
	(void)plan;
	return (int)syscall(SYS_shmget, IPC_PRIVATE, 0, 0);
}

static int message_queue(const struct plan *plan)
{
	(void)plan;
	return opened((int)syscall(SYS_mq_open, NULL, O_RDONLY, 0, NULL));
}

static int told_of_others(const struct plan *plan)
{
	(void)plan;
	return opened((int)syscall(SYS_inotify_init1, O_CLOEXEC));
}

static int own_by_number(const struct plan *plan)
{
	(void)plan;
	return fcntl(-1, F_SETOWN, outside.pid);
}

static int limits_outside(const struct plan *plan)
{
	struct rlimit limit;
	(void)plan;
	return (int)syscall(SYS_prlimit64, outside.pid, RLIMIT_NOFILE, NULL, &limit);
}

static int priority_of_all(const struct plan *plan)
{
	(void)plan;
	return setpriority(PRIO_USER, 0, 19);
}

/* Each would work, or fail for another reason, where nothing forbids it. */
static const struct {
	const char *words;
	int (*try)(const struct plan *);
} forbidden[] = {
	{"a file outside can be read", read_mark},
	{"a file outside can be written", write_mark},
	{"a file outside can be cut", cut_mark},
	{"a file outside can be cut while it is opened", cut_mark_on_the_way},
	{"a file outside can be taken", take_mark},
	{"a file outside can be removed", remove_mark},
	{"a directory outside can be listed", list_around},
	{"a directory can be made outside", make_beside},
	{"another process can be looked into", look_at_outside},
	{"another process can be signalled", signal_outside},
	{"limits of another process can be read", limits_outside},
	{"the priority of all processes of the user can be set", priority_of_all},
	{"the owner of a descriptor can be set, who is then signalled", own_by_number},
	{"a local socket can be opened", local_socket},
	{"a socket can be opened", inet_socket},
	{"a pair of loose sockets can be opened", loose_pair},
	{"shared memory of the host can be asked for", shared_memory},
	{"a message queue of the host can be opened", message_queue},
	{"changes in any directory can be watched", told_of_others},
};

static int try_all(const struct plan *plan, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(forbidden); i++) {
		errno = 0;
		if (forbidden[i].try(plan) < 0 &&
			(errno == EPERM || errno == EACCES || errno == EXDEV))
			continue;
		return err_set(err, ERR_REFUSED, "%s", forbidden[i].words);
	}
	return 0;
}

int verify_flat(const struct plan *plan, struct err *err)
{
	int result = caps_none_held(err);
	if (result == 0)
		result = try_all(plan, err);
	end_outside();
	return result;
}

/* --- as the command ------------------------------------------------------------------------ */

static int by_kill(pid_t pid)
{
	return kill(pid, 0);
}

static int by_tkill(pid_t pid)
{
	return (int)syscall(SYS_tkill, pid, 0);
}

static int by_tgkill(pid_t pid)
{
	return (int)syscall(SYS_tgkill, pid, pid, 0);
}

static int by_queue(pid_t pid)
{
	siginfo_t info = {.si_code = SI_QUEUE};
	return (int)syscall(SYS_rt_sigqueueinfo, pid, 0, &info);
}

static int by_thread_queue(pid_t pid)
{
	siginfo_t info = {.si_code = SI_QUEUE};
	return (int)syscall(SYS_rt_tgsigqueueinfo, pid, pid, 0, &info);
}

static int by_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static int by_foreign_pidfd(pid_t pid)
{
	(void)pid;
	return (int)syscall(SYS_pidfd_send_signal, -1, 0, NULL, 0);
}

static int (*const ways[])(pid_t pid) = {
	by_kill, by_tkill, by_tgkill, by_queue, by_thread_queue, by_pidfd, by_foreign_pidfd};

enum {
	CHILD_HELD,
	CHILD_REACHED_LAUNCHER,
	CHILD_REACHED_SUPERVISOR,
	CHILD_NOT_ITSELF,
	CHILD_OTHER
};

static bool reaches(pid_t pid)
{
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		errno = 0;
		/* A thread that is looked for among those who may be signalled is not found. */
		if (ways[i](pid) >= 0 || (errno != EPERM && errno != ESRCH))
			return true;
	}
	return false;
}

_Noreturn static void try_as_command(
	const struct start_child *what, pid_t launcher, pid_t supervisor)
{
	if (start_child_confine(what) != 0)
		_exit(CHILD_OTHER);
	if (reaches(launcher))
		_exit(CHILD_REACHED_LAUNCHER);
	if (reaches(supervisor))
		_exit(CHILD_REACHED_SUPERVISOR);
	_exit(kill(getpid(), 0) == 0 ? CHILD_HELD : CHILD_NOT_ITSELF);
}

int verify_flat_child(const struct start_child *what, struct err *err)
{
	static const char *const words[] = {
		[CHILD_REACHED_LAUNCHER] = "the launcher can be signalled",
		[CHILD_REACHED_SUPERVISOR] = "the supervisor can be signalled",
		[CHILD_NOT_ITSELF] = "a process cannot signal itself"};
	int status;
	pid_t launcher = getpid(), supervisor = getppid();
	pid_t pid = fork_alone();
	if (pid == 0)
		try_as_command(what, launcher, supervisor);
	if (pid < 0)
		return err_set_errno(err, "starting a process that tries");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	int got = WIFEXITED(status) ? WEXITSTATUS(status) : CHILD_OTHER;
	if (got == CHILD_HELD)
		return 0;
	return err_set(err, ERR_REFUSED, "%s",
		got < CHILD_OTHER ? words[got] : "a process that tries could not be confined");
}

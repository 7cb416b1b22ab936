#include "config.h"

#include "sandbox/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "sandbox/start_child.h"

#define SUPERVISOR_NAME "exequatur-supervisor"
#define LAUNCHER_NAME "exequatur-launcher"
/* Of a supervisor that holds nothing; only one that was stopped needs as long. */
#define END_LIMIT_MS 1000

/* Opens a program of ours. Whoever may write it would run outside of every sandbox. */
static int open_helper(
	const char *path, int *ret_fd, uint64_t *ret_dev, uint64_t *ret_ino, struct err *err)
{
	FD_AUTO int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set_errno(err, "opening %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_REFUSED, "%s is not a program", path);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return err_set(err, ERR_REFUSED, "%s belongs to another user (uid %u)", path,
			(unsigned)st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(
			err, ERR_REFUSED, "%s may be written by others: chmod go-w %s", path, path);
	*ret_dev = st.st_dev;
	*ret_ino = st.st_ino;
	*ret_fd = fd;
	fd = -1;
	return 0;
}

int helpers_open_in(const char *dir, struct helpers *ret, struct err *err)
{
	struct helpers h = {.supervisor_fd = -1, .launcher_fd = -1};
	h.supervisor_path = path_join(dir, SUPERVISOR_NAME);
	h.launcher_path = path_join(dir, LAUNCHER_NAME);
	if (open_helper(h.supervisor_path, &h.supervisor_fd, &h.supervisor_dev, &h.supervisor_ino,
		    err) ||
		open_helper(
			h.launcher_path, &h.launcher_fd, &h.launcher_dev, &h.launcher_ino, err)) {
		helpers_close(&h);
		return -1;
	}
	*ret = h;
	return 0;
}

/* Looks in our own directory, then in LIBEXECDIR. */
static int in_our_directories(
	int (*look)(const char *dir, void *arg, struct err *err), void *arg, struct err *err)
{
	/* The kernel names it without links. */
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len > 0) {
		self[len] = '\0';
		MEM_AUTO char *dir = path_dirname(self);
		struct err beside = ERR_INIT;
		if (look(dir, arg, &beside) == 0)
			return 0;
		/* A refused program is not passed over for another one. */
		if (beside.code != ERR_NOT_FOUND) {
			err_clear(err);
			return err_set(err, beside.code, "%s", beside.text);
		}
	}
	if (look(LIBEXECDIR, arg, err) == 0)
		return 0;
	return len > 0 ? -1 : err_context(err, "/proc does not name this program");
}

static int look_for_helpers(const char *dir, void *arg, struct err *err)
{
	return helpers_open_in(dir, arg, err);
}

int helpers_open(struct helpers *ret, struct err *err)
{
	return in_our_directories(look_for_helpers, ret, err);
}

struct wanted {
	const char *name;
	char *path;
};

static int look_for_program(const char *dir, void *arg, struct err *err)
{
	struct wanted *wanted = arg;
	uint64_t dev, ino;
	FD_AUTO int fd = -1;
	char *path = path_join(dir, wanted->name);
	if (open_helper(path, &fd, &dev, &ino, err) != 0) {
		free(path);
		return -1;
	}
	wanted->path = path;
	return 0;
}

int program_find(const char *name, char **ret_path, struct err *err)
{
	struct wanted wanted = {.name = name};
	if (in_our_directories(look_for_program, &wanted, err) != 0)
		return -1;
	*ret_path = wanted.path;
	return 0;
}

void helpers_close(struct helpers *helpers)
{
	fd_close(&helpers->supervisor_fd);
	fd_close(&helpers->launcher_fd);
	free(helpers->supervisor_path);
	free(helpers->launcher_path);
	*helpers = (struct helpers){.supervisor_fd = -1, .launcher_fd = -1};
}

static int start_supervisor(
	const struct helpers *helpers, bool ahead, struct child *ret, struct err *err)
{
	int pair[2];
	FD_AUTO int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd < 0)
		return err_set_errno(err, "opening /dev/null");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0)
		return err_set_errno(err, "making a socket pair");
	FD_AUTO int ours = pair[0];
	FD_AUTO int theirs = pair[1];
	/* Not the console's own 0, 1, 2: an agent must see the end of its pipe when the console ends. */
	const struct placed_fd fds[] = {
		{null_fd, 0}, {null_fd, 1}, {null_fd, 2}, {theirs, SUPERVISOR_FD_CONTROL}};
	char *const argv[] = {(char *)SUPERVISOR_NAME, NULL};
	char *const envp[] = {NULL};
	const struct start_child what = {.program_fd = helpers->supervisor_fd,
		.program = helpers->supervisor_path,
		.argv = argv,
		.envp = envp,
		.fds = fds,
		.fd_count = ARRAY_LEN(fds),
		.new_session = true,
		.in_copy = ahead};
	struct child child = CHILD_INIT;
	if (start_child(&what, &child.pid, &child.pidfd, err))
		return -1;
	child.control_fd = ours;
	ours = -1;
	*ret = child;
	return 0;
}

int spawn_supervisor(const struct helpers *helpers, struct child *ret, struct err *err)
{
	return start_supervisor(helpers, false, ret, err);
}

int spawn_supervisor_ahead(const struct helpers *helpers, struct child *ret, struct err *err)
{
	return start_supervisor(helpers, true, ret, err);
}

int spawn_prepare(
	struct child *child, const struct helpers *helpers, unsigned namespaces, struct err *err)
{
	const struct message message = {.kind = MSG_PREPARE, .value = namespaces};
	if (message_send_fds(child->control_fd, &message, &helpers->launcher_fd, 1) != 1)
		return err_set_errno(err, "preparing a launcher");
	return 0;
}

int spawn_prepare_wrapper(
	struct child *child, const struct helpers *helpers, int wrapper_fd, struct err *err)
{
	const struct message message = {.kind = MSG_PREPARE};
	const int fds[] = {helpers->launcher_fd, wrapper_fd};
	if (message_send_fds(child->control_fd, &message, fds, ARRAY_LEN(fds)) != 1)
		return err_set_errno(err, "preparing a wrapper");
	return 0;
}

int spawn_base(struct child *child, const struct str *plan_bytes, struct err *err)
{
	const struct message message = {.kind = MSG_BASE};
	FD_AUTO int fd = -1;
	if (fd_sealed_memfd("base", plan_bytes->data, plan_bytes->len, &fd, err))
		return -1;
	if (message_send_fds(child->control_fd, &message, &fd, 1) != 1)
		return err_set_errno(err, "preparing the mounts of a launcher");
	return 0;
}

int spawn_plan(struct child *child, const struct helpers *helpers, const struct str *plan_bytes,
	int stdin_fd, struct plan_programs programs, struct err *err)
{
	FD_AUTO int plan_fd = -1;
	FD_AUTO int null_fd = -1;
	int ends[2];
	if (fd_sealed_memfd("plan", plan_bytes->data, plan_bytes->len, &plan_fd, err))
		return -1;
	if (stdin_fd < 0) {
		stdin_fd = null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (null_fd < 0)
			return err_set_errno(err, "opening /dev/null");
	}
	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_set_errno(err, "making a pipe");
	FD_AUTO int read_end = ends[0];
	FD_AUTO int write_end = ends[1];
	/* Only our end: the command's writes must block. */
	if (fd_set_nonblock(read_end, err))
		return -1;
	int fds[PLAN_FD_COUNT] = {
		[PLAN_FD_PLAN] = plan_fd,
		[PLAN_FD_LAUNCHER] = helpers->launcher_fd,
		[PLAN_FD_OUTPUT_WRITE] = write_end,
		[PLAN_FD_OUTPUT_READ] = read_end,
		[PLAN_FD_STDIN] = stdin_fd,
	};
	size_t count = PLAN_FD_WRAPPER;
	if (programs.wrapper_fd >= 0)
		fds[count++] = programs.wrapper_fd;
	if (programs.network_fd >= 0)
		fds[count++] = programs.network_fd;
	const struct message message = {.kind = MSG_PLAN};
	if (message_send_fds(child->control_fd, &message, fds, count) != 1)
		return err_set_errno(err, "sending the plan to the supervisor");
	fd_close(&child->output_fd);
	child->output_fd = read_end;
	read_end = -1;
	return 0;
}

int spawn_tell(struct child *child, enum message_kind kind, uint64_t value, struct err *err)
{
	const struct message message = {.kind = kind, .value = value};
	int sent = message_send(child->control_fd, &message);
	if (sent == 0)
		return err_set(err, ERR_UNAVAILABLE, "the supervisor does not read");
	if (sent < 0)
		return err_set(err, ERR_UNAVAILABLE, "the supervisor hung up");
	return 0;
}

int spawn_receive(struct child *child, union message_buffer *ret)
{
	return message_receive(child->control_fd, ret, NULL);
}

int spawn_reap(struct child *child, int *ret_status)
{
	if (child->pid <= 0)
		return 0;
	int status;
	pid_t pid;
	do
		pid = waitpid(child->pid, &status, WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (pid != child->pid)
		return 0;
	child->pid = -1;
	fd_close(&child->pidfd);
	*ret_status = status;
	return 1;
}

void child_close(struct child *child)
{
	fd_close(&child->pidfd);
	fd_close(&child->control_fd);
	fd_close(&child->output_fd);
	child->pid = -1;
}

void child_end(struct child *child)
{
	/* Its hang-up: a supervisor that still waits ends what it holds, then itself. */
	fd_close(&child->control_fd);
	if (child->pid > 0 && child->pidfd >= 0) {
		struct pollfd end = {.fd = child->pidfd, .events = POLLIN};
		if (poll(&end, 1, END_LIMIT_MS) != 1)
			syscall(SYS_pidfd_send_signal, child->pidfd, SIGKILL, NULL, 0);
		while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	child_close(child);
}

#include "config.h"

#include "sandbox/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/start_child.h"
#include "sandbox/tree.h"

_Noreturn void launcher_end_everything(void)
{
	/* As process 1 our own end takes the namespace along. */
	if (getpid() != 1)
		tree_end();
	_exit(1);
}

static void send_or_end(const struct message *message)
{
	/* Nothing else was sent before: the socket is full for no healthy supervisor. */
	if (message_send(LAUNCHER_FD_STATUS, message) != 1)
		launcher_end_everything();
}

int launcher_wait_for_go(struct launcher *l, struct err *err)
{
	static union message_buffer incoming;
	struct pollfd status = {.fd = LAUNCHER_FD_STATUS, .events = POLLIN};
	(void)err;
	l->ready.message.kind = MSG_READY;
	if (message_send_ready(LAUNCHER_FD_STATUS, &l->ready) != 1)
		launcher_end_everything();
	l->stage = STAGE_GO;
	for (;;) {
		poll(&status, 1, -1);
		int got = message_receive(LAUNCHER_FD_STATUS, &incoming, NULL);
		if (got < 0)
			launcher_end_everything();
		if (got > 0 && incoming.message.kind == MSG_GO)
			return 0;
	}
}

/* One step down. A symlink is not followed: another command of the same work directory may have put it there since the card
   was drawn. */
static int enter(int dir_fd, const char *name, bool make)
{
	int fd = openat(dir_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* EEXIST: another command that wants the same directory was faster. */
	if (fd < 0 && errno == ENOENT && make &&
		(mkdirat(dir_fd, name, 0777) == 0 || errno == EEXIST))
		fd = openat(dir_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd;
}

static int enter_cwd(const struct plan *plan, struct err *err)
{
	MEM_AUTO char *path = mem_strdup(plan->cwd);
	FD_AUTO int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char *rest = path;
	for (char *name; fd >= 0 && (name = strtok_r(rest, "/", &rest));) {
		int next = enter(fd, name, plan->cwd_make);
		fd_close(&fd);
		fd = next;
	}
	if (fd < 0 || fchdir(fd) != 0)
		return err_set_errno(err, "%s", plan->cwd);
	return 0;
}

int launcher_start(struct launcher *l, pid_t *ret_shell, struct err *err)
{
	const struct plan *plan = &l->plan;
	char *const argv[] = {(char *)"sh", (char *)"-c", (char *)"--", plan->command, NULL};
	char *const no_env[] = {NULL};
	const struct start_child what = {.program_fd = -1,
		.program = plan->shell,
		.argv = argv,
		.envp = plan->env.count ? plan->env.items : no_env,
		.new_session = true,
		/* A wrapper, or whoever started it, may have left some ignored. */
		.signals_are_default = plan->wrapper.count == 0};
	l->stage = STAGE_CWD;
	if (enter_cwd(plan, err))
		return -1;
	l->stage = STAGE_EXEC;
	if (start_child(&what, ret_shell, NULL, err))
		return -1;
	send_or_end(&(struct message){.kind = MSG_STARTED});
	return 0;
}

/* True while a child is left. */
static bool reap(pid_t shell, bool *ret_ended, int *ret_status)
{
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);
		if (pid == 0)
			return true;
		if (pid < 0 && errno != EINTR)
			return false;
		if (pid == shell) {
			*ret_ended = true;
			*ret_status = status;
		}
	}
}

_Noreturn void launcher_keep(pid_t shell)
{
	sigset_t set;
	int wait_status = 0;
	bool ended = false, told = false;
	/* Our copies of the command's pipe: its end must mean that nobody of the command holds it. */
	close(0);
	close(1);
	close(2);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	struct pollfd fds[] = {{.fd = LAUNCHER_FD_STATUS},
		{.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), .events = POLLIN}};
	for (;;) {
		bool left = reap(shell, &ended, &wait_status);
		if (ended && !told)
			send_or_end(&(struct message){.kind = MSG_SHELL_ENDED,
				.wait_status = wait_status,
				.value = left});
		told = ended;
		if (!left)
			_exit(0);
		poll(fds, ARRAY_LEN(fds), -1);
		if (fds[0].revents)
			launcher_end_everything();
		struct signalfd_siginfo info;
		while (fds[1].revents && read(fds[1].fd, &info, sizeof(info)) > 0)
			;
	}
}

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
#include "sandbox/channel.h"
#include "sandbox/launcher_watch.h"
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
	if (channel_send(message) != 1)
		launcher_end_everything();
}

int launcher_wait_for_go(struct launcher *l, struct err *err)
{
	struct message incoming;
	struct pollfd status = {.fd = channel_fd(), .events = POLLIN};
	(void)err;
	l->ready.message.kind = MSG_READY;
	l->ready.message.pid = getpid();
	if (channel_send_ready(&l->ready, l->report_fds, l->report_count) != 1)
		launcher_end_everything();
	launcher_close_reports(l);
	l->stage = STAGE_GO;
	for (;;) {
		poll(&status, 1, -1);
		int got = channel_receive(&incoming);
		if (got < 0)
			launcher_end_everything();
		if (got > 0 && incoming.kind == MSG_GO)
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
		.sigchld_kept = true,
		/* A wrapper, an engine, or whoever started it, may have left some ignored. */
		.signals_are_default = plan->wrapper.count == 0 && !channel_is_stream(),
		.word = l->word,
		.ruleset_fd = l->child_ruleset_fd,
		.filter = l->child_filter};
	l->stage = STAGE_CWD;
	if (enter_cwd(plan, err))
		return -1;
	l->stage = STAGE_EXEC;
	int started = start_child(&what, ret_shell, NULL, err);
	l->word = 0;
	if (started)
		return -1;
	send_or_end(&(struct message){.kind = MSG_STARTED, .pid = *ret_shell});
	if (channel_is_stream())
		watch_begin(plan, *ret_shell);
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

/* Of those that are left some may be just exiting: only a supervisor that sees them can tell. In a container it does not. */
static bool somebody_runs(bool left)
{
	return left && (!channel_is_stream() || tree_signal(getpid(), -1, 0) > 0);
}

static void tell_shell_ended(int wait_status, bool left)
{
	struct message ended = {
		.kind = MSG_SHELL_ENDED, .wait_status = wait_status, .value = somebody_runs(left)};
	watch_shell_ended();
	if (channel_is_stream())
		watch_fill(&ended);
	send_or_end(&ended);
}

/* Natively the supervisor has nothing to say any more, so that whatever happens there is its end. */
static void hear_supervisor(void)
{
	struct message message;
	int got = -1;
	while (channel_is_stream() && (got = channel_receive(&message)) == 1)
		if (message.kind == MSG_STOP)
			tree_signal(getpid(), -1, SIGTERM);
	if (got < 0)
		launcher_end_everything();
}

enum { AT_STATUS, AT_CHILD, AT_INPUT, AT_COUNT };

static void wait_for_something(int child_fd)
{
	struct signalfd_siginfo info;
	struct pollfd fds[AT_COUNT] = {
		[AT_STATUS] = {.fd = channel_fd(), .events = channel_is_stream() ? POLLIN : 0},
		[AT_CHILD] = {.fd = child_fd, .events = POLLIN},
		[AT_INPUT] = {.fd = channel_input_fd(), .events = POLLOUT}};
	poll(fds, AT_COUNT, watch_wait_ms());
	if (watch_look())
		launcher_end_everything();
	if (fds[AT_STATUS].revents)
		hear_supervisor();
	if (fds[AT_INPUT].revents)
		channel_feed_input();
	while (fds[AT_CHILD].revents && read(child_fd, &info, sizeof(info)) > 0)
		;
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
	int child_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	for (;;) {
		bool left = reap(shell, &ended, &wait_status);
		if (ended && !told)
			tell_shell_ended(wait_status, left);
		told = ended;
		if (!left)
			_exit(0);
		wait_for_something(child_fd);
	}
}

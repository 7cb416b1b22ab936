#include "config.h"

#include "sandbox/person_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/host_wrapper.h"
#include "sandbox/start_child.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

static void split(const char *line, struct strv *ret)
{
	MEM_AUTO char *copy = mem_strdup(line);
	char *rest = copy;

	for (char *word; (word = strsep(&rest, " \t"));)
		if (word[0] != '\0')
			strv_add(ret, word);
}

static int find(const char *search_path, const struct strv *writable, struct person_program *ret,
	struct err *err)
{
	struct wrapper found;

	wrapper_find_chosen(ret->argv.items[0], search_path, writable, &found);
	fd_close(&found.fd);
	if (found.path == NULL)
		return found.trouble == WRAPPER_ABSENT
			       ? err_set(err, ERR_NOT_FOUND, "it is not installed")
			       : err_set(err, ERR_INVALID, "it %s", found.cause);
	ret->path = found.path;
	return 0;
}

int person_program_find(const char *line, const char *search_path, const struct strv *writable,
	struct person_program *ret, struct err *err)
{
	*ret = (struct person_program){0};
	split(line, &ret->argv);
	if (ret->argv.count == 0)
		return err_set(err, ERR_INVALID, "no program is named");
	const char *name = ret->argv.items[0];
	if (name[0] != '/' && strchr(name, '/') != NULL)
		return err_set(err, ERR_INVALID, "it is neither a name nor an absolute path");
	return find(search_path, writable, ret, err);
}

int person_program_take(const struct strv *argv, const struct strv *writable,
	struct person_program *ret, struct err *err)
{
	*ret = (struct person_program){0};
	if (argv->count == 0 || argv->items[0][0] != '/')
		return err_set(err, ERR_INVALID, "it is no absolute path");
	strv_copy(&ret->argv, argv);
	return find(NULL, writable, ret, err);
}

void person_program_release(struct person_program *program)
{
	free(program->path);
	strv_release(&program->argv);
	*program = (struct person_program){0};
}

/* By its path: what lies there is trusted to stay, and a script has no other way to be found by its interpreter. stream_fd becomes
   its 0, 1 and 2. */
static int start(const struct person_program *program, char *const *envp, int stream_fd,
	struct start_child what, pid_t *ret_pid, int *ret_pidfd, struct err *err)
{
	const struct placed_fd fds[] = {{stream_fd, 0}, {stream_fd, 1}, {stream_fd, 2}};

	what.program_fd = -1;
	what.program = program->path;
	what.argv = program->argv.items;
	what.envp = envp;
	what.fds = fds;
	what.fd_count = ARRAY_LEN(fds);
	return start_child(&what, ret_pid, ret_pidfd, err);
}

int person_program_start(const struct person_program *program, char *const *envp, int cwd_fd,
	int tty_fd, pid_t *ret_pid, int *ret_pidfd, struct err *err)
{
	const struct start_child how = {.cwd_fd = cwd_fd, .foreground_fd = tty_fd};

	return start(program, envp, tty_fd, how, ret_pid, ret_pidfd, err);
}

int person_program_start_apart(const struct person_program *program, char *const *envp,
	pid_t *ret_pid, int *ret_pidfd, struct err *err)
{
	int null_fd FD_AUTO = open("/dev/null", O_RDWR | O_CLOEXEC);
	int root_fd FD_AUTO = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (null_fd < 0 || root_fd < 0)
		return err_set_errno(err, "opening /dev/null");
	const struct start_child how = {.new_session = true, .cwd_fd = root_fd};

	return start(program, envp, null_fd, how, ret_pid, ret_pidfd, err);
}

void person_terminal_take(int tty_fd)
{
	sigset_t set, before;

	/* From the background this would stop us. */
	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &set, &before);
	tcsetpgrp(tty_fd, getpgrp());
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void person_program_wake(pid_t pid, int pidfd)
{
	siginfo_t info = {0};

	if (waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WSTOPPED | WNOHANG) == 0 &&
		info.si_pid == pid)
		kill(-pid, SIGCONT);
}

int person_program_reap(int pidfd, const char *what, struct err *err)
{
	siginfo_t info = {0};

	/* A loop that watched the descriptor has made it nonblocking: then this does not wait by itself. */
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};

	while (waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED) < 0)
		if (errno == EAGAIN)
			poll(&ended, 1, -1);
		else if (errno != EINTR)
			return err_set_errno(err, "waiting for it");
	if (info.si_code != CLD_EXITED)
		return err_set(
			err, ERR_UNAVAILABLE, "%s was ended by signal %d", what, info.si_status);
	return info.si_status == 0 ? 0
				   : err_set(err, ERR_UNAVAILABLE, "%s ended with exit %d", what,
					     info.si_status);
}

void person_program_end(pid_t pid, int pidfd)
{
	kill(-pid, SIGKILL); /* not reaped yet: the number is still its own */
	person_program_reap(pidfd, "it", NULL);
}

#include "config.h"

#include "sandbox/supervisor.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "sandbox/start_child.h"

/* What a pipe holds, so that nothing waits for a wrapper that does not read. */
#define OPTIONS_BYTES_MAX 65536
/* LAUNCHER_FD_SELF and WRAPPER_FD_OPTIONS as words */
#define LAUNCHER_SELF_PATH "/proc/self/fd/5"
#define WRAPPER_OPTIONS_NUMBER "7"
_Static_assert(LAUNCHER_FD_SELF == 5 && WRAPPER_FD_OPTIONS == 7, "their words");

/* firejail keeps what its children get; see firejail_take_over. */
static int hand_over(struct supervisor *s, int output_fd, struct err *err)
{
	FD_AUTO int first = s->status_fd;
	FD_AUTO int theirs = -1;
	s->status_fd = -1;
	if (supervisor_pair(s, &theirs, err))
		return -1;
	const int fds[HANDOVER_FD_COUNT] = {
		[HANDOVER_FD_STATUS] = theirs, [HANDOVER_FD_OUTPUT] = output_fd};
	if (message_send_fds(
		    first, &(struct message){.kind = MSG_HANDOVER}, fds, HANDOVER_FD_COUNT) != 1)
		return err_set_errno(err, "handing over to the launcher");
	return 0;
}

int supervisor_start_wrapped(
	struct supervisor *s, const int fds[PLAN_FD_COUNT], int status_fd, struct err *err)
{
	int words[2];
	if (pipe2(words, O_CLOEXEC | O_NONBLOCK) != 0)
		return err_set_errno(err, "making a pipe");
	s->words_fd = words[0];
	FD_AUTO int words_end = words[1];
	FD_AUTO int profile_fd = -1;
	bool firejail = plan_is_firejail(&s->plan);
	if (firejail && fd_sealed_memfd("profile", s->plan.profile, strlen(s->plan.profile),
				&profile_fd, err))
		return -1;
	/* A wrapper keeps its own 1 and 2 open as long as it lives; the command's output must not be among them, or its
	   end would never be seen. */
	const struct placed_fd placed[] = {{fds[PLAN_FD_STDIN], 0}, {words_end, 1}, {words_end, 2},
		{status_fd, LAUNCHER_FD_STATUS}, {fds[PLAN_FD_PLAN], LAUNCHER_FD_PLAN},
		{fds[PLAN_FD_LAUNCHER], LAUNCHER_FD_SELF},
		firejail ? (struct placed_fd){profile_fd, FIREJAIL_FD_PROFILE}
			 : (struct placed_fd){fds[PLAN_FD_OUTPUT_WRITE], LAUNCHER_FD_OUTPUT}};
	static char *const no_env[] = {NULL};
	const struct start_child what = {.program_fd = fds[PLAN_FD_WRAPPER],
		.program = s->plan.wrapper.items[0],
		.argv = s->plan.wrapper.items,
		.envp = s->plan.env.count ? s->plan.env.items : no_env,
		.fds = placed,
		.fd_count = ARRAY_LEN(placed),
		.join_fds = s->limits.cgroup.join_fds};
	if (start_child(&what, &s->main_pid, &s->main_pidfd, err))
		return -1;
	return firejail ? hand_over(s, fds[PLAN_FD_OUTPUT_WRITE], err) : 0;
}

/* bwrap, which reads its options to their end before it does anything: it is loaded while the plan is still being made. */
static int start_to_wait(struct supervisor *s, int launcher_fd, int wrapper_fd, struct err *err)
{
	static char *const argv[] = {(char *)"bwrap", (char *)"--args",
		(char *)WRAPPER_OPTIONS_NUMBER, (char *)"--", (char *)LAUNCHER_SELF_PATH,
		(char *)LAUNCHER_PREPARED, (char *)"0", NULL};
	static char *const no_env[] = {NULL};
	FD_AUTO int status_fd = -1;
	int words[2], options[2];
	if (supervisor_pair(s, &status_fd, err))
		return -1;
	if (pipe2(words, O_CLOEXEC | O_NONBLOCK) != 0)
		return err_set_errno(err, "making a pipe");
	s->words_fd = words[0];
	FD_AUTO int words_end = words[1];
	if (pipe2(options, O_CLOEXEC) != 0)
		return err_set_errno(err, "making a pipe");
	s->waiting.options_fd = options[1];
	FD_AUTO int options_end = options[0];
	const struct placed_fd placed[] = {{0, 0}, {words_end, 1}, {words_end, 2},
		{status_fd, LAUNCHER_FD_STATUS}, {launcher_fd, LAUNCHER_FD_SELF},
		{options_end, WRAPPER_FD_OPTIONS}};
	const struct start_child what = {.program_fd = wrapper_fd,
		.program = argv[0],
		.argv = argv,
		.envp = no_env,
		.fds = placed,
		.fd_count = ARRAY_LEN(placed)};
	return start_child(&what, &s->main_pid, &s->main_pidfd, err);
}

void supervisor_end_waiting(struct supervisor *s)
{
	siginfo_t info;
	if (s->waiting.options_fd < 0)
		return;
	if (s->main_pidfd >= 0) {
		syscall(SYS_pidfd_send_signal, s->main_pidfd, SIGKILL, NULL, 0);
		waitid(P_PIDFD, (id_t)s->main_pidfd, &info, WEXITED);
	}
	fd_close(&s->waiting.options_fd);
	fd_close(&s->main_pidfd);
	fd_close(&s->status_fd);
	fd_close(&s->words_fd);
	s->main_pid = 0;
}

void supervisor_prepare_wrapper(struct supervisor *s, int launcher_fd, int wrapper_fd)
{
	struct err err = ERR_INIT;
	struct stat st;
	if (!s->in_reach || s->prepared || s->waiting.options_fd >= 0 ||
		fstat(wrapper_fd, &st) != 0)
		return;
	s->waiting.dev = st.st_dev;
	s->waiting.ino = st.st_ino;
	if (start_to_wait(s, launcher_fd, wrapper_fd, &err) == 0)
		return;
	/* No loss: the plan's own start tells what is wrong. */
	supervisor_end_waiting(s);
	fd_close(&s->status_fd);
	fd_close(&s->words_fd);
}

/* The options of the plan's wrapper as it reads them, if that is the program which waits. */
static bool fits(const struct supervisor *s, int wrapper_fd, struct str *options)
{
	const struct strv *argv = &s->plan.wrapper;
	struct stat st;
	struct err err = ERR_INIT;
	if (s->plan.engine || argv->count < 3 || fstat(wrapper_fd, &st) != 0 ||
		st.st_dev != s->waiting.dev || st.st_ino != s->waiting.ino ||
		strcmp(argv->items[argv->count - 2], "--") != 0 ||
		strcmp(argv->items[argv->count - 1], LAUNCHER_SELF_PATH) != 0)
		return false;
	for (size_t i = 1; i < argv->count - 2; i++)
		str_add_bytes(options, argv->items[i], strlen(argv->items[i]) + 1);
	return options->len <= OPTIONS_BYTES_MAX && limits_join(s, s->main_pid, &err) == 0;
}

int supervisor_start_waiting(struct supervisor *s, const int fds[PLAN_FD_COUNT], struct err *err)
{
	struct str options STR_AUTO = STR_INIT;
	if (s->waiting.options_fd < 0)
		return 0;
	if (!fits(s, fds[PLAN_FD_WRAPPER], &options)) {
		supervisor_end_waiting(s);
		return 0;
	}
	/* First the plan: a launcher whose options end early finds no supervisor, or what it must prove. */
	if (supervisor_send_plan(s, fds, err) ||
		fd_write_all(s->waiting.options_fd, str_c(&options), options.len, err))
		return -1;
	fd_close(&s->waiting.options_fd);
	sched_yield();
	return 1;
}

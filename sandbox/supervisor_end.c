#include "config.h"

#include "sandbox/supervisor.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "sandbox/private_dir.h"
#include "sandbox/supervisor_limits.h"
#include "sandbox/tree.h"

#define EXIT_LIMIT_MS 1000

/* The few messages of one command fit into an empty socket: a full one belongs to no console of ours. */
static void expect_sent(struct supervisor *s, int sent)
{
	if (sent == 1)
		return;
	fd_close(&s->control_fd);
	s->end.cause = STOP_CONSOLE_GONE;
	s->phase = PHASE_OVER;
}

void supervisor_tell(struct supervisor *s, const struct message *message)
{
	expect_sent(s, message_send(s->control_fd, message));
}

void supervisor_tell_ready(struct supervisor *s)
{
	expect_sent(s, message_send_ready(s->control_fd, &s->incoming, NULL, 0));
}

void supervisor_fail(struct supervisor *s, enum stage stage, int error_number, const char *text)
{
	s->end = (struct message){.kind = MSG_FAILED, .stage = stage, .error_number = error_number};
	message_say(&s->end, text);
	s->failed = true;
	s->phase = PHASE_OVER;
	s->due_ms = NEVER_MS;
}

void supervisor_describe_early_end(struct supervisor *s, char *text, size_t size)
{
	siginfo_t info = {0};
	if (s->plan.engine) {
		supervisor_engine_words(s, text, size);
		if (text[0] == '\0')
			snprintf(text, size, "the launcher ended in its container");
		return;
	}
	if (s->words_fd >= 0) {
		ssize_t n = read(s->words_fd, text, size - 1);
		if (n > 0) {
			text[n] = '\0';
			text[strcspn(text, "\n")] = '\0';
			return;
		}
	}
	/* Its descriptors close a little before it can be waited for. */
	struct pollfd main_end = {.fd = s->main_pidfd, .events = POLLIN};
	if (s->main_pidfd >= 0 && poll(&main_end, 1, EXIT_LIMIT_MS) == 1)
		waitid(P_PIDFD, (id_t)s->main_pidfd, &info, WEXITED | WNOWAIT);
	if (info.si_code == 0)
		snprintf(text, size, "the launcher hung up");
	else if (info.si_code == CLD_EXITED)
		snprintf(text, size, "the launcher ended with status %d", info.si_status);
	else
		snprintf(text, size, "the launcher was ended by signal %d", info.si_status);
}

void supervisor_stop(struct supervisor *s, enum stop_cause cause)
{
	s->end.cause = cause;
	limits_let_go(s);
	/* Only the command's own processes: a wrapper and the init of a namespace die of it at once and take
	   every cleanup handler with them. */
	if (s->plan.engine)
		supervisor_engine_stop(s);
	else
		tree_signal(s->launcher_pid, s->launcher_pidfd, SIGTERM);
	s->phase = PHASE_STOPPING;
	s->due_ms = clock_mono_ms() + (int64_t)s->plan.grace_ms;
	supervisor_tell(s, &(struct message){.kind = MSG_STOPPING, .value = cause});
}

static void kill_main(struct supervisor *s)
{
	struct rusage usage;
	if (s->main_pidfd < 0)
		return;
	syscall(SYS_pidfd_send_signal, s->main_pidfd, SIGKILL, NULL, 0);
	/* The end of a namespace's init is seen only when everything in it is gone. */
	if ((s->plan.namespaces & CLONE_NEWPID) &&
		syscall(SYS_waitid, P_PIDFD, s->main_pidfd, NULL, WEXITED, &usage) == 0)
		tree_used_add(&s->used, &usage);
}

static bool shell_has_ended(const struct supervisor *s)
{
	return s->end.flags & ENDED_SHELL;
}

static void end_tree(struct supervisor *s)
{
	bool console_waits = s->control_fd >= 0 && !s->failed;
	/* Before anything is killed, and only where the launcher knows of somebody: what is just exiting is no background. */
	if (console_waits && shell_has_ended(s) && s->children_left && !s->launcher_gone &&
		(s->plan.engine || tree_signal(s->launcher_pid, s->launcher_pidfd, 0) > 0))
		s->end.flags |= ENDED_BACKGROUND;
	if (s->plan.engine)
		supervisor_engine_end(s);
	limits_kill(s);
	kill_main(s);
	tree_end_counted(&s->used);
	if (!console_waits)
		return;
	/* The shell may have ended by itself in the very last moment. */
	supervisor_hear_launcher(s);
	if (!shell_has_ended(s) && (s->end.flags & ENDED_BY_KILL)) {
		s->end.wait_status = SIGKILL;
		s->end.flags |= ENDED_SHELL;
	}
}

static void measure(struct supervisor *s)
{
	if (s->failed)
		return;
	if (s->plan.engine)
		return; /* done, before the container was removed */
	s->end.elapsed_ms = (uint64_t)(clock_mono_ms() - s->started_ms);
	s->end.cpu_us = s->used.cpu_us;
	limits_measure(s, s->used.largest_bytes);
}

static void tell_end(const struct supervisor *s)
{
	struct pollfd control = {.fd = s->control_fd, .events = POLLOUT};
	while (s->control_fd >= 0 && message_send(s->control_fd, &s->end) == 0)
		/* A console that is stopped, and a socket that is full: it is told when it goes on. */
		poll(&control, 1, -1);
}

void supervisor_finish(struct supervisor *s)
{
	end_tree(s);
	measure(s);
	/* Nobody of the command is left who could put something there again. */
	if (s->private_fd >= 0)
		private_dir_remove(s->plan.private_dir);
	tell_end(s);
	/* Empty control groups: what the console does now need not wait for them; for our own end it does. */
	limits_release(s);
}

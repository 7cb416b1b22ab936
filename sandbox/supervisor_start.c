#include "config.h"

#include "sandbox/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/caps.h"
#include "sandbox/namespaces.h"
#include "sandbox/plan_fd.h"
#include "sandbox/private_dir.h"
#include "sandbox/start_child.h"
#include "sandbox/supervisor_limits.h"

/* Longer than any healthy set-up takes on a loaded machine; a dead network file system must not hold a command for ever. */
#define SETUP_LIMIT_MS 30000

int supervisor_pair(struct supervisor *s, int *ret_theirs, struct err *err)
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

/* One message of the console before its plan is complete. 1: it was the plan. */
static int take_message(struct supervisor *s, struct message_extras *extras, struct err *err)
{
	if (s->incoming.message.kind == MSG_PREPARE && extras->fd_count == 1) {
		supervisor_prepare(s, extras->fds[0]);
		close(extras->fds[0]);
		return 0;
	}
	if (s->incoming.message.kind == MSG_PREPARE && extras->fd_count == 2) {
		supervisor_prepare_wrapper(s, extras->fds[0], extras->fds[1]);
		close(extras->fds[0]);
		close(extras->fds[1]);
		return 0;
	}
	if (s->incoming.message.kind == MSG_BASE && extras->fd_count == 1) {
		supervisor_prepare_base(s, extras->fds[0]);
		close(extras->fds[0]);
		return 0;
	}
	if (s->incoming.message.kind != MSG_PLAN || extras->fd_count < PLAN_FD_WRAPPER)
		return err_set(err, ERR_INVALID, "no plan came");
	return 1;
}

/* What was sent behind the descriptors that every plan needs. */
static void take_programs(
	struct supervisor *s, struct message_extras *extras, int fds[PLAN_FD_COUNT])
{
	size_t at = PLAN_FD_WRAPPER;
	if (s->plan.wrapper.count && at < extras->fd_count)
		fds[PLAN_FD_WRAPPER] = extras->fds[at++];
	if (s->plan.pasta.count && at < extras->fd_count)
		s->network.program_fd = extras->fds[at++];
	while (at < extras->fd_count)
		close(extras->fds[at++]);
}

static int check_plan(const struct supervisor *s, int wrapper_fd, struct err *err)
{
	const struct plan *plan = &s->plan;
	if (plan->wrapper.count && wrapper_fd < 0)
		return err_set(err, ERR_INVALID, "the wrapper's descriptor is missing");
	if (plan->pasta.count && s->network.program_fd < 0)
		return err_set(err, ERR_INVALID, "the descriptor of pasta is missing");
	if (!plan->engine != !plan->container || (plan->engine && !plan->wrapper.count))
		return err_set(err, ERR_INVALID, "half of an engine's plan is missing");
	return 0;
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
		fds[i] = i < PLAN_FD_WRAPPER ? extras.fds[i] : -1;
	if (plan_read_fd(fds[PLAN_FD_PLAN], &s->plan, err))
		return -1;
	take_programs(s, &extras, fds);
	return check_plan(s, fds[PLAN_FD_WRAPPER], err);
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
		.fd_count = ARRAY_LEN(placed),
		.join_fds = s->limits.cgroup.join_fds};
	return start_child(&what, &s->main_pid, &s->main_pidfd, err);
}

/* Natively a failure is put into s->end. */
static int start_by_kind(
	struct supervisor *s, int fds[PLAN_FD_COUNT], int *status_fd, struct err *err)
{
	if (s->plan.engine) {
		supervisor_engine_start(s, fds, *status_fd);
		*status_fd = -1;
	} else if (s->plan.wrapper.count) {
		return supervisor_start_wrapped(s, fds, *status_fd, err);
	} else if (s->plan.namespaces) {
		supervisor_start_native(s, fds, *status_fd);
	} else {
		return start_bare(s, fds, *status_fd, err);
	}
	return 0;
}

static int start(struct supervisor *s, int fds[PLAN_FD_COUNT], struct err *err)
{
	FD_AUTO int status_fd = -1;
	int prepared = supervisor_start_waiting(s, fds, err);
	if (prepared == 0)
		prepared = supervisor_start_prepared(s, fds, err);
	if (prepared != 0)
		return prepared < 0 ? -1 : 0;
	return supervisor_pair(s, &status_fd, err) || start_by_kind(s, fds, &status_fd, err) ? -1
											     : 0;
}

void supervisor_start(struct supervisor *s, int fds[PLAN_FD_COUNT])
{
	struct err err = ERR_INIT;
	if (s->plan.private_dir && private_dir_make(s->plan.private_dir, &s->private_fd, &err)) {
		supervisor_fail(s, STAGE_MOUNTS, err.saved_errno, err.text);
	} else if (places_share(s, &err)) {
		places_failed(s, &err);
	} else if (limits_prepare(s, &err)) {
		supervisor_fail(s, STAGE_LIMITS, err.saved_errno, err.text);
		s->end.value = LOST_CGROUP;
	} else if (start(s, fds, &err)) {
		supervisor_fail(s, STAGE_WRAPPER, err.saved_errno, err.text);
	} else if (!s->failed && limits_send_groups(s, &err)) {
		supervisor_fail(s, STAGE_LIMITS, err.saved_errno, err.text);
		s->end.value = LOST_CGROUP;
	}
	/* Only the read end stays: its hang-up must mean that no process of the command writes any more. */
	s->output_fd = fds[PLAN_FD_OUTPUT_READ];
	for (int i = 0; i < PLAN_FD_COUNT; i++)
		if (i != PLAN_FD_OUTPUT_READ)
			fd_close(&fds[i]);
	s->due_ms = clock_mono_ms() + SETUP_LIMIT_MS;
}

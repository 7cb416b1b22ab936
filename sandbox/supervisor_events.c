#include "config.h"

#include "sandbox/supervisor.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "sandbox/supervisor_limits.h"

/* From go to exec; see SETUP_LIMIT_MS. */
#define GO_LIMIT_MS 30000

static int64_t later(int64_t from_ms, uint64_t by_ms)
{
	return by_ms > (uint64_t)(NEVER_MS - from_ms) ? NEVER_MS : from_ms + (int64_t)by_ms;
}

static void enter(struct supervisor *s, enum phase phase, int64_t due_ms)
{
	s->phase = phase;
	s->due_ms = due_ms;
}

static void over(struct supervisor *s)
{
	enter(s, PHASE_OVER, NEVER_MS);
}

/* --- what the launcher says -------------------------------------------------------------- */

/* Compares one reported place with the plan; reports are in the order of mounts, then checks. */
static int compare_place(struct supervisor *s, const struct plan_mount *mount, size_t *at)
{
	if (!(mount->flags & PLAN_CHECK))
		return 0;
	size_t i = (*at)++;
	const struct message_check *seen = &s->incoming.ready.checks[i];
	if (i < s->incoming.message.check_count && seen->dev == mount->dev &&
		seen->ino == mount->ino)
		return 0;
	supervisor_fail(s, STAGE_PLACES, 0, mount->target);
	return -1;
}

static int compare_places(struct supervisor *s)
{
	size_t at = 0;
	for (size_t i = 0; i < s->plan.mount_count; i++)
		if (compare_place(s, &s->plan.mounts[i], &at))
			return -1;
	for (size_t i = 0; i < s->plan.check_count; i++)
		if (compare_place(s, &s->plan.checks[i], &at))
			return -1;
	if (at != s->incoming.message.check_count) {
		supervisor_fail(s, STAGE_PLACES, 0, "more places than the plan has");
		return -1;
	}
	return 0;
}

/* Our handle on the launcher, taken while it certainly lives: it waits for our go. */
static int hold_launcher(struct supervisor *s, pid_t pid)
{
	/* It lives in another namespace, perhaps under another name for our user: it is reached by its streams alone. */
	if (s->plan.engine)
		return 0;
	if (pid <= 1) {
		supervisor_fail(s, STAGE_VERIFY, 0, "the launcher is not below the supervisor");
		return -1;
	}
	s->launcher_pid = pid;
	s->launcher_pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (s->launcher_pidfd < 0) {
		supervisor_fail(s, STAGE_VERIFY, 0, "the launcher ended");
		return -1;
	}
	return 0;
}

static void pass_go(struct supervisor *s)
{
	if (!network_is_there(s))
		return;
	enter(s, PHASE_GOING, later(clock_mono_ms(), GO_LIMIT_MS));
	if (message_send(s->status_fd, &(struct message){.kind = MSG_GO}) != 1)
		supervisor_fail(s, STAGE_GO, 0, "the launcher ended");
}

static void on_ready(struct supervisor *s, struct message_extras *extras)
{
	const struct message *ready = &s->incoming.message;
	if (s->phase != PHASE_SETUP)
		return;
	if ((ready->value & s->plan.proofs) != s->plan.proofs) {
		supervisor_fail(s, STAGE_VERIFY, 0, "a proof is missing");
		return;
	}
	if (compare_places(s) || hold_launcher(s, extras->pid) || limits_take(s, extras))
		return;
	enter(s, PHASE_WAITING, NEVER_MS);
	/* Told first: a console that never heard of it knows that nothing was let go. */
	supervisor_tell_ready(s);
	if (s->let_go && s->phase == PHASE_WAITING)
		pass_go(s);
}

static void start_clock(struct supervisor *s)
{
	s->started_ms = clock_mono_ms();
	enter(s, PHASE_RUNNING, later(s->started_ms, s->plan.wall_ms));
	limits_begin(s);
	supervisor_tell(s, &(struct message){.kind = MSG_STARTED});
}

/* The launcher had its go and did not say what became of it. The command may have run, if only to kill the launcher before it
   could speak: to say that nothing ran would be a guess. */
static void presume_started(struct supervisor *s)
{
	start_clock(s);
	over(s);
}

static void on_started(struct supervisor *s, struct message_extras *extras)
{
	(void)extras;
	if (s->phase != PHASE_GOING)
		return;
	s->limits.census.shell = s->incoming.message.pid;
	start_clock(s);
	if (s->early != STOP_NONE)
		supervisor_stop(s, s->early);
}

static void on_failed(struct supervisor *s, struct message_extras *extras)
{
	const struct message *failed = &s->incoming.message;
	(void)extras;
	if (s->phase > PHASE_GOING)
		return;
	supervisor_fail(s, failed->stage, failed->error_number, failed->text);
	s->end.value = failed->value;
}

static void on_shell_ended(struct supervisor *s, struct message_extras *extras)
{
	const struct message *ended = &s->incoming.message;
	(void)extras;
	s->limits.census.shell_ended = true;
	if (s->phase != PHASE_RUNNING && s->phase != PHASE_STOPPING && s->phase != PHASE_OVER)
		return;
	s->end.wait_status = ended->wait_status;
	s->end.flags |= ENDED_SHELL;
	s->children_left = ended->value != 0;
	if (s->plan.engine) {
		s->end.cpu_us = ended->cpu_us;
		s->end.usage = ended->usage;
	}
	if (s->phase != PHASE_OVER)
		enter(s, PHASE_DRAINING, later(clock_mono_ms(), s->plan.drain_ms));
}

static void on_network(struct supervisor *s, struct message_extras *extras)
{
	network_start(s, extras);
}

static void on_usage(struct supervisor *s, struct message_extras *extras)
{
	(void)extras;
	if (s->plan.engine)
		supervisor_engine_usage(s);
}

typedef void launcher_handler(struct supervisor *, struct message_extras *);

static launcher_handler *const launcher_handlers[MSG_KIND_COUNT] = {
	[MSG_NETWORK] = on_network,
	[MSG_READY] = on_ready,
	[MSG_STARTED] = on_started,
	[MSG_FAILED] = on_failed,
	[MSG_SHELL_ENDED] = on_shell_ended,
	[MSG_USAGE] = on_usage,
	[MSG_LIMIT] = on_usage,
	[MSG_ASKS] = limits_hear_from,
};

void supervisor_hear_launcher(struct supervisor *s)
{
	struct message_extras extras;
	int got;
	while (s->status_fd >= 0 && (got = message_receive(s->status_fd, &s->incoming, &extras))) {
		if (got < 0) {
			fd_close(&s->status_fd);
			s->launcher_gone = true;
			return;
		}
		launcher_handler *handler = launcher_handlers[s->incoming.message.kind];
		if (handler)
			handler(s, &extras);
		for (size_t i = 0; i < extras.fd_count; i++)
			fd_close(&extras.fds[i]); /* what no handler took */
	}
}

/* --- what the console says --------------------------------------------------------------- */

static void on_go(struct supervisor *s)
{
	if (s->phase == PHASE_SETUP)
		s->let_go = true; /* for when all is verified and matches the card */
	else if (s->phase == PHASE_WAITING)
		pass_go(s);
}

static void on_extend(struct supervisor *s)
{
	if (s->phase == PHASE_RUNNING)
		s->due_ms = later(s->due_ms, s->incoming.message.value);
}

static void on_stop(struct supervisor *s)
{
	uint64_t value = s->incoming.message.value;
	enum stop_cause cause =
		value && value < STOP_CAUSE_COUNT ? (enum stop_cause)value : STOP_OPERATOR;
	if (s->phase < PHASE_GOING) {
		supervisor_fail(s, STAGE_GO, 0, "stopped before the command was started");
		s->end.cause = cause;
	} else if (s->phase == PHASE_GOING) {
		/* It may be executed already: only the launcher can tell whether something ran. */
		s->early = cause;
	} else if (s->phase == PHASE_RUNNING) {
		supervisor_stop(s, cause);
	} else if (s->phase == PHASE_DRAINING) {
		over(s);
	}
}

typedef void console_handler(struct supervisor *);

static console_handler *const console_handlers[MSG_KIND_COUNT] = {
	[MSG_GO] = on_go,
	[MSG_EXTEND] = on_extend,
	[MSG_STOP] = on_stop,
};

void supervisor_hear_console(struct supervisor *s)
{
	int got;
	while (s->phase != PHASE_OVER &&
		(got = message_receive(s->control_fd, &s->incoming, NULL))) {
		if (got < 0) {
			fd_close(&s->control_fd);
			s->end.cause = STOP_CONSOLE_GONE;
			over(s);
			return;
		}
		console_handler *handler = console_handlers[s->incoming.message.kind];
		if (handler)
			handler(s);
	}
}

/* --- time and ends ------------------------------------------------------------------------ */

static void on_due(struct supervisor *s)
{
	switch (s->phase) {
	case PHASE_SETUP:
		supervisor_fail(s, STAGE_VERIFY, 0, "the launcher did not get ready in time");
		break;
	case PHASE_GOING:
		presume_started(s);
		break;
	case PHASE_RUNNING:
		supervisor_stop(s, STOP_DEADLINE);
		break;
	case PHASE_STOPPING:
		s->end.flags |= ENDED_BY_KILL;
		over(s);
		break;
	case PHASE_DRAINING:
		over(s);
		break;
	case PHASE_WAITING:
	case PHASE_OVER:
		break;
	}
}

static void on_launcher_gone(struct supervisor *s)
{
	char text[sizeof(s->end.text)];
	if (s->phase > PHASE_GOING) {
		over(s);
		return;
	}
	if (s->phase == PHASE_GOING) {
		presume_started(s);
		return;
	}
	supervisor_describe_early_end(s, text, sizeof(text));
	supervisor_fail(s, s->plan.wrapper.count ? STAGE_WRAPPER : STAGE_VERIFY, 0, text);
}

static int timeout_ms(const struct supervisor *s)
{
	int64_t due_ms = s->due_ms < s->limits.due_ms ? s->due_ms : s->limits.due_ms;
	if (due_ms == NEVER_MS)
		return -1;
	int64_t left = due_ms - clock_mono_ms();
	if (left <= 0)
		return 0;
	return left > 1000000 ? 1000000 : (int)left;
}

enum {
	AT_CONTROL,
	AT_STATUS,
	AT_MAIN,
	AT_OUTPUT,
	AT_FORKS,
	AT_NETWORK,
	AT_PUMP,
	AT_COUNT = AT_PUMP + PUMP_COUNT
};

static void act_in_time(struct supervisor *s)
{
	if (s->phase != PHASE_OVER && clock_mono_ms() >= s->limits.due_ms)
		limits_look(s);
	if (s->due_ms != NEVER_MS && clock_mono_ms() >= s->due_ms)
		on_due(s);
}

static void act(struct supervisor *s, const struct pollfd fds[AT_COUNT])
{
	pump_act(&s->engine, &fds[AT_PUMP]);
	/* The launcher first: what it said before it ended counts. */
	if (fds[AT_STATUS].revents || fds[AT_MAIN].revents)
		supervisor_hear_launcher(s);
	if (fds[AT_OUTPUT].revents & (POLLHUP | POLLERR))
		fd_close(&s->output_fd);
	if (fds[AT_FORKS].revents)
		limits_hear_forks(s, fds[AT_FORKS].revents);
	if (fds[AT_NETWORK].revents)
		network_hear(s);
	if (fds[AT_CONTROL].revents)
		supervisor_hear_console(s);
	if (s->phase != PHASE_OVER && (s->launcher_gone || fds[AT_MAIN].revents))
		on_launcher_gone(s);
	if (s->phase == PHASE_DRAINING && s->output_fd < 0)
		over(s);
	act_in_time(s);
}

void supervisor_step(struct supervisor *s)
{
	struct pollfd fds[AT_COUNT] = {
		[AT_CONTROL] = {.fd = s->control_fd, .events = POLLIN},
		[AT_STATUS] = {.fd = s->status_fd, .events = POLLIN},
		[AT_MAIN] = {.fd = s->main_pidfd, .events = POLLIN},
		[AT_OUTPUT] = {.fd = s->output_fd},
		[AT_FORKS] = {.fd = s->limits.forks.fd, .events = POLLIN},
		[AT_NETWORK] = {.fd = s->network.ready_fd, .events = POLLIN},
	};
	pump_poll(&s->engine, &fds[AT_PUMP]);
	if (poll(fds, AT_COUNT, timeout_ms(s)) >= 0)
		act(s, fds);
}

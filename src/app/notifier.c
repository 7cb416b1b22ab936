#include "config.h"

#include "app/notifier.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "app/person.h"
#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/person_program.h"

struct notice {
	struct notifier *notifier;
	uv_poll_t ended;
	uv_timer_t limit;
	pid_t pid;
	int pidfd;
	unsigned closing; /* handles that are still open */
	bool too_long;
};

/* What a desktop notice needs to find its desktop; nothing that a program would be told to run by. */
static const char *const variables[] = {"HOME", "USER", "LOGNAME", "LANG", "XDG_RUNTIME_DIR",
	"DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"};

/* An interpreter that is trusted would run a script that a command has written: no argument may name one of its places. */
static bool names_writable(const char *argument, const struct strv *writable)
{
	char *real MEM_AUTO = argument[0] == '/' ? realpath(argument, NULL) : NULL;

	for (size_t i = 0; i < writable->count; i++)
		if (strstr(argument, writable->items[i]) != NULL)
			return true;
	return real != NULL && person_may_be_written(real, writable);
}

static int check_arguments(const struct strv *argv, const struct strv *writable, struct err *err)
{
	for (size_t i = 1; i < argv->count; i++)
		if (names_writable(argv->items[i], writable))
			return err_set(err, ERR_REFUSED,
				"its argument %zu names a place that commands may write", i);
	return 0;
}

static int find(const struct session *s, const struct strv *command, const char *name,
	struct person_program *ret, struct err *err)
{
	struct strv writable STRV_AUTO = STRV_INIT;

	person_writable_places(s, &writable);
	*ret = (struct person_program){0};
	if (check_arguments(command, &writable, err) == 0 &&
		person_program_take(command, &writable, ret, err) == 0)
		return 0;
	err_context(err, "%s: %s", name, command->items[0]);
	person_program_release(ret);
	return -1;
}

int notifier_check_command(
	const struct session *s, const struct strv *command, const char *name, struct err *err)
{
	struct person_program program;

	if (command->count == 0)
		return 0;
	if (find(s, command, name, &program, err) != 0)
		return -1;
	person_program_release(&program);
	return 0;
}

int notifier_check(const struct session *s, struct err *err)
{
	return notifier_check_command(s, &s->config.notify_command, "notify_command", err);
}

void notifier_begin(struct notifier *notifier, uv_loop_t *loop, const struct session *session,
	void *ctx, void (*trouble)(void *ctx, const char *why))
{
	notifier_begin_command(notifier, &session->config.notify_command, "notify_command", loop,
		session, ctx, trouble);
}

void notifier_begin_command(struct notifier *notifier, const struct strv *command, const char *name,
	uv_loop_t *loop, const struct session *session, void *ctx,
	void (*trouble)(void *ctx, const char *why))
{
	*notifier = (struct notifier){.loop = loop,
		.session = session,
		.command = command,
		.name = name,
		.limit_ms = NOTIFIER_MS,
		.ctx = ctx,
		.trouble = trouble};
}

static void on_closed(uv_handle_t *handle)
{
	struct notice *notice = handle->data;

	if (--notice->closing == 0)
		free(notice);
}

static void forget(struct notice *notice)
{
	notice->notifier->running = NULL;
	notice->closing = 2;
	uv_close((uv_handle_t *)&notice->ended, on_closed);
	uv_close((uv_handle_t *)&notice->limit, on_closed);
	fd_close(&notice->pidfd);
}

/* Not reaped yet, so that the number is still its own: what it left in its group ends with it, or a flood of notices could leave
   a flood of processes. */
static int end_group(const struct notice *notice, struct err *err)
{
	kill(-notice->pid, SIGKILL);
	return person_program_reap(notice->pidfd, notice->notifier->name, err);
}

static int too_slow(const struct notifier *notifier, struct err *err)
{
	return err_set(
		err, ERR_UNAVAILABLE, "%s did not end in time and was ended", notifier->name);
}

static void on_ended(uv_poll_t *poll, int status, int events)
{
	struct notice *notice = poll->data;
	struct notifier *notifier = notice->notifier;
	struct err err = ERR_INIT;

	(void)status;
	(void)events;
	uv_poll_stop(&notice->ended);
	int bad = end_group(notice, &err);
	bool too_long = notice->too_long;
	forget(notice);
	if (too_long)
		too_slow(notifier, &err);
	if (too_long || bad != 0)
		notifier->trouble(notifier->ctx, err.text);
}

static void on_limit(uv_timer_t *timer)
{
	struct notice *notice = timer->data;

	notice->too_long = true;
	kill(-notice->pid, SIGKILL);
}

static void watch(struct notifier *notifier, struct notice *notice)
{
	notice->notifier = notifier;
	notice->ended.data = notice->limit.data = notice;
	uv_poll_init(notifier->loop, &notice->ended, notice->pidfd);
	uv_poll_start(&notice->ended, UV_READABLE, on_ended);
	uv_timer_init(notifier->loop, &notice->limit);
	uv_timer_start(&notice->limit, on_limit, notifier->limit_ms, 0);
	notifier->running = notice;
}

static int start(
	const struct notifier *notifier, const char *words, struct notice *notice, struct err *err)
{
	const struct session *s = notifier->session;
	struct strv env STRV_AUTO = STRV_INIT;
	struct person_program program;

	/* Looked at each time anew: what was trusted at the start may be another file by now. */
	if (find(s, notifier->command, notifier->name, &program, err) != 0)
		return -1;
	strv_add(&program.argv, words);
	person_environment(s, variables, ARRAY_LEN(variables), &env);
	int bad =
		person_program_start_apart(&program, env.items, &notice->pid, &notice->pidfd, err);
	person_program_release(&program);
	return bad;
}

void notifier_call(struct notifier *notifier, const char *words)
{
	struct err err = ERR_INIT;

	if (notifier->loop == NULL || notifier->running != NULL || notifier->command->count == 0)
		return;
	struct notice *notice = mem_alloc(sizeof(*notice));
	if (start(notifier, words, notice, &err) == 0) {
		uv_update_time(notifier->loop);
		watch(notifier, notice);
		return;
	}
	free(notice);
	notifier->trouble(notifier->ctx, err.text);
}

void notifier_end(struct notifier *notifier)
{
	if (notifier->running != NULL) {
		end_group(notifier->running, NULL);
		forget(notifier->running);
	}
	notifier->loop = NULL;
}

/* 0, or why it failed. It is ended and reaped in any case. */
static int wait_for(const struct notice *notice, struct err *err)
{
	struct pollfd ended = {.fd = notice->pidfd, .events = POLLIN};
	bool in_time = poll(&ended, 1, NOTIFIER_LAST_MS) == 1;
	int bad = end_group(notice, err);

	return in_time ? bad : too_slow(notice->notifier, err);
}

int notifier_finish(struct notifier *notifier, struct err *err)
{
	int status = 0;

	if (notifier->running != NULL) {
		status = wait_for(notifier->running, err);
		forget(notifier->running);
	}
	notifier->loop = NULL;
	return status;
}

int notifier_call_last(struct notifier *notifier, const char *words, struct err *err)
{
	struct notice notice = {.notifier = notifier};

	if (start(notifier, words, &notice, err) != 0)
		return -1;
	int status = wait_for(&notice, err);

	fd_close(&notice.pidfd);
	return status;
}

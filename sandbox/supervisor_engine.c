#include "config.h"

#include "sandbox/supervisor_engine.h"

#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/engine_http.h"
#include "sandbox/supervisor.h"

/* An engine that hangs holds a command for no longer than this in each step. */
#define ASK_MS 10000
/* From the end of the launcher's input to the end of the container's streams. */
#define STREAM_END_MS 2000
/* A removal that fails is tried anew: the engine may be starting again. What stays then is removed at the next start. */
#define REMOVE_MS 20000
#define REMOVE_PAUSE_MS 50
/* Of what the engine says of a container. No text of it can hold this: quotes in it are escaped. */
#define OOM_KILLED "\"OOMKilled\":true"
/* A console that does not read is not to find a full socket when something important is said. */
#define UNREAD_BYTES_MAX 4096

struct engine_call engine_ask_for(const struct supervisor *s)
{
	return (struct engine_call){
		.socket = s->plan.engine, .due_ms = clock_mono_ms() + ASK_MS, .cancel_fd = -1};
}

char *engine_closer_name(const struct supervisor *s)
{
	return mem_printf("%s" DOCKER_CLOSER, s->plan.container);
}

/* --- running ------------------------------------------------------------------------------ */

void supervisor_engine_usage(struct supervisor *s)
{
	struct message *said = &s->incoming.message;
	bool limit = said->kind == MSG_LIMIT;
	int unread = 0;
	if (s->phase < PHASE_RUNNING || s->phase == PHASE_OVER)
		return;
	said->elapsed_ms = (uint64_t)(clock_mono_ms() - s->started_ms);
	s->end.usage = said->usage;
	s->end.cpu_us = said->cpu_us;
	if (!limit) {
		if (ioctl(s->control_fd, SIOCOUTQ, &unread) == 0 && unread < UNREAD_BYTES_MAX)
			message_send(s->control_fd, said);
		return;
	}
	supervisor_tell(s, said);
	s->end.cause = STOP_PROCESSES;
	s->end.flags |= ENDED_BY_KILL;
	s->phase = PHASE_OVER;
	s->due_ms = NEVER_MS;
}

/* --- ending ------------------------------------------------------------------------------- */

void supervisor_engine_stop(struct supervisor *s)
{
	message_send(s->status_fd, &(struct message){.kind = MSG_STOP, .value = s->end.cause});
}

static bool console_is_gone(struct supervisor *s)
{
	struct pollfd control = {.fd = s->control_fd};
	return s->control_fd < 0 || (poll(&control, 1, 0) > 0 && control.revents);
}

/* Until the streams end. Output that the console does not take yet is waited for, an engine that does not end is not. */
static void drain(struct supervisor *s)
{
	struct engine_run *e = &s->engine;
	int64_t due_ms = clock_mono_ms() + STREAM_END_MS;
	while ((e->attach_fd >= 0 || e->output.len) && !console_is_gone(s)) {
		struct pollfd fds[PUMP_COUNT + 1];
		int64_t left = due_ms - clock_mono_ms();
		pump_poll(e, fds);
		fds[PUMP_COUNT] = (struct pollfd){.fd = s->control_fd};
		if (e->output.len)
			due_ms = clock_mono_ms() + STREAM_END_MS;
		else if (left <= 0)
			return;
		if (poll(fds, PUMP_COUNT + 1, e->output.len ? -1 : (int)left) > 0)
			pump_act(e, fds);
	}
}

/* The engine's status; 0: it did not answer. */
static int ask_to_remove(const struct supervisor *s, const char *name)
{
	STR_AUTO struct str body = STR_INIT;
	struct err err = ERR_INIT;
	int status = 0;
	const struct engine_call call = engine_ask_for(s);
	MEM_AUTO char *target = mem_printf("/containers/%s?force=1&v=1", name);
	return engine_request(&call, "DELETE", target, &body, &status, &err) == 0 ? status : 0;
}

static void remove_container(const struct supervisor *s, const char *name)
{
	int64_t due_ms = clock_mono_ms() + REMOVE_MS;
	int status;
	/* Until there is none of this name: what was being made may come behind the first that is removed. */
	while ((status = ask_to_remove(s, name)) != 404 && clock_mono_ms() < due_ms) {
		if (!ENGINE_OK(status))
			poll(NULL, 0, REMOVE_PAUSE_MS);
		else if (!s->engine.may_come)
			return;
	}
}

static bool look_at(const struct supervisor *s, struct str *ret)
{
	struct err err = ERR_INIT;
	int status = 0;
	const struct engine_call call = engine_ask_for(s);
	MEM_AUTO char *target = mem_printf("/containers/%s/json", s->plan.container);
	return engine_request(&call, "GET", target, ret, &status, &err) == 0 && ENGINE_OK(status);
}

void supervisor_engine_words(struct supervisor *s, char *text, size_t size)
{
	STR_AUTO struct str body = STR_INIT;
	text[0] = '\0';
	if (look_at(s, &body) && strstr(str_c(&body), OOM_KILLED))
		snprintf(text, size, "the memory limit is too small for the launcher");
}

/* The engine kills within its limit; a command that went on and succeeded has not met it. */
static void note_memory(struct supervisor *s)
{
	STR_AUTO struct str body = STR_INIT;
	bool succeeded = (s->end.flags & ENDED_SHELL) && s->end.wait_status == 0;
	if (s->failed || s->end.cause != STOP_NONE || succeeded || console_is_gone(s) ||
		!look_at(s, &body) || strstr(str_c(&body), OOM_KILLED) == NULL)
		return;
	s->end.cause = STOP_MEMORY;
	supervisor_tell(
		s, &(struct message){
			   .kind = MSG_LIMIT, .value = LIMIT_HIT_MEMORY, .usage = s->end.usage});
}

void supervisor_engine_end(struct supervisor *s)
{
	struct engine_run *e = &s->engine;
	/* The end of its input ends the launcher, and with it, the first process, all that is in the container. */
	if (e->attach_fd >= 0)
		shutdown(e->attach_fd, SHUT_WR);
	drain(s);
	supervisor_hear_launcher(s);
	if (!s->failed)
		s->end.elapsed_ms = (uint64_t)(clock_mono_ms() - s->started_ms);
	s->end.usage.memory_bytes = 0;
	s->end.usage.processes = 0;
	if (e->may_exist) {
		note_memory(s);
		remove_container(s, s->plan.container);
		MEM_AUTO char *closer = engine_closer_name(s);
		if (s->plan.closer.count)
			remove_container(s, closer);
	}
	pump_release(e);
}

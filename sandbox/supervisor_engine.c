#include "config.h"

#include "sandbox/supervisor_engine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/engine_http.h"
#include "sandbox/engine_profile.h"
#include "sandbox/start_child.h"
#include "sandbox/supervisor.h"

/* An engine that hangs holds a command for no longer than this in each step. */
#define MAKE_MS 10000
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

static struct engine_call ask_for(const struct supervisor *s, int64_t ms)
{
	return (struct engine_call){
		.socket = s->plan.engine, .due_ms = clock_mono_ms() + ms, .cancel_fd = -1};
}

/* Its go is kept for later; a stop and its hang-up end what is being made. */
static bool console_stops(void *context)
{
	struct supervisor *s = context;
	supervisor_hear_console(s);
	return s->phase == PHASE_OVER;
}

static struct engine_call ask_unless_stopped(struct supervisor *s)
{
	struct engine_call call = ask_for(s, ASK_MS);
	call.cancel_fd = s->control_fd;
	call.is_cancelled = console_stops;
	call.context = s;
	return call;
}

/* --- making ------------------------------------------------------------------------------- */

static int open_profile(int *ret_fd, struct err *err)
{
	STR_AUTO struct str profile = STR_INIT;
	engine_profile(&profile);
	return fd_sealed_memfd("profile", profile.data, profile.len, ret_fd, err);
}

static int start_client(struct supervisor *s, int client_fd, struct err *err)
{
	int words[2];
	FD_AUTO int profile_fd = -1;
	if (open_profile(&profile_fd, err))
		return -1;
	if (pipe2(words, O_CLOEXEC | O_NONBLOCK) != 0)
		return err_set_errno(err, "making a pipe");
	s->words_fd = words[0];
	FD_AUTO int words_end = words[1];
	FD_AUTO int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null_fd < 0)
		return err_set_errno(err, "/dev/null");
	const struct placed_fd placed[] = {
		{null_fd, 0}, {words_end, 1}, {words_end, 2}, {profile_fd, ENGINE_FD_PROFILE}};
	char *const no_env[] = {NULL};
	const struct start_child what = {.program_fd = client_fd,
		.program = s->plan.wrapper.items[0],
		.argv = s->plan.wrapper.items,
		.envp = s->plan.env.count ? s->plan.env.items : no_env,
		.fds = placed,
		.fd_count = ARRAY_LEN(placed)};
	return start_child(&what, &s->main_pid, &s->main_pidfd, err);
}

/* Its warnings come first, and its errors have a name of their own. */
static void client_words(const struct supervisor *s, struct err *err)
{
	static const char from_engine[] = "Error response from daemon: ";
	char bytes[4096];
	ssize_t n = read(s->words_fd, bytes, sizeof(bytes) - 1);
	bytes[n > 0 ? n : 0] = '\0';
	char *words = strstr(bytes, from_engine);
	if (words)
		words += strlen(from_engine);
	else
		for (words = bytes; strncmp(words, "WARNING", 7) == 0 && strchr(words, '\n');)
			words = strchr(words, '\n') + 1;
	words[strcspn(words, "\n")] = '\0';
	err_set(err, ERR_UNAVAILABLE, "%s",
		words[0] ? words : "the engine's client ended without a word");
}

/* Also when we are stopped: a client that was killed may have asked already, and the container would come after we had
   looked for it. */
static int wait_for_client(struct supervisor *s, struct err *err)
{
	struct pollfd end = {.fd = s->main_pidfd, .events = POLLIN};
	siginfo_t info = {0};
	int n = poll(&end, 1, MAKE_MS);
	if (n <= 0)
		syscall(SYS_pidfd_send_signal, s->main_pidfd, SIGKILL, NULL, 0);
	waitid(P_PIDFD, (id_t)s->main_pidfd, &info, WEXITED);
	fd_close(&s->main_pidfd);
	if (n <= 0)
		return err_set(
			err, ERR_LIMIT, "the engine made no container within %d s", MAKE_MS / 1000);
	if (info.si_code == CLD_EXITED && info.si_status == 0)
		return 0;
	client_words(s, err);
	return -1;
}

static int start_container(struct supervisor *s, struct err *err)
{
	STR_AUTO struct str body = STR_INIT;
	int status = 0;
	char words[sizeof(s->end.text)];
	const struct engine_call call = ask_unless_stopped(s);
	MEM_AUTO char *target = mem_printf("/containers/%s/start", s->plan.container);
	if (engine_request(&call, "POST", target, &body, &status, err))
		return -1;
	if (ENGINE_OK(status))
		return 0;
	engine_message(&body, words, sizeof(words));
	return err_set(err, ERR_UNAVAILABLE, "%s", words[0] ? words : "the engine started nothing");
}

static void send_plan(struct supervisor *s)
{
	STR_AUTO struct str bytes = STR_INIT;
	plan_encode(&s->plan, &bytes);
	const struct message head = {.kind = MSG_PLAN, .value = bytes.len};
	pump_send(&s->engine, &head, sizeof(head));
	pump_send(&s->engine, bytes.data, bytes.len);
}

static int make_and_attach(struct supervisor *s, int client_fd, struct err *err)
{
	if (start_client(s, client_fd, err))
		return -1;
	s->engine.may_exist = true;
	if (wait_for_client(s, err))
		return -1;
	const struct engine_call call = ask_unless_stopped(s);
	/* Before it is started, so that nothing it says is lost. */
	return engine_attach(&call, s->plan.container, &s->engine.attach_fd, err);
}

static int move(int *from)
{
	int fd = *from;
	*from = -1;
	return fd;
}

static void failed(struct supervisor *s, const struct err *err)
{
	if (s->phase != PHASE_OVER) /* stopped, it is said already why */
		supervisor_fail(s, STAGE_WRAPPER, err->saved_errno, err->text);
}

void supervisor_engine_start(struct supervisor *s, int fds[PLAN_FD_COUNT], int pump_fd)
{
	struct err err = ERR_INIT;
	s->engine.pump_fd = pump_fd;
	s->engine.output_fd = move(&fds[PLAN_FD_OUTPUT_WRITE]);
	if (s->plan.stdin_passed)
		s->engine.input_fd = move(&fds[PLAN_FD_STDIN]);
	/* Ours alone, unlike a command's: nobody else is slowed down when it is full. */
	if (fd_set_nonblock(s->engine.output_fd, &err) ||
		make_and_attach(s, fds[PLAN_FD_WRAPPER], &err))
		failed(s, &err);
	else if (places_alone(s, &err))
		places_failed(s, &err);
	else if (start_container(s, &err))
		failed(s, &err);
	else if (places_share(s, &err))
		places_failed(s, &err);
	else
		send_plan(s);
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
static int ask_to_remove(const struct supervisor *s)
{
	STR_AUTO struct str body = STR_INIT;
	struct err err = ERR_INIT;
	int status = 0;
	const struct engine_call call = ask_for(s, ASK_MS);
	MEM_AUTO char *target = mem_printf("/containers/%s?force=1&v=1", s->plan.container);
	return engine_request(&call, "DELETE", target, &body, &status, &err) == 0 ? status : 0;
}

static void remove_container(const struct supervisor *s)
{
	int64_t due_ms = clock_mono_ms() + REMOVE_MS;
	int status;
	/* Until there is none of this name: what was being made may come behind the first that is removed. */
	while ((status = ask_to_remove(s)) != 404 && clock_mono_ms() < due_ms)
		if (!ENGINE_OK(status))
			poll(NULL, 0, REMOVE_PAUSE_MS);
}

static bool look_at(const struct supervisor *s, struct str *ret)
{
	struct err err = ERR_INIT;
	int status = 0;
	const struct engine_call call = ask_for(s, ASK_MS);
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
	s->end.usage.memory_bytes = 0;
	s->end.usage.processes = 0;
	if (e->may_exist) {
		note_memory(s);
		remove_container(s);
	}
	pump_release(e);
}

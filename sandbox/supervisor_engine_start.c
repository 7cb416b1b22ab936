#include "config.h"

#include "sandbox/supervisor_engine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
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
/* A client when nobody waits for it any more. */
#define ORPHAN_MS 500

/* Its go is kept for later; a stop and its hang-up end what is being made. */
static bool console_stops(void *context)
{
	struct supervisor *s = context;
	supervisor_hear_console(s);
	return s->phase == PHASE_OVER;
}

static struct engine_call ask_unless_stopped(struct supervisor *s)
{
	struct engine_call call = engine_ask_for(s);
	call.cancel_fd = s->control_fd;
	call.is_cancelled = console_stops;
	call.context = s;
	return call;
}

static int open_profile(int *ret_fd, struct err *err)
{
	STR_AUTO struct str profile = STR_INIT;
	engine_profile(&profile);
	return fd_sealed_memfd("profile", profile.data, profile.len, ret_fd, err);
}

static int start_client(
	struct supervisor *s, const struct strv *argv, int client_fd, struct err *err)
{
	int words[2];
	FD_AUTO int profile_fd = -1;
	if (open_profile(&profile_fd, err))
		return -1;
	if (pipe2(words, O_CLOEXEC | O_NONBLOCK) != 0)
		return err_set_errno(err, "making a pipe");
	fd_close(&s->words_fd);
	s->words_fd = words[0];
	FD_AUTO int words_end = words[1];
	FD_AUTO int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null_fd < 0)
		return err_set_errno(err, "/dev/null");
	const struct placed_fd placed[] = {
		{null_fd, 0}, {words_end, 1}, {words_end, 2}, {profile_fd, ENGINE_FD_PROFILE}};
	struct strv env STRV_AUTO = STRV_INIT;
	strv_copy(&env, &s->plan.env);
	/* The client lives for one question: no garbage to collect, no threads to share it among. */
	strv_add(&env, "GOGC=off");
	strv_add(&env, "GOMAXPROCS=1");
	const struct start_child what = {.program_fd = client_fd,
		.program = argv->items[0],
		.argv = argv->items,
		.envp = env.items,
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
   looked for it. When the console is gone, that is left to the next start. */
static bool client_ends(struct supervisor *s)
{
	struct pollfd fds[] = {{.fd = s->main_pidfd, .events = POLLIN}, {.events = POLLIN}};
	int64_t due_ms = clock_mono_ms() + MAKE_MS;
	for (;;) {
		int64_t now_ms = clock_mono_ms();
		if (s->control_fd < 0 && due_ms > now_ms + ORPHAN_MS)
			due_ms = now_ms + ORPHAN_MS;
		if (now_ms >= due_ms)
			return false;
		fds[1].fd = s->phase == PHASE_OVER ? -1 : s->control_fd;
		if (poll(fds, ARRAY_LEN(fds), (int)(due_ms - now_ms)) <= 0)
			continue;
		if (fds[0].revents)
			return true;
		supervisor_hear_console(s);
	}
}

static int wait_for_client(struct supervisor *s, struct err *err)
{
	siginfo_t info = {0};
	bool ended = client_ends(s);
	if (!ended)
		syscall(SYS_pidfd_send_signal, s->main_pidfd, SIGKILL, NULL, 0);
	waitid(P_PIDFD, (id_t)s->main_pidfd, &info, WEXITED);
	fd_close(&s->main_pidfd);
	if (!ended)
		return err_set(
			err, ERR_LIMIT, "the engine made no container within %d s", MAKE_MS / 1000);
	if (info.si_code == CLD_EXITED && info.si_status == 0)
		return 0;
	client_words(s, err);
	return -1;
}

static int start_container(struct supervisor *s, const char *name, struct err *err)
{
	STR_AUTO struct str body = STR_INIT;
	int status = 0;
	char words[sizeof(s->end.text)];
	const struct engine_call call = ask_unless_stopped(s);
	MEM_AUTO char *target = mem_printf("/containers/%s/start", name);
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

static int make(struct supervisor *s, const struct strv *argv, int client_fd, struct err *err)
{
	if (start_client(s, argv, client_fd, err))
		return -1;
	s->engine.may_exist = true;
	s->engine.may_come = true;
	if (wait_for_client(s, err))
		return -1;
	s->engine.may_come = false;
	return 0;
}

static int make_and_attach(struct supervisor *s, int client_fd, struct err *err)
{
	if (make(s, &s->plan.wrapper, client_fd, err))
		return -1;
	const struct engine_call call = ask_unless_stopped(s);
	/* Before it is started, so that nothing it says is lost. */
	return engine_attach(&call, s->plan.container, &s->engine.attach_fd, err);
}

/* Until it has ended. Its status is an errno. */
static int wait_for_closer(struct supervisor *s, const char *name, struct err *err)
{
	static const char key[] = "\"StatusCode\":";
	STR_AUTO struct str body = STR_INIT;
	int status = 0;
	const struct engine_call call = ask_unless_stopped(s);
	MEM_AUTO char *target = mem_printf("/containers/%s/wait", name);
	if (engine_request(&call, "POST", target, &body, &status, err))
		return -1;
	const char *at = strstr(str_c(&body), key);
	int said = at ? atoi(at + strlen(key)) : EPROTO;
	if (said == 0)
		return 0;
	return err_set(err, ERR_REFUSED,
		"the network of a container cannot be closed to this machine: %s",
		said == LAUNCHER_CLOSE_OPEN ? "it is still reached" : strerror(said));
}

/* The network is there with the first container, whose launcher waits for its plan. */
static int close_network(struct supervisor *s, int client_fd, struct err *err)
{
	MEM_AUTO char *name = engine_closer_name(s);
	if (s->plan.closer.count == 0)
		return 0;
	if (make(s, &s->plan.closer, client_fd, err) || start_container(s, name, err) ||
		wait_for_closer(s, name, err))
		return -1;
	send_plan(s);
	return 0;
}

/* The launcher reads it when it is there, before the engine has told us so. What it proves of the network comes later. */
static int send_plan_and_start(struct supervisor *s, struct err *err)
{
	if (s->plan.closer.count == 0)
		send_plan(s);
	return start_container(s, s->plan.container, err);
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

/* What the second container found will not be otherwise the next time. */
static void network_failed(struct supervisor *s, const struct err *err)
{
	bool lost = err->code == ERR_REFUSED;
	if (s->phase == PHASE_OVER)
		return;
	supervisor_fail(s, lost ? STAGE_NETWORK : STAGE_WRAPPER, err->saved_errno, err->text);
	s->end.value = lost ? LOST_CLOSER : 0;
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
	else if (send_plan_and_start(s, &err))
		failed(s, &err);
	else if (places_share(s, &err))
		places_failed(s, &err);
	else if (close_network(s, fds[PLAN_FD_WRAPPER], &err))
		network_failed(s, &err);
}

#include "config.h"

#include "app/cmd.h"

#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/broker.h"
#include "app/call_args.h"
#include "app/exit_status.h"
#include "app/loop.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

struct runner {
	uv_loop_t loop;
	struct session session;
	struct broker broker;
	struct signals signals;
	struct str partial; /* for the terminal: a character whose end has not come yet */
	bool to_terminal, reader_gone;
	unsigned safe; /* text_flags for the terminal */
	int status, signal;
	enum reason reason;
	char *sentence; /* why it did not just run and succeed; NULL: nothing to say */
};

static void write_safe(struct runner *runner, const char *bytes, size_t len, bool at_end)
{
	struct err err = ERR_INIT;
	struct str shown STR_AUTO = STR_INIT;
	str_add_bytes(&runner->partial, bytes, len);
	size_t whole = at_end ? runner->partial.len
			      : text_whole(runner->partial.data, runner->partial.len);
	text_escape(str_c(&runner->partial), whole, runner->safe, &shown);
	struct str rest = STR_INIT;
	str_add_bytes(&rest, str_c(&runner->partial) + whole, runner->partial.len - whole);
	str_release(&runner->partial);
	runner->partial = rest;
	fd_write_all(STDOUT_FILENO, str_c(&shown), shown.len, &err);
}

static void on_output(void *ctx, struct call *call, const char *bytes, size_t len)
{
	struct runner *runner = ctx;
	struct err err = ERR_INIT;
	(void)call;
	if (runner->reader_gone)
		return;
	if (runner->to_terminal) {
		write_safe(runner, bytes, len, false);
	} else if (fd_write_all(STDOUT_FILENO, bytes, len, &err) != 0) {
		runner->reader_gone = true;
		runner->signal = SIGPIPE;
		broker_reader_gone(&runner->broker);
	}
}

static void on_answer(void *ctx, struct call *call, struct str *line)
{
	struct runner *runner = ctx;
	(void)line;
	runner->status = runner->signal != 0 ? 128 + runner->signal : exit_status_of(&call->result);
	if (runner->to_terminal)
		write_safe(runner, "", 0, true);
	/* What the command says by itself is enough for its own exit status; anything else is said in words. */
	if (call->result.sentence != NULL && call->result.reason != REASON_EXIT_STATUS) {
		runner->reason = call->result.reason;
		runner->sentence = mem_strdup(call->result.sentence);
	}
}

static void on_idle(void *ctx)
{
	struct runner *runner = ctx;
	uv_stop(&runner->loop);
}

static void on_signal(void *ctx, int number)
{
	struct runner *runner = ctx;
	if (number != SIGINT)
		runner->signal = number;
	for (size_t i = 0; i < runner->broker.call_count; i++)
		broker_stop_call(runner->broker.calls[i], REASON_KILLED_BY_OPERATOR, "operator");
}

static bool foreground(int fd)
{
	return isatty(fd) == 1 && tcgetpgrp(fd) == getpgrp();
}

/* What some programs make where others make a pipe. Any other socket would be a way out: an internet or datagram socket of
   this machine's network can be connected anew by whoever holds it. */
static bool is_socket_pair(int fd)
{
	int family = 0, type = 0;
	socklen_t family_len = sizeof(family), type_len = sizeof(type);
	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &family_len) == 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_len) == 0 && family == AF_UNIX &&
	       type == SOCK_STREAM;
}

/* A pipe or a file is passed; a terminal never (the command could read the person's keys), nor anything else. */
static int passed_stdin(void)
{
	struct stat st;
	if (fstat(STDIN_FILENO, &st) != 0)
		return -1;
	bool passed = S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode) ||
		      (S_ISSOCK(st.st_mode) && is_socket_pair(STDIN_FILENO));
	return passed ? STDIN_FILENO : -1;
}

static int run_request(struct runner *runner, const struct request *request)
{
	struct err err = ERR_INIT;
	struct broker_hooks hooks = {
		.ctx = runner, .answer = on_answer, .output = on_output, .idle = on_idle};
	bool person = foreground(STDIN_FILENO) || foreground(STDERR_FILENO);
	int stdin_fd = passed_stdin();
	broker_begin(&runner->broker, &runner->loop, &runner->session, &hooks, person);
	broker_expect(&runner->broker, BROKER_PEER_OPERATOR, request, stdin_fd);
	if (session_complete(&runner->session, &err) != 0) {
		log_warn("%s", err.text);
		broker_abandon(&runner->broker);
		return EXIT_USAGE;
	}
	uv_loop_init(&runner->loop);
	runner->broker.ends_with_answer = true;
	if (broker_open(&runner->broker, "operator", &err) != 0) {
		log_warn("%s", err.text);
		return EXIT_NOT_RUN;
	}
	signals_start(&runner->signals, &runner->loop, runner, on_signal);
	broker_request(&runner->broker, BROKER_PEER_OPERATOR, request, stdin_fd);
	if (!broker_idle(&runner->broker))
		uv_run(&runner->loop, UV_RUN_DEFAULT);
	signals_stop(&runner->signals);
	/* One fdatasync for the answer and the end of the session; nobody has the answer before it. */
	broker_close(&runner->broker, "done", NULL);
	if (runner->sentence != NULL)
		log_warn("%s: %s", reason_name(runner->reason), runner->sentence);
	free(runner->sentence);
	loop_end(&runner->loop);
	str_release(&runner->partial);
	/* nobody was answered, as nobody reads: as if the signal of a broken pipe had ended us */
	return runner->reader_gone ? 128 + SIGPIPE : runner->status;
}

static unsigned safe_flags(void)
{
	setlocale(LC_CTYPE, "");
	return TEXT_LINES | TEXT_OUTPUT | text_locale_flags();
}

int cmd_run(int argc, char **argv)
{
	struct runner runner = {.status = EXIT_NOT_RUN, .to_terminal = isatty(STDOUT_FILENO) == 1};
	struct options options;
	struct request request;
	struct err err = ERR_INIT;
	int status = options_parse(argc, argv, OPTIONS_COMMON | OPTIONS_CALL, &options);
	if (status != 0)
		return status;
	options.one_call = true;
	loop_prepare();
	if (runner.to_terminal)
		runner.safe = safe_flags();
	if (call_args_request(&options, argc, argv, &request, &err) != 0) {
		log_warn("%s", err.text);
		return EXIT_USAGE;
	}
	if (session_open(&options, environ, &runner.session, &err) == 0) {
		if (runner.session.config.backend == BACKEND_NONE &&
			runner.session.host.allow_unsandboxed)
			log_warn("NO SANDBOX: it runs with all rights of %s", runner.session.user);
		status = run_request(&runner, &request);
	} else {
		log_warn("%s", err.text);
		status = EXIT_USAGE;
	}
	session_close(&runner.session);
	request_release(&request);
	return status;
}

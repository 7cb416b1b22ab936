#include "config.h"

#include "app/cmd.h"

#include <locale.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "app/conn.h"
#include "app/console.h"
#include "app/language.h"
#include "app/listener.h"
#include "app/loop.h"
#include "app/plain_console.h"
#include "app/prove.h"
#include "app/socket_place.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

/* An agent that does not read its answers cannot keep a console open that a person, or a signal, has told to end. */
#define READER_MS 5000

/* The console and --headless: one broker, those who ask, and a screen where a person is. */
struct front {
	uv_loop_t loop;
	struct session session;
	struct broker broker;
	struct conns conns;
	struct listener listener;
	struct console console; /* one of these two is open where a person is */
	struct plain_console plain;
	struct signals signals;
	uv_timer_t patience; /* with a reader that does not read, at the end */
	bool started, ending, gave_up, reader_gone, input_ended;
	int status;
};

static void end_now(struct front *front)
{
	front->ending = true;
	front->broker.phase = BROKER_DONE;
	uv_stop(&front->loop);
}

static void on_impatient(uv_timer_t *timer)
{
	struct front *front = timer->data;
	front->gave_up = true;
	if (front->status == 0)
		front->status = EXIT_RUNTIME;
	end_now(front);
}

static void maybe_end(struct front *front)
{
	bool open = front->broker.phase == BROKER_OPEN;
	/* What the panic key stopped is on the screen until a person has seen it. */
	bool more = !front->input_ended || front->conns.listening || front->broker.stopped;
	if (!front->started || front->ending || (open && more) || !broker_idle(&front->broker))
		return;
	if (conns_flushed(&front->conns))
		end_now(front);
	else if (!open && !uv_is_active((uv_handle_t *)&front->patience))
		uv_timer_start(&front->patience, on_impatient, READER_MS, 0);
}

static void on_changed(void *ctx)
{
	struct front *front = ctx;
	console_changed(&front->console);
	plain_console_changed(&front->plain);
}

static void poke(struct front *front)
{
	if (!front->started)
		return;
	conns_poke(&front->conns);
	listener_poke(&front->listener);
}

static void on_answer(void *ctx, struct call *call, struct str *line)
{
	struct front *front = ctx;
	conns_answer(&front->conns, call->peer, line);
	/* Also where answers are held and never drain: a place is free all the same. */
	poke(front);
}

static void on_idle(void *ctx)
{
	poke(ctx);
	maybe_end(ctx);
}

static bool has_room(void *ctx, unsigned peer)
{
	struct front *front = ctx;
	return conns_has_room(&front->conns, peer);
}

static bool is_heard(void *ctx, unsigned peer)
{
	struct front *front = ctx;
	return conns_heard(&front->conns, peer);
}

static void on_told(void *ctx, const char *why)
{
	struct front *front = ctx;
	if (front->console.open)
		console_told(&front->console, why);
	else
		log_warn("%s", why);
}

static void on_reader_gone(void *ctx)
{
	struct front *front = ctx;
	front->reader_gone = true;
	front->status = EXIT_RUNTIME;
	broker_reader_gone(&front->broker);
	maybe_end(front);
}

static void on_stdin_end(void *ctx)
{
	struct front *front = ctx;
	front->input_ended = true;
	if (!front->conns.listening)
		broker_intake_end(&front->broker, "end of input");
	maybe_end(front);
}

static void on_connection(void *ctx, int fd)
{
	struct front *front = ctx;
	conns_add_socket(&front->conns, fd);
}

static void shut(struct front *front, int status, const char *why)
{
	front->status = status;
	broker_shut(&front->broker, REASON_CONSOLE_CLOSED, why);
	maybe_end(front);
}

static void on_signal(void *ctx, int number)
{
	shut(ctx, 128 + number,
		number == SIGHUP ? "the terminal went away" : "the console was told to end");
}

static void on_hangup(void *ctx)
{
	shut(ctx, 128 + SIGHUP, "the terminal went away");
}

static void warn_at_start(const struct front *front, bool plain)
{
	const struct session *s = &front->session;
	if (plain && (s->config.notify_command.count > 0 || strcmp(s->config.notify, "off") != 0))
		log_warn("notify and notify_command have no effect in plain mode");
	if (getuid() == 0)
		log_warn("this runs as root: commands run as root inside the sandbox; an ordinary "
			 "user is safer");
	if (s->config.backend == BACKEND_NONE && s->host.allow_unsandboxed)
		log_warn("NO SANDBOX: every command runs with all rights of %s", s->user);
	for (size_t i = 0; i < s->base.missing.count; i++)
		log_warn("not there, so not bound: %s", s->base.missing.items[i]);
}

static void record_proof(struct front *front, const struct proof *proof, const struct err *err)
{
	struct broker *broker = &front->broker;
	if (err->code == ERR_NONE) {
		broker->proved_backend = proof->backend;
		broker->proved_wall_ms = broker->model.start_wall_ms;
	}
	broker_proved(broker, &proof->offer, proof->backend, err->code == ERR_NONE,
		err->code == ERR_NONE ? NULL : err->text);
}

static void start_conns(struct front *front, bool person)
{
	bool listening = front->listener.fd >= 0;
	front->conns = (struct conns){.ctx = front,
		.on_stdin_end = on_stdin_end,
		.on_reader_gone = on_reader_gone,
		.on_quiet = on_idle};
	conns_start(&front->conns, &front->broker, listening);
	if (listening) {
		broker_listens(&front->broker, front->listener.path);
		listener_start(&front->listener, &front->loop, front, on_connection);
	}
	if (isatty(STDIN_FILENO) != 1)
		conns_add_stdio(&front->conns, person && isatty(STDOUT_FILENO) == 1);
}

static int start(struct front *front, bool person, struct err *err)
{
	struct broker_hooks hooks = {.ctx = front,
		.changed = on_changed,
		.answer = on_answer,
		.idle = on_idle,
		.room = has_room,
		.heard = is_heard,
		.told = on_told};
	const char *input = isatty(STDIN_FILENO) == 1 ? "none" : "stdin";
	struct proof proof = {0};
	struct err proof_err = ERR_INIT;
	if (person)
		prove_selected(&front->session, &proof, &proof_err);
	broker_begin(&front->broker, &front->loop, &front->session, &hooks, person);
	if (broker_open(&front->broker, input, err) != 0)
		return -1;
	if (person)
		record_proof(front, &proof, &proof_err);
	front->broker.answers_ascii = isatty(STDOUT_FILENO) == 1;
	uv_timer_init(&front->loop, &front->patience);
	front->patience.data = front;
	if (person && front->session.config.lock_after > 0)
		broker_lock_at_start(&front->broker);
	if (front->console.open)
		console_start(&front->console, &front->broker, front, on_hangup);
	if (front->plain.open)
		plain_console_start(&front->plain, &front->broker, front, on_hangup);
	start_conns(front, person);
	front->started = true;
	return 0;
}

static const char *end_words(const struct front *front)
{
	if (front->reader_gone || front->gave_up)
		return front->gave_up ? "reader does not read" : "reader gone";
	if (front->input_ended && !front->conns.listening)
		return "end of input";
	return front->status == 0 ? "quit" : "ended from outside";
}

static void finish(struct front *front)
{
	struct json *view = front->console.open ? console_view(&front->console) : NULL;
	const char *why = end_words(front);
	console_close(&front->console);
	plain_console_close(&front->plain);
	broker_close(&front->broker, why, view);
	listener_close(&front->listener);
	conns_close(&front->conns);
	uv_close((uv_handle_t *)&front->patience, NULL);
	signals_stop(&front->signals);
	loop_end(&front->loop);
}

static int usage_checks(const struct options *options, int argc, char **argv)
{
	if (options->plain && options->headless) {
		log_warn("--plain asks a person, and with --headless there is none");
		return EXIT_USAGE;
	}
	if (options->first < argc) {
		log_warn("there is no command \"%s\"; see exequatur --help", argv[options->first]);
		return EXIT_USAGE;
	}
	if (!options->listen && isatty(STDIN_FILENO) == 1) {
		log_warn("there is nothing to decide: standard input is the terminal");
		log_warn("pipe an agent in: agent | exequatur; or let agents connect: exequatur "
			 "--listen; or try it: ./bootstrap demo");
		return EXIT_USAGE;
	}
	return 0;
}

static int open_console(struct front *front, bool plain, struct err *err)
{
	const struct config *config = &front->session.config;
	return plain ? plain_console_open(&front->plain, config, err)
		     : console_open(&front->console, config, err);
}

/* true: a screen, or a terminal for lines, is open and a person can decide. */
static bool open_screen(struct front *front, const struct options *options)
{
	struct err err = ERR_INIT;
	if (options->headless)
		return false;
	if (open_console(front, options->plain, &err) == 0)
		return true;
	log_warn("no person can decide here (%s): each call that needs one is refused, "
		 "approval_unavailable",
		err.text);
	if (strncmp(err.text, "TERM", 4) == 0)
		log_warn("exequatur --plain asks in lines, on any terminal");
	return false;
}

static int open_socket(struct front *front, const struct options *options, struct err *err)
{
	char *path = NULL;
	if (socket_place(options->socket, environ, &path, err) != 0)
		return -1;
	if (listener_open(&front->listener, path, environ, err) != 0)
		return -1;
	if (options->headless || options->plain)
		log_warn("agents connect to %s", front->listener.path);
	return 0;
}

/* What is wrong is said here; 0, or an exit status. */
static int prepare(struct front *front, const struct options *options)
{
	const struct config *config = &front->session.config;
	struct err err = ERR_INIT;
	if (session_open(options, environ, &front->session, &err) != 0) {
		log_warn("%s", err.text);
		return EXIT_USAGE;
	}
	if (options->plain && config->lock_after > 0) {
		/* Silence about a lock that nothing holds would be worse than no console. */
		log_warn("lock_after is set, and plain mode cannot lock: it echoes what is typed");
		return EXIT_USAGE;
	}
	language_begin(strcmp(config->signs, "ascii") == 0 || text_locale_flags() != 0);
	/* A notice that cannot be given must not be found out by the call that nobody came for. */
	if (!options->headless && notifier_check(&front->session, &err) != 0) {
		log_warn("%s", err.text);
		return EXIT_USAGE;
	}
	return 0;
}

/* Everything but the session is closed again when it fails. */
static int run(struct front *front, const struct options *options)
{
	struct err err = ERR_INIT;
	warn_at_start(front, options->plain);
	uv_loop_init(&front->loop);
	/* Before the screen: a signal while the sandbox is proved would leave the terminal as it is. It waits for the loop. */
	signals_start(&front->signals, &front->loop, front, on_signal);
	/* And before it what may be refused; agents can connect from here on, and are heard in the loop. */
	if (options->listen && open_socket(front, options, &err) != 0) {
		log_warn("%s", err.text);
		return EXIT_RUNTIME;
	}
	bool person = open_screen(front, options);
	if (start(front, person, &err) != 0) {
		console_close(&front->console);
		plain_console_close(&front->plain);
		log_warn("%s", err.text);
		return EXIT_RUNTIME;
	}
	maybe_end(front);
	if (!front->ending)
		uv_run(&front->loop, UV_RUN_DEFAULT);
	int status = front->status;
	finish(front);
	return status;
}

int cmd_console(int argc, char **argv)
{
	static struct front front;
	struct options options;
	int status = options_parse(
		argc, argv, OPTIONS_COMMON | OPTIONS_CONSOLE | OPTIONS_SOCKET, &options);
	if (status == 0)
		status = usage_checks(&options, argc, argv);
	if (status != 0)
		return status;
	loop_prepare();
	setlocale(LC_ALL, "");
	listener_init(&front.listener);
	status = prepare(&front, &options);
	if (status == 0)
		status = run(&front, &options);
	listener_close(&front.listener);
	session_close(&front.session);
	return status;
}

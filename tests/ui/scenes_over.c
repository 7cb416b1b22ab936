#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "scenes_calls.h"
#include "scenes_set.h"

static void add_tried(struct json *list, const char *backend, const char *why)
{
	struct json *v = fields_str("backend", backend);

	json_set_str(v, "why", why);
	json_push(list, v);
}

void set_no_sandbox(struct fixture *f)
{
	struct json *received = fields_str("agent", "build-bot");
	struct json *refused = fields_str("reason", "no_sandbox_available");
	struct json *tried = json_new_array();

	fixture_history(f, 16);
	f->model.no_sandbox = true;
	json_set_str(received, "command", "make -j2 test");
	fixture_event(f, EVENT_RECEIVED, 17, AT(14, 34, 0), received);
	add_tried(tried, "landlock", "kernel 5.10 has none, 5.13 is the first with it");
	add_tried(tried, "firejail", "not installed");
	add_tried(tried, "bubblewrap", "bwrap ended with 1: user namespaces are refused");
	add_tried(tried, "docker", "no access to /var/run/docker.sock");
	json_set_str(refused, "sentence", "no sandbox here can hold this run");
	json_set(refused, "tried", tried);
	fixture_event(f, EVENT_REFUSED, 17, AT(14, 34, 0), refused);
	f->now_ms = AT(14, 34, 1);
	f->ui.selected = f->ui.card_seq = 17;
	f->ui.view = VIEW_CARD;
}

void set_bad_line(struct fixture *f)
{
	struct json *refused = fields_str("reason", "invalid_request");

	fixture_event(f, EVENT_RECEIVED, 1, AT(14, 3, 0),
		fields_str("raw",
			"{\"name\":\"shell\",\"arguments\":{\"command\":\"ls\",\"command\":"
			"\"rm -rf <ESC>[8m /\"}}"));
	json_set_str(refused, "sentence", "line 1 is not a call: \"command\" is there twice");
	fixture_event(f, EVENT_REFUSED, 1, AT(14, 3, 0), refused);
	f->now_ms = AT(14, 3, 1);
	f->ui.selected = f->ui.card_seq = 1;
	f->ui.view = VIEW_CARD;
}

void set_empty(struct fixture *f)
{
	fixture_history(f, 16);
	f->now_ms = AT(14, 36, 30);
}

static void listens(struct fixture *f, const char *path)
{
	fixture_event(f, EVENT_LISTENING, 0, AT(14, 2, 0), fields_str("path", path));
}

static void joins(struct fixture *f, int number, const char *program)
{
	struct json *fields = fields_str("kind", "socket");

	json_set_int(fields, "peer", number);
	json_set_int(fields, "pid", 4000 + number);
	json_set_str(fields, "program", program);
	fixture_event(f, EVENT_PEER, 0, AT(14, 2, 30), fields);
}

void set_listening(struct fixture *f)
{
	listens(f, "/run/user/1000/exequatur/console.sock");
	joins(f, 3, "codebot");
	joins(f, 4, "python3");
	fixture_history(f, 16);
	f->now_ms = AT(14, 36, 30);
}

void set_listening_first(struct fixture *f)
{
	listens(f, "/run/user/1000/exequatur/console.sock");
	f->now_ms = AT(14, 3, 0);
}

void set_listening_far(struct fixture *f)
{
	listens(f, "/srv/agents/a directory with a long name and an \033[31m/exequatur/the socket "
		   "of it");
	joins(f, 3, "codebot");
	f->now_ms = AT(14, 3, 0);
}

void set_first(struct fixture *f)
{
	f->now_ms = AT(14, 3, 0);
}

void set_hidden(struct fixture *f)
{
	set_alone(f, &call_hidden, 12000);
}

void set_blank(struct fixture *f)
{
	set_alone(f, &call_blank, 8000);
	fixture_later(f, 1000);
}

void set_long(struct fixture *f)
{
	char *command;
	struct call_spec spec = call_long(&command);

	set_alone(f, &spec, 15000);
	free(command);
}

static void seen_all(struct fixture *f, uint64_t seq, unsigned rows, int64_t at_ms)
{
	struct json *fields = json_new_object();
	struct json *ranges = json_new_array();
	struct json *range = json_new_array();

	json_push(range, json_new_int(0));
	json_push(range, json_new_int(rows));
	json_push(range, json_new_int(1000));
	json_push(ranges, range);
	json_set(fields, "rows", ranges);
	json_set_int(fields, "total", rows);
	fixture_event(f, EVENT_SEEN, seq, at_ms, fields);
}

void set_finished(struct fixture *f)
{
	STR_AUTO struct str text = STR_INIT;
	struct call_spec next = call_diff;

	fixture_history(f, 22);
	f->number = 87;
	fixture_call(f, &call_import);
	seen_all(f, 23, 12, AT(14, 51, 53));
	fixture_start(f, 23, AT(14, 51, 54), AT(14, 51, 54));
	for (unsigned i = 0; i < 204; i++)
		str_printf(&text,
			"chunk of rows %03u: read, checked, kept, written; the rest tells how long "
			"it took\n",
			i);
	str_add(&text, "chunk 41 of 60\nKilled\n");
	fixture_output(f, 23, AT(14, 52, 6), str_c(&text), text.len);
	fixture_usage(f, 23, AT(14, 52, 6),
		&(struct job_usage){.cpu_ms = 10900,
			.cpu_percent = 44,
			.memory = 512 << 20,
			.memory_peak = 512 << 20,
			.processes = 6,
			.processes_peak = 6});
	f->number = 129;
	fixture_end(f, 23, AT(14, 52, 7), REASON_MEMORY_LIMIT, -1, 12400,
		"needed more than 512 MB and was ended after 12.4 s, with its whole tree, by the "
		"cgroup; "
		"raise max_memory_mb, or let the agent take smaller parts");
	next.seq = 24;
	next.at_ms = AT(14, 52, 10);
	fixture_call(f, &next);
	f->now_ms = AT(14, 52, 20);
	fixture_card(f, 23);
}

void set_running(struct fixture *f)
{
	set_everyday(f);
	fixture_start(f, 16, f->now_ms, f->now_ms + 100);
	fixture_later(f, 3200);
}

void set_approved(struct fixture *f)
{
	struct json *fields = fields_str("decision", "approved");

	set_everyday(f);
	json_set_str(fields, "by", "operator");
	fixture_event(f, EVENT_DECIDED, 16, f->now_ms, fields);
}

void set_rejected(struct fixture *f)
{
	set_day(f);
	fixture_card(f, 11);
}

void set_exit(struct fixture *f)
{
	set_day(f);
	fixture_card(f, 9);
}

/* The first backend did not hold: the card comes back for the next one. */
void set_changed(struct fixture *f)
{
	struct call_spec spec = call_diff;

	set_everyday(f);
	spec.digest = "ab12cd34";
	spec.not_held = true;
	fixture_change(f, &spec);
	fixture_later(f, 100);
	fixture_draw(f);
	fixture_later(f, 100);
}

void set_withdrawn(struct fixture *f)
{
	set_everyday(f);
	f->now_ms = AT(14, 33, 4);
	fixture_event(
		f, EVENT_WITHDRAWN, 16, f->now_ms, fields_str("why", "the agent took it back"));
}

void set_expired(struct fixture *f)
{
	set_everyday(f);
	f->now_ms = AT(14, 37, 14);
	fixture_event(f, EVENT_EXPIRED, 16, f->now_ms, json_new_object());
}

void set_last_seconds(struct fixture *f)
{
	set_alone(f, &call_npm, 279000);
	fixture_later(f, 600);
}

void set_stop(struct fixture *f)
{
	set_output(f);
	fixture_press(f, "x");
	fixture_later(f, 500);
}

void set_quit(struct fixture *f)
{
	set_queue(f);
	fixture_press(f, "q");
}

void set_record_failed(struct fixture *f)
{
	set_everyday(f);
	model_set_record_failed(&f->model, "disk full");
}

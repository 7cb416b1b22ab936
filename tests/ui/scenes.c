#include "config.h"

#include "scenes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "scenes_calls.h"
#include "tui/view.h"

/* The day of the queue: twelve are done, 13 runs, 14 to 16 wait. */
static void set_day(struct fixture *f)
{
	fixture_history(f, 12);
	fixture_call(f, &call_tests);
	fixture_start(f, 13, AT(14, 31, 59), AT(14, 32, 0));
	fixture_call(f, &call_workflow);
	fixture_call(f, &call_npm);
	fixture_call(f, &call_diff);
	f->now_ms = AT(14, 32, 18);
	f->ui.selected = 14;
}

/* One call waits after `done` others; it has been waiting for so long. */
static void set_alone(struct fixture *f, const struct call_spec *spec, int64_t waits_ms)
{
	fixture_history(f, (unsigned)spec->seq - 1);
	fixture_call(f, spec);
	f->now_ms = spec->at_ms + waits_ms - UI_SEEN_MS;
	fixture_card(f, spec->seq);
}

static void set_everyday(struct fixture *f)
{
	set_day(f);
	f->now_ms = AT(14, 32, 23) - 1000;
	fixture_card(f, 16);
	fixture_later(f, 1000 - UI_SEEN_MS);
}

static void set_card_rest(struct fixture *f)
{
	set_day(f);
	f->now_ms = AT(14, 32, 23);
	fixture_card(f, 16);
	fixture_press(f, "j");
}

static void set_card_off(struct fixture *f)
{
	set_day(f);
	f->now_ms -= UI_SEEN_MS;
	fixture_card(f, 14);
}

static void set_card_message(struct fixture *f)
{
	set_card_off(f);
	ui_say(&f->ui, "a did nothing: 35 of 52 lines not seen yet");
}

/* Read to its end, part by part. */
static void set_card_ready(struct fixture *f)
{
	set_day(f);
	f->now_ms = AT(14, 32, 43);
	fixture_card(f, 14);
	fixture_press(f, "<Space><Space><Space><Space>");
	f->now_ms = AT(14, 32, 45);
	fixture_later(f, 1000);
}

static void set_card_jumped(struct fixture *f)
{
	set_day(f);
	fixture_card(f, 14);
	fixture_press(f, "<End>");
	fixture_later(f, 800);
}

static void set_card_details(struct fixture *f)
{
	set_day(f);
	fixture_card(f, 16);
	fixture_press(f, "v");
	fixture_press(f, "<End>");
}

static void set_not_held(struct fixture *f)
{
	struct call_spec spec = call_diff;

	spec.not_held = true;
	spec.seq = 1;
	set_alone(f, &spec, 9000);
	fixture_later(f, 600);
}

static void run_output(struct fixture *f, const char *head, unsigned lines, const char *tail)
{
	STR_AUTO struct str text = STR_INIT;

	str_add(&text, head);
	for (unsigned i = 1; i <= lines; i++)
		str_printf(&text, " CC       src/catalogue/parts/item%03u.test.o\n", i);
	str_add(&text, tail);
	fixture_output(f, 13, f->now_ms, str_c(&text), text.len);
}

static const char output_tail[] =
	" CC       src/price.o\n"
	" CC       src/voucher.o\n"
	" CC       tests/unit/test_cart.o\n"
	" CC       tests/unit/test_price.o\n"
	" LD       tests/run-unit\n"
	"unpack fixtures   0 %\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r"
	"unpack fixtures  62 %\n"
	"\033[32mPASS\033[0m  an empty cart costs nothing\n"
	"\033[32mPASS\033[0m  a price is rounded to cents\n"
	"\033[32mPASS\033[0m  a voucher is used once\n"
	"\033[31mFAIL\033[0m  two vouchers keep their order\n"
	"  expected WINTER, SPRING\n"
	"  but was  SPRING, WINTER\n"
	"  at tests/unit/test_voucher.c:88\n"
	"\033[32mPASS\033[0m  an expired voucher is refused\n"
	"\033]0;all good\007\n"
	"\033[32mPASS\033[0m  totals add up in every currency\n"
	"running 41 more";

static void set_output(struct fixture *f)
{
	set_day(f);
	run_output(f, "", 197, output_tail);
	fixture_output(f, 13, f->now_ms, "", 0);
	f->ui.card_seq = f->ui.selected = 13;
	f->ui.view = VIEW_OUTPUT;
}

static void set_output_scrolled(struct fixture *f)
{
	set_output(f);
	f->ui.following = false;
	f->ui.output_top = 103;
}

static void set_output_ended(struct fixture *f)
{
	set_output(f);
	fixture_end(f, 13, AT(14, 32, 18), REASON_EXIT_STATUS, 2, 18000,
		"the command ended by itself with exit 2; its output says why");
}

static void set_output_empty(struct fixture *f)
{
	set_day(f);
	f->ui.card_seq = f->ui.selected = 13;
	f->ui.view = VIEW_OUTPUT;
}

static void set_queue(struct fixture *f)
{
	set_day(f);
	f->ui.view = VIEW_QUEUE;
}

static void set_queue_bottom(struct fixture *f)
{
	set_queue(f);
	fixture_press(f, "G");
}

static void set_help(struct fixture *f)
{
	set_card_off(f);
	fixture_press(f, "?");
}

static void set_help_queue(struct fixture *f)
{
	set_queue(f);
	fixture_press(f, "?");
}

static void type_reason(struct fixture *f, const char *reason)
{
	fixture_press(f, "r");
	prompt_set(&f->ui.prompt, reason);
}

static void set_reject(struct fixture *f)
{
	static const char *const earlier[] = {"Ask again without the network.",
		"Too broad: name the exact files.", "jq is already there: use /usr/bin/jq",
		"Not needed for this task."};

	fixture_history(f, 17);
	fixture_call(f, &call_fetch);
	for (size_t i = 0; i < ARRAY_LEN(earlier); i++) {
		mem_grow(&f->ui.reasons, &f->ui.reason_cap, f->ui.reason_count,
			sizeof(*f->ui.reasons));
		f->ui.reasons[f->ui.reason_count++] = mem_strdup(earlier[i]);
	}
	/* Opened at once: the lower rows never were on the screen. */
	f->now_ms = call_fetch.at_ms + 24500;
	f->ui.selected = f->ui.card_seq = 18;
	f->ui.view = VIEW_CARD;
	prompt_open(&f->ui.prompt, PROMPT_REASON, 18, f->now_ms);
	prompt_set(&f->ui.prompt, "Fetch it to a file first, so that I can read it.");
	fixture_draw(f);
	fixture_later(f, 500);
}

static void set_reject_long(struct fixture *f)
{
	set_alone(f, &call_fetch, 24000);
	type_reason(f,
		"Fetch it to a file first, so that I can read it; then show me the file, say "
		"what each part of it is for, and ask again to run it without the network.");
}

/* The lamp of a card with a danger is lit, and `a` opened the prompt 50 ms later. */
static void open_word(struct fixture *f)
{
	fixture_later(f, 600);
	fixture_press(f, "a");
	fixture_later(f, UI_ALONE_MS);
	/* On a smaller screen it is not read to its end. */
	if (f->ui.cols < 80 || f->ui.rows < 24)
		prompt_open(&f->ui.prompt, PROMPT_WORD, f->ui.card_seq, f->now_ms);
	assert_int_equal(PROMPT_WORD, f->ui.prompt.kind);
	fixture_draw(f);
}

static void set_word(struct fixture *f)
{
	set_alone(f, &call_git, 32000);
	open_word(f);
	prompt_set(&f->ui.prompt, "dele");
}

static void set_word_typed(struct fixture *f)
{
	set_alone(f, &call_git, 31000);
	open_word(f);
	fixture_press(f, "delete");
	fixture_later(f, 500);
}

static void set_word_rest(struct fixture *f)
{
	set_alone(f, &call_git, 31000);
	open_word(f);
	fixture_press(f, "delete");
}

static void add_tried(struct json *list, const char *backend, const char *why)
{
	struct json *v = fields_str("backend", backend);

	json_set_str(v, "why", why);
	json_push(list, v);
}

static void set_no_sandbox(struct fixture *f)
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

static void set_bad_line(struct fixture *f)
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

static void set_empty(struct fixture *f)
{
	fixture_history(f, 16);
	f->now_ms = AT(14, 36, 30);
}

static void set_first(struct fixture *f)
{
	f->now_ms = AT(14, 3, 0);
}

static void set_hidden(struct fixture *f)
{
	set_alone(f, &call_hidden, 12000);
}

static void set_blank(struct fixture *f)
{
	set_alone(f, &call_blank, 8000);
	fixture_later(f, 1000);
}

static void set_long(struct fixture *f)
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

static void set_finished(struct fixture *f)
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

static void set_running(struct fixture *f)
{
	set_everyday(f);
	fixture_start(f, 16, f->now_ms, f->now_ms + 100);
	fixture_later(f, 3200);
}

static void set_approved(struct fixture *f)
{
	struct json *fields = fields_str("decision", "approved");

	set_everyday(f);
	json_set_str(fields, "by", "operator");
	fixture_event(f, EVENT_DECIDED, 16, f->now_ms, fields);
}

static void set_rejected(struct fixture *f)
{
	set_day(f);
	fixture_card(f, 11);
}

static void set_exit(struct fixture *f)
{
	set_day(f);
	fixture_card(f, 9);
}

/* The first backend did not hold: the card comes back for the next one. */
static void set_changed(struct fixture *f)
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

static void set_withdrawn(struct fixture *f)
{
	set_everyday(f);
	f->now_ms = AT(14, 33, 4);
	fixture_event(
		f, EVENT_WITHDRAWN, 16, f->now_ms, fields_str("why", "the agent took it back"));
}

static void set_expired(struct fixture *f)
{
	set_everyday(f);
	f->now_ms = AT(14, 37, 14);
	fixture_event(f, EVENT_EXPIRED, 16, f->now_ms, json_new_object());
}

static void set_last_seconds(struct fixture *f)
{
	set_alone(f, &call_npm, 279000);
	fixture_later(f, 600);
}

static void set_stop(struct fixture *f)
{
	set_output(f);
	fixture_press(f, "x");
	fixture_later(f, 500);
}

static void set_quit(struct fixture *f)
{
	set_queue(f);
	fixture_press(f, "q");
}

static void set_record_failed(struct fixture *f)
{
	set_everyday(f);
	model_set_record_failed(&f->model, "disk full");
}

const struct scene scenes[] = {
	{"queue", 80, 24, set_queue, false, false},
	{"queue-bottom", 80, 24, set_queue_bottom, false, false},
	{"queue-ascii", 80, 24, set_queue, true, false},
	{"queue-60x16", 60, 16, set_queue, false, false},
	{"queue-120x36", 120, 36, set_queue, false, false},
	{"queue-styles", 80, 24, set_queue, false, true},
	{"card-everyday", 80, 24, set_everyday, false, false},
	{"card-not-held", 80, 24, set_not_held, false, false},
	{"card-rest", 80, 24, set_card_rest, false, false},
	{"card-off", 80, 24, set_card_off, false, false},
	{"card-off-60x16", 60, 16, set_card_off, false, false},
	{"card-off-120x36", 120, 36, set_card_off, false, false},
	{"card-message", 80, 24, set_card_message, false, false},
	{"card-jumped", 80, 24, set_card_jumped, false, false},
	{"card-ready", 80, 24, set_card_ready, false, false},
	{"card-ready-styles", 80, 24, set_card_ready, false, true},
	{"card-details", 80, 24, set_card_details, false, false},
	{"card-last-seconds", 80, 24, set_last_seconds, false, false},
	{"card-hidden", 80, 24, set_hidden, false, false},
	{"card-hidden-ascii", 80, 24, set_hidden, true, false},
	{"card-hidden-styles", 80, 24, set_hidden, false, true},
	{"card-blank", 80, 24, set_blank, false, false},
	{"card-oneliner", 80, 24, set_long, false, false},
	{"card-finished", 80, 24, set_finished, false, false},
	{"card-running", 80, 24, set_running, false, false},
	{"card-approved", 80, 24, set_approved, false, false},
	{"card-rejected", 80, 24, set_rejected, false, false},
	{"card-exit", 80, 24, set_exit, false, false},
	{"card-changed", 80, 24, set_changed, false, false},
	{"card-withdrawn", 80, 24, set_withdrawn, false, false},
	{"card-expired", 80, 24, set_expired, false, false},
	{"no-sandbox", 80, 24, set_no_sandbox, false, false},
	{"no-sandbox-styles", 80, 24, set_no_sandbox, false, true},
	{"bad-line", 80, 24, set_bad_line, false, false},
	{"record-failed", 80, 24, set_record_failed, false, false},
	{"output", 80, 24, set_output, false, false},
	{"output-styles", 80, 24, set_output, false, true},
	{"output-60x16", 60, 16, set_output, false, false},
	{"output-scrolled", 80, 24, set_output_scrolled, false, false},
	{"output-ended", 80, 24, set_output_ended, false, false},
	{"output-empty", 80, 24, set_output_empty, false, false},
	{"help", 80, 24, set_help, false, false},
	{"help-queue", 80, 24, set_help_queue, false, false},
	{"help-60x16", 60, 16, set_help, false, false},
	{"reject-prompt", 80, 24, set_reject, false, false},
	{"reject-long-60x16", 60, 16, set_reject_long, false, false},
	{"typed-word", 80, 24, set_word, false, false},
	{"typed-word-rest", 80, 24, set_word_rest, false, false},
	{"typed-word-ready", 80, 24, set_word_typed, false, false},
	{"question-stop", 80, 24, set_stop, false, false},
	{"question-quit", 80, 24, set_quit, false, false},
	{"question-quit-60x16", 60, 16, set_quit, false, false},
	{"empty", 80, 24, set_empty, false, false},
	{"empty-first", 80, 24, set_first, false, false},
	{"empty-60x16", 60, 16, set_empty, false, false},
	{"too-small", 52, 14, set_day, false, false},
	{"too-small-20x5", 20, 5, set_day, false, false},
};
const size_t scene_count = ARRAY_LEN(scenes);

void scene_open(const struct scene *scene, struct fixture *f)
{
	fixture_open(f, scene->cols, scene->rows);
	f->ui.ascii = scene->ascii;
	scene->set(f);
	view_draw(&f->model, &f->ui, f->now_ms, &f->frame);
}

#include "config.h"

#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "any_bytes.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/request.h"
#include "fixture.h"
#include "tests/unit/pty.h"
#include "tests/unit/test_card_fixture.h"
#include "tui/term.h"
#include "tui/view.h"
#include "wire.h"

/* Whatever bytes an agent and its commands send: a child draws them on a terminal; here the bytes of the wire are read by a grammar that
   knows nothing but our own sequences, and what they show must be the frame, and the frame's text the command, byte for byte. */

#define CASES 120
#define PAGES_MAX 6
#define START_MARK "\x1B_start\x1B\\"
#define PUMPS_MAX 100 /* looks at a wire that is still on its way */

static unsigned first_seed, cases;

static void set_received(struct fixture *f, const struct request *request)
{
	struct json *fields = json_new_object();

	json_set_str(fields, "command", request->command);
	json_set_str(fields, "agent", request->agent);
	json_set_str(fields, "reason", request->reason);
	fixture_event(f, EVENT_RECEIVED, 1, 100, fields);
}

static void set_card(struct fixture *f, const struct request *request)
{
	struct card_fixture c;
	struct card card;
	char hex[DIGEST_HEX_BYTES];
	struct json *fields = json_new_object();

	fixture_init(&c);
	request_release(&c.request);
	request_init(&c.request);
	request_copy(&c.request, request);
	free(c.confinement.command);
	c.confinement.command = mem_strdup(request->command);
	c.in.seq = 1;
	card_init(&card);
	card_build(&c.in, &card);
	digest_hex(&card.digest, hex);
	json_set_str(fields, "digest", hex);
	json_set(fields, "card", card_to_json(&card));
	fixture_event(f, EVENT_CARD, 1, 110, fields);
	card_release(&card);
	fixture_release(&c);
}

static void set_request(struct fixture *f)
{
	STR_AUTO struct str line = STR_INIT;
	CLEANUP(request_release) struct request request;
	struct err err = ERR_INIT;
	enum reason reason;

	any_line(&line);
	request_init(&request);
	if (request_parse(str_c(&line), line.len, &request, &reason, &err) != 0) {
		request_release(&request);
		request_init(&request);
		request.tool = mem_strdup("shell");
		request.command = mem_strdup("ls");
		request.agent = mem_strdup(err.text); /* what is said of a bad line is shown too */
	}
	set_received(f, &request);
	set_card(f, &request);
}

static void set_output_any(struct fixture *f)
{
	STR_AUTO struct str bytes = STR_INIT;

	any_text(&bytes, 4 * ANY_PIECES, true);
	if (any_pick(4) == 0)
		str_add_bytes(&bytes, "\0\0", 2);
	fixture_start(f, 1, 200, 210);
	fixture_output(f, 1, 220, str_c(&bytes), bytes.len);
	f->ui.output_seq = 1;
	f->ui.unfold = any_pick(4) == 0;
	f->ui.output_colours = any_pick(2) == 0;
}

/* The same in the child and here. */
static void set_case(struct fixture *f, unsigned number)
{
	static const enum view views[] = {
		VIEW_CARD, VIEW_CARD, VIEW_CARD, VIEW_QUEUE, VIEW_OUTPUT, VIEW_HISTORY};
	enum view view = views[number % ARRAY_LEN(views)];

	any_seed(first_seed + 7919 * number);
	fixture_open(f, 80, 24);
	set_request(f);
	if (view == VIEW_OUTPUT)
		set_output_any(f);
	f->now_ms = 5000;
	f->ui.view = view;
	f->ui.selected = f->ui.card_seq = f->ui.history_seq = 1;
	f->ui.details = view == VIEW_CARD && any_pick(4) == 0;
	f->ui.ascii = any_pick(8) == 0;
}

static void draw_page(struct fixture *f, unsigned page)
{
	f->ui.card_top = f->ui.output_top = (size_t)page * view_body_rows(&f->ui, &f->model);
	view_draw(&f->model, &f->ui, f->now_ms, &f->frame);
}

/* What a terminal is opened with comes before the first frame; behind it stands the mark. */
static void start(struct term *term)
{
	int tty = open("/dev/tty", O_WRONLY | O_CLOEXEC);
	struct err err = ERR_INIT;
	struct frame frame;

	frame_init(&frame, 80, 24);
	if (term_put(term, &frame, true, &err) != 0 ||
		write(tty, START_MARK, strlen(START_MARK)) != (ssize_t)strlen(START_MARK))
		_exit(95);
	close(tty);
	frame_release(&frame);
}

static int draw_cases(struct pty_child *child)
{
	struct err err = ERR_INIT;
	struct term *term = NULL;
	enum depth depth;

	if (term_open(THEME_DARK, &depth, &term, &err) != 0)
		return 1;
	start(term);
	pty_say(child, 'o');
	for (unsigned i = 0; i < cases; i++) {
		struct fixture f;

		set_case(&f, i);
		for (unsigned page = 0; page < PAGES_MAX; page++) {
			pty_await(child, 'g');
			draw_page(&f, page);
			if (term_put(term, &f.frame, page == 0, &err) != 0)
				return 2;
			pty_say(child, 'p');
		}
		fixture_close(&f);
	}
	pty_await(child, 'c');
	term_close(term);
	return 0;
}

/* All that the child wrote is on its way through the kernel: a frame that is not whole yet is looked at again. */
static void take_frame(struct pty *pty, struct wire *wire, const struct fixture *f, unsigned number)
{
	for (unsigned i = 0; i < PUMPS_MAX; i++) {
		size_t took = wire_read(wire, str_c(&pty->wire), pty->wire.len);

		memmove(pty->wire.data, pty->wire.data + took, pty->wire.len - took);
		str_truncate(&pty->wire, pty->wire.len - took);
		if (pty->wire.len == 0 && wire_shows(wire, &f->frame))
			return;
		pty_pump(pty);
	}
	wire_print_difference(wire, &f->frame);
	fail_msg("case %u of seed %u: the wire does not show the frame", number, first_seed);
}

static void skip_start(struct pty *pty)
{
	for (unsigned i = 0; strstr(str_c(&pty->wire), START_MARK) == NULL; i++) {
		assert_true(i < PUMPS_MAX);
		pty_pump(pty);
	}
	str_clear(&pty->wire);
}

static void join_segments(const struct row *row, struct str *out)
{
	for (size_t i = 0; i < row->count; i++)
		str_add(out, row->segments[i].text);
}

static void cut_blanks(struct str *text)
{
	while (text->len > 0 && text->data[text->len - 1] == ' ')
		str_truncate(text, text->len - 1);
}

/* Row for row the frame has the text of the card, behind its four rows of head. */
static void assert_frame_has(struct fixture *f, const struct rows *rows, size_t top)
{
	for (unsigned i = 0; i < view_body_rows(&f->ui, &f->model) && top + i < rows->count; i++) {
		STR_AUTO struct str want = STR_INIT, have = STR_INIT;

		join_segments(&rows->items[top + i], &want);
		for (unsigned col = 0; col + 1 < f->frame.cols; col++)
			str_add(&have, frame_at(&f->frame, col, 4 + i)->text);
		cut_blanks(&want);
		cut_blanks(&have);
		if (!f->ui.ascii)
			assert_string_equal(str_c(&have), str_c(&want));
	}
}

static bool row_text(const struct row *row, struct str *out)
{
	bool behind = false, goes_on = false;

	for (size_t i = 0; i < row->count; i++) {
		if (behind)
			str_add(out, row->segments[i].text);
		else if (row->segments[i].style == STYLE_RULE) {
			behind = true;
			goes_on = strcmp(row->segments[i].text, ":") == 0;
		}
	}
	return goes_on;
}

static void assert_rows_decode(const struct rows *rows, const char *command)
{
	STR_AUTO struct str shown = STR_INIT, bytes = STR_INIT;

	for (size_t i = 0; i < rows->count && rows->items[i].count > 0; i++) {
		STR_AUTO struct str text = STR_INIT;
		bool goes_on = row_text(&rows->items[i], &text);

		if (i > 0 && !goes_on)
			str_add_char(&shown, '\n');
		str_add(&shown, str_c(&text));
	}
	assert_int_equal(text_unescape(str_c(&shown), shown.len, &bytes, NULL), 0);
	assert_int_equal(bytes.len, strlen(command));
	assert_memory_equal(bytes.data, command, bytes.len);
}

static void check_card(struct fixture *f)
{
	const struct job *job = model_job(&f->model, 1);
	struct rows rows;

	if (f->ui.view != VIEW_CARD)
		return;
	layout_card(job, view_body_cols(&f->ui), f->ui.details, f->ui.ascii, &rows);
	if (!f->ui.details)
		assert_rows_decode(&rows, job->command);
	assert_frame_has(
		f, &rows, rows_first(&rows, f->ui.card_top, view_body_rows(&f->ui, &f->model)));
	rows_release(&rows);
}

/* For `make fuzz`. */
static unsigned from_environment(const char *name, unsigned otherwise)
{
	const char *value = getenv(name);

	return value == NULL ? otherwise : (unsigned)strtoul(value, NULL, 10);
}

static void nothing_but_our_own_reaches_the_terminal_and_it_shows_every_byte(void **state)
{
	struct pty pty;
	struct wire wire;

	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	cases = from_environment("EXQ_ROUNDS", CASES);
	first_seed = from_environment("EXQ_SEED", 11);
	pty_start(&pty, "xterm-256color", false, draw_cases);
	pty_expect(&pty, 'o');
	skip_start(&pty);
	wire_init(&wire, 80, 24);
	for (unsigned i = 0; i < cases; i++) {
		struct fixture f;

		set_case(&f, i);
		for (unsigned page = 0; page < PAGES_MAX; page++) {
			draw_page(&f, page);
			pty_tell(&pty, 'g');
			pty_expect(&pty, 'p');
			take_frame(&pty, &wire, &f, i);
			check_card(&f);
		}
		fixture_close(&f);
	}
	pty_tell(&pty, 'c');
	assert_int_equal(pty_wait(&pty, 0), 0);
	pty_end(&pty);
	wire_release(&wire);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_but_our_own_reaches_the_terminal_and_it_shows_every_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

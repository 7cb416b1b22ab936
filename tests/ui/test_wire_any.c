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
#define PIECES 24
#define START_MARK "\x1B_start\x1B\\"
#define PUMPS_MAX 100 /* looks at a wire that is still on its way */

static unsigned seed, first_seed, cases;

static unsigned pick(unsigned of)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % of;
}

static const char *const nasty[] = {"\x1B[2J", "\x1B]0;x\x07", "\x1B]52;c;eA==\x1B\\",
	"\x1B"
	"c",
	"\x1BP1$r\x1B\\", "\x1B[?1049l", "\x1B[6n", "\x1B(0", "\x0E", "\x08", "\r", "\n", "\t",
	"\x7F", "\x05", "\x1B",
	"\xC2\x9B"
	"2J",
	"\xC2\x90", "\xC2\x85", "\xE2\x80\xAE", "\xE2\x80\x8B", "\xE2\x80\x8D", "\xE2\x80\xA8",
	"\xEF\xBB\xBF", "\xF3\xA0\x81\x81", "\xEE\x80\x80", "\xC2\xAD", "e\xCC\x81", "\xCC\x81",
	"\xE7\x94\xA8", "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9", "\xEF\xB8\x8F",
	"\xD0\xB0pple", "\xD1\x82\xD0\xB5", "<ESC>", "<U+202E>", "<3 SP>", "<xFF>", "<31 CR>",
	"   ", "                              ", "\n\n\n\n\n", "'", "\"", "\\", "$(", "`", "<<E\n",
	"\nE\n", "#", "a", "ls -la ", "; rm x", "\xE2\x94\x82", "\xE2\x96\x88", "\xED\x9E\xB0",
	"\xE1\x85\x9F", "\xE3\x85\xA4", "\xE0\xB8\xB3", "\xF0\x9F\x87\xBA\xF0\x9F\x87\xA6"};
/* These are no UTF-8: outputs have them, and lines that are refused. */
static const char *const broken[] = {"\xFF",
	"\x9B"
	"2J",
	"\xC3", "\xE2\x80", "\xED\xA0\x80", "\xC0\x9B", "\xF8\x88\x80\x80\x80", "\x90"};

static void add_code_point(struct str *out)
{
	static const unsigned ranges[] = {
		0x7F, 0xFF, 0x2FF, 0x70F, 0x20FF, 0xD7FF, 0x1FFFF, 0x10FFFF};
	unsigned code = 1 + (pick(0x10000) << 8 | pick(256)) % ranges[pick(ARRAY_LEN(ranges))];
	char bytes[5] = "?";

	if (code < 0x80)
		bytes[0] = (char)code;
	else if (code < 0x800)
		snprintf(bytes, sizeof(bytes), "%c%c", 0xC0 | code >> 6, 0x80 | (code & 63));
	else if (code < 0x10000 && (code < 0xD800 || code > 0xDFFF))
		snprintf(bytes, sizeof(bytes), "%c%c%c", 0xE0 | code >> 12, 0x80 | (code >> 6 & 63),
			0x80 | (code & 63));
	else if (code >= 0x10000)
		snprintf(bytes, sizeof(bytes), "%c%c%c%c", 0xF0 | code >> 18,
			0x80 | (code >> 12 & 63), 0x80 | (code >> 6 & 63), 0x80 | (code & 63));
	str_add(out, bytes);
}

static void any_text(struct str *out, unsigned pieces, bool is_broken)
{
	for (unsigned i = 0; i < pieces; i++) {
		unsigned kind = pick(is_broken ? 8 : 6);

		if (kind < 3)
			str_add(out, nasty[pick(ARRAY_LEN(nasty))]);
		else if (kind < 4)
			add_code_point(out);
		else if (kind < 6)
			str_printf(out, "word%u ", pick(1000));
		else
			str_add(out, broken[pick(ARRAY_LEN(broken))]);
	}
}

static void add_member(struct str *line, const char *name, unsigned pieces)
{
	STR_AUTO struct str text = STR_INIT;

	any_text(&text, pieces, false);
	str_printf(line, ",\"%s\":\"x", name);
	for (size_t i = 0; i < text.len; i++) {
		unsigned char byte = (unsigned char)text.data[i];

		if (byte < ' ' || byte == '"' || byte == '\\')
			str_printf(line, "\\u%04x", byte);
		else
			str_add_char(line, (char)byte);
	}
	str_add_char(line, '"');
}

/* As an agent writes it; one in eight is spoilt, so that it may be refused. */
static void any_line(struct str *line)
{
	STR_AUTO struct str arguments = STR_INIT;

	add_member(&arguments, "command", 1 + pick(PIECES));
	str_add(line, "{\"name\":\"shell\",\"arguments\":{\"timeout\":60");
	str_add(line, str_c(&arguments));
	add_member(line, "more", pick(3));
	str_add_char(line, '}');
	add_member(line, "agent", pick(4));
	add_member(line, "reason", pick(8));
	add_member(line, "else", 1);
	str_add_char(line, '}');
	if (pick(8) == 0)
		line->data[pick((unsigned)line->len)] = (char)pick(256);
}

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

	any_text(&bytes, 4 * PIECES, true);
	if (pick(4) == 0)
		str_add_bytes(&bytes, "\0\0", 2);
	fixture_start(f, 1, 200, 210);
	fixture_output(f, 1, 220, str_c(&bytes), bytes.len);
	f->ui.output_seq = 1;
	f->ui.unfold = pick(4) == 0;
	f->ui.output_colours = pick(2) == 0;
}

/* The same in the child and here. */
static void set_case(struct fixture *f, unsigned number)
{
	static const enum view views[] = {
		VIEW_CARD, VIEW_CARD, VIEW_CARD, VIEW_QUEUE, VIEW_OUTPUT, VIEW_HISTORY};
	enum view view = views[number % ARRAY_LEN(views)];

	seed = first_seed + 7919 * number;
	fixture_open(f, 80, 24);
	set_request(f);
	if (view == VIEW_OUTPUT)
		set_output_any(f);
	f->now_ms = 5000;
	f->ui.view = view;
	f->ui.selected = f->ui.card_seq = f->ui.history_seq = 1;
	f->ui.details = view == VIEW_CARD && pick(4) == 0;
	f->ui.ascii = pick(8) == 0;
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

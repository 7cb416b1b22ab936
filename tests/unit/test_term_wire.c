#include "config.h"

#include "tui/term.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/pty.h"
#include "tui/term_cell.h"

/* What arrives at a terminal and what comes from it: nothing of a cell but printable characters, only what changed, the gate row first. */

static struct term *must_open(void)
{
	struct err err = ERR_INIT;
	struct term *term = NULL;
	enum depth depth;

	if (term_open(THEME_DARK, &depth, &term, &err) != 0)
		_exit(93);
	return term;
}

static void must_put(struct term *term, const struct frame *frame)
{
	struct err err = ERR_INIT;

	if (term_put(term, frame, false, &err) != 0)
		_exit(94);
}

/* Cells as no view may make them: the bytes go around frame_put(). */
static const struct {
	const char *text;
	uint8_t width;
} hostile[] = {
	{"\x1B[2J", 1},
	{"\x1B]0;x\x07", 1},
	{"\x1B", 1},
	{"\xC2\x9B"
	 "2J",
		1},
	{"\xC2\x9B", 1},
	{"\x9B", 1},
	{"\r", 1},
	{"\n", 1},
	{"\b", 1},
	{"\t", 1},
	{"\x7F", 1},
	{"\xE2\x80\xAE", 1},
	{"\xE2\x80\x8B", 1},
	{"\xE2\x80\xA8", 1},
	{"\xF3\xA0\x81\x81", 1},
	{"a\xE2\x80\x8D", 1},
	{"ab", 1},
	{"\xE7\x94\xA8", 1}, /* two columns wide, says one */
	{"a", 2},
	{"\xFF\xFE", 1},
	{"", 1},
	{"\x0E", 1},
	{"\xEE\x80\x80", 1},
};

static int put_hostile(struct pty_child *child)
{
	struct term *term = must_open();
	struct frame frame;

	frame_init(&frame, 80, 24);
	must_put(term, &frame);
	pty_say(child, 'o');
	pty_await(child, 'g');
	for (unsigned i = 0; i < ARRAY_LEN(hostile); i++) {
		struct cell *cell = frame_at(&frame, 2 * (i % 20), 2 + i / 20);

		memset(cell->text, 0, sizeof(cell->text));
		memcpy(cell->text, hostile[i].text, strlen(hostile[i].text));
		cell->width = hostile[i].width;
		if (cell->width == 2)
			cell[1] = (struct cell){.width = 0};
	}
	frame_put(&frame, 0, 10, 80, STYLE_PLAIN, "e\xCC\x81 \xE7\x94\xA8\xE6\x88\xB7 end");
	must_put(term, &frame);
	pty_say(child, 'p');
	pty_await(child, 'c');
	term_close(term);
	frame_release(&frame);
	return 0;
}

/* Our own sequences on the way: cursor, attributes, erasing, and the repeat of a character. */
static size_t skip_csi(const char *at)
{
	size_t n = 2;

	while (at[n] != '\0' && strchr("0123456789;", at[n]) != NULL)
		n++;
	assert_non_null(strchr("HGdmKJXABCDb", at[n]));
	assert_true(at[n] != '\0');
	/* Never the whole screen: that would be the command's. */
	assert_false(at[n] == 'J' && n > 2);
	return n + 1;
}

static void assert_printable(const char *wire)
{
	while (*wire != '\0') {
		if (strncmp(wire, "\x1B[", 2) == 0) {
			wire += skip_csi(wire);
			continue;
		}
		if (strncmp(wire, "\x1B(B", 3) == 0) {
			wire += 3;
			continue;
		}
		/* CR, LF and BS move the cursor in curses' own way; a cell's are not told from them, so there must be a "?" for each. */
		assert_true((unsigned char)*wire >= ' ' || strchr("\r\n\b", *wire) != NULL);
		assert_int_not_equal(*wire, 0x7F);
		wire++;
	}
}

static size_t count(const char *in, char what)
{
	size_t n = 0;

	for (; *in != '\0'; in++)
		n += *in == what;
	return n;
}

static void no_cell_can_reach_the_terminal_as_a_control(void **state)
{
	static const char *const never[] = {"\xC2\x9B", "\x9B", "\xE2\x80\xAE", "\xE2\x80\x8B",
		"\xE2\x80\xA8", "\xF3\xA0", "\xE2\x80\x8D", "\xFF", "2J", "\xEE\x80\x80"};
	struct pty pty;

	(void)state;
	pty_start(&pty, "xterm-256color", false, put_hostile);
	pty_expect(&pty, 'o');
	str_clear(&pty.wire);
	pty_tell(&pty, 'g');
	pty_expect(&pty, 'p');
	const char *wire = str_c(&pty.wire);
	assert_int_equal(strlen(wire), pty.wire.len);
	assert_printable(wire);
	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		assert_null(strstr(wire, never[i]));
	/* One for each, and a second for the one that says it is two wide. */
	assert_int_equal(count(wire, '?'), ARRAY_LEN(hostile) + 1);
	assert_non_null(strstr(wire, "e\xCC\x81 \xE7\x94\xA8\xE6\x88\xB7 end"));
	pty_tell(&pty, 'c');
	assert_int_equal(pty_wait(&pty, 0), 0);
	pty_end(&pty);
}

static int put_changes(struct pty_child *child)
{
	struct term *term = must_open();
	struct frame frame;

	frame_init(&frame, 80, 24);
	frame_put(&frame, 0, 0, 80, STYLE_TITLE, "title one");
	frame_put(&frame, 0, 5, 80, STYLE_PLAIN, "body one");
	frame_put(&frame, 0, 22, 80, STYLE_READY, "gate one");
	must_put(term, &frame);
	pty_say(child, '1');
	pty_await(child, '1');
	must_put(term, &frame);
	pty_say(child, '2');
	pty_await(child, '2');
	frame_put(&frame, 5, 5, 80, STYLE_PLAIN, "X");
	must_put(term, &frame);
	pty_say(child, '3');
	pty_await(child, '3');
	frame_put(&frame, 0, 0, 80, STYLE_TITLE, "TITLE TWO");
	frame_put(&frame, 0, 5, 80, STYLE_PLAIN, "BODY TWO");
	frame_put(&frame, 0, 22, 80, STYLE_PLAIN, "GATE TWO");
	must_put(term, &frame);
	pty_say(child, '4');
	pty_await(child, 'c');
	term_close(term);
	frame_release(&frame);
	return 0;
}

static void only_what_changed_is_written_and_the_gate_row_first(void **state)
{
	struct pty pty;

	(void)state;
	pty_start(&pty, "xterm-256color", false, put_changes);
	pty_expect(&pty, '1');
	str_clear(&pty.wire);
	pty_tell(&pty, '1');
	pty_expect(&pty, '2');
	assert_int_equal(pty.wire.len, 0);
	pty_tell(&pty, '2');
	pty_expect(&pty, '3');
	assert_non_null(strchr(str_c(&pty.wire), 'X'));
	assert_true(pty.wire.len < 40);
	assert_null(strstr(str_c(&pty.wire), "body"));
	str_clear(&pty.wire);
	pty_tell(&pty, '3');
	pty_expect(&pty, '4');
	const char *gate = strstr(str_c(&pty.wire), "GATE");
	assert_non_null(gate);
	assert_non_null(strstr(gate, "BODY"));
	assert_non_null(strstr(gate, "TITLE"));
	pty_tell(&pty, 'c');
	assert_int_equal(pty_wait(&pty, 0), 0);
	pty_end(&pty);
}

static int follow_sizes(struct pty_child *child)
{
	static const struct {
		unsigned cols, rows;
	} sizes[] = {{80, 24}, {1, 1}, {3, 1}, {10, 3}, {200, 60}, {80, 24}};
	struct term *term = must_open();

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct frame frame;
		unsigned cols, rows;

		pty_say(child, 's');
		pty_await(child, 's');
		term_size(term, &cols, &rows);
		if (cols != sizes[i].cols || rows != sizes[i].rows)
			return 1;
		frame_init(&frame, cols, rows);
		frame_put(&frame, cols - 1, rows - 1, 1, STYLE_PLAIN, "Z");
		must_put(term, &frame);
		frame_release(&frame);
	}
	pty_say(child, 'e');
	pty_await(child, 'c');
	term_close(term);
	return 0;
}

static void a_frame_fills_the_terminal_at_every_size_but_the_corner_of_a_single_column(void **state)
{
	static const struct winsize sizes[] = {{.ws_col = 80, .ws_row = 24},
		{.ws_col = 1, .ws_row = 1}, {.ws_col = 3, .ws_row = 1}, {.ws_col = 10, .ws_row = 3},
		{.ws_col = 200, .ws_row = 60}, {.ws_col = 80, .ws_row = 24}};
	struct pty pty;
	size_t drawn = 0;

	(void)state;
	pty_start(&pty, "xterm-256color", false, follow_sizes);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		pty_expect(&pty, 's');
		assert_int_equal(count(str_c(&pty.wire), 'Z'), drawn);
		drawn += sizes[i].ws_col > 1;
		assert_int_equal(ioctl(pty.master, TIOCSWINSZ, &sizes[i]), 0);
		pty_tell(&pty, 's');
	}
	pty_expect(&pty, 'e');
	assert_int_equal(count(str_c(&pty.wire), 'Z'), drawn);
	pty_tell(&pty, 'c');
	assert_int_equal(pty_wait(&pty, 0), 0);
	pty_end(&pty);
}

/* What was typed is on its way through the kernel: only when it can be read it can be thrown away. */
static void await_typed(int fd)
{
	struct pollfd one = {.fd = fd, .events = POLLIN};

	poll(&one, 1, -1);
}

static size_t read_some(struct term *term, char *keys, size_t want)
{
	size_t len = 0;

	while (len < want) {
		await_typed(term_fd(term));
		int n = term_read(term, keys + len, want - len);
		if (n < 0)
			break;
		len += (size_t)n;
	}
	return len;
}

static int read_keys(struct pty_child *child)
{
	char keys[8] = "";
	int tty = open("/dev/tty", O_RDWR);

	await_typed(tty); /* before anything is on the screen */
	struct term *term = must_open();
	if (term_read(term, keys, sizeof(keys)) != 0)
		return 1;
	pty_say(child, 'o');
	if (read_some(term, keys, 5) != 5 || memcmp(keys, "\x03\x1C\x13\r\n", 5) != 0)
		return 2;
	pty_say(child, 'd');
	await_typed(term_fd(term));
	term_drop_input(term);
	if (term_read(term, keys, sizeof(keys)) != 0)
		return 3;
	term_close(term);
	close(tty);
	return 0;
}

static void keys_come_as_bytes_and_what_was_typed_before_is_dropped(void **state)
{
	struct pty pty;

	(void)state;
	pty_start(&pty, "xterm-256color", false, read_keys);
	pty_type(&pty, "a\r");
	pty_expect(&pty, 'o');
	pty_type(&pty, "\x03\x1C\x13\r\n");
	pty_expect(&pty, 'd');
	pty_type(&pty, "a");
	assert_int_equal(pty_wait(&pty, 0), 0);
	pty_end(&pty);
}

static void a_title_is_printable_ascii_and_short(void **state)
{
	char bytes[TERM_TITLE_BYTES];
	char longer[300];

	(void)state;
	assert_int_equal(term_title_bytes("Exequatur: 3 waiting", bytes), 26);
	assert_memory_equal(bytes, "\x1B]2;Exequatur: 3 waiting\x1B\\", 26);
	assert_int_equal(term_title_bytes("a\x07\x1B\xC3\xA9", bytes), 11);
	assert_memory_equal(bytes, "\x1B]2;a????\x1B\\", 11);
	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	size_t len = term_title_bytes(longer, bytes);
	assert_true(len <= TERM_TITLE_BYTES);
	assert_memory_equal(bytes + len - 2, "\x1B\\", 2);
}

static void a_theme_is_read_from_the_environment_alone(void **state)
{
	(void)state;
	assert_int_equal(term_theme_auto(NULL), THEME_DARK);
	assert_int_equal(term_theme_auto("15;0"), THEME_DARK);
	assert_int_equal(term_theme_auto("0;15"), THEME_LIGHT);
	assert_int_equal(term_theme_auto("0;default;7"), THEME_LIGHT);
	assert_int_equal(term_theme_auto("0;default"), THEME_DARK);
	assert_int_equal(term_theme_auto("15"), THEME_DARK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_cell_can_reach_the_terminal_as_a_control),
		cmocka_unit_test(only_what_changed_is_written_and_the_gate_row_first),
		cmocka_unit_test(
			a_frame_fills_the_terminal_at_every_size_but_the_corner_of_a_single_column),
		cmocka_unit_test(keys_come_as_bytes_and_what_was_typed_before_is_dropped),
		cmocka_unit_test(a_title_is_printable_ascii_and_short),
		cmocka_unit_test(a_theme_is_read_from_the_environment_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

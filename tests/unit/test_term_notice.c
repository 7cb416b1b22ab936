#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tui/term_cell.h"

static const struct {
	enum term_notice form;
	enum term_between between;
	const char *ours, *bytes;
} notices[] = {
	{TERM_NOTICE_OFF, TERM_BETWEEN_NOTHING, "3 calls wait", ""},
	{TERM_NOTICE_OSC9, TERM_BETWEEN_NOTHING, "3 calls wait, the oldest 42 s",
		"\x1B]9;Exequatur: 3 calls wait, the oldest 42 s\x1B\\"},
	{TERM_NOTICE_OSC777, TERM_BETWEEN_NOTHING, "3 calls wait, the oldest 42 s",
		"\x1B]777;notify;Exequatur;3 calls wait, the oldest 42 s\x1B\\"},
	{TERM_NOTICE_OSC9, TERM_BETWEEN_TMUX, "1", "\x1BPtmux;\x1B\x1B]9;Exequatur: 1\a\x1B\\"},
	{TERM_NOTICE_OSC777, TERM_BETWEEN_SCREEN, "1", "\x1BP\x1B]777;notify;Exequatur;1\a\x1B\\"},
	{TERM_NOTICE_OSC9, TERM_BETWEEN_NOTHING, "a\a\x1B\\\xC2\x9C;b",
		"\x1B]9;Exequatur: a??\\???b\x1B\\"},
};

static void a_notice_is_one_sequence_of_printable_ascii(void **state)
{
	char bytes[TERM_NOTICE_BYTES];
	char longer[2 * TERM_NOTICE_BYTES];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(notices); i++) {
		size_t len = term_notice_bytes(
			notices[i].form, notices[i].between, notices[i].ours, bytes);

		assert_int_equal(len, strlen(notices[i].bytes));
		assert_memory_equal(bytes, notices[i].bytes, len);
	}
	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	size_t len = term_notice_bytes(TERM_NOTICE_OSC777, TERM_BETWEEN_TMUX, longer, bytes);
	assert_true(len < TERM_NOTICE_BYTES);
	assert_memory_equal(bytes + len - 3, "\a\x1B\\", 3);
}

static void an_envelope_is_for_a_terminal_inside_another_alone(void **state)
{
	(void)state;
	assert_int_equal(term_between("xterm-256color", "/tmp/t,1,0", "1.a"), TERM_BETWEEN_NOTHING);
	assert_int_equal(term_between("tmux-256color", "/tmp/t,1,0", NULL), TERM_BETWEEN_TMUX);
	assert_int_equal(term_between("screen", "/tmp/t,1,0", "1.a"), TERM_BETWEEN_TMUX);
	assert_int_equal(term_between("screen.xterm", NULL, "1.a"), TERM_BETWEEN_SCREEN);
	assert_int_equal(term_between("screen", "", NULL), TERM_BETWEEN_NOTHING);
	assert_int_equal(term_notice_form("off"), TERM_NOTICE_OFF);
	assert_int_equal(term_notice_form("osc9"), TERM_NOTICE_OSC9);
	assert_int_equal(term_notice_form("osc777"), TERM_NOTICE_OSC777);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_notice_is_one_sequence_of_printable_ascii),
		cmocka_unit_test(an_envelope_is_for_a_terminal_inside_another_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

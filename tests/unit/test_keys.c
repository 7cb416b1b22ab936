#include "config.h"

#include "tui/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"

/* Keys as text, so that a table shows what came out: "a" "Up" "Ctrl-c" "paste(3)" "?" for a sequence that means nothing, and "'"
   behind what came close to a sequence. */
static void spell(const struct key *key, struct str *out)
{
	static const char *const names[KEY_CODE_COUNT] = {
		[KEY_CODE_ENTER] = "Enter",
		[KEY_CODE_TAB] = "Tab",
		[KEY_CODE_BACKTAB] = "Backtab",
		[KEY_CODE_ESC] = "Esc",
		[KEY_CODE_BACKSPACE] = "Backspace",
		[KEY_CODE_DELETE] = "Delete",
		[KEY_CODE_UP] = "Up",
		[KEY_CODE_DOWN] = "Down",
		[KEY_CODE_LEFT] = "Left",
		[KEY_CODE_RIGHT] = "Right",
		[KEY_CODE_HOME] = "Home",
		[KEY_CODE_END] = "End",
		[KEY_CODE_PGUP] = "PgUp",
		[KEY_CODE_PGDN] = "PgDn",
		[KEY_CODE_FOCUS_IN] = "in",
		[KEY_CODE_FOCUS_OUT] = "out",
		[KEY_CODE_CLICK] = "click",
		[KEY_CODE_WHEEL_UP] = "wheel-up",
		[KEY_CODE_WHEEL_DOWN] = "wheel-down",
		[KEY_CODE_UNKNOWN] = "?",
	};

	if (out->len > 0)
		str_add(out, " ");
	if (key->code == KEY_CODE_CLICK || key->code == KEY_CODE_WHEEL_UP ||
		key->code == KEY_CODE_WHEEL_DOWN)
		str_printf(out, "%s(%u,%u)", names[key->code], key->col, key->row);
	else if (key->code == KEY_CODE_CHAR && key->ch > ' ' && key->ch < 0x7F)
		str_add_char(out, (char)key->ch);
	else if (key->code == KEY_CODE_CHAR)
		str_printf(out, "U+%04X", key->ch);
	else if (key->code == KEY_CODE_CTRL)
		str_printf(out, "Ctrl-%c", (char)key->ch);
	else if (key->code == KEY_CODE_PASTE)
		str_printf(out, "paste(%u)", key->ch);
	else
		str_add(out, names[key->code]);
}

static void drain(struct key_parser *parser, int64_t now_ms, struct str *out)
{
	struct key key;

	while (key_parser_next(parser, now_ms, &key)) {
		if (key.code != KEY_CODE_PARTIAL)
			spell(&key, out);
	}
}

static void wait_for_rest(struct key_parser *parser, struct str *out)
{
	int64_t deadline = key_parser_deadline(parser);

	if (deadline < 0)
		return;
	drain(parser, deadline - 1, out);
	drain(parser, deadline, out);
	assert_int_equal(key_parser_deadline(parser), -1);
}

struct stream_case {
	const char *bytes;
	size_t len;
	const char *keys;
};
#define BYTES(text) text, sizeof(text) - 1

static const struct stream_case streams[] = {
	{BYTES("a"), "a"},
	{BYTES("aGz ?"), "a G z U+0020 ?"},
	{BYTES("\r\n\t\b\x7F"), "Enter Ctrl-j Tab Backspace Backspace"},
	{BYTES("\x03\x0C\x1A\x00\x1C"), "Ctrl-c Ctrl-l Ctrl-z Ctrl-@ Ctrl-\\"},
	/* cursor keys in both keypad modes, and what other terminals send */
	{BYTES("\x1B[A\x1B[B\x1B[C\x1B[D"), "Up Down Right Left"},
	{BYTES("\x1BOA\x1BOB\x1BOC\x1BOD\x1BOH\x1BOF"), "Up Down Right Left Home End"},
	{BYTES("\x1B[H\x1B[F\x1B[1~\x1B[4~\x1B[7~\x1B[8~"), "Home End Home End Home End"},
	{BYTES("\x1B[5~\x1B[6~\x1B[3~\x1B[Z"), "PgUp PgDn Delete Backtab"},
	{BYTES("\x1B[I\x1B[O"), "in out"},
	/* whole sequences that mean nothing: rxvt's Shift-Up ends in `a` */
	{BYTES("\x1B[a"), "?"},
	{BYTES("\x1BOa"), "?"},
	{BYTES("\x1B[1;2A"), "?"},
	{BYTES("\x1B[97;1u"), "?"},
	{BYTES("\x1B[27;1;97~"), "?"},
	/* the mouse: the first button and the wheel alone, in the form of mode 1006 */
	{BYTES("\x1B[<0;10;24M\x1B[<0;10;24m"), "click(9,23) ?"},
	{BYTES("\x1B[<64;1;1M\x1B[<65;1000;1000M"), "wheel-up(0,0) wheel-down(999,999)"},
	{BYTES("\x1B[<1;1;1M\x1B[<2;1;1M\x1B[<4;1;1M\x1B[<16;1;1M\x1B[<35;1;1M"), "? ? ? ? ?"},
	{BYTES("\x1B[<0;0;1M\x1B[<0;1;0M\x1B[<0;1M\x1B[<0;1;1;1M\x1B[<;;M\x1B[<M"), "? ? ? ? ? ?"},
	{BYTES("\x1B[<0;99999;1M\x1B[<0;1;999999999999M\x1B[0;1;1M\x1B[<0;1;-M"), "? ? ? ?"},
	{BYTES("\x1B[Ma!!"), "?"},
	{BYTES("\x1B[[A\x1B[[E"), "? ?"},
	{BYTES("\x1B[?1;2c\x1B[>0;276;0c\x1B[12;40R"), "? ? ?"},
	{BYTES("\x1B[1;2;3;4;5;6;7;8;9;10;11;12;13A"), "?"},
	{BYTES("\x1BOM"), "?"},
	/* Alt and a key: never a key */
	{BYTES("\x1B"
	       "a"),
		"?"},
	{BYTES("\x1B"
	       "ay"),
		"? y"},
	{BYTES("\x1B\r"), "?"},
	{BYTES("\x1B\x03"), "?"},
	{BYTES("\x1B\xC3\xA9x"), "? x"},
	{BYTES("\x1B(Bx"), "? x"},
	/* a held Esc is one Esc; Alt-Up of rxvt is one thing */
	{BYTES("\x1B\x1B\x1B"), "Esc"},
	{BYTES("\x1B\x1B[A"), "Up"},
	/* strings, to their end */
	{BYTES("\x1B]11;rgb:1e1e/1e1e/1e1e\x1B\\x"), "? x"},
	{BYTES("\x1B]11;rgb:ffff/aaaa/yyyy\x07x"), "? x"},
	{BYTES("\x1B]52;c;cmFyYQ==\x9Cx"), "? x"},
	{BYTES("\x1B]0;\xC3\x9C y\x07x"), "? x"},
	{BYTES("\x1BP>|XTerm(370)\x1B\\x"), "? x"},
	{BYTES("\x1BP1+r\x07"
	       "a\x1B\\x"),
		"? x"},
	{BYTES("\x1B_Gi=1;OK\x1B\\x"), "? x"},
	{BYTES("\x1B^pm a\x1B\\x"), "? x"},
	{BYTES("\x1BXsos a\x1B\\x"), "? x"},
	{BYTES("\x1B]11;a\x1B[Ax"), "? Up x"},
	{BYTES("\x1B]11;a\x18x"), "? x"},
	/* C1 controls: as bytes, and as characters */
	{BYTES("\x9B"
	       "A\x8F"
	       "B\x9B"
	       "a"),
		"Up Down ?"},
	{BYTES("\xC2\x9B"
	       "A\xC2\x9D"
	       "11;a\xC2\x9Cx"),
		"Up ?"},
	{BYTES("\xC2\x9D"
	       "11;a\x9Cx"),
		"? x"},
	{BYTES("\x90q\x9Cx\x85y"), "? x ? y"},
	/* ESC, CAN and bytes that cannot be, inside */
	{BYTES("\x1B[1\x1B[A"), "? Up"},
	{BYTES("\x1B[1\x18x"), "? x"},
	{BYTES("\x1B[\x03\xFF"
	       "A"),
		"Up"},
	/* characters */
	{BYTES("\xC3\xA9\xD1\x84\xE7\x94\xA8\xF0\x9F\x98\x80"), "U+00E9 U+0444 U+7528 U+1F600"},
	{BYTES("\xC3"
	       "a"),
		"? a"},
	{BYTES("\xE7\x94"
	       "a"),
		"? a"},
	{BYTES("\xC0\x9B"), "? ?"},
	{BYTES("\xC1\xA1"), "? ?"},
	{BYTES("\xE0\x81\xA1"), "? ? ?"},
	{BYTES("\xED\xA0\x80x"), "? ? ? x"},
	{BYTES("\xF5\xFF\xFE"), "? ? ?"},
	{BYTES("\xC3\x1B[A"), "? Up"},
	/* paste */
	{BYTES("\x1B[200~y\ry\r\x1B[201~"), "paste(4)"},
	{BYTES("\x1B[200~\x1B[201~a"), "paste(0) a"},
	{BYTES("\x1B[200~\xC3\xA9\x1B[A\x1B[201\x1B[201~"), "paste(9)"},
	{BYTES("\x1B[200~\x1B\x1B[201~"), "paste(1)"},
	{BYTES("\x1B[201~"), "?"},
};

static void each_stream_gives_its_keys(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(streams); i++) {
		struct key_parser *parser = key_parser_new();
		struct str got STR_AUTO = STR_INIT;

		key_parser_feed(parser, streams[i].bytes, streams[i].len, 0);
		drain(parser, 0, &got);
		wait_for_rest(parser, &got);
		if (strcmp(str_c(&got), streams[i].keys) != 0)
			fail_msg("stream %zu: \"%s\", not \"%s\"", i, str_c(&got), streams[i].keys);
		key_parser_free(parser);
	}
}

/* Two cuts at every pair of places, as late as a slow line can be. */
static void a_stream_in_three_pieces_gives_the_same_keys(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(streams); i++) {
		const struct stream_case *c = &streams[i];

		for (size_t a = 0; a <= c->len; a++) {
			for (size_t b = a; b <= c->len; b++) {
				struct key_parser *parser = key_parser_new();
				struct str got STR_AUTO = STR_INIT;

				key_parser_feed(parser, c->bytes, a, 0);
				drain(parser, KEY_ESC_MS - 1, &got);
				key_parser_feed(parser, c->bytes + a, b - a, KEY_ESC_MS - 1);
				drain(parser, KEY_ESC_MS - 1, &got);
				key_parser_feed(parser, c->bytes + b, c->len - b,
					(a == b ? 1 : 2) * (KEY_ESC_MS - 1));
				drain(parser, 2 * (KEY_ESC_MS - 1), &got);
				wait_for_rest(parser, &got);
				assert_string_equal(str_c(&got), c->keys);
				key_parser_free(parser);
			}
		}
	}
}

/* Any bytes, any cuts: bytes of a generator with a fixed seed, rich in what begins and ends sequences. */
static void any_chunking_gives_the_same_keys(void **state)
{
	static const char rich[] =
		"\x1B\x1B\x1B[[]OPXM^_\\~;0123 aryx\x07\x18\x9B\x9C\xC2\xC3\xE7\x94\r";
	unsigned seed = 20261130;

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		char bytes[64];
		struct key_parser *whole = key_parser_new();
		struct key_parser *cut = key_parser_new();
		struct str a STR_AUTO = STR_INIT;
		struct str b STR_AUTO = STR_INIT;

		for (size_t i = 0; i < sizeof(bytes); i++) {
			seed = seed * 1103515245u + 12345u;
			bytes[i] = rich[(seed >> 16) % (sizeof(rich) - 1)];
		}
		key_parser_feed(whole, bytes, sizeof(bytes), 0);
		drain(whole, 0, &a);
		for (size_t i = 0; i < sizeof(bytes);) {
			seed = seed * 1103515245u + 12345u;
			size_t n = 1 + (seed >> 16) % 5;

			n = n > sizeof(bytes) - i ? sizeof(bytes) - i : n;
			key_parser_feed(cut, bytes + i, n, 0);
			drain(cut, 0, &b);
			i += n;
		}
		wait_for_rest(whole, &a);
		wait_for_rest(cut, &b);
		assert_string_equal(str_c(&a), str_c(&b));
		key_parser_free(whole);
		key_parser_free(cut);
	}
}

static void a_lone_escape_is_a_key_after_its_time(void **state)
{
	struct key_parser *parser = key_parser_new();
	struct str got STR_AUTO = STR_INIT;

	(void)state;
	key_parser_feed(parser, "\x1B", 1, 1000);
	assert_int_equal(key_parser_deadline(parser), 1000 + KEY_ESC_MS);
	drain(parser, 1000 + KEY_ESC_MS - 1, &got);
	assert_string_equal(str_c(&got), "");
	drain(parser, 1000 + KEY_ESC_MS, &got);
	assert_string_equal(str_c(&got), "Esc");
	/* What comes later is a key again. */
	key_parser_feed(parser, "[", 1, 2000);
	drain(parser, 2000, &got);
	assert_string_equal(str_c(&got), "Esc [");
	key_parser_free(parser);
}

static void an_unfinished_sequence_is_given_up_after_its_time(void **state)
{
	static const char *const starts[] = {
		"\x1B[1;2", "\x1B]11;rgb", "\x1BP", "\x1BO", "\xE7\x94", "\x1B[M", "\x1B[["};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
		struct key_parser *parser = key_parser_new();
		struct str got STR_AUTO = STR_INIT;

		key_parser_feed(parser, starts[i], strlen(starts[i]), 0);
		/* Without a call between, too: the next bytes find the time gone. */
		key_parser_feed(parser, "j", 1, KEY_ESC_MS);
		drain(parser, KEY_ESC_MS, &got);
		assert_string_equal(str_c(&got), "? j");
		key_parser_free(parser);
	}
}

static void a_paste_without_its_end_is_given_up_later(void **state)
{
	struct key_parser *parser = key_parser_new();
	struct str got STR_AUTO = STR_INIT;

	(void)state;
	key_parser_feed(parser, "\x1B[200~aaa", 9, 0);
	drain(parser, KEY_PASTE_MS - 1, &got);
	assert_string_equal(str_c(&got), "");
	drain(parser, KEY_PASTE_MS, &got);
	assert_string_equal(str_c(&got), "paste(3)");
	key_parser_free(parser);
}

static void what_comes_behind_a_sequence_is_marked(void **state)
{
	struct key_parser *parser = key_parser_new();
	struct key key;

	(void)state;
	key_parser_feed(parser, "a\x1B[Ba", 5, 0);
	assert_true(key_parser_next(parser, 0, &key));
	assert_false(key.after_sequence);
	assert_true(key_parser_next(parser, 0, &key));
	assert_int_equal(key.code, KEY_CODE_DOWN);
	assert_true(key_parser_next(parser, 0, &key));
	assert_true(key.after_sequence);
	key_parser_feed(parser, "a", 1, KEY_BEHIND_MS - 1);
	assert_true(key_parser_next(parser, KEY_BEHIND_MS - 1, &key));
	assert_true(key.after_sequence);
	key_parser_feed(parser, "a", 1, KEY_BEHIND_MS);
	assert_true(key_parser_next(parser, KEY_BEHIND_MS, &key));
	assert_false(key.after_sequence);
	key_parser_free(parser);
}

/* The screen must hear of bytes that are no key yet: behind `a` they take its being alone away. */
static void bytes_that_are_no_key_yet_are_told(void **state)
{
	struct key_parser *parser = key_parser_new();
	struct key key;

	(void)state;
	key_parser_feed(parser, "\x1B[", 2, 0);
	assert_true(key_parser_next(parser, 0, &key));
	assert_int_equal(key.code, KEY_CODE_PARTIAL);
	assert_false(key_parser_next(parser, 0, &key));
	key_parser_feed(parser, "A", 1, 1);
	assert_true(key_parser_next(parser, 1, &key));
	assert_int_equal(key.code, KEY_CODE_UP);
	assert_false(key_parser_next(parser, 1, &key));
	key_parser_free(parser);
}

static void a_huge_paste_is_only_counted(void **state)
{
	struct key_parser *parser = key_parser_new();
	struct str got STR_AUTO = STR_INIT;
	char *block = mem_alloc(1 << 20);

	(void)state;
	memset(block, 'a', 1 << 20);
	key_parser_feed(parser, "\x1B[200~", 6, 0);
	for (int i = 0; i < 16; i++) {
		key_parser_feed(parser, block, 1 << 20, 0);
		drain(parser, 0, &got);
	}
	key_parser_feed(parser, "\x1B[201~", 6, 0);
	drain(parser, 0, &got);
	assert_string_equal(str_c(&got), "paste(16777216)");
	free(block);
	key_parser_free(parser);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_stream_gives_its_keys),
		cmocka_unit_test(a_stream_in_three_pieces_gives_the_same_keys),
		cmocka_unit_test(any_chunking_gives_the_same_keys),
		cmocka_unit_test(a_lone_escape_is_a_key_after_its_time),
		cmocka_unit_test(an_unfinished_sequence_is_given_up_after_its_time),
		cmocka_unit_test(a_paste_without_its_end_is_given_up_later),
		cmocka_unit_test(what_comes_behind_a_sequence_is_marked),
		cmocka_unit_test(bytes_that_are_no_key_yet_are_told),
		cmocka_unit_test(a_huge_paste_is_only_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

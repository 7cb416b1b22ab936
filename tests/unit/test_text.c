#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

struct escape_case {
	const char *bytes;
	size_t len; /* 0: up to the NUL */
	const char *shown;
};

static void expect_shown(const struct escape_case *c, unsigned flags)
{
	STR_AUTO struct str out = STR_INIT;

	text_escape(c->bytes, c->len > 0 ? c->len : strlen(c->bytes), flags, &out);
	assert_string_equal(str_c(&out), c->shown);
}

static void expect_all(const struct escape_case *cases, size_t count, unsigned flags)
{
	for (size_t i = 0; i < count; i++)
		expect_shown(&cases[i], flags);
}

static void printable_text_is_shown_as_it_is(void **state)
{
	static const char *const texts[] = {
		"ls -la | grep 'x' > \"out\" && echo $((1 + 2)) < in",
		"Grüße, señor: naïve café",
		"用户手册 звіт.txt",
		"한국어 日本語ひらがな カタカナ",
		"עברית العربية हिन्दी ไทย",
		"e\xCC\x81 a\xCC\x8A\xCC\xA7",
		"😀 → ✓ ½ € ─│█░",
		"\xEF\xBF\xBD",
		"a < b, <b>, <esc>, <U+20>, <x4g>, <40 sp>, <SP>",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		expect_shown(&(struct escape_case){texts[i], 0, texts[i]}, 0);
		expect_shown(
			&(struct escape_case){texts[i], 0, texts[i]}, TEXT_LINES | TEXT_OUTPUT);
	}
}

static void controls_have_their_names(void **state)
{
	static const struct escape_case cases[] = {
		{"\0", 1, "<NUL>"},
		{"\x01\x02\x03\x04\x05\x06", 0, "<SOH><STX><ETX><EOT><ENQ><ACK>"},
		{"\a\b\t\v\f\r", 0, "<BEL><BS><TAB><VT><FF><CR>"},
		{"\x0E\x0F\x10\x11\x12\x13", 0, "<SO><SI><DLE><DC1><DC2><DC3>"},
		{"\x14\x15\x16\x17\x18\x19", 0, "<DC4><NAK><SYN><ETB><CAN><EM>"},
		{"\x1A\x1B\x1C\x1D\x1E\x1F\x7F", 0, "<SUB><ESC><FS><GS><RS><US><DEL>"},
		{"\n", 0, "<LF>"},
		{"A\xC2\x9B"
		 "2JB",
			0, "A<U+009B>2JB"},
		{"\xC2\x80\xC2\x9F\xC2\x85", 0, "<U+0080><U+009F><U+0085>"},
		{"\033[32mPASS\033[0m", 0, "<ESC>[32mPASS<ESC>[0m"},
		{"\033]0;all good\a", 0, "<ESC>]0;all good<BEL>"},
	};

	(void)state;
	expect_all(cases, ARRAY_LEN(cases), 0);
	expect_all(cases + 7, ARRAY_LEN(cases) - 7, TEXT_LINES | TEXT_OUTPUT);
}

static void bytes_that_are_not_utf8_are_shown_one_by_one(void **state)
{
	static const struct escape_case cases[] = {
		{"\xFF", 0, "<xFF>"},
		{"a\x80z", 0, "a<x80>z"},
		{"\xC0\xAF", 0, "<xC0><xAF>"},
		{"\xE8\xAA", 0, "<xE8><xAA>"},
		{"\xED\xA0\x80", 0, "<xED><xA0><x80>"},
		{"\xF4\x90\x80\x80", 0, "<xF4><x90><x80><x80>"},
		{"\x9B"
		 "2J",
			0, "<x9B>2J"},
		{"\xC3\xC3\xA9", 0, "<xC3>\xC3\xA9"},
	};

	(void)state;
	expect_all(cases, ARRAY_LEN(cases), 0);
	expect_all(cases, ARRAY_LEN(cases), TEXT_OUTPUT);
}

static void what_nobody_can_see_is_shown_by_number(void **state)
{
	static const struct escape_case cases[] = {
		{"\u202Egpj.x\u202C", 0, "<U+202E>gpj.x<U+202C>"},
		{"\u2066\u2069\u200E\u200F\u061C", 0, "<U+2066><U+2069><U+200E><U+200F><U+061C>"},
		{"t\u200Bouch\u200C\u2060\uFEFF", 0, "t<U+200B>ouch<U+200C><U+2060><U+FEFF>"},
		{"so\u00ADft", 0, "so<U+00AD>ft"},
		{"\u115F\u1160\u3164\uFFA0", 0, "<U+115F><U+1160><U+3164><U+FFA0>"},
		{"\u2028\u2029", 0, "<U+2028><U+2029>"},
		{"a\u00A0b\u3000c\u2003d\u202Fe\u1680f\u205F", 0,
			"a<U+00A0>b<U+3000>c<U+2003>d<U+202F>e<U+1680>f<U+205F>"},
		{"\u2800\uFFFC\U0001D159", 0, "<U+2800><U+FFFC><U+1D159>"},
		{"\U000E0041\U000E007F", 0, "<U+E0041><U+E007F>"},
		{"\u2764\uFE0F\U000E0100\u180B", 0, "\u2764<U+FE0F><U+E0100><U+180B>"},
		{"\uE000\U000F0000\U0010FFFD", 0, "<U+E000><U+F0000><U+10FFFD>"},
		{"\u0378\uFFFF\U0010FFFF\uFDD0", 0, "<U+0378><U+FFFF><U+10FFFF><U+FDD0>"},
		{"\u034F\u17B4\u2061\u206A\u180E", 0, "<U+034F><U+17B4><U+2061><U+206A><U+180E>"},
		{"\U0001F469\u200D\U0001F52C", 0, "\U0001F469<U+200D>\U0001F52C"},
	};

	(void)state;
	expect_all(cases, ARRAY_LEN(cases), 0);
	expect_all(cases, ARRAY_LEN(cases), TEXT_LINES | TEXT_OUTPUT);
}

static void signs_of_unsure_width_are_shown_by_number(void **state)
{
	static const struct escape_case cases[] = {
		{"\u4DC0\u3248", 0, "<U+4DC0><U+3248>"},
		{"\U0001F44D\U0001F3FD", 0, "\U0001F44D<U+1F3FD>"},
		{"\U0001F3FD", 0, "\U0001F3FD"},
	};

	(void)state;
	expect_all(cases, ARRAY_LEN(cases), 0);
}

static void marks_need_a_letter_and_come_in_twos_at_most(void **state)
{
	static const struct escape_case cases[] = {
		{"\u0301", 0, "<U+0301>"},
		{" \u0301", 0, " <U+0301>"},
		{"/\u0338~\u0301\"\u0301", 0, "/<U+0338>~<U+0301>\"<U+0301>"},
		{"a\u0301\u0302\u0303\u0304", 0, "a\u0301\u0302<U+0303><U+0304>"},
		{"\t\u0301", 0, "<TAB><U+0301>"},
		{"\u200B\u0301", 0, "<U+200B><U+0301>"},
		{"\xFF\u0301", 0, "<xFF><U+0301>"},
		{"1\u20E3", 0, "1\u20E3"},
		{"\u1112\u1161\u11AB", 0, "\u1112\u1161\u11AB"},
		{"\u1161\u11AB", 0, "<U+1161><U+11AB>"},
		{"a\u1161", 0, "a<U+1161>"},
		{"\uD55C\u1161", 0, "\uD55C<U+1161>"},
		{"\uD558\u11AB", 0, "\uD558\u11AB"},
	};

	(void)state;
	expect_all(cases, ARRAY_LEN(cases), 0);
}

#define SP8 "        "
#define SP24 SP8 SP8 SP8

static void blanks_that_hide_something_are_counted(void **state)
{
	static const struct escape_case cases[] = {
		{"a" SP24 "b", 0, "a" SP24 "b"},
		{"a" SP24 " b", 0, "a<25 SP>b"},
		{"a ", 0, "a<1 SP>"},
		{"  ", 0, "<2 SP>"},
		{"    a", 0, "    a"},
		{"a  \t b", 0, "a  <TAB> b"},
	};
	static const struct escape_case in_lines[] = {
		{"a  \nb", 0, "a<2 SP>\nb"},
		{"\n  \n", 0, "\n<2 SP>\n"},
		{"  b\n", 0, "  b\n"},
	};
	static const struct escape_case in_fields[] = {{"a  \nb", 0, "a<2 SP><LF>b"}};
	static const struct escape_case in_output[] = {
		{"a  \n" SP24 SP24 "b ", 0, "a  \n" SP24 SP24 "b "}};

	(void)state;
	expect_all(cases, ARRAY_LEN(cases), 0);
	expect_all(cases, ARRAY_LEN(cases), TEXT_LINES);
	expect_all(in_lines, ARRAY_LEN(in_lines), TEXT_LINES);
	expect_all(in_fields, ARRAY_LEN(in_fields), 0);
	expect_all(in_output, ARRAY_LEN(in_output), TEXT_LINES | TEXT_OUTPUT);
}

static void three_empty_lines_and_more_are_counted(void **state)
{
	static const struct escape_case cases[] = {
		{"a\nb\n", 0, "a\nb\n"},
		{"a\n\n\nb", 0, "a\n\n\nb"},
		{"a\n\n\n\nb", 0, "a\n<3 EMPTY LINES>\nb"},
		{"\n\n\nb", 0, "<3 EMPTY LINES>\nb"},
		{"a\n\n\n\n", 0, "a\n<3 EMPTY LINES>\n"},
		{"a\n\n\n\n\n\n\n\n\n\n\n\n\nb\n\n\n\nc", 0,
			"a\n<12 EMPTY LINES>\nb\n<3 EMPTY LINES>\nc"},
	};
	static const struct escape_case in_output[] = {{"\n\n\n\na", 0, "\n\n\n\na"}};
	static const struct escape_case in_fields[] = {{"\n\n\n", 0, "<LF><LF><LF>"}};

	(void)state;
	expect_all(cases, ARRAY_LEN(cases), TEXT_LINES);
	expect_all(in_output, ARRAY_LEN(in_output), TEXT_LINES | TEXT_OUTPUT);
	expect_all(in_fields, ARRAY_LEN(in_fields), 0);
}

static void a_run_too_long_for_one_count_has_two(void **state)
{
	const size_t len = TEXT_FOLD_MAX + 30;
	MEM_AUTO char *blanks = mem_alloc(len + 1);
	MEM_AUTO char *lines = mem_alloc(len + 1);

	(void)state;
	memset(blanks, ' ', len);
	memset(lines, '\n', len);
	expect_shown(&(struct escape_case){blanks, len, "<999999 SP><30 SP>"}, 0);
	expect_shown(&(struct escape_case){lines, len, "<999999 EMPTY LINES><31 EMPTY LINES>\n"},
		TEXT_LINES);
}

static void foreign_text_cannot_forge_a_form(void **state)
{
	static const struct escape_case cases[] = {
		{"out/<ESC>", 0, "out/<U+003C>ESC>"},
		{"<U+202E>", 0, "<U+003C>U+202E>"},
		{"<U+10FFFF><U+003C>", 0, "<U+003C>U+10FFFF><U+003C>U+003C>"},
		{"<xFF><x41>", 0, "<U+003C>xFF><U+003C>x41>"},
		{"<40 SP><007 SP>", 0, "<U+003C>40 SP><U+003C>007 SP>"},
		{"<60 EMPTY LINES>", 0, "<U+003C>60 EMPTY LINES>"},
		{"<31 CR>", 0, "<U+003C>31 CR>"},
		{"<NUL><DEL><LF><EM>", 0, "<U+003C>NUL><U+003C>DEL><U+003C>LF><U+003C>EM>"},
		{"<<BS>", 0, "<<U+003C>BS>"},
		{"<U+202><U+1234567><xF><SP><ESC <U+202e>", 0,
			"<U+202><U+1234567><xF><SP><ESC <U+202e>"},
		{"<", 0, "<"},
		{"<99999999999999999999999 SP>", 0, "<U+003C>99999999999999999999999 SP>"},
	};

	(void)state;
	expect_all(cases, ARRAY_LEN(cases), 0);
	expect_all(cases, ARRAY_LEN(cases), TEXT_LINES | TEXT_OUTPUT);
	expect_all(cases, ARRAY_LEN(cases), TEXT_ASCII_ONLY);
}

static void without_utf8_everything_above_7e_is_a_number(void **state)
{
	static const struct escape_case cases[] = {
		{"é語😀", 0, "<U+00E9><U+8A9E><U+1F600>"},
		{"e\u0301", 0, "e<U+0301>"},
		{"\u0430pple", 0, "<U+0430>pple"},
		{"\xFF\x7F", 0, "<xFF><DEL>"},
		{"a~ b", 0, "a~ b"},
	};

	(void)state;
	expect_all(cases, ARRAY_LEN(cases), TEXT_ASCII_ONLY);
}

static void the_card_with_hidden_characters_reads_as_drawn(void **state)
{
	static const struct escape_case card = {"cp notes.txt out/\u202Etxt.exe\u202C\n"
						"t\u200Bouch 'out/<ESC>'\n"
						"printf '\033[8m'; make -s\r\033[2Kls -la\n"
						"curl -o jq https://\u0430pple.example/jq\n"
						"ls docs/用户手册 звіт.txt" SP24 SP8 SP8
						"; echo ok   ",
		0,
		"cp notes.txt out/<U+202E>txt.exe<U+202C>\n"
		"t<U+200B>ouch 'out/<U+003C>ESC>'\n"
		"printf '<ESC>[8m'; make -s<CR><ESC>[2Kls -la\n"
		"curl -o jq https://<U+0430>pple.example/jq\n"
		"ls docs/用户手册 звіт.txt<40 SP>; echo ok<3 SP>"};

	(void)state;
	expect_shown(&card, TEXT_LINES);
}

static void one_field_is_escaped_as_a_fresh_string(void **state)
{
	MEM_AUTO char *shown = text_escaped("a\nb ");
	MEM_AUTO char *empty = text_escaped("");

	(void)state;
	assert_string_equal(shown, "a<LF>b<1 SP>");
	assert_string_equal(empty, "");
}

/* Three bytes of every code point there is, and of what is none. */
static void a_letter_that_needs_no_look_is_what_the_rule_says_too(void **state)
{
	unsigned letters = 0;

	(void)state;
	for (unsigned first = 0x80; first < 0x100; first++) {
		for (unsigned rest = 0; rest < 0x10000; rest++) {
			const char bytes[] = {(char)first, (char)(rest >> 8), (char)rest, '\0'};
			unsigned columns = 0;
			size_t used = text_letter(bytes, 3, &columns);
			struct text_piece piece;

			if (used == 0)
				continue;
			struct text_iter *it = text_begin(bytes, 3, TEXT_OUTPUT);
			assert_true(text_next(it, &piece));
			text_end(it);
			assert_int_equal(piece.kind, TEXT_PLAIN);
			assert_int_equal(piece.len, used);
			assert_int_equal(piece.columns, columns);
			letters += used == 3;
		}
	}
	assert_true(letters > 30000);
}

static void a_letter_with_a_mark_needs_a_look(void **state)
{
	static const struct {
		const char *bytes;
		size_t used;
	} cases[] = {
		{"", 0},
		{"a", 0},
		{"\xD1\x8F", 2},
		{"\xD1\x8F"
		 "a",
			2},
		{"\xD1\x8F\xD1\x8F", 2},
		{"\xD1\x8F\xCC\x81", 0},
		{"\xD1\x8F\xFF", 0},
		{"\xD1", 0},
		{"\xE7\x94\xA8", 3},
		{"\xE7\x94\xA8\xCC\x81", 0},
		{"\xE7\x94", 0},
		{"\xEA\xB0\x80\xE1\x86\xA8", 0}, /* its last sound */
		{"\xF0\x9F\x91\x8B", 0},
	};
	unsigned columns;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(text_letter(cases[i].bytes, strlen(cases[i].bytes), &columns),
			cases[i].used);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(printable_text_is_shown_as_it_is),
		cmocka_unit_test(controls_have_their_names),
		cmocka_unit_test(bytes_that_are_not_utf8_are_shown_one_by_one),
		cmocka_unit_test(what_nobody_can_see_is_shown_by_number),
		cmocka_unit_test(signs_of_unsure_width_are_shown_by_number),
		cmocka_unit_test(marks_need_a_letter_and_come_in_twos_at_most),
		cmocka_unit_test(blanks_that_hide_something_are_counted),
		cmocka_unit_test(three_empty_lines_and_more_are_counted),
		cmocka_unit_test(a_run_too_long_for_one_count_has_two),
		cmocka_unit_test(foreign_text_cannot_forge_a_form),
		cmocka_unit_test(without_utf8_everything_above_7e_is_a_number),
		cmocka_unit_test(the_card_with_hidden_characters_reads_as_drawn),
		cmocka_unit_test(one_field_is_escaped_as_a_fresh_string),
		cmocka_unit_test(a_letter_that_needs_no_look_is_what_the_rule_says_too),
		cmocka_unit_test(a_letter_with_a_mark_needs_a_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

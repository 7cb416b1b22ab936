#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistr.h>
#include <wchar.h>

#include "base/mem.h"
#include "base/text.h"

#define ALL_FLAGS (TEXT_ASCII_ONLY | TEXT_LINES | TEXT_OUTPUT)
#define ROUNDS 20000
#define TEXT_BYTES 96

/* Pieces of text that the rule treats each in its own way. */
static const char *const ingredients[] = {" ", "                          ", "\n", "\n\n\n\n", "\t",
	"\r", "\033[", "\a", "\x7F", "<", "<ESC>", "<U+", "<U+202E>", "202E>", "<x", "FF>",
	"<40 SP>", "40 SP>", "3 EMPTY LINES>", "a", "Z", "9", "word", "\u0430\u0430\u0430",
	"\u0430", "\u03B1", "é", "\u0301", "\u0308", "語", "한", "\u1112", "\u1161", "\u11AB",
	"\u200B", "\u202E", "\uFE0F", "\u200D", "\U0001F469", "\U0001F3FD", "\u00A0", "\uE000",
	"\xFF", "\xC3", "\xA9", "\xE8\xAA", "\xF0"};

static uint32_t seed = 1;

/* xorshift32: the same bytes in every run. */
static uint32_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static void random_text(struct str *out)
{
	size_t want = next_random() % TEXT_BYTES;
	bool raw = next_random() % 4 == 0;

	str_clear(out);
	while (out->len < want) {
		if (raw)
			str_add_char(out, (char)next_random());
		else
			str_add(out, ingredients[next_random() % ARRAY_LEN(ingredients)]);
	}
}

static void expect_harmless(const struct str *shown, unsigned flags)
{
	assert_true(text_is_utf8(shown->data, shown->len));
	for (size_t i = 0; i < shown->len; i++) {
		unsigned char c = (unsigned char)shown->data[i];

		assert_true((c >= 0x20 && c != 0x7F) || (c == '\n' && (flags & TEXT_LINES)));
		assert_true(c < 0x80 || !(flags & TEXT_ASCII_ONLY));
		/* C1 controls are C2 80 to C2 9F. */
		assert_false(c == 0xC2 && (unsigned char)shown->data[i + 1] < 0xA0);
	}
}

static void expect_reversible(const struct str *text, unsigned flags)
{
	STR_AUTO struct str shown = STR_INIT;
	STR_AUTO struct str back = STR_INIT;
	struct err err = ERR_INIT;

	text_escape(str_c(text), text->len, flags, &shown);
	expect_harmless(&shown, flags);
	if (text_unescape(str_c(&shown), shown.len, &back, &err) < 0)
		fail_msg("%s: %s", shown.data, err.text);
	assert_int_equal(back.len, text->len);
	assert_memory_equal(str_c(&back), str_c(text), text->len);
}

static void shown_text_reads_back_to_exactly_its_bytes(void **state)
{
	STR_AUTO struct str text = STR_INIT;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		random_text(&text);
		for (unsigned flags = 0; flags <= ALL_FLAGS; flags++)
			expect_reversible(&text, flags);
	}
}

static void pieces_cover_the_text_without_gaps(void **state)
{
	STR_AUTO struct str text = STR_INIT;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct text_piece piece;
		size_t at = 0;

		STR_AUTO struct str pieces = STR_INIT;
		STR_AUTO struct str whole = STR_INIT;
		const unsigned flags = next_random() % (ALL_FLAGS + 1);

		random_text(&text);
		struct text_iter *it = text_begin(str_c(&text), text.len, flags);
		while (text_next(it, &piece)) {
			str_add(&pieces, piece.kind == TEXT_NEWLINE ? "\n" : piece.shown);
			assert_int_equal(piece.start, at);
			assert_true(piece.len > 0);
			assert_int_equal(piece.columns, text_columns(piece.shown));
			assert_int_equal(piece.kind == TEXT_NEWLINE, piece.shown[0] == '\0');
			at += piece.len;
		}
		text_end(it);
		assert_int_equal(at, text.len);
		/* Which takes whole words at once. */
		text_escape(str_c(&text), text.len, flags, &whole);
		assert_string_equal(str_c(&pieces), str_c(&whole));
	}
}

static unsigned libc_columns(const char *shown)
{
	mbstate_t mb = {0};
	unsigned columns = 0;
	wchar_t wc;

	while (*shown != '\0') {
		size_t used = mbrtowc(&wc, shown, strlen(shown), &mb);

		assert_true(used < 8);
		assert_true(wcwidth(wc) >= 0);
		columns += (unsigned)wcwidth(wc);
		shown += used;
	}
	return columns;
}

static void every_code_point_is_safe_reversible_and_as_wide_as_it_says(void **state)
{
	const char *utf8 = setlocale(LC_CTYPE, "C.UTF-8");
	STR_AUTO struct str text = STR_INIT;
	char raw[8];

	(void)state;
	assert_non_null(utf8);
	for (ucs4_t uc = 0; uc <= 0x10FFFF; uc++) {
		int len = u8_uctomb((uint8_t *)raw, uc, sizeof(raw));
		struct text_piece piece;

		if (len < 0)
			continue;
		str_clear(&text);
		str_add_char(&text, 'x');
		str_add_bytes(&text, raw, (size_t)len);
		expect_reversible(&text, 0);
		struct text_iter *it = text_begin(raw, (size_t)len, TEXT_OUTPUT);
		assert_true(text_next(it, &piece));
		assert_int_equal(piece.columns, libc_columns(piece.shown));
		assert_true(piece.columns > 0);
		assert_false(text_next(it, &piece));
		text_end(it);
	}
}

static void forms_that_the_rule_does_not_write_are_refused(void **state)
{
	static const char *const cases[] = {
		"<U+D800>",
		"<U+110000>",
		"<U+0020>",
		"<U+000A>",
		"<U+0041B>",
		"<U+00041>",
		"<U+007F>",
		"<x41>",
		"<x00>",
		"<0 SP>",
		"<01 SP>",
		"<1000000 SP>",
		"<99999999999999999999 SP>",
		"<2 EMPTY LINES>",
		"<1000000 EMPTY LINES>",
		"<31 CR>",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str text = STR_INIT;
		STR_AUTO struct str out = STR_INIT;
		struct err err = ERR_INIT;

		str_add(&out, "before");
		str_printf(&text, "ab%scd", cases[i]);
		assert_int_equal(text_unescape(text.data, text.len, &out, &err), -1);
		assert_int_equal(err.code, ERR_INVALID);
		assert_non_null(strstr(err.text, cases[i]));
		assert_string_equal(str_c(&out), "before");
	}
}

static void a_short_text_cannot_unfold_without_end(void **state)
{
	STR_AUTO struct str text = STR_INIT;
	STR_AUTO struct str out = STR_INIT;
	struct err err = ERR_INIT;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		str_add(&text, "<999999 SP>");
	assert_int_equal(text_unescape(text.data, text.len, &out, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_int_equal(out.len, 0);
}

static void what_a_person_types_stands_for_itself(void **state)
{
	static const char typed[] = "a < b <esc> <U+2> é\t\n";
	STR_AUTO struct str out = STR_INIT;

	(void)state;
	assert_int_equal(text_unescape(typed, sizeof(typed) - 1, &out, NULL), 0);
	assert_string_equal(str_c(&out), typed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shown_text_reads_back_to_exactly_its_bytes),
		cmocka_unit_test(pieces_cover_the_text_without_gaps),
		cmocka_unit_test(every_code_point_is_safe_reversible_and_as_wide_as_it_says),
		cmocka_unit_test(forms_that_the_rule_does_not_write_are_refused),
		cmocka_unit_test(a_short_text_cannot_unfold_without_end),
		cmocka_unit_test(what_a_person_types_stands_for_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

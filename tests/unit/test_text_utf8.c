#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static void expect_utf8(const char *bytes, size_t len, const char *expected)
{
	STR_AUTO struct str out = STR_INIT;

	text_to_utf8(bytes, len, &out);
	assert_string_equal(str_c(&out), expected);
}

#define R "\xEF\xBF\xBD"

static void invalid_bytes_become_one_replacement_for_each_subpart(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"a\xC3\xA9z", "a\xC3\xA9z"},
		{"\xFF\xFE", R R},
		{"\x80\x80", R R},
		{"a\xF1\x80\x80\xE1\x80\xC2"
		 "b\x80"
		 "c\x80\xBF"
		 "d",
			"a" R R R "b" R "c" R R "d"},
		{"\xC0\x80", R R},
		{"\xE0\x80\x80", R R R},
		{"\xED\xA0\x80", R R R},
		{"\xF4\x91\x92\x93\xFF"
		 "A",
			R R R R R "A"},
		{"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF"
		 "A",
			R R R R "A"},
		{"x\xE8\xAA", "x" R},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect_utf8(cases[i][0], strlen(cases[i][0]), cases[i][1]);
}

static void nul_is_kept(void **state)
{
	STR_AUTO struct str out = STR_INIT;

	(void)state;
	text_to_utf8("a\0\xFF", 3, &out);
	assert_int_equal(out.len, 5);
	assert_memory_equal(out.data, "a\0" R, 5);
}

static void utf8_is_told_from_other_bytes(void **state)
{
	(void)state;
	assert_true(text_is_utf8(NULL, 0));
	assert_true(text_is_utf8("a\0é", 4));
	assert_false(text_is_utf8("a\xC3", 2));
	assert_false(text_is_utf8("\xED\xA0\x80", 3));
}

static void a_cut_falls_between_characters(void **state)
{
	static const struct {
		const char *bytes;
		size_t max, cut;
	} cases[] = {
		{"abc", 5, 3},
		{"abc", 2, 2},
		{"abc", 0, 0},
		{"a\xE8\xAA\x9Ez", 1, 1},
		{"a\xE8\xAA\x9Ez", 2, 1},
		{"a\xE8\xAA\x9Ez", 3, 1},
		{"a\xE8\xAA\x9Ez", 4, 4},
		{"\xF0\x9F\x98\x80", 3, 0},
		{"\xF0\x9F\x98\x80", 4, 4},
		{"a\xF0\x9F\x98", 2, 1},
		{"a\x80\x80\x80\x80", 3, 3},
		{"\xFF\xFF\xFF", 2, 2},
		{"\xE8xy", 2, 2},
		{"\xC3\xA9\xA9\xA9", 3, 3},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(text_cut(cases[i].bytes, strlen(cases[i].bytes), cases[i].max),
			cases[i].cut);
}

static void the_beginning_of_a_character_waits_for_its_end(void **state)
{
	static const struct {
		const char *bytes;
		size_t whole;
	} cases[] = {
		{"", 0},
		{"abc", 3},
		{"a\xC3", 1},
		{"a\xC3\xA9", 3},
		{"a\xE8\xAA", 1},
		{"a\xF0\x9F\x98", 1},
		{"a\xF0\x9F\x98\x80", 5},
		{"a\xFF", 2},
		{"a\x80\x80", 3},
		{"a\xE0\x80", 3},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(
			text_whole(cases[i].bytes, strlen(cases[i].bytes)), cases[i].whole);
}

static void width_counts_columns_not_bytes(void **state)
{
	(void)state;
	assert_int_equal(text_columns(""), 0);
	assert_int_equal(text_columns("abc"), 3);
	assert_int_equal(text_columns("用户"), 4);
	assert_int_equal(text_columns("e\u0301\u0302"), 1);
	assert_int_equal(text_columns("\u1112\u1161\u11AB"), 2);
	assert_int_equal(text_columns("a\u0CBF"), 1);
	assert_int_equal(text_columns("─│█░…"), 5);
	assert_int_equal(text_columns("😀<ESC>"), 7);
}

static void a_name_cannot_go_on_as_the_words_around_it(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"python3.11", "python3.11"},
		{"kworker/0:1-events", "kworker/0:1-events"},
		{"Web Content", "\"Web Content\""},
		{"stdin), pid 1, ", "\"stdin), pid 1, \""},
		{"x\", pid 1", "\"x\\\", pid 1\""},
		{"x\\", "\"x\\\\\""},
		{"x\\\"", "\"x\\\\\\\"\""},
		{"a\x1b[31m", "\"a\x1b[31m\""},
		{"1;2", "\"1;2\""},
		{"\uFF08x", "\"\uFF08x\""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str out = STR_INIT;

		text_name(cases[i][0], &out);
		assert_string_equal(str_c(&out), cases[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(invalid_bytes_become_one_replacement_for_each_subpart),
		cmocka_unit_test(nul_is_kept),
		cmocka_unit_test(utf8_is_told_from_other_bytes),
		cmocka_unit_test(a_cut_falls_between_characters),
		cmocka_unit_test(the_beginning_of_a_character_waits_for_its_end),
		cmocka_unit_test(width_counts_columns_not_bytes),
		cmocka_unit_test(a_name_cannot_go_on_as_the_words_around_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

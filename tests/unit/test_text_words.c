#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static void expect_shown(const char *text, const char *expected, unsigned flags)
{
	STR_AUTO struct str out = STR_INIT;

	text_escape(text, strlen(text), flags, &out);
	assert_string_equal(str_c(&out), expected);
}

static void the_letters_of_the_rarer_script_are_escaped(void **state)
{
	static const char *const cases[][2] = {
		{"\u0430pple", "<U+0430>pple"},
		{"p\u0430yp\u0430l", "p<U+0430>yp<U+0430>l"},
		{"приvет", "при<U+0076>ет"},
		{"\u03BFpen", "<U+03BF>pen"},
		{"\u0578pen", "<U+0578>pen"},
		{"\u13AApple", "<U+13AA>pple"},
		{"\u0430a", "<U+0430>a"},
		{"a\u0430", "a<U+0430>"},
		{"\u0430\u03B1", "\u0430<U+03B1>"},
		{"日本\u0430", "日本<U+0430>"},
		{"日本語text\u0430", "日本語text<U+0430>"},
		{"한국ひ", "한국<U+3072>"},
		{"한ひ", "한<U+3072>"},
		{"rm9\u0430", "rm9<U+0430>"},
		{"abc\u0430\u0301d", "abc<U+0430><U+0301>d"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		expect_shown(cases[i][0], cases[i][1], 0);
		expect_shown(cases[i][0], cases[i][1], TEXT_LINES);
		expect_shown(cases[i][0], cases[i][0], TEXT_OUTPUT);
	}
}

static void honest_words_are_left_alone(void **state)
{
	static const char *const cases[] = {
		"docs/用户手册 звіт.txt",
		"файл.c",
		"my_переменная",
		"日本語テキストabcひらがな",
		"漢字Latinㄅㄆ",
		"한글漢字abc",
		"100км 5µm",
		"e\u0301te\u0301 й",
		"a-\u0430",
		"Ünïcode ŁÓDŹ",
		"\u0660\u0661",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect_shown(cases[i], cases[i], 0);
}

static void each_word_is_judged_alone(void **state)
{
	(void)state;
	expect_shown("кот \u0430pple кот", "кот <U+0430>pple кот", 0);
	expect_shown("https://\u0430pple.example/кот", "https://<U+0430>pple.example/кот", 0);
}

static void a_word_of_more_scripts_than_fit_keeps_one(void **state)
{
	/* Latin thrice, then one letter each of seventeen other scripts. */
	static const char text[] =
		"abcабвα\u0561\u05D0\u0628\u0710\u0905\u0985\u0A05\u0A85\u0B05\u0B85\u0C05"
		"\u0C85\u0D05\u0E01\u10D0";
	STR_AUTO struct str out = STR_INIT;

	(void)state;
	text_escape(text, strlen(text), 0, &out);
	assert_memory_equal(out.data, "abc<U+0430><U+0431><U+0432><U+03B1><U+0561>", 40);
	assert_non_null(strstr(out.data, "<U+0E01><U+10D0>"));
}

static void a_long_word_is_judged_as_a_whole(void **state)
{
	const size_t len = 100000;
	MEM_AUTO char *text = mem_alloc(len + 3);
	STR_AUTO struct str out = STR_INIT;

	(void)state;
	memset(text, 'a', len);
	memcpy(text + len, "\u0430", 2);
	text_escape(text, len + 2, 0, &out);
	assert_int_equal(out.len, len + 8);
	assert_string_equal(out.data + len, "<U+0430>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_letters_of_the_rarer_script_are_escaped),
		cmocka_unit_test(honest_words_are_left_alone),
		cmocka_unit_test(each_word_is_judged_alone),
		cmocka_unit_test(a_word_of_more_scripts_than_fit_keeps_one),
		cmocka_unit_test(a_long_word_is_judged_as_a_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

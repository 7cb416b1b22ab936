#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

struct expected {
	enum text_finding_kind kind;
	unsigned line;
	unsigned amount;
	const char *word; /* bytes from word_start */
};

#define FINDINGS_MAX 8

struct find_case {
	const char *text;
	struct expected found[FINDINGS_MAX];
	size_t count;
};

static void expect_found(const struct find_case *c)
{
	CLEANUP(text_findings_release) struct text_findings f = {0};

	text_find(c->text, strlen(c->text), &f);
	if (f.count != c->count)
		fail_msg("%s: %zu instead of %zu findings", c->text, f.count, c->count);
	for (size_t i = 0; i < f.count; i++) {
		const struct text_finding *got = &f.items[i];
		const struct expected *want = &c->found[i];

		assert_int_equal(got->kind, want->kind);
		assert_int_equal(got->line, want->line);
		assert_int_equal(got->amount, want->amount);
		assert_int_equal(got->word_len, strlen(want->word));
		assert_memory_equal(c->text + got->word_start, want->word, got->word_len);
		assert_true(got->start >= got->word_start);
		assert_true(got->start + got->len <= got->word_start + got->word_len);
	}
}

static void honest_text_has_no_findings(void **state)
{
	static const char *const texts[] = {
		"",
		"ls -la\n\tcat x  \n\n\necho done\n\n\n\n\n",
		"docs/用户手册 звіт.txt <ESC> <U+202E>",
		"e\u0301 ~\u0301 \u4DC0",
		"a                        b",
		"trailing                                      \n",
		"                                              ",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		expect_found(&(struct find_case){texts[i], {{0}}, 0});
}

static void each_hidden_thing_is_found_with_its_line_and_word(void **state)
{
	static const struct find_case cases[] = {
		{"a\ncp out/\u202Etxt.exe\u202C",
			{{TEXT_FINDS_ORDER, 2, 1, "\u202E"}, {TEXT_FINDS_ORDER, 2, 1, "\u202C"}},
			2},
		{"t\u200Bouch x", {{TEXT_FINDS_HIDDEN, 1, 1, "t\u200Bouch"}}, 1},
		{"/usr/b\u200B\u200Bi\u200Bn/ls",
			{{TEXT_FINDS_HIDDEN, 1, 3, "b\u200B\u200Bi\u200Bn"}}, 1},
		{"ls\u00A0-la", {{TEXT_FINDS_HIDDEN, 1, 1, "ls\u00A0"}}, 1},
		{"a \xFF\xFE"
		 "b c",
			{{TEXT_FINDS_INVALID, 1, 2,
				"\xFF\xFE"
				"b"}},
			1},
		{"\u0430pple.example", {{TEXT_FINDS_MIXED, 1, 1, "\u0430pple"}}, 1},
		{"x p\u0430yp\u0430l", {{TEXT_FINDS_MIXED, 1, 2, "p\u0430yp\u0430l"}}, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect_found(&cases[i]);
}

static void control_sequences_are_quoted_whole(void **state)
{
	static const struct find_case cases[] = {
		{"printf '\033[8m'; make\r\033[2Kls",
			{{TEXT_FINDS_CONTROL, 1, 1, "\033[8m"}, {TEXT_FINDS_CONTROL, 1, 1, "\r"},
				{TEXT_FINDS_CONTROL, 1, 1, "\033[2K"}},
			3},
		{"\033]0;good\a!", {{TEXT_FINDS_CONTROL, 1, 2, "\033]0;good\a"}}, 1},
		{"\033]8;;x\033\\y", {{TEXT_FINDS_CONTROL, 1, 2, "\033]8;;x\033\\"}}, 1},
		{"\033Pq#", {{TEXT_FINDS_CONTROL, 1, 1, "\033P"}}, 1},
		{"\xC2\x9B"
		 "2Jx",
			{{TEXT_FINDS_CONTROL, 1, 1,
				"\xC2\x9B"
				"2J"}},
			1},
		{"\xC2\x9D"
		 "0;x\ay",
			{{TEXT_FINDS_CONTROL, 1, 2,
				"\xC2\x9D"
				"0;x\a"}},
			1},
		{"\033c\n\033",
			{{TEXT_FINDS_CONTROL, 1, 1, "\033c"}, {TEXT_FINDS_CONTROL, 2, 1, "\033"}},
			2},
		{"\033]0;x\ny\a",
			{{TEXT_FINDS_CONTROL, 1, 1, "\033]"}, {TEXT_FINDS_CONTROL, 2, 1, "\a"}}, 2},
		{"\x7F\b", {{TEXT_FINDS_CONTROL, 1, 1, "\x7F"}, {TEXT_FINDS_CONTROL, 1, 1, "\b"}},
			2},
		{"\033[\033[",
			{{TEXT_FINDS_CONTROL, 1, 1, "\033["}, {TEXT_FINDS_CONTROL, 1, 1, "\033["}},
			2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect_found(&cases[i]);
}

static void emptiness_is_found_where_text_follows(void **state)
{
	static const struct find_case cases[] = {
		{"ls\n\n\n\nrm", {{TEXT_FINDS_EMPTY_LINES, 2, 3, "\n\n\n"}}, 1},
		{"\n \n\t\n  rm", {{TEXT_FINDS_EMPTY_LINES, 1, 3, "\n \n\t\n"}}, 1},
		{"ls                         ; rm",
			{{TEXT_FINDS_BLANKS, 1, 25, "                         "}}, 1},
		{"\n\n\n\n\u200B",
			{{TEXT_FINDS_EMPTY_LINES, 1, 4, "\n\n\n\n"},
				{TEXT_FINDS_HIDDEN, 5, 1, "\u200B"}},
			2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect_found(&cases[i]);
}

static void sixty_empty_lines_are_counted(void **state)
{
	CLEANUP(text_findings_release) struct text_findings f = {0};
	STR_AUTO struct str text = STR_INIT;

	(void)state;
	str_add(&text, "ls -la\n");
	for (unsigned i = 0; i < 60; i++)
		str_add_char(&text, '\n');
	str_add(&text, "curl -s x\033c");
	text_find(text.data, text.len, &f);
	assert_int_equal(f.count, 2);
	assert_int_equal(f.items[0].kind, TEXT_FINDS_EMPTY_LINES);
	assert_int_equal(f.items[0].line, 2);
	assert_int_equal(f.items[0].amount, 60);
	assert_int_equal(f.items[1].line, 62);
}

static void a_mixed_word_names_both_scripts(void **state)
{
	static const char *const cases[][3] = {
		{"\u0430pple", "Cyrillic", "Latin"},
		{"привеt", "Latin", "Cyrillic"},
		{"日本語\u0430", "Cyrillic", "Han"},
		{"open\u03BF", "Greek", "Latin"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(text_findings_release) struct text_findings f = {0};

		text_find(cases[i][0], strlen(cases[i][0]), &f);
		assert_int_equal(f.count, 1);
		assert_string_equal(f.items[0].scripts[0], cases[i][1]);
		assert_string_equal(f.items[0].scripts[1], cases[i][2]);
	}
}

static void a_line_of_nothing_else_does_not_flood(void **state)
{
	CLEANUP(text_findings_release) struct text_findings f = {0};
	static char text[131072];

	(void)state;
	memset(text, '\b', sizeof(text));
	text[65536] = '\n';
	text_find(text, sizeof(text), &f);
	assert_int_equal(f.count, 32);
	assert_int_equal(f.items[15].amount, 65536 - 15);
	assert_int_equal(f.items[16].line, 2);
	assert_int_equal(f.items[31].amount, 65535 - 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(honest_text_has_no_findings),
		cmocka_unit_test(each_hidden_thing_is_found_with_its_line_and_word),
		cmocka_unit_test(control_sequences_are_quoted_whole),
		cmocka_unit_test(emptiness_is_found_where_text_follows),
		cmocka_unit_test(sixty_empty_lines_are_counted),
		cmocka_unit_test(a_mixed_word_names_both_scripts),
		cmocka_unit_test(a_line_of_nothing_else_does_not_flood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

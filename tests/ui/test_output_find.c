#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "fixture.h"
#include "tui/layout.h"
#include "tui/seek.h"

static void what_is_sought_is_marked_wherever_it_stands(void **state)
{
	/* [] around what has the style of a match */
	static const struct {
		const char *bytes, *typed, *want;
	} cases[] = {
		{"one two one", "one", " [one] two [on]\n [e]\n"},
		{"ONE One", "one", " [ONE] [One]\n"},
		{"one", "ONE", " [one]\n"},
		{"aaaaa", "aa", " [aaaa]a\n"},
		{"abcdefgh abc", "fgh a", " abcde[fgh a]\n bc\n"},
		/* Over the end of a row of ten. */
		{"01234567needle", "needle", " 01234567[ne]\n [edle]\n"},
		{"x\nx", "x", " [x]\n [x]\n"},
		{"\033[31mred\033[0m", "<ESC>[31m", " [<ESC>[31m]r\n ed<ESC>[0m\n"},
		{"<ESC>", "<ESC>", " <U+003C>ES\n C>\n"},
		{"<b>", "<b>", " [<b>]\n"},
		/* Only the last state is shown. */
		{"old\rnew\n", "old", " new<1 CR>\n"},
		{"old\rnew\n", "new", " [new]<1 CR>\n"},
		{"\xD0\x94\xD0\xB0 \xD0\x94", "\xD0\x94", " [\xD0\x94]\xD0\xB0 [\xD0\x94]\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str text = STR_INIT;
		struct seek seek;
		struct output_look look = {.width = 12, .seek = &seek};
		struct fixture f;
		struct rows rows;

		seek_begin(&seek, cases[i].typed);
		layout_output(fixture_open_output(&f, cases[i].bytes, strlen(cases[i].bytes)),
			&look, &rows);
		for (size_t r = 0; r < rows.count; r++) {
			for (size_t n = 0; n < rows.items[r].count; n++) {
				const struct segment *s = &rows.items[r].segments[n];

				str_printf(&text, s->style == STYLE_MATCH ? "[%s]" : "%s", s->text);
			}
			str_add_char(&text, '\n');
		}
		assert_string_equal(cases[i].want, str_c(&text));
		seek_release(&seek);
		rows_release(&rows);
		fixture_close(&f);
	}
}

static void one_match_leads_to_the_next_and_around_the_end(void **state)
{
	/*                           0         1          2          3 */
	static const char bytes[] = "x\n"
				    "0123456789x\n"
				    "old x\rnew x\n"
				    "\n"
				    "y";
	static const struct {
		int64_t from;
		bool back;
		size_t byte, number, row, column;
		bool around;
	} steps[] = {
		{-1, false, 0, 1, 0, 0, false},
		{0, false, 12, 2, 2, 10, false},
		{12, false, 24, 3, 3, 4, false},
		{24, false, 0, 1, 0, 0, true},
		{24, true, 12, 2, 2, 10, false},
		{0, true, 24, 3, 3, 4, true},
	};
	struct seek seek;
	struct output_look look = {.width = 12, .seek = &seek};
	struct output_match match;
	struct fixture f;
	struct job *job = fixture_open_output(&f, bytes, strlen(bytes));

	(void)state;
	seek_begin(&seek, "x");
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		assert_true(layout_output_match(job, &look, steps[i].from, steps[i].back, &match));
		assert_int_equal(match.byte, steps[i].byte);
		assert_int_equal(match.number, steps[i].number);
		assert_int_equal(match.count, 3);
		assert_int_equal(match.row, steps[i].row);
		assert_int_equal(match.column, steps[i].column);
		assert_int_equal(match.around, steps[i].around);
	}
	look.unfold = true;
	assert_true(layout_output_match(job, &look, 12, false, &match));
	assert_int_equal(match.row, 2);
	seek_release(&seek);
	seek_begin(&seek, "old");
	assert_false(layout_output_match(job, &look, -1, false, &match));
	seek_release(&seek);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_sought_is_marked_wherever_it_stands),
		cmocka_unit_test(one_match_leads_to_the_next_and_around_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

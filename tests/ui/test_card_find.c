#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "fixture.h"
#include "tui/layout_marks.h"

/* "0.0:6+4 1.1:6+2 ...": match.row:column+columns. */
static void marks_text(const struct row_marks *marks, struct str *out)
{
	for (size_t i = 0; i < marks->count; i++)
		str_printf(out, "%s%zu.%zu:%u+%u", i > 0 ? " " : "", marks->items[i].match,
			marks->items[i].row, marks->items[i].col, marks->items[i].columns);
}

static void what_is_sought_stands_where_the_card_shows_it(void **state)
{
	static const struct {
		const char *command, *typed, *want;
	} cases[] = {
		{"git diff --stat", "diff", "0.0:10+4"},
		{"git DIFF", "diff", "0.0:10+4"},
		{"echo a\necho b", "echo", "0.0:6+4 1.1:6+4"},
		/* 60 columns: 53 of text in a row. The last 3 and the first 3 are one match. */
		{"01234567890123456789012345678901234567890123456789needle", "needle",
			"0.0:56+3 0.1:6+3"},
		/* Neither line breaks nor gutters are text. */
		{"ab\ncd", "abcd", ""},
		{"x", "1", ""},
		{"tr \xE2\x80\xAE x", "<U+202E>", "0.0:9+8"},
		{"git diff", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct call_spec spec = {.seq = 1, .command = cases[i].command};
		STR_AUTO struct str text = STR_INIT;
		struct row_marks marks;
		struct fixture f;
		struct seek seek;
		struct rows rows;

		fixture_open(&f, 60, 24);
		fixture_call(&f, &spec);
		layout_card(model_job(&f.model, 1), 60, false, false, &rows);
		/* The facts below are another matter. */
		while (rows.count > 0 &&
			rows.items[rows.count - 1].start >= strlen(cases[i].command))
			rows.count--;
		seek_begin_shown(&seek, cases[i].typed);
		layout_marks(&rows, &seek, &marks);
		marks_text(&marks, &text);
		assert_string_equal(str_c(&text), cases[i].want);
		row_marks_release(&marks);
		seek_release(&seek);
		rows_release(&rows);
		fixture_close(&f);
	}
}

static void one_match_of_a_card_leads_to_the_next(void **state)
{
	static const struct {
		const char *key, *says;
		size_t top;
	} steps[] = {
		{"n", "match 2 of 2", 30 - 17 / 3},
		{"n", "match 1 of 2", 0},
		{"N", "match 2 of 2", 30 - 17 / 3},
	};
	STR_AUTO struct str command = STR_INIT;
	struct fixture f;

	(void)state;
	for (unsigned i = 0; i < 40; i++)
		str_add(&command, i == 2 || i == 30 ? "needle\n" : "hay\n");
	struct call_spec spec = {.seq = 1, .command = str_c(&command)};
	fixture_open(&f, 80, 24);
	fixture_call(&f, &spec);
	fixture_card(&f, 1);
	fixture_press(&f, "/");
	prompt_set(&f.ui.prompt, "needle");
	fixture_press(&f, "<Enter>");
	assert_int_equal(f.ui.card_top, 0);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		struct key key = {.code = KEY_CODE_CHAR, .ch = (unsigned char)steps[i].key[0]};
		struct intent intent = {0};

		assert_int_equal(ui_key(&f.ui, &f.model, &key, f.now_ms, &intent), 0);
		assert_string_equal(f.ui.message, steps[i].says);
		assert_int_equal(f.ui.card_top, steps[i].top);
	}
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_sought_stands_where_the_card_shows_it),
		cmocka_unit_test(one_match_of_a_card_leads_to_the_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

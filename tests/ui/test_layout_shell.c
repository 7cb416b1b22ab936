#include "config.h"

#include "tui/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "fixture.h"

/* The gutters of the rows of a command, a character each: | for a line, " for a here-document's, : for the same line. */
static void gutters_of(const char *command, struct str *out)
{
	struct call_spec spec = {.seq = 1, .command = command};
	struct fixture f;
	struct rows rows;

	fixture_open(&f, 80, 24);
	fixture_call(&f, &spec);
	layout_card(model_job(&f.model, 1), 79, false, false, &rows);
	for (size_t i = 0; i < rows.count && rows.items[i].count > 1; i++) {
		const char *edge = rows.items[i].segments[1].text;

		if (rows.items[i].segments[1].style == STYLE_QUIET)
			edge = rows.items[i].segments[2].text;
		str_add_char(out, strcmp(edge, "║") == 0   ? '"'
				  : strcmp(edge, "│") == 0 ? '|'
							   : edge[0]);
		if (rows.items[i].end >= strlen(command))
			break;
	}
	rows_release(&rows);
	fixture_close(&f);
}

static void the_text_of_a_here_document_has_a_gutter_of_its_own(void **state)
{
	static const struct {
		const char *command, *gutters;
	} cases[] = {
		{"cat <<E\nx\nE\nls", "|\"\"|"},
		{"cat <<'E F' <<-G\nx\nE F\ny\n\tG\nls", "|\"\"\"\"|"},
		{"cat <<E\n$(cat <<F\nx\nF\n)\nE\nls", "|\"\"\"\"\"|"},
		{"cat <<E\nE", "|\""},
		/* Not sure where it ends: no line is called text. */
		{"cat <<E\nx\nls", "|||"},
		{"cat <<E\nx\nE\nls 'y", "||||"},
		{"echo '<<E'\nx\nE", "|||"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str out = STR_INIT;

		gutters_of(cases[i].command, &out);
		assert_string_equal(str_c(&out), cases[i].gutters);
	}
}

/* A colour never hides a mark, nor a mark an escape. */
static void a_mark_goes_before_a_colour_and_an_escape_before_both(void **state)
{
	static const struct note_spec notes[] = {
		{SEVERITY_DANGER, 1, "hides", NULL, "hides", "hidden", "'x\x1by'"}};
	struct call_spec spec = {.seq = 1,
		.command = "rm 'x\x1by' 'z' $a",
		.notes = notes,
		.note_count = ARRAY_LEN(notes)};
	static const struct {
		enum style style;
		const char *text;
	} want[] = {{STYLE_PROGRAM, "rm"}, {STYLE_PLAIN, " "}, {STYLE_MARK, "'x"},
		{STYLE_ESCAPE, "<ESC>"}, {STYLE_MARK, "y'"}, {STYLE_PLAIN, " "},
		{STYLE_STRING, "'z'"}, {STYLE_PLAIN, " "}, {STYLE_EXPAND, "$a"}};
	struct fixture f;
	struct rows rows;

	(void)state;
	fixture_open(&f, 80, 24);
	fixture_call(&f, &spec);
	layout_card(model_job(&f.model, 1), 79, false, false, &rows);
	const struct row *row = &rows.items[0];

	assert_true(row->count > ARRAY_LEN(want));
	size_t first = row->count - ARRAY_LEN(want);

	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_string_equal(row->segments[first + i].text, want[i].text);
		assert_int_equal(row->segments[first + i].style, want[i].style);
	}
	rows_release(&rows);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_of_a_here_document_has_a_gutter_of_its_own),
		cmocka_unit_test(a_mark_goes_before_a_colour_and_an_escape_before_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include "tui/ui.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "scenes_set.h"

/* The filter of the history as it is typed, shown and left. */

static void a_filter_lists_what_matches_and_n_goes_through_it(void **state)
{
	struct fixture f;

	(void)state;
	open_history(&f);
	fixture_char(&f, 'n');
	assert_string_equal("n did nothing: no filter is set, / sets one", f.ui.message);
	fixture_press(&f, "/agent:build exit<Enter>");
	assert_string_equal("agent:build exit", f.ui.filter);
	assert_int_equal(PROMPT_NONE, f.ui.prompt.kind);
	assert_int_equal(9, f.ui.history_seq);
	fixture_press(&f, "n");
	assert_int_equal(8, f.ui.history_seq);
	fixture_press(&f, "n");
	assert_int_equal(3, f.ui.history_seq);
	fixture_char(&f, 'n');
	assert_string_equal("no match behind this one", f.ui.message);
	fixture_press(&f, "NN");
	assert_int_equal(9, f.ui.history_seq);
	fixture_char(&f, 'N');
	assert_string_equal("no match before this one", f.ui.message);
	fixture_close(&f);
}

static void the_selected_call_stays_selected_when_it_matches(void **state)
{
	struct fixture f;

	(void)state;
	open_history(&f);
	fixture_press(&f, "/curl<Enter>");
	assert_int_equal(11, f.ui.history_seq);
	fixture_press(&f, "/");
	assert_string_equal("curl", str_c(&f.ui.prompt.text));
	for (int i = 0; i < 4; i++)
		fixture_code(&f, KEY_CODE_BACKSPACE);
	fixture_press(&f, "  <Enter>");
	assert_string_equal("", f.ui.filter);
	assert_int_equal(11, f.ui.history_seq);
	fixture_close(&f);
}

static void escape_leaves_the_filter_as_it_was(void **state)
{
	struct fixture f;

	(void)state;
	open_history(&f);
	fixture_press(&f, "/curl<Enter>/xyz<Esc>");
	assert_string_equal("curl", f.ui.filter);
	assert_int_equal(VIEW_HISTORY, f.ui.view);
	assert_int_equal(PROMPT_NONE, f.ui.prompt.kind);
	fixture_close(&f);
}

static void keys_are_text_while_a_filter_is_typed(void **state)
{
	struct fixture f;

	(void)state;
	open_history(&f);
	fixture_press(&f, "/q4aG?");
	assert_string_equal("q4aG?", str_c(&f.ui.prompt.text));
	assert_int_equal(11, f.ui.history_seq);
	fixture_close(&f);
}

static void a_filter_that_cannot_be_read_stays_open_and_says_why(void **state)
{
	struct fixture f;

	(void)state;
	open_history(&f);
	fixture_press(&f, "/until:9");
	fixture_code(&f, KEY_CODE_ENTER);
	assert_string_equal("until: needs a time of day: until:14:20", f.ui.message);
	assert_int_equal(PROMPT_FIND, f.ui.prompt.kind);
	assert_string_equal("", f.ui.filter);
	fixture_close(&f);
}

static void enter_opens_nothing_that_is_not_listed(void **state)
{
	struct fixture f;

	(void)state;
	open_history(&f);
	fixture_press(&f, "/nothing-has-this<Enter>");
	fixture_code(&f, KEY_CODE_ENTER);
	assert_int_equal(VIEW_HISTORY, f.ui.view);
	assert_string_equal("Enter did nothing: no call is selected", f.ui.message);
	fixture_char(&f, 'j');
	assert_string_equal("no call matches the filter", f.ui.message);
	fixture_close(&f);
}

/* A filter is the person's own text, and a record can be forged: neither brings a control to the screen. */
static void a_filter_of_a_record_is_shown_by_the_rule_for_foreign_text(void **state)
{
	STR_AUTO struct str text = STR_INIT;
	struct fixture f;

	(void)state;
	open_history(&f);
	snprintf(f.ui.filter, sizeof(f.ui.filter), "a\033[2Jb");
	fixture_draw(&f);
	frame_print(&f.frame, false, &text);
	assert_non_null(strstr(str_c(&text), "filter \"a<ESC>[2Jb\""));
	fixture_close(&f);
}

static void a_long_filter_leaves_the_numbers_in_sight(void **state)
{
	STR_AUTO struct str text = STR_INIT;
	struct fixture f;

	(void)state;
	open_history(&f);
	memset(f.ui.filter, 'e', 300);
	fixture_draw(&f);
	frame_print(&f.frame, false, &text);
	assert_non_null(strstr(str_c(&text), "eee…\"    no call matches ─"));
	fixture_close(&f);
}

/* Something else may come under an open prompt: Enter then closes it and changes nothing. */
static void a_prompt_over_another_view_ends(void **state)
{
	struct fixture f;

	(void)state;
	open_history(&f);
	fixture_press(&f, "/curl");
	f.ui.view = VIEW_STOPPED;
	fixture_code(&f, KEY_CODE_ENTER);
	assert_int_equal(PROMPT_NONE, f.ui.prompt.kind);
	assert_string_equal("", f.ui.filter);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_filter_lists_what_matches_and_n_goes_through_it),
		cmocka_unit_test(the_selected_call_stays_selected_when_it_matches),
		cmocka_unit_test(escape_leaves_the_filter_as_it_was),
		cmocka_unit_test(keys_are_text_while_a_filter_is_typed),
		cmocka_unit_test(a_filter_that_cannot_be_read_stays_open_and_says_why),
		cmocka_unit_test(enter_opens_nothing_that_is_not_listed),
		cmocka_unit_test(a_filter_of_a_record_is_shown_by_the_rule_for_foreign_text),
		cmocka_unit_test(a_long_filter_leaves_the_numbers_in_sight),
		cmocka_unit_test(a_prompt_over_another_view_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

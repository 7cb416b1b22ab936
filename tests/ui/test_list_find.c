#include "config.h"

#include "tui/ui.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "scenes_set.h"

/* `/` in the lists that show all of their rows, and on the help page. */

struct step {
	const char *keys; /* pressed before the last one */
	char last;        /* a key, or '\n' */
	uint64_t at;      /* what is selected then */
	const char *says;
};

static void take(struct fixture *f, const struct step *step)
{
	const char *sought = strchr(step->keys, '/');
	size_t before = sought != NULL ? (size_t)(sought - step->keys) + 1 : strlen(step->keys);
	MEM_AUTO char *first = mem_strndup(step->keys, before);

	fixture_press(f, first);
	/* The prompt holds what was sought before. */
	if (sought != NULL)
		prompt_set(&f->ui.prompt, "");
	fixture_press(f, step->keys + before);
	if (step->last == '\n')
		fixture_code(f, KEY_CODE_ENTER);
	else
		fixture_char(f, step->last);
	if (strcmp(step->says, f->ui.message) != 0)
		fail_msg("%s: %s, not %s", step->keys, f->ui.message, step->says);
	assert_int_equal(PROMPT_NONE, f->ui.prompt.kind);
}

/* Of the queue: 14 (build-bot), 15 (docs-bot) and 16 (pipeline) wait, 13 runs, 12 to 1 are over. */
static void the_selection_goes_to_the_call_that_matches(void **state)
{
	static const struct step steps[] = {
		{"1", 'n', 14, "n did nothing: nothing is sought, / seeks"},
		{"/agent:docs-bot", '\n', 15, "match 1 of 4"},
		{"", 'n', 12, "match 2 of 4"},
		{"", 'n', 7, "match 3 of 4"},
		{"", 'N', 12, "match 2 of 4"},
		{"nn", 'n', 15, "match 1 of 4, from the start again"},
		{"", 'N', 2, "match 4 of 4, from the end again"},
	};
	struct fixture f;

	(void)state;
	open_history(&f);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		take(&f, &steps[i]);
		assert_int_equal(steps[i].at, f.ui.selected);
	}
	assert_string_equal("agent:docs-bot", f.ui.find_queue);
	assert_string_equal("", f.ui.filter);
	fixture_close(&f);
}

static void a_call_is_found_by_text_number_note_state_and_end(void **state)
{
	static const struct step steps[] = {
		{"1g/-STAT", '\n', 16, "match 1 of 1"},
		{"g/#13", '\n', 13, "match 1 of 1"},
		{"g/\"CI file\"", '\n', 14, "match 1 of 1"},
		{"g/running", '\n', 13, "match 1 of 1"},
		{"g/ended:limit", '\n', 10, "match 1 of 1"},
		{"g/agent:bot waiting", '\n', 14, "match 1 of 2"},
		/* What waits has no end yet, and so none that is "exit 0". */
		{"g/exit 0", '\n', 12, "match 1 of 6"},
		{"g/nothing-has-this", '\n', 14, "not found: nothing-has-this"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		struct fixture f;

		open_history(&f);
		if (i > 0)
			fixture_press(&f, "1");
		take(&f, &steps[i]);
		assert_int_equal(steps[i].at, f.ui.selected);
		fixture_close(&f);
	}
}

/* Calls that wait behind the fold of a flood are one row. */
static void a_fold_is_one_match_and_keeps_its_selection(void **state)
{
	static const struct step steps[] = {
		{"g/fetch.py --page", '\n', 19, "match 1 of 4"},
		{"n", 'n', 21, "match 3 of 4"},
	};
	struct fixture f;

	(void)state;
	fixture_open(&f, 80, 24);
	set_flood(&f);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		take(&f, &steps[i]);
		assert_int_equal(steps[i].at, f.ui.selected);
	}
	fixture_close(&f);
}

/* A row that cuts a line of thousands of bytes says how long it is; one of some dozens is cut as it is drawn. */
static void a_row_says_how_long_a_long_line_is(void **state)
{
	static const struct {
		size_t len;
		const char *shown;
	} rows[] = {{1023, "aaaaa… "}, {1024, "aaaaa… 1 KiB "}, {5017, "aaaaa… 4 KiB "}};
	MEM_AUTO char *command = mem_alloc(5018);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct call_spec spec = {.seq = 1, .agent = "pipeline", .command = command};
		STR_AUTO struct str text = STR_INIT;
		struct fixture f;

		memset(command, 'a', rows[i].len);
		command[rows[i].len] = '\0';
		fixture_open(&f, 80, 24);
		fixture_call(&f, &spec);
		f.ui.view = VIEW_QUEUE;
		fixture_draw(&f);
		frame_print(&f.frame, false, &text);
		assert_non_null(strstr(str_c(&text), rows[i].shown));
		fixture_close(&f);
	}
}

/* What is found scrolls into sight, and the card that is open stays. */
static void what_is_found_is_in_sight_and_the_card_stays(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, 60, 16);
	set_history(&f);
	f.ui.card_seq = 16;
	fixture_press(&f, "1/#1");
	fixture_code(&f, KEY_CODE_ENTER);
	assert_int_equal(1, f.ui.selected);
	assert_int_equal(16, f.ui.card_seq);
	assert_true(f.ui.queue_top > 0);
	fixture_close(&f);
}

static void a_find_that_cannot_be_read_stays_open_and_says_why(void **state)
{
	struct fixture f;

	(void)state;
	open_history(&f);
	fixture_press(&f, "1/since:noon");
	fixture_code(&f, KEY_CODE_ENTER);
	assert_string_equal("since: needs a time of day: since:14:20", f.ui.message);
	assert_int_equal(PROMPT_FIND, f.ui.prompt.kind);
	assert_string_equal("", f.ui.find_queue);
	fixture_close(&f);
}

static void grants_and_agents_are_found_by_what_their_rows_say(void **state)
{
	static const struct step grants[] = {
		{"g/build-bot", '\n', 2, "match 1 of 2"},
		{"", 'n', 4, "match 2 of 2"},
		{"/#15", '\n', 3, "match 1 of 1, from the start again"},
		{"/no-such", '\n', 3, "not found: no-such"},
	};
	static const struct step agents[] = {
		{"g/scrap", '\n', 5, "match 1 of 1"},
		{"/5120", '\n', 5, "match 1 of 1"},
		{"", 'n', 5, "match 1 of 1, from the start again"},
		{"/no-such", '\n', 5, "not found: no-such"},
	};
	struct fixture f;

	(void)state;
	fixture_open(&f, 80, 24);
	set_grants(&f);
	for (size_t i = 0; i < ARRAY_LEN(grants); i++) {
		take(&f, &grants[i]);
		assert_int_equal(grants[i].at, f.ui.grant_number);
	}
	fixture_close(&f);
	fixture_open(&f, 80, 24);
	set_agents(&f);
	for (size_t i = 0; i < ARRAY_LEN(agents); i++) {
		take(&f, &agents[i]);
		assert_int_equal(agents[i].at, f.ui.agent);
	}
	fixture_close(&f);
}

static void the_help_page_goes_to_what_is_sought(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, 60, 16);
	set_queue(&f);
	take(&f, &(struct step){"?/this page", '\n', 0, "match 1 of 1"});
	assert_true(f.ui.help_top > 0);
	take(&f, &(struct step){"", 'n', 0, "match 1 of 1"});
	take(&f, &(struct step){"/no-such", '\n', 0, "not found: no-such"});
	fixture_close(&f);
}

/* A replay draws the same, and goes on from there. */
static void what_is_sought_goes_with_the_record(void **state)
{
	struct err err = ERR_INIT;
	struct fixture f;
	struct ui back;

	(void)state;
	open_history(&f);
	fixture_press(&f, "1/bot<Enter>5/<Esc>6/gent<Enter>?/page<Enter>");
	struct json *v JSON_AUTO = ui_to_json(&f.ui);
	assert_int_equal(0, ui_from_json(v, &back, &err));
	assert_string_equal("bot", back.find_queue);
	assert_string_equal("gent", back.find_agents);
	assert_string_equal("page", back.find_help);
	assert_string_equal("", back.find_grants);
	ui_release(&back);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_selection_goes_to_the_call_that_matches),
		cmocka_unit_test(a_call_is_found_by_text_number_note_state_and_end),
		cmocka_unit_test(a_fold_is_one_match_and_keeps_its_selection),
		cmocka_unit_test(a_row_says_how_long_a_long_line_is),
		cmocka_unit_test(what_is_found_is_in_sight_and_the_card_stays),
		cmocka_unit_test(a_find_that_cannot_be_read_stays_open_and_says_why),
		cmocka_unit_test(grants_and_agents_are_found_by_what_their_rows_say),
		cmocka_unit_test(the_help_page_goes_to_what_is_sought),
		cmocka_unit_test(what_is_sought_goes_with_the_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

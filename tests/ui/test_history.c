#include "config.h"

#include "tui/history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "scenes_calls.h"
#include "scenes_set.h"
#include "tui/view.h"

/* The keys of the history: what is selected, what a filter does to it, and that nothing moves by itself. */

static void open_history(struct fixture *f)
{
	fixture_open(f, 80, 24);
	set_history(f);
}

/* The same as fixture_press() for the last key, whose message stays. */
static void press_last(struct fixture *f, const struct key *key)
{
	struct intent intent = {0};

	fixture_later(f, 500);
	assert_int_equal(0, ui_key(&f->ui, &f->model, key, f->now_ms, &intent));
	fixture_draw(f);
}

static void press_char(struct fixture *f, char ch)
{
	struct key key = {.code = KEY_CODE_CHAR, .ch = (unsigned char)ch};

	press_last(f, &key);
}

static void press_enter(struct fixture *f)
{
	struct key key = {.code = KEY_CODE_ENTER};

	press_last(f, &key);
}

static void keys_move_the_selection_and_nothing_else(void **state)
{
	static const struct {
		const char *keys;
		uint64_t selected, top;
	} cases[] = {
		{"", 11, 12},
		{"j", 10, 12},
		{"k", 12, 12},
		{"kk", 12, 12},
		{"G", 1, 10},
		{"Gg", 12, 12},
		{"<Space>", 1, 10},
		{"k<Space>", 2, 11},
		{"Gb", 11, 11},
		{"jjjjjjjj", 3, 12},
		{"jjjjjjjjj", 2, 11},
		{"Gkkkkkkkkk", 10, 10},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;

		open_history(&f);
		fixture_press(&f, cases[i].keys);
		if (f.ui.history_seq != cases[i].selected || f.ui.history_top != cases[i].top)
			fail_msg("%s: #%u below #%u", cases[i].keys, (unsigned)f.ui.history_seq,
				(unsigned)f.ui.history_top);
		assert_int_equal(VIEW_HISTORY, f.ui.view);
		assert_int_equal(14, f.ui.selected);
		fixture_close(&f);
	}
}

static void enter_opens_the_selected_call_and_escape_leads_to_the_queue(void **state)
{
	struct fixture f;

	(void)state;
	open_history(&f);
	fixture_press(&f, "j<Enter>");
	assert_int_equal(VIEW_CARD, f.ui.view);
	assert_int_equal(10, f.ui.card_seq);
	fixture_press(&f, "4");
	assert_int_equal(10, f.ui.history_seq);
	fixture_press(&f, "<Esc>");
	assert_int_equal(VIEW_QUEUE, f.ui.view);
	fixture_close(&f);
}

static void the_output_of_the_selected_call_is_one_key_away(void **state)
{
	struct fixture f;

	(void)state;
	open_history(&f);
	fixture_press(&f, "j3");
	assert_int_equal(VIEW_OUTPUT, f.ui.view);
	assert_int_equal(10, f.ui.card_seq);
	fixture_press(&f, "<Esc>");
	assert_int_equal(VIEW_HISTORY, f.ui.view);
	press_char(&f, '3');
	fixture_close(&f);
	open_history(&f);
	press_char(&f, '3');
	assert_string_equal("it did not start: no output", f.ui.message);
	assert_int_equal(VIEW_HISTORY, f.ui.view);
	fixture_close(&f);
}

static void nothing_is_decided_here(void **state)
{
	static const char keys[] = "arvx";

	(void)state;
	for (size_t i = 0; keys[i] != '\0'; i++) {
		struct fixture f;

		open_history(&f);
		press_char(&f, keys[i]);
		assert_int_equal(INTENT_NONE, f.ui.pending.kind);
		assert_int_equal(PROMPT_NONE, f.ui.prompt.kind);
		assert_true(f.ui.message[0] != '\0');
		fixture_close(&f);
	}
}

/* Rows and the numbers of the head, as they were; only how many there are has changed. */
static void a_call_that_ends_meanwhile_moves_nothing(void **state)
{
	STR_AUTO struct str before = STR_INIT;
	STR_AUTO struct str after = STR_INIT;
	struct fixture f;

	(void)state;
	open_history(&f);
	fixture_draw(&f);
	frame_print(&f.frame, false, &before);
	fixture_end(&f, 13, AT(14, 32, 40), REASON_NONE, 0, 40000, NULL);
	fixture_draw(&f);
	frame_print(&f.frame, false, &after);
	assert_non_null(strstr(str_c(&after), "calls 3-12 of 13, newest first"));
	const char *list = strstr(str_c(&before), " at     no");
	const char *same = strstr(str_c(&after), " at     no");
	size_t len = (size_t)(strstr(list, "[ ]") - list);
	assert_memory_equal(list, same, len);
	fixture_press(&f, "g");
	assert_int_equal(13, f.ui.history_seq);
	fixture_close(&f);
}

static void a_filter_lists_what_matches_and_n_goes_through_it(void **state)
{
	struct fixture f;

	(void)state;
	open_history(&f);
	press_char(&f, 'n');
	assert_string_equal("n did nothing: no filter is set, / sets one", f.ui.message);
	fixture_press(&f, "/agent:build exit<Enter>");
	assert_string_equal("agent:build exit", f.ui.filter);
	assert_int_equal(PROMPT_NONE, f.ui.prompt.kind);
	assert_int_equal(9, f.ui.history_seq);
	fixture_press(&f, "n");
	assert_int_equal(8, f.ui.history_seq);
	fixture_press(&f, "n");
	assert_int_equal(3, f.ui.history_seq);
	press_char(&f, 'n');
	assert_string_equal("no match behind this one", f.ui.message);
	fixture_press(&f, "NN");
	assert_int_equal(9, f.ui.history_seq);
	press_char(&f, 'N');
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
	for (int i = 0; i < 4; i++) {
		struct key key = {.code = KEY_CODE_BACKSPACE};

		press_last(&f, &key);
	}
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
	press_enter(&f);
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
	press_enter(&f);
	assert_int_equal(VIEW_HISTORY, f.ui.view);
	assert_string_equal("Enter did nothing: no call is selected", f.ui.message);
	press_char(&f, 'j');
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

static void a_replay_draws_the_same(void **state)
{
	static void (*const sets[])(struct fixture *) = {
		set_history, set_history_end, set_history_prompt, set_history_filter};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
		STR_AUTO struct str live = STR_INIT;
		STR_AUTO struct str film = STR_INIT;
		struct err err = ERR_INIT;
		struct fixture f;
		struct ui again;

		fixture_open(&f, 80, 24);
		sets[i](&f);
		fixture_draw(&f);
		frame_print(&f.frame, true, &live);
		struct json *json = ui_to_json(&f.ui);
		assert_int_equal(0, ui_from_json(json, &again, &err));
		json_free(json);
		view_draw(&f.model, &again, f.now_ms, &f.frame);
		frame_print(&f.frame, true, &film);
		assert_string_equal(str_c(&live), str_c(&film));
		ui_release(&again);
		fixture_close(&f);
	}
}

/* Of 200 calls all but the newest are forgotten in part; they are listed, found and opened all the same. */
static void forgotten_calls_are_listed_and_found(void **state)
{
	STR_AUTO struct str text = STR_INIT;
	struct fixture f;

	(void)state;
	fixture_open(&f, 80, 24);
	fixture_history(&f, 200);
	f.now_ms = f.model.now_at_ms + 1000;
	assert_true(model_job(&f.model, 1)->forgotten);
	fixture_press(&f, "4G");
	assert_int_equal(1, f.ui.history_seq);
	fixture_draw(&f);
	frame_print(&f.frame, false, &text);
	assert_non_null(strstr(str_c(&text), "calls 1-10 of 200, newest first"));
	assert_non_null(strstr(str_c(&text), "; card and output are there alone"));
	fixture_press(&f, "/\"sleep 600\"<Enter>");
	assert_int_equal(5, f.ui.history_seq);
	fixture_close(&f);
}

static void mouse(struct fixture *f, enum key_code code, unsigned col, unsigned row)
{
	struct key key = {.code = code, .col = col, .row = row};

	press_last(f, &key);
}

static void a_click_selects_and_the_wheel_only_scrolls(void **state)
{
	struct fixture f;

	(void)state;
	open_history(&f);
	mouse(&f, KEY_CODE_CLICK, 20, 3);
	assert_int_equal(12, f.ui.history_seq);
	mouse(&f, KEY_CODE_CLICK, 20, 12);
	assert_int_equal(3, f.ui.history_seq);
	mouse(&f, KEY_CODE_CLICK, 20, 2);
	mouse(&f, KEY_CODE_CLICK, 20, 13);
	mouse(&f, KEY_CODE_CLICK, 20, 15);
	assert_int_equal(3, f.ui.history_seq);
	mouse(&f, KEY_CODE_WHEEL_DOWN, 20, 5);
	assert_int_equal(3, f.ui.history_seq);
	assert_int_equal(10, f.ui.history_top);
	mouse(&f, KEY_CODE_CLICK, 20, 3);
	assert_int_equal(10, f.ui.history_seq);
	mouse(&f, KEY_CODE_WHEEL_UP, 20, 5);
	assert_int_equal(12, f.ui.history_top);
	fixture_press(&f, "/nothing<Enter>");
	mouse(&f, KEY_CODE_CLICK, 20, 4);
	mouse(&f, KEY_CODE_WHEEL_DOWN, 20, 4);
	assert_int_equal(0, f.ui.history_seq);
	fixture_close(&f);
}

/* Something else may come under an open prompt: Enter then closes it and changes nothing. */
static void a_prompt_over_another_view_ends(void **state)
{
	struct fixture f;

	(void)state;
	open_history(&f);
	fixture_press(&f, "/curl");
	f.ui.view = VIEW_HELP;
	press_enter(&f);
	assert_int_equal(PROMPT_NONE, f.ui.prompt.kind);
	assert_string_equal("", f.ui.filter);
	fixture_close(&f);
}

/* With time behind it, the history has no clock of its own. */
static void nothing_wakes_the_screen_up(void **state)
{
	struct fixture f;

	(void)state;
	open_history(&f);
	fixture_later(&f, UI_REST_MS);
	assert_int_equal(-1, ui_next_tick(&f.ui, &f.model, f.now_ms));
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_move_the_selection_and_nothing_else),
		cmocka_unit_test(enter_opens_the_selected_call_and_escape_leads_to_the_queue),
		cmocka_unit_test(the_output_of_the_selected_call_is_one_key_away),
		cmocka_unit_test(nothing_is_decided_here),
		cmocka_unit_test(a_call_that_ends_meanwhile_moves_nothing),
		cmocka_unit_test(a_filter_lists_what_matches_and_n_goes_through_it),
		cmocka_unit_test(the_selected_call_stays_selected_when_it_matches),
		cmocka_unit_test(escape_leaves_the_filter_as_it_was),
		cmocka_unit_test(keys_are_text_while_a_filter_is_typed),
		cmocka_unit_test(a_filter_that_cannot_be_read_stays_open_and_says_why),
		cmocka_unit_test(enter_opens_nothing_that_is_not_listed),
		cmocka_unit_test(a_filter_of_a_record_is_shown_by_the_rule_for_foreign_text),
		cmocka_unit_test(a_long_filter_leaves_the_numbers_in_sight),
		cmocka_unit_test(a_replay_draws_the_same),
		cmocka_unit_test(forgotten_calls_are_listed_and_found),
		cmocka_unit_test(a_click_selects_and_the_wheel_only_scrolls),
		cmocka_unit_test(a_prompt_over_another_view_ends),
		cmocka_unit_test(nothing_wakes_the_screen_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

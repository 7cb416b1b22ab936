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

/* The keys of the history: what is selected, and that nothing moves by itself. */

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
	fixture_char(&f, '3');
	fixture_close(&f);
	open_history(&f);
	fixture_char(&f, '3');
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
		fixture_char(&f, keys[i]);
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

	fixture_key(f, &key);
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
		cmocka_unit_test(a_replay_draws_the_same),
		cmocka_unit_test(forgotten_calls_are_listed_and_found),
		cmocka_unit_test(a_click_selects_and_the_wheel_only_scrolls),
		cmocka_unit_test(nothing_wakes_the_screen_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

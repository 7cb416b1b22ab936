#include "config.h"

#include "tui/ui.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/ui_world.h"
#include "tui/layout.h"
#include "tui/queue.h"
#include "tui/view.h"

static void open_calls(struct world *world, unsigned calls)
{
	world_init(world, 80, 24);
	for (unsigned i = 0; i < calls; i++)
		world_call(world, "ls", 3);
	world_follow(world);
}

static void the_first_call_opens_and_later_ones_move_nothing(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 80, 24);
	world_follow(&world);
	assert_int_equal(world.ui.view, VIEW_QUEUE);
	world_call(&world, "ls", 3);
	world_follow(&world);
	assert_int_equal(world.ui.view, VIEW_CARD);
	assert_int_equal(world.ui.card_seq, 1);
	world_keys(&world, 100, "1");
	for (int i = 0; i < 5; i++)
		world_call(&world, "ls", 3);
	world_follow(&world);
	assert_int_equal(world.ui.view, VIEW_QUEUE);
	assert_int_equal(world.ui.selected, 1);
	/* Decided, expired, ended: it stays selected, and a new first call does not open. */
	for (uint64_t seq = 1; seq <= 6; seq++)
		world_state(&world, seq, JOB_EXPIRED);
	world_call(&world, "ls", 3);
	world_follow(&world);
	assert_int_equal(world.ui.selected, 1);
	assert_int_equal(world.ui.view, VIEW_QUEUE);
	world_release(&world);
}

static void a_first_call_leaves_the_help_open(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 80, 24);
	world_keys(&world, 100, "?");
	world_call(&world, "ls", 3);
	world_follow(&world);
	assert_int_equal(world.ui.view, VIEW_HELP);
	assert_int_equal(world.ui.selected, 1);
	world_release(&world);
}

static void a_decided_card_stays_until_enter(void **state)
{
	struct world world;

	(void)state;
	open_calls(&world, 3);
	world_keys(&world, 500, "a");
	world_run(&world, 550);
	world_state(&world, 1, JOB_RUNNING);
	assert_int_equal(world.ui.card_seq, 1);
	/* The second press of a double `a` meets no new card. */
	world_keys(&world, 600, "a");
	world_keys(&world, 1200, "a");
	world_run(&world, 2000);
	assert_string_equal(str_c(&world.log), "approve 1@550");
	assert_int_equal(world.ui.card_seq, 1);
	world_keys(&world, 2000, "\r");
	assert_int_equal(world.ui.card_seq, 2);
	/* And the new card has a rest and fog of its own. */
	world_keys(&world, 2100, "a");
	world_run(&world, 3000);
	assert_string_equal(str_c(&world.log), "approve 1@550");
	world_release(&world);
}

static void enter_goes_round_to_the_oldest(void **state)
{
	struct world world;

	(void)state;
	open_calls(&world, 3);
	world_keys(&world, 100, "JJ");
	assert_int_equal(world.ui.card_seq, 3);
	world_state(&world, 3, JOB_REJECTED);
	world_keys(&world, 200, "\r");
	assert_int_equal(world.ui.card_seq, 1);
	world_state(&world, 1, JOB_REJECTED);
	world_state(&world, 2, JOB_REJECTED);
	world_keys(&world, 300, "\r");
	assert_int_equal(world.ui.card_seq, 1);
	assert_string_equal(world.ui.message, "nothing waits");
	world_release(&world);
}

static void j_and_k_go_through_what_waits(void **state)
{
	struct world world;

	(void)state;
	open_calls(&world, 4);
	world_state(&world, 2, JOB_RUNNING);
	world_keys(&world, 100, "J");
	assert_int_equal(world.ui.card_seq, 3);
	world_keys(&world, 200, "J");
	assert_int_equal(world.ui.card_seq, 4);
	world_keys(&world, 300, "J");
	assert_int_equal(world.ui.card_seq, 1);
	world_keys(&world, 400, "K");
	assert_int_equal(world.ui.card_seq, 4);
	world_keys(&world, 500, "K");
	assert_int_equal(world.ui.card_seq, 3);
	world_keys(&world, 600, "?J");
	assert_int_equal(world.ui.view, VIEW_CARD);
	assert_int_equal(world.ui.card_seq, 4);
	world_release(&world);
}

static void the_selection_walks_through_the_queue_as_it_is_drawn(void **state)
{
	static const uint64_t order[] = {1, 4, 3, 6, 5, 2};
	struct world world;

	(void)state;
	open_calls(&world, 6);
	world_state(&world, 2, JOB_REJECTED);
	world_state(&world, 3, JOB_RUNNING);
	world_state(&world, 5, JOB_ENDED);
	world_state(&world, 6, JOB_REFUSED);
	world_keys(&world, 100, "1");
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		assert_int_equal(world.ui.selected, order[i]);
		world_keys(&world, world.now_ms + 100, "j");
	}
	assert_int_equal(world.ui.selected, 2);
	world_keys(&world, world.now_ms + 100, "g");
	assert_int_equal(world.ui.selected, 1);
	world_keys(&world, world.now_ms + 100, "G");
	assert_int_equal(world.ui.selected, 2);
	world_keys(&world, world.now_ms + 100, "k");
	assert_int_equal(world.ui.selected, 5);
	world_keys(&world, world.now_ms + 100, "\r");
	assert_int_equal(world.ui.view, VIEW_CARD);
	assert_int_equal(world.ui.card_seq, 5);
	world_keys(&world, world.now_ms + 100, "\x1B");
	world_run(&world, world.now_ms + KEY_ESC_MS);
	assert_int_equal(world.ui.view, VIEW_QUEUE);
	assert_int_equal(world.ui.selected, 5);
	world_release(&world);
}

static void the_selected_row_stays_in_sight(void **state)
{
	struct world world;

	(void)state;
	open_calls(&world, 100);
	world_keys(&world, 100, "1");
	for (unsigned i = 0; i < 300; i++) {
		static const char *const keys[] = {"j", " ", "b", "k", "G", "g", "j"};
		struct queue_rows rows;

		world_keys(&world, world.now_ms + 100, keys[i * 31 % 7]);
		queue_rows_make(&world.model, &rows);
		size_t at = queue_rows_find(&rows, world.ui.selected);
		assert_true(at >= world.ui.queue_top);
		assert_true(at < world.ui.queue_top + view_body_rows(&world.ui, &world.model));
		queue_rows_release(&rows);
	}
	world_release(&world);
}

static void each_view_leads_back_to_where_it_came_from(void **state)
{
	static const struct {
		const char *keys;
		enum view view;
	} ways[] = {
		{"", VIEW_CARD},
		{"\x1B", VIEW_QUEUE},
		{"1", VIEW_QUEUE},
		{"3", VIEW_OUTPUT},
		{"3\x1B", VIEW_CARD},
		{"13\x1B", VIEW_QUEUE},
		{"3?\x1B", VIEW_OUTPUT},
		{"3?\x1B\x1B", VIEW_CARD},
		{"??", VIEW_CARD},
		{"1?\x1B", VIEW_QUEUE},
		{"1\x1B", VIEW_QUEUE},
		{"32", VIEW_CARD},
		{"1\r", VIEW_CARD},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct world world;

		open_calls(&world, 1);
		world_state(&world, 1, JOB_RUNNING);
		for (const char *at = ways[i].keys; *at != '\0'; at++) {
			world_type(&world, world.now_ms + 600, at, 1);
			world_run(&world, world.now_ms + 600);
		}
		assert_int_equal(world.ui.view, ways[i].view);
		world_release(&world);
	}
}

static void what_did_not_start_has_no_output(void **state)
{
	struct world world;

	(void)state;
	open_calls(&world, 1);
	world_keys(&world, 100, "3");
	assert_int_equal(world.ui.view, VIEW_CARD);
	assert_string_equal(world.ui.message, "it has not started yet: no output");
	world_release(&world);
}

static void add_output(struct world *world, unsigned lines)
{
	struct job *job = world->model.jobs[0];

	for (unsigned i = 0; i < lines; i++)
		str_printf(&job->output, "line %u\n", i);
	job->output_bytes = job->output.len;
	job->output_lines += lines;
	world_follow(world);
}

static void output_follows_until_it_is_scrolled_back_and_again_with_capital_g(void **state)
{
	struct world world;

	(void)state;
	open_calls(&world, 1);
	world_state(&world, 1, JOB_RUNNING);
	add_output(&world, 100);
	world_keys(&world, 100, "3");
	assert_true(world.ui.following);
	world_keys(&world, 200, "j");
	assert_true(world.ui.following);
	world_keys(&world, 300, "k");
	assert_false(world.ui.following);
	size_t top = world.ui.output_top;
	struct output_look look = view_output_look(&world.ui);
	size_t rows = layout_output_rows(world.model.jobs[0], &look);
	assert_int_equal(top, rows - view_body_rows(&world.ui, &world.model) - 1);
	add_output(&world, 100);
	assert_int_equal(world.ui.output_top, top);
	world_keys(&world, 400, "b");
	assert_int_equal(world.ui.output_top, top - view_body_rows(&world.ui, &world.model));
	world_keys(&world, 500, "j");
	assert_false(world.ui.following);
	world_keys(&world, 600, "G");
	assert_true(world.ui.following);
	world_keys(&world, 700, "g");
	assert_int_equal(world.ui.output_top, 0);
	assert_false(world.ui.following);
	world_release(&world);
}

static void a_loop_with_nothing_open_sleeps_for_ever(void **state)
{
	static const enum job_state done[] = {
		JOB_ENDED, JOB_REJECTED, JOB_REFUSED, JOB_WITHDRAWN, JOB_EXPIRED, JOB_LOST};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(done); i++) {
		struct world world;

		open_calls(&world, 1);
		world_run(&world, 5000);
		world_state(&world, 1, done[i]);
		world_run(&world, 6000);
		for (int view = 0; view < VIEW_COUNT; view++) {
			world.ui.view = (enum view)view;
			assert_int_equal(ui_next_tick(&world.ui, &world.model, 6000), -1);
		}
		world_release(&world);
	}
}

static void the_loop_wakes_for_nothing_but_what_changes(void **state)
{
	struct world world;

	(void)state;
	open_calls(&world, 1);
	/* Seen, lamp, the minutes left after 1 ms, and from then on the seconds of the wait with them. */
	world_run(&world, 10000);
	assert_int_equal(world.ticks, 12);
	/* 300 s wait: seconds until 120, the minutes left change 1 ms behind whole minutes of the rest. */
	assert_int_equal(ui_next_tick(&world.ui, &world.model, 119500), 120001);
	assert_int_equal(ui_next_tick(&world.ui, &world.model, 120000), 120001);
	assert_int_equal(ui_next_tick(&world.ui, &world.model, 120001), 180001);
	assert_int_equal(ui_next_tick(&world.ui, &world.model, 180001), 185001);
	assert_int_equal(ui_next_tick(&world.ui, &world.model, 270001), 271001);
	world_state(&world, 1, JOB_RUNNING);
	world_run(&world, 10400);
	assert_int_equal(ui_next_tick(&world.ui, &world.model, 10400), 11000);
	world.ui.view = VIEW_HELP;
	assert_int_equal(ui_next_tick(&world.ui, &world.model, 10400), -1);
	world_release(&world);
}

static void focus_and_ctrl_l_draw_everything_again(void **state)
{
	static const struct key keys[] = {{.code = KEY_CODE_FOCUS_IN}, {.code = KEY_CODE_FOCUS_OUT},
		{.code = KEY_CODE_CTRL, .ch = 'l'}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		for (int prompt = 0; prompt < 2; prompt++) {
			struct world world;
			struct intent intent = {.kind = INTENT_NONE};

			open_calls(&world, 1);
			if (prompt)
				world_keys(&world, 100, "rtext");
			world_run(&world, 1000);
			assert_int_equal(
				ui_key(&world.ui, &world.model, &keys[i], 1000, &intent), 1);
			assert_int_equal(intent.kind, INTENT_REDRAW);
			assert_string_equal(str_c(&world.ui.prompt.text), prompt ? "text" : "");
			world_draw(&world);
			assert_false(ui_rested(&world.ui, 1399));
			assert_true(ui_rested(&world.ui, 1400));
			world_release(&world);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_call_opens_and_later_ones_move_nothing),
		cmocka_unit_test(a_first_call_leaves_the_help_open),
		cmocka_unit_test(a_decided_card_stays_until_enter),
		cmocka_unit_test(enter_goes_round_to_the_oldest),
		cmocka_unit_test(j_and_k_go_through_what_waits),
		cmocka_unit_test(the_selection_walks_through_the_queue_as_it_is_drawn),
		cmocka_unit_test(the_selected_row_stays_in_sight),
		cmocka_unit_test(each_view_leads_back_to_where_it_came_from),
		cmocka_unit_test(what_did_not_start_has_no_output),
		cmocka_unit_test(output_follows_until_it_is_scrolled_back_and_again_with_capital_g),
		cmocka_unit_test(a_loop_with_nothing_open_sleeps_for_ever),
		cmocka_unit_test(the_loop_wakes_for_nothing_but_what_changes),
		cmocka_unit_test(focus_and_ctrl_l_draw_everything_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

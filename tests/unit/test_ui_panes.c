#include "config.h"

#include "tui/ui.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/ui_script.h"
#include "tests/unit/ui_world.h"
#include "tui/panes.h"
#include "tui/queue.h"
#include "tui/view.h"

#define BACKTAB "\033[Z"

/* So many calls wait, the first one is open, with more lines than its pane has. */
static void open_wide(struct world *world, unsigned calls)
{
	world_init(world, 120, 36);
	for (unsigned i = 0; i < calls; i++)
		world_call(world, "ls", 30);
	world_follow(world);
	assert_int_equal(world->ui.view, VIEW_CARD);
	assert_true(panes_shown(&world->ui));
}

static void resize(struct world *world, unsigned cols, unsigned rows)
{
	ui_resize(&world->ui, cols, rows, world->now_ms);
	world_follow(world);
}

static void panes_are_shown_from_their_size_on_in_three_views(void **state)
{
	static const struct {
		unsigned cols, rows;
		bool shown;
	} sizes[] = {{109, 30, false}, {110, 29, false}, {110, 30, true}, {300, 29, false},
		{109, 100, false}};
	static const enum view views[] = {VIEW_QUEUE, VIEW_CARD, VIEW_OUTPUT};
	struct ui ui;

	(void)state;
	ui_init(&ui, 110, 30);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		ui.cols = sizes[i].cols;
		ui.rows = sizes[i].rows;
		for (size_t v = 0; v < ARRAY_LEN(views); v++) {
			ui.view = views[v];
			assert_int_equal(panes_shown(&ui), sizes[i].shown);
		}
		ui.view = VIEW_HISTORY;
		assert_false(panes_shown(&ui));
	}
	ui.cols = 199;
	assert_int_equal(panes_of(&ui).queue_cols, 39);
	ui.cols = 200;
	assert_int_equal(panes_of(&ui).queue_cols, 60);
	ui_release(&ui);
}

/* Only from the card, and only when the card has nothing to stop itself. */
static void the_output_beside_a_card_can_be_stopped_from_it(void **state)
{
	struct world world;

	(void)state;
	open_wide(&world, 3);
	world_state(&world, 1, JOB_RUNNING);
	world.ui.selected = world.ui.card_seq = 2;
	world.ui.output_seq = 1;
	assert_int_equal(ui_stop_job(&world.ui, &world.model)->seq, 1);
	world.ui.view = VIEW_QUEUE;
	assert_int_equal(ui_stop_job(&world.ui, &world.model)->seq, 2);
	world.ui.view = VIEW_CARD;
	world_state(&world, 2, JOB_RUNNING);
	world.ui.output_seq = 1;
	assert_int_equal(ui_stop_job(&world.ui, &world.model)->seq, 2);
	world_state(&world, 2, JOB_STOPPING);
	assert_int_equal(ui_stop_job(&world.ui, &world.model)->seq, 2);
	world_state(&world, 2, JOB_WAITING);
	ui_resize(&world.ui, 80, 24, world.now_ms);
	assert_int_equal(ui_stop_job(&world.ui, &world.model)->seq, 2);
	world_release(&world);
}

static void keys_go_from_pane_to_pane(void **state)
{
	static const struct {
		const char *keys;
		enum view view;
	} cases[] = {
		{"\t", VIEW_OUTPUT},
		{"\t\t", VIEW_QUEUE},
		{"\t\t\t", VIEW_CARD},
		{BACKTAB, VIEW_QUEUE},
		{BACKTAB BACKTAB, VIEW_OUTPUT},
		{BACKTAB "\t", VIEW_CARD},
		{"1", VIEW_QUEUE},
		{"12", VIEW_CARD},
		{"3", VIEW_OUTPUT},
		{"13\033", VIEW_QUEUE},
		{"3\033", VIEW_CARD},
		{"?", VIEW_HELP},
		{"\t?\033", VIEW_OUTPUT},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world world;

		open_wide(&world, 2);
		world_keys(&world, 500, cases[i].keys);
		world_run(&world, 2000);
		assert_int_equal(world.ui.view, cases[i].view);
		assert_int_equal(world.ui.card_seq, 1);
		assert_int_equal(world.ui.selected, 1);
		world_release(&world);
	}
}

static void the_card_stays_while_the_selection_moves(void **state)
{
	struct world world;

	(void)state;
	open_wide(&world, 3);
	world_keys(&world, 500, "1jj");
	assert_int_equal(world.ui.selected, 3);
	assert_int_equal(world.ui.card_seq, 1);
	world_keys(&world, 600, "2");
	assert_int_equal(world.ui.view, VIEW_CARD);
	assert_int_equal(world.ui.card_seq, 1);
	world_keys(&world, 700, "1\r");
	assert_int_equal(world.ui.view, VIEW_CARD);
	assert_int_equal(world.ui.card_seq, 3);
	world_release(&world);
}

/* On a screen of 120x36 the card of the scripts fits into its pane. */
static void decisions_need_the_keys_on_the_card(void **state)
{
	static const struct script scripts[] = {
		{"wide, a", {{0, NULL, WIDE}, {1000, "a", 0}}, "approve 1@1050", NULL},
		{"wide, keys on the output", {{0, NULL, WIDE}, {500, "\t", 0}, {1000, "a", 0}}, "",
			NULL},
		{"wide, keys on the queue", {{0, NULL, WIDE}, {500, "1", 0}, {1000, "a", 0}}, "",
			"a did nothing: decisions are made on a card"},
		{"wide, no reject there", {{0, NULL, WIDE}, {500, "1", 0}, {1000, "r", 0}}, "",
			"r did nothing: decisions are made on a card"},
		{"wide, and back on it", {{0, NULL, WIDE}, {500, "\t\t\t", 0}, {1000, "a", 0}},
			"approve 1@1050", NULL},
		{"a pane too soon",
			{{0, NULL, WIDE}, {700, "1", 0}, {1000, "2", 0}, {1300, "a", 0}}, "",
			"a did nothing: the keys must rest a moment"},
		{"a, then another pane", {{0, NULL, WIDE}, {1000, "a", 0}, {1020, "\t", 0}}, "",
			NULL},
		{"a, then wide", {{1000, "a", 0}, {1020, NULL, WIDE}}, "",
			"a did nothing: something followed it at once"},
		{"wide, a, then narrow", {{0, NULL, WIDE}, {1000, "a", 0}, {1020, NULL, LARGE}}, "",
			"a did nothing: something followed it at once"},
		{"wide, then narrow, then a",
			{{0, NULL, WIDE}, {1000, NULL, LARGE}, {2000, "a", 0}}, "approve 1@2050",
			NULL},
		{"a reason through both",
			{{0, NULL, WIDE}, {1000, "rno", 0}, {1100, NULL, LARGE}, {1600, "pe\r", 0}},
			"reject 1 \"nope\"@1650", NULL},
	};

	(void)state;
	scripts_run(scripts, ARRAY_LEN(scripts), false);
	scripts_run(scripts, ARRAY_LEN(scripts), true);
}

static void rows_count_as_seen_in_the_pane_of_the_card(void **state)
{
	struct world world;
	size_t total, body;

	(void)state;
	open_wide(&world, 1);
	body = view_rows_of(&world.ui, &world.model, VIEW_CARD);
	assert_int_equal(body, 18);
	total = world_total(&world);
	world_run(&world, UI_SEEN_MS);
	assert_int_equal(world_unseen(&world), total - body);
	/* They stand on the screen whichever pane has the keys; behind the help they do not. */
	world_keys(&world, 300, "G1");
	world_run(&world, 350);
	world_keys(&world, 350, "?");
	world_run(&world, 900);
	assert_int_equal(world_unseen(&world), total - body);
	world_keys(&world, 1000, "?");
	assert_int_equal(world.ui.view, VIEW_QUEUE);
	world_run(&world, 1000 + UI_SEEN_MS);
	assert_int_equal(world_unseen(&world), total > 2 * body ? total - 2 * body : 0);
	world_release(&world);
}

static void a_resize_keeps_place_and_what_was_seen(void **state)
{
	static const struct {
		unsigned cols, rows;
	} sizes[] = {{80, 24}, {110, 30}, {109, 30}, {110, 29}, {60, 16}, {40, 10}, {120, 36},
		{80, 24}, {200, 50}};
	struct world world;

	(void)state;
	open_wide(&world, 40);
	world_keys(&world, 500, "1jjjjjjjjjjjjjjjjjjjj2jjj");
	world_run(&world, 1000);
	size_t byte = world.ui.top_byte, unseen = world_unseen(&world);
	assert_true(byte > 0);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		resize(&world, sizes[i].cols, sizes[i].rows);
		world_run(&world, world.now_ms + 50);
		assert_int_equal(world.ui.selected, 21);
		assert_int_equal(world.ui.card_seq, 1);
		assert_int_equal(world.ui.view, VIEW_CARD);
		/* Larger than the card, it begins at its first line. */
		if (sizes[i].rows < 50)
			assert_int_equal(world.ui.top_byte, byte);
	}
	assert_true(world_unseen(&world) <= unseen);
	world_release(&world);
}

static bool selection_is_in_sight(const struct world *world)
{
	struct queue_rows rows;
	size_t body = view_rows_of(&world->ui, &world->model, VIEW_QUEUE);

	queue_rows_make(&world->model, &rows);
	size_t at = queue_rows_find(&rows, world->ui.selected), lines = 0;
	for (size_t i = world->ui.queue_top; i <= at; i++) {
		struct queue_row row = queue_row_at(&rows, i);

		lines += queue_row_lines(&row, panes_shown(&world->ui));
	}
	queue_rows_release(&rows);
	return world->ui.queue_top <= at && lines <= body;
}

static void the_selected_row_stays_in_sight(void **state)
{
	static const char *const keys[] = {"j", "G", "k", "b", "g", " ", "j", " ", " ", "b"};
	struct world world;

	(void)state;
	open_wide(&world, 60);
	for (uint64_t seq = 1; seq <= 60; seq += 7)
		world_state(&world, seq, seq % 2 == 0 ? JOB_RUNNING : JOB_EXPIRED);
	world_keys(&world, 500, "1");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		world_keys(&world, world.now_ms + 10, keys[i]);
		assert_true(selection_is_in_sight(&world));
		resize(&world, 80, 24);
		assert_true(selection_is_in_sight(&world));
		resize(&world, 120, 30 + (unsigned)i);
		assert_true(selection_is_in_sight(&world));
	}
	world_release(&world);
}

static uint64_t output_of(const struct world *world)
{
	const struct job *job = ui_output_job(&world->ui, &world->model);

	return job == NULL ? 0 : job->seq;
}

static void the_output_is_of_the_call_that_runs(void **state)
{
	struct world world;

	(void)state;
	open_wide(&world, 4);
	assert_int_equal(output_of(&world), 0);
	world_state(&world, 2, JOB_RUNNING);
	assert_int_equal(output_of(&world), 2);
	/* Another one that starts takes nothing away; who selects it sees it. */
	world_state(&world, 3, JOB_RUNNING);
	assert_int_equal(output_of(&world), 2);
	world_keys(&world, 500, "1G");
	assert_int_equal(world.ui.selected, 3);
	assert_int_equal(output_of(&world), 3);
	world_keys(&world, 600, "g");
	assert_int_equal(output_of(&world), 3);
	/* With the keys on it what is over stays; without, what still runs takes its place. */
	world_keys(&world, 700, "3");
	world_state(&world, 3, JOB_ENDED);
	assert_int_equal(output_of(&world), 3);
	world_keys(&world, 800, "1");
	world_follow(&world);
	assert_int_equal(output_of(&world), 2);
	/* Nothing runs: that of the open card, and else the last one. */
	world_state(&world, 2, JOB_ENDED);
	assert_int_equal(output_of(&world), 2);
	world_release(&world);
}

static void x_beside_an_output_asks_for_the_call_that_runs(void **state)
{
	struct world world;

	(void)state;
	open_wide(&world, 2);
	world_state(&world, 2, JOB_RUNNING);
	world_keys(&world, 500, "x");
	assert_int_equal(world.ui.prompt.kind, PROMPT_STOP);
	assert_int_equal(world.ui.prompt.seq, 2);
	world_run(&world, 1000);
	world_keys(&world, 1000, "y");
	world_run(&world, 1100);
	assert_string_equal(str_c(&world.log), "stop 2@1050");
	resize(&world, 80, 24);
	world_keys(&world, 2000, "x");
	assert_int_equal(world.ui.prompt.kind, PROMPT_NONE);
	assert_string_equal(world.ui.message, "x did nothing: no command of this card runs");
	world_release(&world);
}

static void a_narrow_screen_has_the_views_one_after_another(void **state)
{
	struct world world;

	(void)state;
	open_wide(&world, 2);
	resize(&world, 80, 24);
	world_keys(&world, 500, "\t");
	assert_int_equal(world.ui.view, VIEW_QUEUE);
	world_keys(&world, 600, "\t");
	assert_int_equal(world.ui.view, VIEW_CARD);
	world_state(&world, 1, JOB_RUNNING);
	world_keys(&world, 700, "\t");
	assert_int_equal(world.ui.view, VIEW_OUTPUT);
	world_keys(&world, 800, BACKTAB);
	assert_int_equal(world.ui.view, VIEW_CARD);
	world_release(&world);
}

static void a_record_without_an_output_of_its_own_is_read(void **state)
{
	struct err err = ERR_INIT;
	struct world world;
	struct ui back;

	(void)state;
	open_wide(&world, 2);
	world_state(&world, 2, JOB_RUNNING);
	struct json *v = ui_to_json(&world.ui);
	assert_int_equal(ui_from_json(v, &back, &err), 0);
	assert_int_equal(back.output_seq, 2);
	ui_release(&back);
	json_free(v);
	v = ui_to_json(&world.ui);
	json_free(json_take(v, "output_seq"));
	assert_int_equal(ui_from_json(v, &back, &err), 0);
	assert_int_equal(back.output_seq, 0);
	ui_release(&back);
	json_free(v);
	world_release(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(panes_are_shown_from_their_size_on_in_three_views),
		cmocka_unit_test(the_output_beside_a_card_can_be_stopped_from_it),
		cmocka_unit_test(keys_go_from_pane_to_pane),
		cmocka_unit_test(the_card_stays_while_the_selection_moves),
		cmocka_unit_test(decisions_need_the_keys_on_the_card),
		cmocka_unit_test(rows_count_as_seen_in_the_pane_of_the_card),
		cmocka_unit_test(a_resize_keeps_place_and_what_was_seen),
		cmocka_unit_test(the_selected_row_stays_in_sight),
		cmocka_unit_test(the_output_is_of_the_call_that_runs),
		cmocka_unit_test(x_beside_an_output_asks_for_the_call_that_runs),
		cmocka_unit_test(a_narrow_screen_has_the_views_one_after_another),
		cmocka_unit_test(a_record_without_an_output_of_its_own_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

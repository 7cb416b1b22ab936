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
#include "tui/view.h"

#define LINES 60

/* A command of 60 lines, each of its own length, and three facts: several screens of 80x24. */
static void open_long(struct world *world, unsigned cols, unsigned rows)
{
	struct str command STR_AUTO = STR_INIT;

	for (unsigned i = 0; i < LINES; i++) {
		str_printf(&command, "%secho line %u of a long command", i == 0 ? "" : "\n", i);
		for (unsigned k = 0; k < i % 7; k++)
			str_add(&command, " and more words");
	}
	world_init(world, cols, rows);
	world_call(world, str_c(&command), 3);
	world_follow(world);
	assert_int_equal(world->ui.view, VIEW_CARD);
	assert_true(cols < UI_MIN_COLS ||
		    world_total(world) > 2 * view_body_rows(&world->ui, &world->model));
}

static size_t body(const struct world *world)
{
	return view_body_rows(&world->ui, &world->model);
}

static void a_row_counts_after_it_stood(void **state)
{
	struct world world;

	(void)state;
	open_long(&world, 80, 24);
	assert_int_equal(world_unseen(&world), world_total(&world));
	world_run(&world, UI_SEEN_MS - 1);
	assert_int_equal(world_unseen(&world), world_total(&world));
	world_run(&world, UI_SEEN_MS);
	assert_int_equal(world_unseen(&world), world_total(&world) - body(&world));
	assert_int_equal(world_gate(&world), GATE_NOT_SEEN);
	world_release(&world);
}

static void space_walks_through_all_parts_until_the_lamp_can_light(void **state)
{
	struct world world;
	int64_t at = 1000;

	(void)state;
	open_long(&world, 80, 24);
	world_keys(&world, at, "a");
	assert_non_null(strstr(world.ui.message, "lines not seen yet"));
	while (world_unseen(&world) > 0) {
		size_t before = world_unseen(&world);

		world_keys(&world, at += 300, " ");
		world_run(&world, at += 300);
		assert_true(world_unseen(&world) < before);
	}
	world_run(&world, at + 400);
	assert_int_equal(world_gate(&world), GATE_READY);
	world_keys(&world, world.now_ms, "a");
	world_run(&world, world.now_ms + 100);
	assert_non_null(strstr(str_c(&world.log), "approve 1"));
	world_release(&world);
}

static void a_jump_to_the_end_leaves_fog_and_space_goes_there(void **state)
{
	struct world world;

	(void)state;
	open_long(&world, 80, 24);
	world_run(&world, 300);
	size_t first = body(&world);
	world_keys(&world, 300, "G");
	world_run(&world, 600);
	size_t end_top = world.ui.card_top;
	assert_true(end_top > first);
	assert_int_equal(world_unseen(&world), end_top - first);
	world_run(&world, 2000);
	assert_int_equal(world_gate(&world), GATE_NOT_SEEN);
	/* The fog is above: the next part not seen yet begins behind what was seen first. */
	world_keys(&world, 2000, " ");
	assert_int_equal(world.ui.card_top, first);
	world_release(&world);
}

static void what_scrolls_by_fast_is_not_seen(void **state)
{
	struct world world;
	int64_t at = 300;

	(void)state;
	open_long(&world, 80, 24);
	world_run(&world, at);
	size_t unseen = world_unseen(&world);
	/* A held PgDn: 30 a second. */
	for (int i = 0; i < 20; i++)
		world_keys(&world, at += 33, "\x1B[6~");
	assert_int_equal(world_unseen(&world), unseen);
	world_keys(&world, at += 33, "g");
	world_run(&world, at + 300);
	assert_int_equal(world_unseen(&world), unseen);
	/* A row that only just passes is on the screen for too short a time as well. */
	world_keys(&world, at += 1000, "G");
	world_keys(&world, at += UI_SEEN_MS - 1, "g");
	world_run(&world, at + 1000);
	assert_int_equal(world_unseen(&world), unseen);
	world_release(&world);
}

/* Moving by one row leaves the others standing: reading downwards line by line sees every line. */
static void rows_go_on_standing_while_the_text_moves(void **state)
{
	struct world world;
	int64_t at = UI_SEEN_MS;

	(void)state;
	open_long(&world, 80, 24);
	for (size_t i = 0; i < world_total(&world); i++)
		world_keys(&world, at += 100, "j");
	world_run(&world, at + UI_SEEN_MS);
	assert_int_equal(world_unseen(&world), 0);
	world_release(&world);
}

static void a_new_width_keeps_what_was_seen(void **state)
{
	static const unsigned widths[] = {60, 61, 100, 200, 79, 80};
	struct world world;
	int64_t at = 300;

	(void)state;
	open_long(&world, 80, 24);
	world_run(&world, at);
	world_keys(&world, at, " ");
	world_run(&world, at += 300);
	size_t unseen = world_unseen(&world);
	for (size_t i = 0; i < ARRAY_LEN(widths); i++) {
		ui_resize(&world.ui, widths[i], 24, at);
		ui_follow(&world.ui, &world.model, at);
		/* Not drawn yet: nothing more can have been seen. */
		assert_true(world_unseen(&world) > 0);
		if (widths[i] == 80)
			assert_int_equal(world_unseen(&world), unseen);
	}
	world_release(&world);
}

/* The place is kept too, by byte: the first row of the new width holds the first byte of the old one. */
static void a_new_width_keeps_the_place(void **state)
{
	struct world world;
	struct rows rows;

	(void)state;
	open_long(&world, 80, 24);
	world_keys(&world, 300, " ");
	world_run(&world, 600);
	size_t byte = world.ui.top_byte;
	assert_true(byte > 0);
	ui_resize(&world.ui, 60, 24, 600);
	world_follow(&world);
	layout_card(world.model.jobs[0], view_body_cols(&world.ui), false, false, &rows);
	assert_true(rows.items[world.ui.card_top].start <= byte);
	assert_true(rows.items[world.ui.card_top].end > byte);
	rows_release(&rows);
	/* Too small to draw anything, and back. */
	ui_resize(&world.ui, 1, 1, 700);
	world_follow(&world);
	ui_resize(&world.ui, 80, 24, 800);
	world_follow(&world);
	assert_true(world.ui.top_byte <= byte);
	assert_true(world.ui.card_top > 0);
	world_release(&world);
}

static void too_small_sees_nothing(void **state)
{
	struct world world;

	(void)state;
	open_long(&world, 59, 24);
	world_run(&world, 5000);
	ui_resize(&world.ui, 80, 24, 5000);
	ui_follow(&world.ui, &world.model, 5000);
	assert_int_equal(world_unseen(&world), world_total(&world));
	world_release(&world);
}

static void other_views_and_pauses_see_nothing(void **state)
{
	struct world world;

	(void)state;
	open_long(&world, 80, 24);
	world_keys(&world, 100, "1");
	world_run(&world, 1000);
	world_keys(&world, 1000, "2");
	assert_int_equal(world_unseen(&world), world_total(&world));
	/* Stopped for a minute right behind the first frame: the screen was the shell's. */
	ui_disturb(&world.ui, 61000);
	world.now_ms = 61000;
	world_draw(&world);
	assert_int_equal(world_unseen(&world), world_total(&world));
	world_run(&world, 61000 + UI_SEEN_MS);
	assert_true(world_unseen(&world) < world_total(&world));
	world_release(&world);
}

static void a_changed_card_is_fog_again(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 80, 24);
	world_call(&world, "ls", 3);
	world_follow(&world);
	world_run(&world, 1000);
	assert_int_equal(world_gate(&world), GATE_READY);
	/* Changed, and not drawn yet: what is on the screen is the old one. */
	world.model.jobs[0]->card->digest.bytes[0] ^= 1;
	assert_int_equal(world_gate(&world), GATE_CHANGED);
	assert_int_equal(world_unseen(&world), world_total(&world));
	world_follow(&world);
	assert_int_equal(world_gate(&world), GATE_CHANGED);
	world_run(&world, 1000 + UI_SEEN_MS);
	assert_int_equal(world_gate(&world), GATE_REST);
	world_run(&world, 1000 + UI_REST_MS);
	assert_int_equal(world_gate(&world), GATE_READY);
	world_release(&world);
}

static void details_are_behind_what_decides(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 80, 24);
	struct job *job = world_call(&world, "ls", 3);
	for (unsigned i = 0; i < 40; i++)
		line_add(fact_line(facts_add(&job->card->details, "detail")), SPAN_FOREIGN, "v%u",
			i);
	world_follow(&world);
	size_t total = world_total(&world);
	world_run(&world, 500);
	world_keys(&world, 500, "v");
	world_run(&world, 1500);
	assert_int_equal(world_total(&world), total);
	assert_int_equal(world_gate(&world), GATE_READY);
	world_keys(&world, 1500, "G");
	world_run(&world, 3000);
	assert_int_equal(world_gate(&world), GATE_READY);
	world_release(&world);
}

static void memory_of_decided_cards_is_given_back(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 80, 24);
	for (int i = 0; i < 10; i++)
		world_call(&world, "ls", 3);
	world_follow(&world);
	for (int i = 0; i < 10; i++)
		world_keys(&world, 300 * (i + 1), "J");
	assert_int_equal(world.ui.seen_count, 10);
	for (uint64_t seq = 1; seq <= 10; seq++)
		world_state(&world, seq, JOB_REJECTED);
	assert_int_equal(world.ui.seen_count, 1);
	world_release(&world);
}

static void the_record_is_told_how_long_each_row_stood(void **state)
{
	struct world world;
	struct str text STR_AUTO = STR_INIT;
	char want[100];

	(void)state;
	world_init(&world, 80, 24);
	world_call(&world, "ls", 3);
	world_follow(&world);
	world_run(&world, 1234);
	/* The loop last woke at 1000, for the clock of the wait. */
	ui_tick(&world.ui, &world.model, 1234, &(struct intent){0});
	size_t len = world.ui.seen[0].len, lines = world_total(&world);
	struct json *seen JSON_AUTO = ui_seen_json(&world.ui, &world.model);
	json_print(seen, true, &text);
	snprintf(want, sizeof(want),
		"{\"rows\":[[0,%zu,1234]],\"total\":%zu,\"lines\":%zu,\"lines_seen\":%zu}", len,
		len, lines, lines);
	assert_string_equal(str_c(&text), want);
	world_release(&world);
}

static bool shows(const struct world *world, const char *words)
{
	STR_AUTO struct str text = STR_INIT;
	struct frame frame = {0};

	view_draw(&world->model, &world->ui, world->now_ms, &frame);
	frame_print(&frame, false, &text);
	frame_release(&frame);
	return strstr(str_c(&text), words) != NULL;
}

static void read_all(struct world *world, int64_t from_ms)
{
	for (int64_t at = from_ms; world_unseen(world) > 0 && at < from_ms + 30000; at += 300)
		world_keys(world, at, " ");
}

/* The word was typed for the card of before: the gate row does not offer it for one that nobody has read. */
static void a_typed_word_is_no_yes_to_a_card_that_changed_under_it(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 80, 24);
	struct job *job = world_call(&world, "rm", 60);
	world_danger(job, "remove");
	world_follow(&world);
	read_all(&world, 1000);
	int64_t now = world.now_ms + 1000;
	world_keys(&world, now, "a");
	world_run(&world, now += 100);
	assert_int_equal(world.ui.prompt.kind, PROMPT_WORD);
	world_keys(&world, now, "remove");
	world_run(&world, now += 1000);
	assert_true(shows(&world, "approve ready"));
	world_change(&world, 1);
	world_run(&world, now += 1000);
	assert_int_equal(world.ui.prompt.kind, PROMPT_WORD);
	assert_true(world_unseen(&world) > 0);
	assert_false(shows(&world, "approve ready"));
	assert_true(shows(&world, "the card changed: Esc, then read it again"));
	world_keys(&world, now + 1000, "\r");
	world_run(&world, now + 2000);
	assert_string_equal(str_c(&world.log), "");
	world_release(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_counts_after_it_stood),
		cmocka_unit_test(space_walks_through_all_parts_until_the_lamp_can_light),
		cmocka_unit_test(a_jump_to_the_end_leaves_fog_and_space_goes_there),
		cmocka_unit_test(what_scrolls_by_fast_is_not_seen),
		cmocka_unit_test(rows_go_on_standing_while_the_text_moves),
		cmocka_unit_test(a_new_width_keeps_what_was_seen),
		cmocka_unit_test(a_new_width_keeps_the_place),
		cmocka_unit_test(too_small_sees_nothing),
		cmocka_unit_test(other_views_and_pauses_see_nothing),
		cmocka_unit_test(a_changed_card_is_fog_again),
		cmocka_unit_test(a_typed_word_is_no_yes_to_a_card_that_changed_under_it),
		cmocka_unit_test(details_are_behind_what_decides),
		cmocka_unit_test(memory_of_decided_cards_is_given_back),
		cmocka_unit_test(the_record_is_told_how_long_each_row_stood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include "tui/ui.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/ui_script.h"
#include "tests/unit/ui_world.h"
#include "tui/view.h"

#define CLICK 0
#define WHEEL_UP 64
#define WHEEL_DOWN 65

/* As a terminal reports it, its columns and rows from 1 on. */
static void report(struct world *world, unsigned button, unsigned col, unsigned row)
{
	char bytes[40];

	snprintf(bytes, sizeof(bytes), "\033[<%u;%u;%uM", button, col + 1, row + 1);
	world_keys(world, world->now_ms + 10, bytes);
	if (button == CLICK) {
		snprintf(bytes, sizeof(bytes), "\033[<0;%u;%um", col + 1, row + 1);
		world_keys(world, world->now_ms + 10, bytes);
	}
}

static void open_calls(struct world *world, unsigned cols, unsigned rows, unsigned calls)
{
	world_init(world, cols, rows);
	for (unsigned i = 0; i < calls; i++)
		world_call(world, "ls", 30);
	world_follow(world);
}

static void a_click_gives_a_pane_the_keys(void **state)
{
	static const struct {
		unsigned col, row;
		enum view view;
	} cases[] = {{60, 10, VIEW_CARD}, {20, 1, VIEW_QUEUE}, {39, 22, VIEW_QUEUE},
		{40, 22, VIEW_CARD}, {40, 23, VIEW_OUTPUT}, {5, 32, VIEW_OUTPUT},
		{5, 0, VIEW_OUTPUT}, {5, 34, VIEW_OUTPUT}, {119, 2, VIEW_CARD}};
	struct world world;

	(void)state;
	open_calls(&world, 120, 36, 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		report(&world, CLICK, cases[i].col, cases[i].row);
		assert_int_equal(world.ui.view, cases[i].view);
	}
	world_release(&world);
}

/* Of the wide queue: a row for each line of a call, below the head in row 2. */
static void a_click_selects_a_row_and_opens_nothing(void **state)
{
	static const struct {
		unsigned row;
		uint64_t selected;
	} cases[] = {{5, 2}, {6, 2}, {3, 1}, {2, 1}, {21, 10}, {22, 10}, {1, 10}};
	struct world world;

	(void)state;
	open_calls(&world, 120, 36, 40);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		report(&world, CLICK, 10, cases[i].row);
		assert_int_equal(world.ui.selected, cases[i].selected);
		assert_int_equal(world.ui.card_seq, 1);
		assert_int_equal(world.ui.view, VIEW_QUEUE);
	}
	/* Scrolled, the rows are others. */
	report(&world, WHEEL_DOWN, 10, 10);
	report(&world, CLICK, 10, 3);
	assert_int_equal(world.ui.selected, 4);
	world_release(&world);
	open_calls(&world, 80, 24, 40);
	world_keys(&world, 100, "1");
	report(&world, CLICK, 10, 4);
	assert_int_equal(world.ui.selected, 2);
	report(&world, CLICK, 10, 20);
	assert_int_equal(world.ui.selected, 18);
	assert_int_equal(world.ui.view, VIEW_QUEUE);
	world_release(&world);
}

static void the_wheel_scrolls_the_pane_under_it(void **state)
{
	struct world world;

	(void)state;
	open_calls(&world, 120, 36, 40);
	report(&world, WHEEL_DOWN, 60, 10);
	assert_int_equal(world.ui.card_top, 3);
	assert_int_equal(world.ui.queue_top, 0);
	report(&world, WHEEL_DOWN, 10, 10);
	assert_int_equal(world.ui.card_top, 3);
	assert_int_equal(world.ui.queue_top, 3);
	assert_int_equal(world.ui.selected, 1);
	assert_int_equal(world.ui.view, VIEW_CARD);
	for (int i = 0; i < 30; i++) {
		report(&world, WHEEL_DOWN, 10, 10);
		report(&world, WHEEL_DOWN, 60, 10);
	}
	assert_int_equal(world.ui.queue_top, 40 - 10);
	for (int i = 0; i < 30; i++) {
		report(&world, WHEEL_UP, 10, 10);
		report(&world, WHEEL_UP, 60, 10);
	}
	assert_int_equal(world.ui.queue_top, 0);
	assert_int_equal(world.ui.card_top, 0);
	world_keys(&world, world.now_ms + 10, "?");
	report(&world, WHEEL_DOWN, 60, 10);
	assert_int_equal(world.ui.view, VIEW_HELP);
	world_release(&world);
}

#define AT_LAMP "\033[<0;3;23M"
#define AT_KEYS "\033[<0;3;24M"
#define ON_CARD_ROWS "\033[<0;10;10M"

static void the_mouse_decides_nothing(void **state)
{
	static const struct script scripts[] = {
		{"the lamp", {{500, AT_LAMP, 0}}, "", "decisions need the keyboard"},
		{"the key of a", {{500, AT_KEYS, 0}}, "", "decisions need the keyboard"},
		{"a click, a too soon", {{500, ON_CARD_ROWS, 0}, {800, "a", 0}}, "",
			"a did nothing: the keys must rest a moment"},
		{"a click, rested", {{500, ON_CARD_ROWS, 0}, {1500, "a", 0}}, "approve 1@1550",
			NULL},
		{"a button let go, too soon", {{500, "\033[<0;10;10m", 0}, {800, "a", 0}}, "",
			"a did nothing: the keys must rest a moment"},
		{"the wheel behind a", {{500, "a", 0}, {520, "\033[<65;10;10M", 0}}, "",
			"a did nothing: something followed it at once"},
		{"the other buttons", {{500, "\033[<1;3;23M\033[<2;3;23M\033[<4;3;23M", 0}}, "",
			""},
		{"a click on a question", {{500, NULL, RUN}, {1000, "x", 0}, {1500, AT_LAMP, 0}},
			"", NULL},
		{"a click on a reason", {{500, "rno", 0}, {1500, AT_LAMP, 0}, {1600, AT_KEYS, 0}},
			"", "decisions need the keyboard"},
		{"outside of the screen", {{500, "\033[<0;900;900M\033[<65;900;900M", 0}}, "", ""},
		{"a screen that is too small", {{500, NULL, SMALL}, {900, AT_LAMP, 0}}, "", ""},
	};

	(void)state;
	scripts_run(scripts, ARRAY_LEN(scripts), false);
	scripts_run(scripts, ARRAY_LEN(scripts), true);
}

static void a_prompt_keeps_the_keys(void **state)
{
	struct world world;

	(void)state;
	open_calls(&world, 120, 36, 3);
	world_keys(&world, 1000, "r");
	report(&world, CLICK, 10, 5);
	report(&world, WHEEL_DOWN, 60, 5);
	assert_int_equal(world.ui.view, VIEW_CARD);
	assert_int_equal(world.ui.selected, 1);
	assert_int_equal(world.ui.card_top, 0);
	assert_int_equal(world.ui.prompt.kind, PROMPT_REASON);
	world_release(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_click_gives_a_pane_the_keys),
		cmocka_unit_test(a_click_selects_a_row_and_opens_nothing),
		cmocka_unit_test(the_wheel_scrolls_the_pane_under_it),
		cmocka_unit_test(the_mouse_decides_nothing),
		cmocka_unit_test(a_prompt_keeps_the_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

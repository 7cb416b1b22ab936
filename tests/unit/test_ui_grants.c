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

#define NO_QUESTION "y did nothing: there is no question"
#define DIGITS "digits change the number, Tab goes to the other; only y says yes"

static const struct script scripts[] = {
	{"a grant", {{500, "t", 0}, {1000, "y", 0}}, "grant 1 10x5@1050", ""},
	{"t before the keys rest", {{399, "t", 0}, {900, "y", 0}}, "", NO_QUESTION},
	{"t in the middle of keys", {{500, "j", 0}, {600, "t", 0}}, "",
		"t did nothing: the keys must rest a moment"},
	{"y too early", {{500, "t", 0}, {899, "y", 0}}, "", ""},
	{"t and y at once", {{500, "ty", 0}}, "", ""},
	{"y not alone", {{500, "t", 0}, {1000, "y", 0}, {1030, "y", 0}}, "", ""},
	{"other numbers",
		{{500, "t", 0}, {600, "3", 0}, {700, "0", 0}, {800, "\t", 0}, {900, "2", 0},
			{1300, "y", 0}},
		"grant 1 30x2@1350", ""},
	{"and back again",
		{{500, "t", 0}, {600, "\t1", 0}, {700, "\t6", 0}, {800, "0", 0}, {1300, "y", 0}},
		"grant 1 60x1@1350", ""},
	{"y before a number has rested", {{500, "t", 0}, {1000, "7", 0}, {1399, "y", 0}}, "", ""},
	{"too many minutes", {{500, "t", 0}, {600, "61", 0}, {1100, "y", 0}}, "", ""},
	{"too many times", {{500, "t", 0}, {600, "\t21", 0}, {1100, "y", 0}}, "", ""},
	{"no minute", {{500, "t", 0}, {600, "0", 0}, {1100, "y", 0}}, "", ""},
	{"no number", {{500, "t", 0}, {600, "\x7F\x7F", 0}, {1100, "y", 0}}, "", ""},
	{"a digit taken back", {{500, "t", 0}, {600, "\x7F", 0}, {1100, "y", 0}},
		"grant 1 1x5@1150", ""},
	{"more digits than a number has", {{500, "t", 0}, {600, "0000000012", 0}, {1100, "y", 0}},
		"", ""},
	{"pasted numbers", {{500, "t", 0}, {600, "\x1B[200~60\x1B[201~", 0}, {1100, "y", 0}},
		"grant 1 10x5@1150", ""},
	{"Enter is no yes", {{500, "t", 0}, {1000, "\r", 0}}, "", DIGITS},
	{"Space is no yes", {{500, "t", 0}, {1000, " ", 0}}, "", DIGITS},
	{"a and t are no yes", {{500, "t", 0}, {1000, "a", 0}, {1500, "t", 0}}, "", DIGITS},
	{"Y is no yes", {{500, "t", 0}, {1000, "Y", 0}}, "", DIGITS},
	{"Esc", {{500, "t", 0}, {600, "\x1B", 0}, {2000, "y", 0}}, "", NO_QUESTION},
	{"a danger", {{0, NULL, DANGER}, {500, "t", 0}, {1000, "y", 0}}, "", NO_QUESTION},
	{"a danger says why", {{0, NULL, DANGER}, {500, "t", 0}}, "",
		"t did nothing: such a card is read each time"},
	{"the card changes under the prompt", {{500, "t", 0}, {700, NULL, CHANGE}, {2000, "y", 0}},
		"", NO_QUESTION},
	{"the card changes under y", {{500, "t", 0}, {1000, "y", 0}, {1030, NULL, CHANGE}}, "",
		"call 1 changed, nothing decided"},
	{"withdrawn under the prompt", {{500, "t", 0}, {700, NULL, WITHDRAW}}, "",
		"call 1 changed, nothing decided"},
	{"withdrawn under y", {{500, "t", 0}, {1000, "y", 0}, {1030, NULL, WITHDRAW}}, "", NULL},
	{"the record breaks under y", {{500, "t", 0}, {1000, "y", 0}, {1030, NULL, BREAK_RECORD}},
		"", "y did nothing: the record cannot be written: disk full"},
	{"too small", {{500, "t", 0}, {700, NULL, SMALL}, {2000, "y", 0}}, "", NULL},
	{"a new width", {{500, "t", 0}, {700, NULL, NARROW}, {1099, "y", 0}}, "", ""},
	{"decided", {{400, NULL, RUN}, {1000, "t", 0}}, "", "t did nothing: decided already"},
	{"on the queue", {{500, "1", 0}, {1000, "t", 0}}, "",
		"t did nothing here. ? shows the keys."},
	{"x without a grant", {{500, "5", 0}, {1000, "x", 0}, {1500, "y", 0}}, "", NO_QUESTION},
};

static void each_script_gives_its_intents(void **state)
{
	(void)state;
	scripts_run(scripts, ARRAY_LEN(scripts), false);
}

static void pieces_of_a_script_give_the_same_intents(void **state)
{
	(void)state;
	scripts_run(scripts, ARRAY_LEN(scripts), true);
}

static void give(struct world *world, unsigned minutes)
{
	struct grant grant = {.seq = 1,
		.command = mem_strdup("ls"),
		.minutes = minutes,
		.times = 3,
		.made_at_ms = world->now_ms};
	struct err err = ERR_INIT;

	assert_int_equal(grants_add(&world->model.grants, &grant, world->now_ms, &err), 0);
}

static void a_grant_is_revoked_by_x_and_y(void **state)
{
	struct world world;

	(void)state;
	script_open_card(&world);
	give(&world, 1);
	give(&world, 10);
	world_keys(&world, 1000, "5");
	assert_int_equal(world.ui.view, VIEW_GRANTS);
	assert_int_equal(world.ui.grant_number, 1);
	world_keys(&world, 1500, "j");
	world_keys(&world, 2000, "j");
	assert_int_equal(world.ui.grant_number, 2);
	world_keys(&world, 2500, "x");
	world_keys(&world, 2899, "y");
	world_run(&world, 3400);
	assert_string_equal(str_c(&world.log), "");
	world_keys(&world, 3500, "y");
	world_run(&world, 4000);
	assert_string_equal(str_c(&world.log), "revoke 2@3550");
	assert_int_equal(world.ui.prompt.kind, PROMPT_NONE);
	world_keys(&world, 5000, "k");
	world_keys(&world, 5500, "x");
	assert_int_equal(world.ui.prompt.kind, PROMPT_REVOKE);
	world_run(&world, 61000);
	world_follow(&world);
	assert_int_equal(world.ui.prompt.kind, PROMPT_NONE);
	assert_string_equal(world.ui.message, "grant 1 holds no more, nothing decided");
	world_keys(&world, 62000, "x");
	assert_string_equal(world.ui.message, "x did nothing: it holds no more");
	world_keys(&world, 63000, "\x1B");
	world_run(&world, 64000);
	assert_int_equal(world.ui.view, VIEW_QUEUE);
	world_release(&world);
}

/* Only while the list is on the screen, and only when a figure of it changes. */
static void the_list_wakes_the_loop_when_a_figure_changes(void **state)
{
	struct world world;

	(void)state;
	script_open_card(&world);
	world_state(&world, 1, JOB_WITHDRAWN);
	give(&world, 10);
	world_run(&world, 1000);
	world.ticks = 0;
	world_run(&world, 2000);
	assert_int_equal(world.ticks, 0);
	world_keys(&world, 2000, "5");
	world_run(&world, 2500);
	world.ticks = 0;
	world_run(&world, 400000);
	assert_true(world.ticks >= 5 && world.ticks <= 8);
	world_run(&world, 700000);
	world.ticks = 0;
	world_run(&world, 900000);
	assert_int_equal(world.ticks, 0);
	world_release(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_script_gives_its_intents),
		cmocka_unit_test(pieces_of_a_script_give_the_same_intents),
		cmocka_unit_test(a_grant_is_revoked_by_x_and_y),
		cmocka_unit_test(the_list_wakes_the_loop_when_a_figure_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

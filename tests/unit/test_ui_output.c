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
#include "tests/unit/ui_world.h"

static void an_output_unfolds_and_pans_as_far_as_its_lines_go(void **state)
{
	static const struct {
		const char *keys;
		bool unfold;
		size_t pan;
		const char *says;
	} steps[] = {
		{"l", false, 0, "lines are wrapped here: u unfolds them"},
		{"u", true, 0, ""},
		{"h", true, 0, "this is the left end"},
		{"l", true, 39, ""},
		{"\x1B[C", true, 78, ""},
		{"l", true, 78, "no line on the screen goes on at the right"},
		{"\x1B[D", true, 39, ""},
		{"u", false, 0, ""},
	};
	struct world world;

	(void)state;
	world_init(&world, 80, 24);
	struct job *job = world_call(&world, "make", 0);

	for (unsigned i = 0; i < 150; i++)
		str_add_char(&job->output, (char)('a' + i % 26));
	world_follow(&world);
	world_state(&world, 1, JOB_RUNNING);
	world_keys(&world, 1000, "3");
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		world_keys(&world, 2000 + 1000 * (int64_t)i, steps[i].keys);
		assert_int_equal(world.ui.unfold, steps[i].unfold);
		assert_int_equal(world.ui.pan, steps[i].pan);
		assert_string_equal(world.ui.message, steps[i].says);
	}
	world_release(&world);
}

/* Else somebody who reads in the middle would be somewhere else. */
static void unfolding_keeps_the_line_at_the_top(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 80, 24);
	struct job *job = world_call(&world, "make", 0);

	for (unsigned i = 0; i < 100; i++)
		str_printf(&job->output, "%0200u\n", i);
	world_follow(&world);
	world_state(&world, 1, JOB_RUNNING);
	world_keys(&world, 1000, "3");
	world_keys(&world, 2000, "g");
	for (int64_t i = 0; i < 30; i++)
		world_keys(&world, 3000 + i * 100, "j");
	assert_int_equal(world.ui.output_top, 30);
	world_keys(&world, 9000, "u");
	assert_int_equal(world.ui.output_top, 10);
	world_keys(&world, 10000, "u");
	assert_int_equal(world.ui.output_top, 30);
	world_release(&world);
}

static void an_output_is_saved_under_the_name_that_was_typed(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 80, 24);
	struct job *job = world_call(&world, "make", 0);

	snprintf(world.model.session_short, sizeof(world.model.session_short), "4121-9c3e");
	world_follow(&world);
	world_state(&world, 1, JOB_RUNNING);
	world_keys(&world, 1000, "o");
	assert_string_equal(world.ui.message, "o did nothing: there is no output to save");
	str_add(&job->output, "text");
	world_keys(&world, 2000, "o");
	assert_int_equal(world.ui.prompt.kind, PROMPT_SAVE);
	assert_string_equal(str_c(&world.ui.prompt.text), "exequatur-4121-9c3e-1.txt");
	world_keys(&world, 3000, "\r");
	assert_string_equal(str_c(&world.log), "save 1 \"exequatur-4121-9c3e-1.txt\"@3000");
	assert_int_equal(world.ui.prompt.kind, PROMPT_NONE);
	/* Another name, then none; Esc saves nothing. */
	world_keys(&world, 4000, "3");
	world_keys(&world, 5000, "o");
	prompt_set(&world.ui.prompt, "");
	world_keys(&world, 5100, "o x+.txt");
	world_keys(&world, 5200, "\r");
	assert_non_null(strstr(str_c(&world.log), ", save 1 \"o x+.txt\"@5200"));
	world_keys(&world, 6000, "o");
	prompt_set(&world.ui.prompt, " ");
	world_keys(&world, 6100, "\r");
	assert_string_equal(world.ui.message, "Enter did nothing: there is no name yet");
	size_t before = world.log.len;
	world_keys(&world, 6200, "\x1B");
	world_run(&world, 9000);
	world_keys(&world, 9100, "\r");
	assert_int_equal(world.log.len, before);
	world_release(&world);
}

static void what_is_sought_comes_into_sight_and_ends_the_following(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 80, 24);
	struct job *job = world_call(&world, "make", 0);

	for (unsigned i = 0; i < 100; i++)
		str_printf(&job->output, "line %u\n", i);
	world_follow(&world);
	world_state(&world, 1, JOB_RUNNING);
	world_keys(&world, 1000, "3");
	assert_true(world.ui.following);
	/* From what is on the screen on: nothing is there, so it is sought from the start again. */
	world_keys(&world, 2000, "/");
	world_keys(&world, 2100, "LINE 4");
	world_keys(&world, 2200, "\r");
	assert_string_equal(world.ui.message, "match 1 of 11, from the start again");
	assert_int_equal(world.ui.output_top, 0);
	assert_false(world.ui.following);
	world_keys(&world, 3000, "n");
	assert_string_equal(world.ui.message, "match 2 of 11");
	assert_int_equal(world.ui.output_top, 40 - 17 / 3);
	/* In sight already. */
	world_keys(&world, 4000, "n");
	assert_int_equal(world.ui.output_top, 40 - 17 / 3);
	world_keys(&world, 5000, "N");
	world_keys(&world, 5500, "N");
	world_keys(&world, 6000, "N");
	assert_string_equal(world.ui.message, "match 11 of 11, from the end again");
	world_keys(&world, 7000, "/");
	assert_string_equal(str_c(&world.ui.prompt.text), "LINE 4");
	prompt_set(&world.ui.prompt, "nowhere");
	world_keys(&world, 7100, "\r");
	assert_string_equal(world.ui.message, "not found: nowhere");
	/* An empty one ends the search. */
	world_keys(&world, 8000, "/");
	prompt_set(&world.ui.prompt, "");
	world_keys(&world, 8100, "\r");
	world_keys(&world, 9000, "n");
	assert_string_equal(world.ui.message, "n did nothing: nothing is sought, / seeks");
	world_release(&world);
}

static void a_match_in_an_unfolded_line_is_panned_to(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 80, 24);
	struct job *job = world_call(&world, "make", 0);

	str_printf(&job->output, "%0300u needle", 0);
	world_follow(&world);
	world_state(&world, 1, JOB_RUNNING);
	world_keys(&world, 1000, "3");
	world_keys(&world, 2000, "u");
	world_keys(&world, 3000, "/");
	world_keys(&world, 3100, "needle");
	world_keys(&world, 3200, "\r");
	assert_true(world.ui.pan > 301 - 39 && world.ui.pan < 301);
	world_release(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_output_unfolds_and_pans_as_far_as_its_lines_go),
		cmocka_unit_test(unfolding_keeps_the_line_at_the_top),
		cmocka_unit_test(an_output_is_saved_under_the_name_that_was_typed),
		cmocka_unit_test(what_is_sought_comes_into_sight_and_ends_the_following),
		cmocka_unit_test(a_match_in_an_unfolded_line_is_panned_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

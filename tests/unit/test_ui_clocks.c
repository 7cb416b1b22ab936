#include "config.h"

#include "tui/ui.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/ui_world.h"

/* A screen that nobody touches wakes for the clocks on it, and for nothing else. */

/* Waiting and running calls, each with its own moment of a second. */
static void open_many(struct world *world, unsigned calls)
{
	world_init(world, 80, 24);
	for (unsigned n = 0; n < calls; n++) {
		struct job *job = world_call(world, "make", 0);

		job->deadline_at_ms = world->now_ms + 300000 - 5333 * (int64_t)n;
		world_follow(world);
		if (n % 3 == 1)
			world_state(world, n + 1, JOB_RUNNING);
		world_run(world, world->now_ms + 137);
	}
	/* What stood on the card has been seen, and the keys have rested. */
	world_run(world, world->now_ms + 2000);
}

static void clocks_wake_the_loop_once_a_second_at_most(void **state)
{
	static const unsigned counts[] = {1, 2, 7, 40};
	static const enum view views[] = {VIEW_QUEUE, VIEW_CARD, VIEW_OUTPUT};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(counts) * ARRAY_LEN(views); i++) {
		struct world world;

		open_many(&world, counts[i % ARRAY_LEN(counts)]);
		world.ui.view = views[i / ARRAY_LEN(counts)];
		unsigned before = world.ticks;
		world_run(&world, world.now_ms + 60000);
		assert_in_range(world.ticks - before, 50, 60);
		world_release(&world);
	}
}

/* However late the loop is, the next time is the one it would have been. */
static void a_clock_alone_does_not_fall_behind(void **state)
{
	struct world world;
	struct intent intent;

	(void)state;
	world_init(&world, 80, 24);
	world_call(&world, "make", 0);
	world_follow(&world);
	world_run(&world, 3500);
	for (int64_t late = 1; late < 400; late += 7) {
		int64_t due = ui_next_tick(&world.ui, &world.model, world.now_ms);

		assert_int_equal(due % 1000, 1);
		world.now_ms = due + late;
		ui_tick(&world.ui, &world.model, world.now_ms, &intent);
		world_draw(&world);
	}
	world_release(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_wake_the_loop_once_a_second_at_most),
		cmocka_unit_test(a_clock_alone_does_not_fall_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

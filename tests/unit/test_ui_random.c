#include "config.h"

#include "tui/ui.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/ui_world.h"

/* Whatever is typed, in whatever time: an intent comes only of a deciding key that was alone. */

#define ROUNDS 200
#define BYTES 120

static unsigned seed;

static unsigned pick(unsigned of)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % of;
}

struct typed { /* the last two arrivals */
	int64_t at_ms, before_ms;
	char byte;
};

static bool alone_before(const struct typed *typed)
{
	return typed->at_ms - typed->before_ms >= UI_REST_MS;
}

static void check_quit(const struct world *world, const struct typed *typed)
{
	bool open = false;

	for (size_t i = 0; i < world->model.count; i++)
		open = open || world->model.jobs[i]->state < JOB_ENDED;
	if (typed->byte == 'y')
		assert_true(alone_before(typed));
	else
		assert_true(!open && (typed->byte == 'q' || typed->byte == '\x03'));
}

static void check_intent(const struct world *world, const struct typed *typed)
{
	const char *log = str_c(&world->log);

	assert_int_equal(world->now_ms - typed->at_ms, UI_ALONE_MS);
	if (strncmp(log, "approve", 7) == 0) {
		assert_true(alone_before(typed));
		assert_int_equal(typed->byte, strchr(log, '"') != NULL ? '\r' : 'a');
		assert_int_equal(world_unseen(world), 0);
	} else if (strncmp(log, "stop", 4) == 0) {
		assert_int_equal(typed->byte, 'y');
		assert_true(alone_before(typed));
	} else if (strncmp(log, "editor", 6) == 0) {
		assert_int_equal(typed->byte, 'e');
	} else if (strncmp(log, "reject", 6) == 0 || strncmp(log, "edit", 4) == 0) {
		assert_int_equal(typed->byte, '\r');
	} else {
		check_quit(world, typed);
	}
}

/* When something can happen by itself, at most `until`. */
static int64_t next_moment(const struct world *world, int64_t until_ms)
{
	int64_t tick = ui_next_tick(&world->ui, &world->model, world->now_ms);
	int64_t deadline = key_parser_deadline(world->keys);

	if (tick >= 0 && tick < until_ms)
		until_ms = tick;
	return deadline >= 0 && deadline < until_ms ? deadline : until_ms;
}

/* Looks at each wake; returns the number of intents. */
static unsigned run_until(struct world *world, int64_t until_ms, const struct typed *typed)
{
	unsigned intents = 0;

	while (world->now_ms < until_ms) {
		world_run(world, next_moment(world, until_ms));
		if (world->log.len == 0)
			continue;
		check_intent(world, typed);
		str_clear(&world->log);
		intents++;
	}
	return intents;
}

static int64_t gap(void)
{
	static const int64_t gaps[] = {0, 1, 10, 49, 50, 51, 150, 399, 400, 401, 450, 500, 900};

	return gaps[pick(ARRAY_LEN(gaps))];
}

static void disturb(struct world *world)
{
	static const enum job_state states[] = {JOB_RUNNING, JOB_ENDED, JOB_WITHDRAWN, JOB_WAITING};
	uint64_t seq = 1 + pick((unsigned)world->model.count);

	switch (pick(12)) {
	case 0:
		world_change(world, seq);
		break;
	case 1:
		world_state(world, seq, states[pick(ARRAY_LEN(states))]);
		break;
	case 2:
		ui_resize(&world->ui, 58 + pick(40), 14 + pick(20), world->now_ms);
		world_follow(world);
		break;
	case 3:
		if (world->model.count < 6)
			world_call(world, "ls\necho", pick(20));
		world_follow(world);
		break;
	default:
		break;
	}
}

static unsigned play(void)
{
	static const char keys[] =
		"aaaaaaarreexxyyyqq\r\r\rhidden!!  jkJKgGvb123?\x1B\x1B[[OI~\x03\xC3\x9B"
		"A";
	struct world world;
	struct typed typed = {.at_ms = -10000, .before_ms = -10000};
	unsigned intents = 0;

	world_init(&world, 80, 24);
	struct job *job = world_call(&world, "ls\necho two", pick(30));
	if (pick(3) == 0)
		world_danger(job, "hidden");
	world_follow(&world);
	for (unsigned i = 0; i < BYTES; i++) {
		char byte = keys[pick(sizeof(keys) - 1)];

		intents += run_until(&world, world.now_ms + gap(), &typed);
		typed = (struct typed){
			.at_ms = world.now_ms, .before_ms = typed.at_ms, .byte = byte};
		world_type(&world, world.now_ms, &byte, 1);
		/* Whether new calls of a sender are taken: at once, and about nothing that waits. */
		if (byte == 'i' && strstr(str_c(&world.log), "-sender@") != NULL)
			str_clear(&world.log);
		assert_int_equal(world.log.len, 0); /* nothing is decided at once */
		disturb(&world);
	}
	intents += run_until(&world, world.now_ms + 1000, &typed);
	world_release(&world);
	return intents;
}

static void no_intent_comes_of_a_key_that_was_not_alone(void **state)
{
	unsigned intents = 0;

	(void)state;
	seed = 14;
	for (unsigned round = 0; round < ROUNDS; round++)
		intents += play();
	/* And some do come, else nothing was tried. */
	assert_true(intents > ROUNDS / 4);
}

/* Its rows stood for a moment only: the time of the next card is not theirs. */
static void a_card_that_went_stands_no_longer(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, 80, 24);
	world_call(&world, "ls", 60);
	world_call(&world, "ls", 2);
	world_follow(&world);
	world_run(&world, 1000);
	size_t unseen = world_unseen(&world);

	assert_true(unseen > 0);
	world_keys(&world, 1000, "G");
	world_keys(&world, 1010, "J");
	assert_int_equal(world.ui.card_seq, 2);
	world_run(&world, 3000);
	assert_int_equal(world_unseen(&world), 0);
	world_keys(&world, 3000, "K");
	assert_int_equal(world.ui.card_seq, 1);
	assert_int_equal(world_unseen(&world), unseen);
	world_release(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_that_went_stands_no_longer),
		cmocka_unit_test(no_intent_comes_of_a_key_that_was_not_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include "app/player_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app/player_steps.h"
#include "base/mem.h"

/* The clock of a film under a clock of the test, and what its keys do. */

#define GOLDEN TEST_DATA "/record-v1.jsonl"
#define GOLDEN_DECISIONS 7
#define GOLDEN_LETTERS "araaxala" /* of its decisions, stops and limits */

static void the_clock_runs_at_its_speed(void **state)
{
	static const struct {
		int speed;
		int64_t world_ms, film_ms;
	} rows[] = {{0, 1000, 1000}, {1, 1000, 2000}, {7, 10, 1280}, {-1, 1000, 500}, {-3, 80, 10}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct player_clock clock = {.speed = rows[i].speed};

		player_clock_set(&clock, 100, 5000);
		assert_false(player_clock_run(&clock, 5000 + rows[i].world_ms, 100, -1));
		assert_int_equal(100 + rows[i].film_ms, player_clock_at_ms(&clock));
	}
}

/* However often it is looked at, nothing of the time is lost: also where a look is shorter than a millisecond of the film. */
static void many_looks_are_as_one(void **state)
{
	(void)state;
	for (int speed = -3; speed <= 7; speed++) {
		struct player_clock often = {.speed = speed}, once = {.speed = speed};

		for (int64_t mono = 1; mono <= 4000; mono++)
			player_clock_run(&often, mono, 0, -1);
		player_clock_run(&once, 4000, 0, -1);
		assert_int_equal(player_clock_at_ms(&once), player_clock_at_ms(&often));
	}
}

static void an_event_is_due_at_its_time_and_not_before(void **state)
{
	struct player_clock clock = {0};

	(void)state;
	player_clock_set(&clock, 0, 0);
	assert_int_equal(500, player_clock_due(&clock, 0, 500));
	assert_false(player_clock_run(&clock, 499, 0, 500));
	assert_int_equal(1, player_clock_due(&clock, 0, 500));
	assert_true(player_clock_run(&clock, 700, 0, 500));
	assert_int_equal(500, player_clock_at_ms(&clock));
	/* The 200 ms that were left count for the next one. */
	assert_true(player_clock_run(&clock, 700, 500, 650));
	assert_false(player_clock_run(&clock, 700, 650, 701));
	assert_int_equal(700, player_clock_at_ms(&clock));
}

static void a_long_wait_is_cut_to_the_most_and_a_short_one_is_not(void **state)
{
	struct player_clock clock = {.max_wait_ms = 3000};

	(void)state;
	player_clock_set(&clock, 1000, 0);
	assert_int_equal(3000, player_clock_due(&clock, 1000, 601000));
	assert_false(player_clock_run(&clock, 2999, 1000, 601000));
	assert_true(player_clock_run(&clock, 3000, 1000, 601000));
	assert_int_equal(601000, player_clock_at_ms(&clock));
	assert_false(player_clock_run(&clock, 5999, 601000, 604000));
	assert_true(player_clock_run(&clock, 6000, 601000, 604000));
	clock.max_wait_ms = 0;
	assert_int_equal(600000, player_clock_due(&clock, 604000, 1204000));
}

static void a_pause_takes_no_time(void **state)
{
	struct player_clock clock = {0};

	(void)state;
	player_clock_pause(&clock, true, 100);
	assert_int_equal(-1, player_clock_due(&clock, 0, 10));
	assert_false(player_clock_run(&clock, 90000, 0, 10));
	player_clock_pause(&clock, false, 90000);
	assert_int_equal(0, player_clock_at_ms(&clock));
	assert_true(player_clock_run(&clock, 90010, 0, 10));
}

static void forged_times_do_not_overflow(void **state)
{
	struct player_clock clock = {.speed = 7, .max_wait_ms = 3000};

	(void)state;
	player_clock_set(&clock, 0, INT64_MIN / 4);
	player_clock_run(&clock, INT64_MAX / 4, 0, (int64_t)1 << 52);
	assert_int_equal((int64_t)1 << 52, player_clock_at_ms(&clock));
}

/* The keys on the golden record: each goes where its name says. */
struct desk {
	struct player player;
	struct player_marks marks;
	struct player_film pf;
};

static void desk_open(struct desk *d)
{
	struct err err = ERR_INIT;

	assert_int_equal(0, player_open(GOLDEN, &d->player, &err));
	assert_int_equal(0, player_marks_open(GOLDEN, &d->marks, &err));
	while (player_marks_work(&d->marks, 100))
		;
	player_film_init(&d->pf, 100, 30);
	player_seek_event(&d->player, 1);
	while (!player_work(&d->player, 0, 10))
		;
	player_film_update(&d->pf, &d->player, &d->marks);
}

static void desk_close(struct desk *d)
{
	player_film_release(&d->pf);
	player_marks_close(&d->marks);
	player_close(&d->player);
}

static void press(struct desk *d, enum film_step step)
{
	struct intent intent = {.kind = INTENT_FILM, .seq = step, .until = 500000};

	d->pf.ui.message[0] = '\0';
	player_step_film(&d->player, &d->pf, &intent, 0);
	while (!player_work(&d->player, 0, 10))
		;
	player_film_update(&d->pf, &d->player, &d->marks);
}

static void decisions_come_one_by_one_and_back(void **state)
{
	uint64_t there[64];
	size_t count = 0;
	struct desk d;

	(void)state;
	desk_open(&d);
	for (press(&d, FILM_DECISION_ON); d.pf.ui.message[0] == '\0'; press(&d, FILM_DECISION_ON)) {
		assert_true(count == 0 || d.player.event > there[count - 1]);
		there[count++] = d.player.event;
	}
	assert_string_equal("no decision behind this", d.pf.ui.message);
	assert_int_equal(GOLDEN_DECISIONS, count);
	while (--count > 0) {
		press(&d, FILM_DECISION_BACK);
		assert_int_equal(there[count - 1], d.player.event);
	}
	press(&d, FILM_DECISION_BACK);
	assert_string_equal("no decision before this", d.pf.ui.message);
	assert_int_equal(there[0], d.player.event);
	press(&d, FILM_FAILURE_ON);
	assert_int_equal(REASON_TIMEOUT, model_job(&d.player.model, d.player.seq)->reason);
	press(&d, FILM_FAILURE_ON);
	assert_string_equal("no limit or failure behind this", d.pf.ui.message);
	desk_close(&d);
}

static void events_come_one_by_one_and_the_film_stands_still(void **state)
{
	struct desk d;

	(void)state;
	desk_open(&d);
	press(&d, FILM_EVENT_BACK);
	assert_int_equal(1, d.player.event);
	for (uint64_t n = 2; n < 40; n++) {
		press(&d, FILM_EVENT_ON);
		assert_int_equal(n, d.player.event);
		assert_true(d.player.clock.paused);
	}
	press(&d, FILM_EVENT_BACK);
	assert_int_equal(38, d.player.event);
	press(&d, FILM_PAUSE);
	assert_false(d.player.clock.paused);
	press(&d, FILM_PAUSE);
	assert_true(d.player.clock.paused);
	desk_close(&d);
}

static void speed_has_two_ends(void **state)
{
	struct desk d;

	(void)state;
	desk_open(&d);
	for (int speed = 1; speed <= FILM_SPEED_MAX; speed++) {
		press(&d, FILM_FASTER);
		assert_int_equal(speed, d.pf.film.speed);
	}
	press(&d, FILM_FASTER);
	assert_string_equal("this is the fastest", d.pf.ui.message);
	assert_int_equal(FILM_SPEED_MAX, d.pf.film.speed);
	for (int i = FILM_SPEED_MAX; i > FILM_SPEED_MIN; i--)
		press(&d, FILM_SLOWER);
	press(&d, FILM_SLOWER);
	assert_string_equal("this is the slowest", d.pf.ui.message);
	assert_int_equal(FILM_SPEED_MIN, d.pf.film.speed);
	desk_close(&d);
}

static void the_bar_goes_to_its_part_and_space_at_the_end_begins_anew(void **state)
{
	struct desk d;

	(void)state;
	desk_open(&d);
	press(&d, FILM_BAR);
	assert_in_range(player_clock_at_ms(&d.player.clock), d.marks.last_ms / 2 - 1,
		d.marks.last_ms / 2 + 1);
	player_seek_event(&d.player, UINT64_MAX);
	while (!player_work(&d.player, 0, 10))
		;
	player_film_update(&d.pf, &d.player, &d.marks);
	assert_true(d.pf.film.at_end);
	press(&d, FILM_PAUSE);
	assert_int_equal(1, d.player.event);
	assert_false(d.player.clock.paused);
	desk_close(&d);
}

/* The screen shows what the reviewer had at each event, and at a decision that all of the card had been seen. */
static void what_the_reviewer_had_is_there_at_each_decision(void **state)
{
	struct desk d;
	unsigned looked = 0;

	(void)state;
	desk_open(&d);
	for (press(&d, FILM_DECISION_ON); d.pf.ui.message[0] == '\0'; press(&d, FILM_DECISION_ON)) {
		const struct job *job = model_job(&d.player.model, d.player.seq);

		if (job == NULL || job->decision != DECISION_APPROVED)
			continue;
		assert_non_null(d.pf.film.then);
		assert_int_equal(d.player.seq, d.pf.film.then->card_seq);
		assert_int_equal(d.player.seq, d.pf.ui.card_seq);
		assert_int_equal(job->rows_seen, job->rows_total);
		looked++;
	}
	assert_true(looked > 3);
	desk_close(&d);
}

static void marks_are_the_decisions_of_the_record(void **state)
{
	struct player_marks marks;
	struct err err = ERR_INIT;
	STR_AUTO struct str letters = STR_INIT;

	(void)state;
	assert_int_equal(0, player_marks_open(GOLDEN, &marks, &err));
	while (player_marks_work(&marks, 7))
		;
	assert_true(marks.done);
	assert_true(marks.events > marks.items[marks.count - 1].event);
	for (size_t i = 0; i < marks.count; i++) {
		str_add_char(&letters, marks.items[i].letter);
		assert_true(i == 0 || marks.items[i].event > marks.items[i - 1].event);
	}
	assert_string_equal(GOLDEN_LETTERS, str_c(&letters));
	player_marks_close(&marks);
}

static void what_verify_says_becomes_a_word(void **state)
{
	uint64_t line = 9;

	(void)state;
	assert_int_equal(FILM_UNPROVED, player_film_record(GOLDEN, 1, "", &line));
	assert_int_equal(0, line);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_runs_at_its_speed),
		cmocka_unit_test(many_looks_are_as_one),
		cmocka_unit_test(an_event_is_due_at_its_time_and_not_before),
		cmocka_unit_test(a_long_wait_is_cut_to_the_most_and_a_short_one_is_not),
		cmocka_unit_test(a_pause_takes_no_time),
		cmocka_unit_test(forged_times_do_not_overflow),
		cmocka_unit_test(decisions_come_one_by_one_and_back),
		cmocka_unit_test(events_come_one_by_one_and_the_film_stands_still),
		cmocka_unit_test(speed_has_two_ends),
		cmocka_unit_test(the_bar_goes_to_its_part_and_space_at_the_end_begins_anew),
		cmocka_unit_test(what_the_reviewer_had_is_there_at_each_decision),
		cmocka_unit_test(marks_are_the_decisions_of_the_record),
		cmocka_unit_test(what_verify_says_becomes_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include "app/broker.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit/broker_desk.h"

/* Many calls that wait, most of them without a card, and what ends all of them at once. The clock goes as the test says, and each
   time that the disk is asked is counted. */

#define MANY 2000
#define AT_ONCE 32 /* a turn of no time at all ends so many */

static int64_t clock_ms = 1000000, tick_ms;
static unsigned syncs;

int64_t __wrap_clock_mono_ms(void);
int __wrap_fdatasync(int fd);
int __real_fdatasync(int fd);

int64_t __wrap_clock_mono_ms(void)
{
	clock_ms += tick_ms;
	return clock_ms;
}

int __wrap_fdatasync(int fd)
{
	syncs++;
	return __real_fdatasync(fd);
}

struct hall {
	struct desk d;
	unsigned answers, idles;
	uint64_t last; /* the youngest call that was answered */
};

static void on_answer(void *ctx, struct call *call, struct str *line)
{
	struct hall *hall = ctx;

	assert_true(line->len > 0);
	assert_false(audit_dirty(call->broker->audit));
	hall->answers++;
	hall->last = call->seq > hall->last ? call->seq : hall->last;
}

static void on_idle(void *ctx)
{
	struct hall *hall = ctx;

	hall->idles++;
}

static void say(struct hall *hall, unsigned peer, unsigned id)
{
	MEM_AUTO char *line =
		mem_printf("{\"id\":%u,\"name\":\"shell\",\"arguments\":{\"command\":\"ls\"}}", id);

	broker_line(&hall->d.broker, peer, id, line, strlen(line), false);
}

/* As many calls with cards as a sender has, and `count` behind them. */
static void hall_open(struct hall *hall, void **state, unsigned count)
{
	struct broker *broker = &hall->d.broker;

	*hall = (struct hall){0};
	tick_ms = 0;
	desk_open(&hall->d, state);
	hall->d.session.config.max_pending = hall->d.session.config.max_pending_per_sender = 200000;
	broker->hooks = (struct broker_hooks){.ctx = hall, .answer = on_answer, .idle = on_idle};
	broker->parks = true;
	for (unsigned i = 0; i < BROKER_PREPARED; i++)
		ask(&hall->d, NULL, 0);
	for (unsigned i = 1; i <= count; i++)
		say(hall, BROKER_PEER_STDIN, i);
	assert_int_equal(broker->call_count, BROKER_PREPARED);
	assert_int_equal(broker->parking.count, count);
	assert_int_equal(hall->answers, 0);
	/* With CHAIN's line, which is made durable once. */
	assert_int_equal(broker_sync(broker), 0);
	syncs = 0;
}

static void run_until_cleared(struct hall *hall)
{
	while (hall->d.broker.clear_due)
		uv_run(&hall->d.loop, UV_RUN_ONCE);
}

static void hall_close(struct hall *hall)
{
	tick_ms = 0;
	desk_close(&hall->d);
}

/* Time enough for one more is never left: each turn ends as many as it must. */
static void time_flies(void)
{
	tick_ms = 15;
}

static void assert_few_syncs(unsigned answers)
{
	assert_in_range(syncs, 1, answers / AT_ONCE + 2);
}

/* One was not ended with the others: then its card is due, and at this desk there is no sandbox for it. */
static void assert_left_one(struct hall *hall, uint64_t seq)
{
	MEM_AUTO char *refused =
		mem_printf("\"type\":\"refused\",\"seq\":%u,\"reason\":\"no_sandbox_available\"",
			(unsigned)seq);

	while (!broker_idle(&hall->d.broker))
		uv_run(&hall->d.loop, UV_RUN_ONCE);
	assert_int_equal(recorded(&hall->d, refused), 1);
	assert_int_equal(hall->answers, seq);
}

static void a_quit_answers_all_in_turns_and_each_turn_asks_the_disk_once(void **state)
{
	struct hall hall;
	struct broker *broker = &hall.d.broker;

	hall_open(&hall, state, MANY);
	time_flies();
	broker_shut(broker, REASON_CONSOLE_CLOSED, "you quit");
	assert_int_equal(broker->call_count, 0);
	assert_int_equal(broker->parking.count, MANY - AT_ONCE);
	assert_int_equal(hall.answers, BROKER_PREPARED + AT_ONCE);
	assert_int_equal(syncs, 1);
	assert_int_equal(hall.idles, 0);
	run_until_cleared(&hall);
	assert_int_equal(hall.answers, BROKER_PREPARED + MANY);
	assert_int_equal(
		recorded(&hall.d, "\"reason\":\"console_closed\",\"sentence\":\"you quit\""),
		BROKER_PREPARED + MANY);
	assert_few_syncs(BROKER_PREPARED + MANY);
	assert_true(broker_idle(broker));
	assert_true(hall.idles > 0);
	hall_close(&hall);
}

static void the_panic_key_rejects_what_waited_then_and_nothing_else(void **state)
{
	struct hall hall;
	struct broker *broker = &hall.d.broker;
	MEM_AUTO char *said = NULL;

	hall_open(&hall, state, MANY);
	time_flies();
	assert_true(broker_stop_all(broker, &said));
	assert_int_equal(broker->parking.count, MANY - AT_ONCE);
	assert_false(broker_prepare(broker, BROKER_PREPARED + MANY));
	say(&hall, BROKER_PEER_STDIN, MANY + 1);
	assert_int_equal(hall.last, BROKER_PREPARED + MANY + 1);
	assert_true(broker_open_intake(broker, &said));
	assert_false(broker_prepare(broker, BROKER_PREPARED + MANY));
	assert_int_equal(broker->parking.count, MANY - AT_ONCE);
	say(&hall, BROKER_PEER_STDIN, MANY + 2);
	run_until_cleared(&hall);
	assert_int_equal(recorded(&hall.d, "\"text\":\"all was stopped\""), BROKER_PREPARED + MANY);
	assert_int_equal(recorded(&hall.d, "\"reason\":\"intake_closed\",\"sentence\""), 1);
	assert_left_one(&hall, BROKER_PREPARED + MANY + 2);
	assert_few_syncs(BROKER_PREPARED + MANY + 2 * AT_ONCE);
	hall_close(&hall);
}

static void calls_that_are_late_together_expire_in_turns(void **state)
{
	struct hall hall;
	struct broker *broker = &hall.d.broker;

	hall_open(&hall, state, MANY);
	clock_ms += (int64_t)hall.d.session.config.approval_timeout_s * 1000;
	time_flies();
	broker_clear_some(broker);
	assert_int_equal(hall.answers, AT_ONCE);
	run_until_cleared(&hall);
	assert_int_equal(recorded(&hall.d, "\"type\":\"expired\""), MANY);
	assert_int_equal(hall.answers, MANY);
	assert_few_syncs(MANY);
	assert_int_equal(broker->call_count, BROKER_PREPARED);
	hall_close(&hall);
}

static void a_no_to_all_of_a_sender_asks_the_disk_once_a_turn(void **state)
{
	struct intent intent = {.kind = INTENT_REJECT_ALL,
		.seq = BROKER_PEER_STDIN,
		.until = BROKER_PREPARED + MANY - 1,
		.text = (char *)"no"};
	struct hall hall;
	MEM_AUTO char *said = NULL;

	hall_open(&hall, state, MANY);
	time_flies();
	assert_true(broker_intent(&hall.d.broker, &intent, NULL, &said));
	run_until_cleared(&hall);
	assert_int_equal(recorded(&hall.d, "\"type\":\"decided\""), BROKER_PREPARED + MANY - 1);
	assert_left_one(&hall, BROKER_PREPARED + MANY);
	assert_few_syncs(BROKER_PREPARED + MANY + AT_ONCE);
	assert_null(hall.d.broker.reject_all.text);
	hall_close(&hall);
}

static void who_leaves_takes_its_own_calls_along_and_no_other(void **state)
{
	const struct peer_id id = {.uid = 7, .pid = 8, .start = 9, .program = "a"};
	struct hall hall;
	struct broker *broker = &hall.d.broker;

	hall_open(&hall, state, 0);
	unsigned gone = broker_peer_joined(broker, &id), more = broker_peer_joined(broker, &id);

	for (unsigned i = 0; i < BROKER_PREPARED; i++)
		ask_as(&hall.d, more);
	for (unsigned i = 0; i < MANY; i++)
		say(&hall, i % 2 == 0 ? gone : more, i);
	assert_int_equal(broker->parking.count, MANY);
	time_flies();
	broker_peer_left(broker, gone, "closed");
	assert_int_equal(broker->parking.count, MANY - AT_ONCE);
	assert_true(broker_peer_has_calls(broker, gone));
	assert_false(broker_prepare(broker, 2 * BROKER_PREPARED + MANY - 1));
	assert_int_equal(broker->parking.count, MANY - AT_ONCE);
	run_until_cleared(&hall);
	assert_int_equal(recorded(&hall.d, "\"type\":\"withdrawn\""), MANY / 2);
	assert_int_equal(broker->parking.count, MANY / 2);
	assert_false(broker_peer_has_calls(broker, gone));
	assert_true(broker_peer_has_calls(broker, more));
	/* Nobody reads them, so the disk need not be asked. */
	assert_int_equal(hall.answers, 0);
	assert_int_equal(syncs, 0);
	hall_close(&hall);
}

static void an_id_is_in_use_until_its_call_has_an_answer(void **state)
{
	struct hall hall;
	struct broker *broker = &hall.d.broker;

	hall_open(&hall, state, 3);
	say(&hall, BROKER_PEER_STDIN, 2);
	assert_int_equal(hall.answers, 1);
	assert_int_equal(recorded(&hall.d, "the id is in use"), 1);
	broker_refuse(broker_unpark(broker, BROKER_PREPARED + 2), REASON_WITHDRAWN, "gone");
	say(&hall, BROKER_PEER_STDIN, 2);
	say(&hall, BROKER_PEER_STDIN, 1);
	assert_int_equal(recorded(&hall.d, "the id is in use"), 2);
	assert_int_equal(broker->parking.count, 3);
	hall_close(&hall);
}

static void a_call_is_taken_out_by_its_number_wherever_it_stands(void **state)
{
	struct hall hall;
	struct broker *broker = &hall.d.broker;
	const uint64_t first = BROKER_PREPARED + 1;

	hall_open(&hall, state, 300);
	assert_null(broker_unpark(broker, first - 1));
	assert_null(broker_unpark(broker, first + 300));
	/* From the middle outwards, so that what is left has holes. */
	for (uint64_t i = 0; i < 150; i++) {
		const uint64_t two[] = {first + 149 - i, first + 150 + i};

		for (size_t j = 0; j < ARRAY_LEN(two); j++) {
			struct call *call = broker_unpark(broker, two[j]);

			assert_non_null(call);
			assert_true(call->seq == two[j]);
			assert_ptr_equal(broker_call(broker, two[j]), call);
			assert_string_equal(call->request.command, "ls");
			assert_null(broker_unpark(broker, two[j]));
		}
		if (i == 100)
			say(&hall, BROKER_PEER_STDIN, 1000);
	}
	assert_int_equal(broker->parking.count, 1);
	for (size_t i = 1; i < broker->call_count; i++)
		assert_true(broker->calls[i - 1]->seq < broker->calls[i]->seq);
	assert_null(broker_unpark_first(broker, first + 299));
	struct call *last = broker_unpark_first(broker, UINT64_MAX);

	assert_true(last->seq == first + 300);
	assert_false(broker_has_parked(broker, BROKER_PEER_STDIN));
	hall_close(&hall);
}

/* Counted and not timed: with each call that waits looked at it would be the square of them. */
static void an_arrival_looks_at_few_of_those_that_wait(void **state)
{
	static const unsigned counts[] = {1000, 16000};

	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		struct hall hall;

		hall_open(&hall, state, counts[i]);
		assert_in_range(hall.d.broker.ids.steps, 1, 2 * counts[i]);
		assert_int_equal(hall.d.broker.ids.count, counts[i]);
		hall_close(&hall);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_quit_answers_all_in_turns_and_each_turn_asks_the_disk_once, record_setup,
			record_teardown),
		cmocka_unit_test_setup_teardown(
			the_panic_key_rejects_what_waited_then_and_nothing_else, record_setup,
			record_teardown),
		cmocka_unit_test_setup_teardown(calls_that_are_late_together_expire_in_turns,
			record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(a_no_to_all_of_a_sender_asks_the_disk_once_a_turn,
			record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(who_leaves_takes_its_own_calls_along_and_no_other,
			record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(an_id_is_in_use_until_its_call_has_an_answer,
			record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(
			a_call_is_taken_out_by_its_number_wherever_it_stands, record_setup,
			record_teardown),
		cmocka_unit_test_setup_teardown(
			an_arrival_looks_at_few_of_those_that_wait, record_setup, record_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

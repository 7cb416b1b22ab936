#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/model.h"
#include "core/turns.h"

#define MANY 100000u

static struct {
	struct model model;
	int64_t at_ms;
	uint64_t seq;
} world;

static int setup(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	model_init(&world.model);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	model_release(&world.model);
	return 0;
}

static int apply(enum event_type type, uint64_t seq, const char *fields)
{
	struct err err = ERR_INIT;
	struct json *parsed = NULL;

	assert_int_equal(json_parse(fields, strlen(fields), 4, &parsed, &err), 0);
	struct event event = {.type = type, .seq = seq, .at_ms = world.at_ms, .fields = parsed};
	int status = model_apply(&world.model, &event, &err);

	event_release(&event);
	return status;
}

static uint64_t receive(unsigned peer)
{
	char fields[64];

	snprintf(fields, sizeof(fields), "{\"peer\":%u,\"line\":1,\"command\":\"x\"}", peer);
	assert_int_equal(apply(EVENT_RECEIVED, ++world.seq, fields), 0);
	return world.seq;
}

static uint64_t waits(unsigned peer)
{
	uint64_t seq = receive(peer);

	assert_int_equal(apply(EVENT_QUEUED, seq, "{}"), 0);
	return seq;
}

static void refuse(unsigned peer, const char *reason)
{
	char fields[64];
	uint64_t seq = receive(peer);

	snprintf(fields, sizeof(fields), "{\"reason\":\"%s\",\"sentence\":\"no\"}", reason);
	assert_int_equal(apply(EVENT_REFUSED, seq, fields), 0);
	assert_int_equal(apply(EVENT_ANSWERED, seq, "{}"), 0);
}

static void decide(uint64_t seq, const char *decision)
{
	char fields[64];
	struct job *job = model_job(&world.model, seq);

	if (job->card == NULL) {
		job->card = mem_alloc(sizeof(*job->card));
		card_init(job->card);
	}
	snprintf(fields, sizeof(fields), "{\"decision\":\"%s\",\"by\":\"operator\"}", decision);
	assert_int_equal(apply(EVENT_DECIDED, seq, fields), 0);
}

static void expect_rows(bool folded, const char *expected)
{
	struct turns turns;
	char text[400] = "";
	size_t more;

	turns_make(&world.model, folded, &turns);
	for (size_t row = 0; row < turns.total; row++) {
		const struct job *job = turns_at(&turns, row, &more);
		size_t len = strlen(text);

		snprintf(text + len, sizeof(text) - len, more > 0 ? "%s%llu+%zu" : "%s%llu",
			row > 0 ? " " : "", (unsigned long long)job->seq, more);
		assert_int_equal(turns_find(&turns, job), row);
	}
	assert_null(turns_at(&turns, turns.total, NULL));
	turns_release(&turns);
	assert_string_equal(text, expected);
}

static void senders_take_turns_and_the_oldest_comes_first_within_one(void **state)
{
	static const unsigned peers[] = {5, 5, 5, 7, 5, 9, 7};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(peers); i++)
		waits(peers[i]);
	expect_rows(false, "1 4 6 2 7 3 5");
	/* Whose call is decided stands behind the others; a newcomer behind all of them. */
	decide(1, "rejected");
	expect_rows(false, "4 6 2 7 3 5");
	waits(11);
	expect_rows(false, "4 6 2 8 7 3 5");
	decide(4, "approved");
	expect_rows(false, "6 2 8 7 3 5");
	/* What the agent took back, or what nobody decided, was no turn. */
	assert_int_equal(apply(EVENT_EXPIRED, 2, "{}"), 0);
	expect_rows(false, "6 3 8 7 5");
	assert_int_equal(apply(EVENT_REQUEUED, 4, "{\"why\":\"no place was free\"}"), 0);
	expect_rows(false, "6 3 8 4 5 7");
}

static void peers_of_one_process_are_one_sender(void **state)
{
	(void)state;
	assert_int_equal(apply(EVENT_PEER, 0, "{\"peer\":3,\"kind\":\"socket\"}"), 0);
	assert_int_equal(apply(EVENT_PEER, 0, "{\"peer\":4,\"kind\":\"socket\",\"sender\":3}"), 0);
	assert_int_equal(apply(EVENT_PEER, 0, "{\"peer\":5,\"kind\":\"socket\"}"), 0);
	waits(3);
	waits(4);
	waits(5);
	expect_rows(false, "1 3 2");
	assert_int_equal(model_sender(&world.model, 3)->here, 2);
	assert_int_equal(model_sender(&world.model, 3)->calls, 2);
	assert_null(model_sender(&world.model, 4));
	assert_int_equal(apply(EVENT_PEER_LEFT, 0, "{\"peer\":3}"), 0);
	assert_int_equal(model_sender(&world.model, 3)->here, 1);
}

static unsigned random_below(unsigned n)
{
	static uint32_t x = 12345;

	x = x * 1664525u + 1013904223u;
	return (x >> 16) % n;
}

/* Whatever came and was decided: the oldest of each of k senders is among the first k rows. */
static void look_at_the_first_rows(void)
{
	struct turns turns;

	turns_make(&world.model, random_below(2) == 0, &turns);
	for (size_t row = 0; row < turns.count; row++) {
		const struct job *job = turns_at(&turns, row, NULL);
		const struct sender *sender = model_sender(&world.model, job->sender);

		assert_ptr_equal(job, job_list_at(&sender->waiting, 0));
	}
	for (size_t row = 0; row < turns.total; row++)
		assert_int_equal(turns_find(&turns, turns_at(&turns, row, NULL)), row);
	turns_release(&turns);
}

static void the_oldest_of_each_of_k_senders_is_among_the_first_k_rows(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		/* The first sends most of it. */
		unsigned peer = random_below(3) > 0 ? 1 : 1 + random_below(7);

		if (random_below(20) == 0)
			refuse(peer, "queue_full");
		waits(peer);
		if (random_below(3) > 0)
			decide(model_next_waiting(&world.model, random_below(i + 1), false) != 0
					? model_next_waiting(&world.model, 0, false)
					: world.seq,
				random_below(2) > 0 ? "approved" : "rejected");
		if (i % 10 == 0)
			look_at_the_first_rows();
	}
}

static void nobody_starves_behind_senders_that_always_have_more(void **state)
{
	uint64_t mine;
	unsigned decided = 0;

	(void)state;
	for (unsigned i = 0; i < 50; i++)
		waits(1);
	for (unsigned peer = 2; peer < 6; peer++)
		waits(peer);
	mine = waits(6);
	/* Each that was decided is replaced at once, and a newcomer joins each time. */
	for (unsigned peer = 7; model_job(&world.model, mine)->state == JOB_WAITING; peer++) {
		uint64_t first = model_next_waiting(&world.model, 0, false);

		decide(first, "rejected");
		waits(model_job(&world.model, first)->peer);
		waits(peer);
		decided++;
	}
	assert_int_equal(decided, 6);
}

static void a_flood_is_one_row_until_it_is_over(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 6; i++)
		waits(1);
	waits(2);
	for (unsigned i = 1; i < SENDER_FLOOD; i++)
		refuse(1, "queue_full");
	expect_rows(true, "1 7 2 3 4 5 6");
	refuse(1, "queue_full");
	assert_true(sender_floods(model_sender(&world.model, 1)));
	expect_rows(true, "1 7 2 3+4");
	expect_rows(false, "1 7 2 3 4 5 6");
	struct turns turns;

	turns_make(&world.model, true, &turns);
	assert_int_equal(turns_find(&turns, model_job(&world.model, 6)), 3);
	turns_release(&turns);
	for (uint64_t seq = 1; seq < 4; seq++)
		decide(seq, "rejected");
	assert_false(sender_floods(model_sender(&world.model, 1)));
	expect_rows(true, "7 4 5 6");
}

static void refusals_of_a_flood_are_counted_and_not_kept(void **state)
{
	(void)state;
	waits(1);
	for (unsigned i = 0; i < 5000; i++)
		refuse(1, "queue_full");
	assert_int_equal(world.model.count, 2);
	assert_int_equal(world.model.done, 5000);
	assert_int_equal(model_job(&world.model, 2)->more, 4999);
	assert_int_equal(model_sender(&world.model, 1)->full, 5000);
	assert_int_equal(world.model.whole_count, 1);
	/* Of another sender, or for another reason, it is one of its own. */
	refuse(2, "queue_full");
	refuse(1, "working_dir_not_allowed");
	assert_int_equal(world.model.count, 4);
	refuse(1, "queue_full");
	assert_int_equal(model_job(&world.model, 2)->more, 5000);
}

static void a_sender_that_is_refused_is_so_until_it_is_taken_again(void **state)
{
	(void)state;
	assert_int_equal(apply(EVENT_SENDER, 0, "{\"sender\":4,\"refuse\":true}"), 0);
	assert_true(model_sender(&world.model, 4)->shut);
	refuse(4, "intake_closed");
	refuse(4, "intake_closed");
	assert_int_equal(world.model.count, 1);
	assert_int_equal(apply(EVENT_SENDER, 0, "{\"sender\":4,\"refuse\":false}"), 0);
	assert_false(model_sender(&world.model, 4)->shut);
	assert_int_equal(apply(EVENT_SENDER, 0, "{\"sender\":4}"), -1);
	assert_int_equal(apply(EVENT_SENDER, 0, "{\"sender\":0,\"refuse\":true}"), -1);
	assert_int_equal(apply(EVENT_SENDER, 0, "{\"refuse\":true}"), -1);
}

static void senders_that_are_gone_do_not_pile_up(void **state)
{
	(void)state;
	waits(1);
	for (unsigned peer = 2; peer < 3 * MODEL_PEERS_MAX; peer++) {
		uint64_t seq = waits(peer);

		decide(seq, "rejected");
		assert_int_equal(apply(EVENT_ANSWERED, seq, "{}"), 0);
	}
	assert_int_equal(world.model.sender_count, MODEL_PEERS_MAX);
	assert_non_null(model_sender(&world.model, 1));
	expect_rows(false, "1");
}

static size_t steps_of_a_look(unsigned calls)
{
	struct turns turns;
	size_t steps;

	for (unsigned i = (unsigned)world.seq; i < calls; i++)
		waits(1 + i % 4);
	turns_make(&world.model, false, &turns);
	assert_int_equal(turns.total, calls);
	for (size_t row = calls / 2; row < calls / 2 + 5; row++)
		assert_int_equal(turns_find(&turns, turns_at(&turns, row, NULL)), row);
	steps = turns.steps;
	turns_release(&turns);
	return steps;
}

static void a_row_among_100000_is_found_in_a_few_steps_more_than_among_ten(void **state)
{
	(void)state;
	size_t few = steps_of_a_look(10), many = steps_of_a_look(MANY);

	/* log2(100000) = 17, log2(10) = 4; each row and each way back of four senders. */
	assert_true(few > 0);
	assert_in_range(many, few, few * 8);
	assert_true(many < 1000);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(senders_take_turns_and_the_oldest_comes_first_within_one),
		TEST(peers_of_one_process_are_one_sender),
		TEST(the_oldest_of_each_of_k_senders_is_among_the_first_k_rows),
		TEST(nobody_starves_behind_senders_that_always_have_more),
		TEST(a_flood_is_one_row_until_it_is_over),
		TEST(refusals_of_a_flood_are_counted_and_not_kept),
		TEST(a_sender_that_is_refused_is_so_until_it_is_taken_again),
		TEST(senders_that_are_gone_do_not_pile_up),
		TEST(a_row_among_100000_is_found_in_a_few_steps_more_than_among_ten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include "app/broker.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sandbox/backend.h"
#include "tests/unit/broker_desk.h"
#include "tests/unit/test_card_fixture.h"

/* One more call, of which a plan can be made. */
static void next(struct desk *d, const char *const *words, size_t count)
{
	struct card_fixture f;

	ask(d, words, count);
	fixture_init(&f);
	d->call->confinement = f.confinement;
	confinement_init(&f.confinement);
	d->call->offer = f.offer;
	d->call->backend = &backend_none;
	fixture_release(&f);
}

static struct intent again(const struct desk *d, unsigned minutes, unsigned times)
{
	return (struct intent){.kind = INTENT_GRANT,
		.seq = d->call->seq,
		.digest = d->call->digest,
		.minutes = minutes,
		.times = times};
}

static void assert_refused(struct desk *d, const struct intent *intent, const char *why)
{
	assert_undecided(d, intent, why);
	assert_int_equal(d->broker.model.grants.count, 0);
	assert_int_equal(recorded(d, "\"type\":\"grant\""), 0);
}

static void give(struct desk *d, unsigned minutes, unsigned times)
{
	struct intent intent = again(d, minutes, times);
	MEM_AUTO char *said = NULL;

	assert_true(broker_intent(&d->broker, &intent, NULL, &said));
	assert_null(said);
	assert_true(d->call->decided_ms >= 0);
}

static const struct job *job(const struct desk *d)
{
	return model_job(&d->broker.model, d->call->seq);
}

static void a_screen_that_asks_for_too_much_is_refused(void **state)
{
	static const struct {
		unsigned minutes, times;
	} rows[] = {{0, 5}, {10, 0}, {GRANT_MINUTES_MAX + 1, 5}, {10, GRANT_TIMES_MAX + 1}};
	struct desk d;

	desk_open(&d, state);
	next(&d, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct intent intent = again(&d, rows[i].minutes, rows[i].times);

		assert_refused(&d, &intent, "nothing decided: minutes or times are out of range");
	}
	struct intent other = again(&d, 10, 5), right = again(&d, 10, 5);

	other.digest.bytes[0] ^= 1;
	assert_refused(&d, &other, "nothing decided: the card changed");
	d.broker.can_run = false;
	assert_refused(&d, &right, "nothing decided: the record cannot be written");
	d.broker.can_run = true;
	desk_close(&d);
}

/* Not even with the word: such a card is read each time. */
static void a_card_that_asks_for_a_word_gets_none(void **state)
{
	static const char *const words[] = {"hidden"};
	struct desk d;

	desk_open(&d, state);
	next(&d, words, 1);
	struct intent intent = again(&d, 10, 5);

	assert_refused(&d, &intent, "nothing decided: it asks for a word");
	intent.text = (char *)"hidden";
	assert_refused(&d, &intent, "nothing decided: such a card is read each time");
	desk_close(&d);
}

static void a_grant_that_the_record_does_not_take_does_not_hold(void **state)
{
	struct desk d;

	desk_open(&d, state);
	next(&d, NULL, 0);
	struct intent intent = again(&d, 10, 5);

	limit_files(1);
	assert_undecided(&d, &intent, "nothing decided: the record cannot be written");
	limit_files(RLIM_INFINITY);
	assert_int_equal(grants_holding(&d.broker.model.grants, 0), 0);
	assert_true(d.call->decided_ms < 0 && !d.call->approved_by_person);
	desk_close(&d);
}

static void one_more_than_can_hold_is_refused_and_decides_nothing(void **state)
{
	struct desk d;

	desk_open(&d, state);
	for (size_t i = 0; i < GRANTS_MAX; i++) {
		next(&d, NULL, 0);
		give(&d, 10, 5);
	}
	next(&d, NULL, 0);
	struct intent intent = again(&d, 10, 5);

	assert_undecided(&d, &intent, "nothing decided: too many grants hold: revoke one first");
	assert_int_equal(recorded(&d, "\"type\":\"grant\""), GRANTS_MAX);
	desk_close(&d);
}

static void the_grant_is_in_the_record_before_the_yes(void **state)
{
	struct desk d;

	desk_open(&d, state);
	next(&d, NULL, 0);
	give(&d, 10, 5);
	assert_int_equal(recorded(&d, "\"type\":\"grant\",\"seq\":1,\"grant\":1,"), 1);
	assert_int_equal(recorded(&d, "\"minutes\":10,\"times\":5"), 1);
	assert_int_equal(job(&d)->grant_given, 1);
	assert_int_equal(job(&d)->decided_by, DECIDER_OPERATOR);
	assert_int_equal(d.call->grant, 0);
	desk_close(&d);
}

static void the_identical_call_is_covered_until_its_uses_are_gone(void **state)
{
	struct desk d;

	desk_open(&d, state);
	next(&d, NULL, 0);
	assert_false(broker_use_grant(d.call));
	give(&d, 10, 2);
	for (unsigned use = 1; use <= 2; use++) {
		next(&d, NULL, 0);
		assert_true(broker_use_grant(d.call));
		assert_int_equal(d.call->result.decided_by, DECIDER_GRANT);
		assert_int_equal(job(&d)->grant_use, use);
		assert_true(d.call->approved_by_person);
	}
	next(&d, NULL, 0);
	assert_false(broker_use_grant(d.call));
	assert_int_equal(recorded(&d, "\"by\":\"grant\""), 2);
	assert_int_equal(job(&d)->state, JOB_WAITING);
	desk_close(&d);
}

static void other_command(struct call *call)
{
	free(call->request.command);
	call->request.command = mem_strdup("git diff --stat HEAD~4");
}

static void other_sender(struct call *call)
{
	call->peer++;
}

static void other_directory(struct call *call)
{
	free(call->confinement.cwd);
	call->confinement.cwd = mem_strdup("/srv/shop/out");
}

static void other_time(struct call *call)
{
	call->confinement.limits.wall_s--;
}

static void other_sandbox(struct call *call)
{
	call->offer.backend = BACKEND_BUBBLEWRAP;
}

static void other_place(struct call *call)
{
	call->confinement.writable.items[0].ino++;
}

static void what_differs_in_one_thing_is_not_covered(void **state)
{
	static void (*const changes[])(struct call *) = {other_command, other_sender,
		other_directory, other_time, other_sandbox, other_place};
	struct desk d;

	desk_open(&d, state);
	next(&d, NULL, 0);
	give(&d, 10, 20);
	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		next(&d, NULL, 0);
		changes[i](d.call);
		assert_false(broker_use_grant(d.call));
	}
	next(&d, NULL, 0);
	free(d.call->request.reason);
	d.call->request.reason = mem_strdup("other words");
	d.call->request.line_no = 99;
	assert_true(broker_use_grant(d.call));
	desk_close(&d);
}

/* Whatever else is the same: a card that asks for a word is read. */
static void a_danger_is_never_covered(void **state)
{
	static const char *const words[] = {"hidden"};
	struct desk d;

	desk_open(&d, state);
	next(&d, NULL, 0);
	give(&d, 10, 20);
	next(&d, words, 1);
	assert_false(broker_use_grant(d.call));
	desk_close(&d);
}

static void what_passed_by_either_clock_covers_nothing(void **state)
{
	struct desk d;

	desk_open(&d, state);
	next(&d, NULL, 0);
	give(&d, 10, 20);
	d.broker.model.grants.items[0].made_wall_ms -= 11 * 60000;
	next(&d, NULL, 0);
	assert_false(broker_use_grant(d.call));
	assert_int_equal(recorded(&d, "\"type\":\"revoked\""), 1);
	give(&d, 10, 20);
	d.broker.model.grants.items[1].made_at_ms -= 11 * 60000;
	next(&d, NULL, 0);
	assert_false(broker_use_grant(d.call));
	assert_int_equal(recorded(&d, "\"type\":\"revoked\""), 1);
	desk_close(&d);
}

static void revoked_it_takes_back_what_has_not_started(void **state)
{
	struct intent no = {.kind = INTENT_REVOKE, .seq = 1};
	MEM_AUTO char *said = NULL;
	struct desk d;

	desk_open(&d, state);
	next(&d, NULL, 0);
	assert_false(broker_intent(&d.broker, &no, NULL, &said));
	assert_string_equal(said, "nothing revoked: it does not hold any more");
	give(&d, 10, 1);
	next(&d, NULL, 0);
	assert_true(broker_use_grant(d.call));
	next(&d, NULL, 0);
	give(&d, 10, 2);
	next(&d, NULL, 0);
	assert_true(broker_use_grant(d.call));
	broker_revoke_all(&d.broker, "all was stopped");
	assert_int_equal(grants_holding(&d.broker.model.grants, 0), 0);
	/* The first was used up: there was nothing to revoke, but the last call that it covered waits again. */
	assert_int_equal(recorded(&d, "\"type\":\"revoked\""), 1);
	assert_int_equal(recorded(&d, "\"type\":\"requeued\""), 2);
	assert_int_equal(job(&d)->state, JOB_WAITING);
	assert_int_equal(job(&d)->grant, 0);
	assert_true(d.call->decided_ms < 0);
	assert_false(broker_use_grant(d.call));
	desk_close(&d);
}

#define AT_DESK(test) cmocka_unit_test_setup_teardown(test, record_setup, record_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		AT_DESK(a_screen_that_asks_for_too_much_is_refused),
		AT_DESK(a_card_that_asks_for_a_word_gets_none),
		AT_DESK(a_grant_that_the_record_does_not_take_does_not_hold),
		AT_DESK(one_more_than_can_hold_is_refused_and_decides_nothing),
		AT_DESK(the_grant_is_in_the_record_before_the_yes),
		AT_DESK(the_identical_call_is_covered_until_its_uses_are_gone),
		AT_DESK(what_differs_in_one_thing_is_not_covered),
		AT_DESK(a_danger_is_never_covered),
		AT_DESK(what_passed_by_either_clock_covers_nothing),
		AT_DESK(revoked_it_takes_back_what_has_not_started),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include "app/broker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

/* A broker without a record: what it says changes its model all the same. */
struct desk {
	uv_loop_t loop;
	struct session session;
	struct broker broker;
	char *text; /* what the person was told */
};

static int open_desk(void **state)
{
	static const struct broker_hooks hooks = {0};
	struct desk *d = mem_alloc(sizeof(*d));

	uv_loop_init(&d->loop);
	d->session.config.lock_after = 7;
	broker_begin(&d->broker, &d->loop, &d->session, &hooks, true);
	uv_timer_init(&d->loop, &d->broker.timer);
	d->broker.timer.data = &d->broker;
	d->broker.can_run = false;
	*state = d;
	return 0;
}

static int close_desk(void **state)
{
	struct desk *d = *state;

	free(d->text);
	broker_close(&d->broker, "end", NULL);
	uv_close((uv_handle_t *)&d->broker.timer, NULL);
	uv_run(&d->loop, UV_RUN_DEFAULT);
	uv_loop_close(&d->loop);
	free(d);
	return 0;
}

static void mean(struct desk *d, enum intent_kind kind, const char *text, uint64_t seq)
{
	struct intent intent = {.kind = kind, .seq = seq, .text = mem_strdup(text)};

	free(d->text);
	broker_intent(&d->broker, &intent, NULL, &d->text);
	intent_release(&intent);
}

static const char *told(const struct desk *d)
{
	return d->text == NULL ? "" : d->text;
}

static void each_wrong_passphrase_makes_the_next_wait_twice_as_long(void **state)
{
	static const int waits[] = {1, 2, 4, 8, 16, 30, 30};
	struct desk *d = *state;
	const struct lock *lock = &d->broker.model.lock;

	mean(d, INTENT_LOCK, "right", 0);
	assert_true(lock->on && lock->set);
	assert_int_equal(lock->why, LOCK_BY_PERSON);
	for (size_t i = 0; i < ARRAY_LEN(waits); i++) {
		MEM_AUTO char *words =
			mem_printf("wrong passphrase: the next one is looked at in %d s", waits[i]);

		mean(d, INTENT_UNLOCK, "wrong", 0);
		assert_string_equal(told(d), words);
		assert_int_equal(lock->tries, i + 1);
		/* The right one comes too early: it is not even looked at. */
		mean(d, INTENT_UNLOCK, "right", 0);
		assert_true(lock->on);
		assert_int_equal(lock->tries, i + 1);
		d->broker.start_ms -= waits[i] * 1000; /* so much time passes */
	}
	mean(d, INTENT_UNLOCK, "right", 0);
	assert_false(lock->on);
	assert_int_equal(lock->tries, 0);
}

/* In a new file of the record: it is locked still, and the next try waits as long. */
static void a_record_that_broke_forgets_no_wrong_passphrase(void **state)
{
	struct desk *d = *state;
	const struct lock *lock = &d->broker.model.lock;

	mean(d, INTENT_LOCK, "right", 0);
	mean(d, INTENT_UNLOCK, "wrong", 0);
	d->broker.start_ms -= 1000;
	mean(d, INTENT_UNLOCK, "wrong", 0);
	broker_say_standing(&d->broker);
	assert_true(lock->on && lock->set);
	assert_int_equal(lock->tries, 2);
	mean(d, INTENT_UNLOCK, "right", 0);
	assert_true(lock->on);
	d->broker.start_ms -= 2000;
	mean(d, INTENT_UNLOCK, "wrong", 0);
	assert_string_equal(told(d), "wrong passphrase: the next one is looked at in 4 s");
}

static void a_locked_screen_means_nothing_but_the_panic_key(void **state)
{
	static const enum intent_kind kinds[] = {INTENT_APPROVE, INTENT_REJECT, INTENT_STOP,
		INTENT_QUIT, INTENT_OPEN_INTAKE, INTENT_LOCK, INTENT_EXTEND};
	struct desk *d = *state;

	mean(d, INTENT_LOCK, "right", 0);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		mean(d, kinds[i], "x", 1);
		assert_string_equal(told(d), "nothing decided: the screen is locked");
	}
	assert_int_equal(d->broker.phase, BROKER_OPEN);
	mean(d, INTENT_STOP_ALL, NULL, 0);
	assert_true(d->broker.stopped && d->broker.model.stop.on);
	assert_int_equal(d->broker.model.stop.left, 0);
	mean(d, INTENT_OPEN_INTAKE, NULL, 0);
	assert_true(d->broker.stopped);
	mean(d, INTENT_UNLOCK, "right", 0);
	mean(d, INTENT_STOP_ALL, NULL, 0);
	assert_string_equal(told(d), "all is stopped already");
}

static void at_the_start_the_first_passphrase_opens(void **state)
{
	struct desk *d = *state;
	const struct lock *lock = &d->broker.model.lock;

	broker_lock_at_start(&d->broker);
	assert_true(lock->on && !lock->set);
	assert_int_equal(lock->why, LOCK_AT_START);
	mean(d, INTENT_UNLOCK, "", 0);
	assert_true(lock->on);
	mean(d, INTENT_UNLOCK, "first", 0);
	assert_true(!lock->on && lock->set);
	mean(d, INTENT_LOCK, NULL, 1);
	assert_int_equal(lock->why, LOCK_IDLE);
	assert_int_equal(lock->minutes, 7);
	mean(d, INTENT_UNLOCK, "first", 0);
	assert_false(lock->on);
	/* One passphrase a session: a text beside a later lock is no new one. */
	mean(d, INTENT_LOCK, "second", 0);
	mean(d, INTENT_UNLOCK, "second", 0);
	assert_true(lock->on);
}

/* Of a command whose end nobody saw: this very process stands for one of its processes. */
static void what_is_still_alive_is_said_and_counted_again(void **state)
{
	struct desk *d = *state;
	struct broker *broker = &d->broker;

	left_over_note(&broker->left, getpid());
	assert_int_equal(broker->left.items[0].pid, getpid());
	mean(d, INTENT_STOP_ALL, NULL, 0);
	assert_int_equal(broker->model.stop.left, 1);
	assert_true(uv_is_active((uv_handle_t *)&broker->timer));
	/* The number is that of another process now. */
	broker->left.items[0].start++;
	broker_look_for_left(broker);
	assert_int_equal(broker->model.stop.left, 1);
	broker->left_again_ms = 1;
	broker_look_for_left(broker);
	assert_int_equal(broker->model.stop.left, 0);
	assert_false(uv_is_active((uv_handle_t *)&broker->timer));
	/* What lets calls in must be in the record. */
	mean(d, INTENT_OPEN_INTAKE, NULL, 0);
	assert_string_equal(told(d), "intake stays closed: the record cannot be written");
	assert_true(broker->stopped && broker->model.stop.on);
}

static void without_a_passphrase_nothing_locks(void **state)
{
	struct desk *d = *state;

	mean(d, INTENT_LOCK, NULL, 1);
	assert_false(d->broker.model.lock.on);
	assert_string_equal(told(d), "there is no passphrase yet");
	assert_int_equal(d->broker.passphrase[0], '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			each_wrong_passphrase_makes_the_next_wait_twice_as_long, open_desk,
			close_desk),
		cmocka_unit_test_setup_teardown(
			a_record_that_broke_forgets_no_wrong_passphrase, open_desk, close_desk),
		cmocka_unit_test_setup_teardown(
			a_locked_screen_means_nothing_but_the_panic_key, open_desk, close_desk),
		cmocka_unit_test_setup_teardown(
			at_the_start_the_first_passphrase_opens, open_desk, close_desk),
		cmocka_unit_test_setup_teardown(
			what_is_still_alive_is_said_and_counted_again, open_desk, close_desk),
		cmocka_unit_test_setup_teardown(
			without_a_passphrase_nothing_locks, open_desk, close_desk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

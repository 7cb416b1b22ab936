#include "config.h"

#include "app/broker.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/broker_fields.h"
#include "base/clock.h"
#include "base/mem.h"
#include "tests/unit/broker_desk.h"
#include "tests/unit/race.h"
#include "tests/unit/test_card_fixture.h"
#include "tui/view.h"

/* Keys, clocks and agents in any order: the screen and the broker together, with a clock that the test turns. What was on the
   screen is kept apart from what the screen believes of it: the frames say it. A decision is only ever taken for the card that
   stood there, whole, under a lit lamp, with the keys at rest. */

#define INTERLEAVINGS 1000
#define PER_DESK 100
#define STEPS 20
#define FRAME_MS 100 /* as CONSOLE_FRAME_MS: so long a change may wait for its frame */

static unsigned seed;

int64_t __wrap_clock_mono_ms(void);
int __wrap_audit_sync(struct audit *audit, struct err *err);

int64_t __wrap_clock_mono_ms(void)
{
	return race_now_ms;
}

/* The disk is not what is tested here, and would take most of the time. */
int __wrap_audit_sync(struct audit *audit, struct err *err)
{
	(void)audit;
	(void)err;
	return 0;
}

static unsigned pick(unsigned of)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % of;
}

static struct tally {
	unsigned approved, typed, rejected, refused;
	size_t decided; /* events */
} tally;

static void decide(struct race *r, const struct intent *intent)
{
	struct broker *broker = &r->d->broker;
	const struct call *call = broker_call(broker, intent->seq);
	bool bound = call != NULL && call->decided_ms < 0 &&
		     digest_equal(&call->digest, &intent->digest);
	MEM_AUTO char *said = NULL;

	if (bound && intent->kind == INTENT_APPROVE)
		race_check_yes(r, intent);
	else if (bound)
		race_check_no(r, intent);
	bool taken = broker_intent(broker, intent, ui_seen_json(&r->ui, &broker->model), &said);

	assert_int_equal(taken, bound);
	if (!taken)
		tally.refused++;
	else if (intent->kind == INTENT_REJECT)
		tally.rejected++;
	else if (intent->text != NULL)
		tally.typed++;
	else
		tally.approved++;
}

static void carry_out(struct race *r, struct intent *intent)
{
	if (intent->kind == INTENT_APPROVE || intent->kind == INTENT_REJECT)
		decide(r, intent);
	intent_release(intent);
}

static void take_keys(struct race *r)
{
	struct broker *broker = &r->d->broker;
	struct key key;

	while (key_parser_next(r->keys, broker_at_ms(broker), &key)) {
		struct intent intent = {0};

		if (ui_key(&r->ui, &broker->model, &key, broker_at_ms(broker), &intent) == 1)
			carry_out(r, &intent);
	}
}

/* One turn of the loop: all that was typed, then the clock, then the frame. */
static void turn(struct race *r)
{
	struct broker *broker = &r->d->broker;
	struct intent intent = {0};

	if (r->typed.len > 0) {
		r->key_before_ms = r->typed.len > 1 ? race_now_ms : r->key_ms;
		r->key_ms = race_now_ms;
		r->key = r->typed.data[r->typed.len - 1];
		r->before_key = r->shown;
		key_parser_feed(r->keys, r->typed.data, r->typed.len, broker_at_ms(broker));
		str_clear(&r->typed);
	}
	take_keys(r);
	if (ui_tick(&r->ui, &broker->model, broker_at_ms(broker), &intent) == 1)
		carry_out(r, &intent);
	race_draw(r);
}

static int64_t next_turn(const struct race *r)
{
	const struct broker *broker = &r->d->broker;
	int64_t now = broker_at_ms(broker), due = ui_next_tick(&r->ui, &broker->model, now);
	int64_t keys = key_parser_deadline(r->keys);

	if (keys >= 0 && (due < 0 || keys < due))
		due = keys;
	due = due < 0 ? INT64_MAX : due + broker->start_ms;
	if (r->dirty && r->shown.at_ms + FRAME_MS < due)
		due = r->shown.at_ms + FRAME_MS;
	return due < race_now_ms ? race_now_ms : due;
}

static void pass(struct race *r, int64_t ms)
{
	int64_t until = race_now_ms + ms;

	for (int64_t due = next_turn(r); due <= until; due = next_turn(r)) {
		race_now_ms = due;
		turn(r);
		if (due == until)
			break;
	}
	race_now_ms = until;
}

static void changed(struct race *r)
{
	struct broker *broker = &r->d->broker;

	ui_follow(&r->ui, &broker->model, broker_at_ms(broker));
	r->dirty = true;
}

/* Of those that are open; NULL. */
static struct call *any_call(const struct race *r)
{
	const struct broker *broker = &r->d->broker;

	return broker->call_count == 0 ? NULL : broker->calls[pick((unsigned)broker->call_count)];
}

static void new_call(struct race *r)
{
	static const char *const words[] = {"hidden"};
	struct broker *broker = &r->d->broker;

	if (broker->call_count < 3)
		ask(r->d, words, pick(2));
	changed(r);
}

/* Its backend or its path is another: what waits gets another card. */
static void replace(struct race *r)
{
	struct call *call = any_call(r);
	struct card_fixture f;
	struct card card;

	if (call == NULL || call->decided_ms >= 0)
		return;
	fixture_init(&f);
	f.in.seq = call->seq;
	snprintf(
		f.offer.why, sizeof(f.offer.why), "at %" PRId64, race_now_ms + (int64_t)pick(1000));
	card_init(&card);
	card_build(&f.in, &card);
	card.digest.bytes[0] ^= (uint8_t)pick(256);
	broker_emit(&r->d->broker, EVENT_CARD, call->seq,
		fields_card(&r->d->broker.model, &card, NULL));
	call->digest = card.digest;
	card_release(&card);
	fixture_release(&f);
	changed(r);
}

static void withdraw(struct race *r)
{
	struct call *call = any_call(r);

	if (call != NULL && call->decided_ms < 0)
		broker_refuse(call, REASON_WITHDRAWN, "the agent took it back");
	changed(r);
}

/* Its deadline: of the decision, or of the place that it waited for. */
static void expire(struct race *r)
{
	struct call *call = any_call(r);
	uv_timer_t *timer = &r->d->broker.timer;

	if (call == NULL)
		return;
	if (call->decided_ms >= 0)
		call->decided_ms = race_now_ms - BROKER_APPROVED_WAIT_MS;
	else
		call->deadline_ms = race_now_ms;
	broker_arm(&r->d->broker);
	timer->timer_cb(timer);
	changed(r);
}

static void type(struct race *r, const char *bytes)
{
	str_add(&r->typed, bytes);
}

static void one_key(struct race *r)
{
	static const char *const keys[] = {"a", "a", "a", "a", "a", " ", " ", "\r", "J", "K", "j",
		"g", "G", "r", "no", "hidden", "\x1B", "v", "2", "1", "aa", "a\r", "\x1B[A", "y"};

	type(r, keys[pick(ARRAY_LEN(keys))]);
}

/* As a person does it, up to where something may come between. */
static void with_care(struct race *r)
{
	type(r, "J");
	turn(r);
	pass(r, 450);
	for (unsigned i = 0; i < 4 && strcmp(r->shown.lamp, "[ ]") == 0; i++) {
		type(r, " ");
		turn(r);
		pass(r, 450);
	}
	type(r, "a");
	turn(r);
	if (pick(2) == 0)
		return;
	pass(r, 50);
	if (r->ui.prompt.kind != PROMPT_WORD)
		return;
	pass(r, 100);
	type(r, "hidden");
	turn(r);
	pass(r, 350 + pick(100));
	type(r, "\r");
}

static void with_a_no(struct race *r)
{
	type(r, "r");
	turn(r);
	pass(r, 100);
	type(r, "no");
	turn(r);
	pass(r, 10);
	type(r, "\r");
}

static void step(struct race *r)
{
	static const int64_t gaps[] = {
		0, 0, 1, 10, 49, 50, 51, 100, 199, 200, 350, 399, 400, 401, 450, 1000, 1100};
	static void (*const events[])(struct race *) = {one_key, one_key, one_key, one_key,
		with_care, with_care, with_a_no, new_call, replace, replace, withdraw, expire};

	events[pick(ARRAY_LEN(events))](r);
	/* Now and then the loop sleeps on what has come: other things happen before it is read. */
	if (pick(3) > 0)
		turn(r);
	if (pick(12) == 0)
		race_now_ms += gaps[pick(ARRAY_LEN(gaps))]; /* starved */
	else
		pass(r, gaps[pick(ARRAY_LEN(gaps))]);
}

static void play(struct desk *d)
{
	static const struct {
		unsigned cols, rows;
	} sizes[] = {{80, 24}, {60, 16}, {100, 30}};
	struct race r = {.d = d, .keys = key_parser_new()};
	size_t size = pick(ARRAY_LEN(sizes));

	r.key_ms = r.key_before_ms = race_now_ms - 10000;
	ui_init(&r.ui, sizes[size].cols, sizes[size].rows);
	frame_init(&r.frame, sizes[size].cols, sizes[size].rows);
	new_call(&r);
	new_call(&r);
	race_draw(&r);
	for (unsigned i = 0; i < STEPS; i++)
		step(&r);
	pass(&r, 2000);
	while (d->broker.call_count > 0)
		broker_refuse(d->broker.calls[0], REASON_WITHDRAWN, "the end");
	key_parser_free(r.keys);
	ui_release(&r.ui);
	frame_release(&r.frame);
	str_release(&r.typed);
}

/* EXQ_ROUNDS and EXQ_SEED are for `make fuzz`. */
static unsigned from_environment(const char *name, unsigned otherwise)
{
	const char *value = getenv(name);

	return value == NULL ? otherwise : (unsigned)strtoul(value, NULL, 10);
}

static void a_decision_is_for_the_card_that_stood_there_armed_and_at_rest(void **state)
{
	unsigned rounds = from_environment("EXQ_ROUNDS", INTERLEAVINGS);
	struct desk d;

	tally = (struct tally){0};
	seed = from_environment("EXQ_SEED", 7);
	for (unsigned round = 0; round < rounds; round++) {
		if (round % PER_DESK == 0)
			desk_open(&d, state);
		play(&d);
		if ((round + 1) % PER_DESK == 0 || round + 1 == rounds) {
			tally.decided += recorded(&d, "\"type\":\"decided\"");
			desk_close(&d);
		}
	}
	print_message("%u yes, %u by a word, %u no, %u refused by the broker\n", tally.approved,
		tally.typed, tally.rejected, tally.refused);
	/* Nothing was decided but what was looked at here. */
	assert_int_equal(tally.decided, tally.approved + tally.typed + tally.rejected);
	/* And enough of each was tried. */
	assert_true(tally.approved > rounds / 5 && tally.typed > rounds / 25);
	assert_true(tally.rejected > rounds / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_decision_is_for_the_card_that_stood_there_armed_and_at_rest, record_setup,
			record_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

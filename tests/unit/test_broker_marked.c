#include "config.h"

#include "app/broker.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit/broker_desk.h"

/* Three calls that wait, and the intent to decide all of them. */
static struct intent open_three(struct desk *d, void **state, enum intent_kind kind)
{
	struct intent all = {.kind = kind};

	desk_open(d, state);
	for (unsigned i = 0; i < 3; i++) {
		ask(d, NULL, 0);
		all.cards[all.card_count++] = (struct intent_card){d->call->seq, d->call->digest};
	}
	return all;
}

static struct json *seen_of(const struct intent *all)
{
	struct json *seen = json_new_object();

	for (unsigned i = 0; i < all->card_count; i++) {
		MEM_AUTO char *seq = mem_printf("%u", (unsigned)all->cards[i].seq);
		struct json *one = json_new_object();

		json_set(one, "rows", json_new_array());
		json_set_int(one, "total", 40 + i);
		json_set(seen, seq, one);
	}
	return seen;
}

static void all_are_recorded_each_with_its_card_and_what_was_seen(void **state)
{
	struct desk d;
	struct intent all = open_three(&d, state, INTENT_APPROVE_MARKED);
	MEM_AUTO char *said = NULL;

	assert_true(broker_intent(&d.broker, &all, seen_of(&all), &said));
	assert_null(said);
	assert_int_equal(3, recorded(&d, "\"decision\":\"approved\""));
	assert_int_equal(3, recorded(&d, "\"type\":\"seen\""));
	assert_int_equal(1, recorded(&d, "\"total\":42"));
	for (unsigned i = 0; i < 3; i++) {
		char hex[DIGEST_HEX_BYTES];

		digest_hex(&all.cards[i].digest, hex);
		MEM_AUTO char *text = mem_printf("\"digest\":\"%s\"", hex);
		assert_true(recorded(&d, text) >= 1);
		assert_true(broker_call(&d.broker, all.cards[i].seq)->decided_ms >= 0);
	}
	desk_close(&d);
}

static void one_that_does_not_fit_keeps_all_undecided(void **state)
{
	struct desk d;
	struct intent all = open_three(&d, state, INTENT_APPROVE_MARKED);

	all.cards[1].digest.bytes[0] ^= 1;
	assert_undecided(&d, &all, "none of them decided, #2: the card changed");
	all.kind = INTENT_REJECT_MARKED;
	all.text = (char *)"no";
	assert_undecided(&d, &all, "none of them decided, #2: the card changed");
	all.cards[1].digest.bytes[0] ^= 1;
	all.cards[2].seq = 77;
	assert_undecided(&d, &all, "none of them decided, #77: it does not wait any more");
	all.cards[2].seq = 3;
	struct intent first = {.kind = INTENT_REJECT,
		.seq = 1,
		.digest = all.cards[0].digest,
		.text = (char *)"no"};
	MEM_AUTO char *said = NULL;
	assert_true(broker_intent(&d.broker, &first, NULL, &said));
	assert_undecided(&d, &all, "none of them decided, #1: it does not wait any more");
	all.kind = INTENT_APPROVE_MARKED;
	assert_undecided(&d, &all, "none of them decided, #1: it does not wait any more");
	desk_close(&d);
}

static void a_card_that_needs_a_word_is_never_among_them(void **state)
{
	static const char *const words[] = {"root"};
	struct desk d;
	struct intent all = open_three(&d, state, INTENT_APPROVE_MARKED);

	ask(&d, words, 1);
	all.cards[all.card_count++] = (struct intent_card){d.call->seq, d.call->digest};
	assert_undecided(&d, &all, "none of them decided, #4: it asks for a word");
	desk_close(&d);
}

static void several_are_rejected_with_one_reason(void **state)
{
	struct desk d;
	struct intent all = open_three(&d, state, INTENT_REJECT_MARKED);
	MEM_AUTO char *said = NULL;

	all.text = (char *)"not today";
	assert_true(broker_intent(&d.broker, &all, seen_of(&all), &said));
	assert_null(said);
	assert_int_equal(3, recorded(&d, "\"type\":\"decided\""));
	assert_int_equal(3, recorded(&d, "\"text\":\"not today\""));
	desk_close(&d);
}

static void nothing_marked_decides_nothing(void **state)
{
	struct desk d;
	struct intent all = open_three(&d, state, INTENT_APPROVE_MARKED);
	MEM_AUTO char *said = NULL;

	all.card_count = 0;
	assert_false(broker_intent(&d.broker, &all, NULL, &said));
	assert_int_equal(0, recorded(&d, "\"type\":\"decided\""));
	desk_close(&d);
}

/* An approval that is not in the record starts nothing, and none behind it is tried. */
static void a_record_that_breaks_under_them_lets_nothing_run(void **state)
{
	struct desk d;
	struct intent all = open_three(&d, state, INTENT_APPROVE_MARKED);
	MEM_AUTO char *said = NULL;

	limit_files(1);
	assert_false(broker_intent(&d.broker, &all, NULL, &said));
	limit_files(RLIM_INFINITY);
	assert_string_equal(said, "nothing runs: the record cannot be written");
	assert_false(d.broker.can_run);
	for (unsigned i = 0; i < 3; i++)
		assert_false(broker_call(&d.broker, all.cards[i].seq)->launched);
	desk_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			all_are_recorded_each_with_its_card_and_what_was_seen, record_setup,
			record_teardown),
		cmocka_unit_test_setup_teardown(
			one_that_does_not_fit_keeps_all_undecided, record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(a_card_that_needs_a_word_is_never_among_them,
			record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(
			several_are_rejected_with_one_reason, record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(
			nothing_marked_decides_nothing, record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(a_record_that_breaks_under_them_lets_nothing_run,
			record_setup, record_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

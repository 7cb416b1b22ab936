#include "config.h"

#include "core/grant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/test_card_fixture.h"

#define MINUTE 60000

static void numbers_have_a_least_and_a_most(void **state)
{
	static const struct {
		int64_t minutes, times;
		bool fit;
	} rows[] = {
		{1, 1, true},
		{GRANT_MINUTES_FIRST, GRANT_TIMES_FIRST, true},
		{GRANT_MINUTES_MAX, GRANT_TIMES_MAX, true},
		{0, 5, false},
		{10, 0, false},
		{-1, 5, false},
		{10, -1, false},
		{GRANT_MINUTES_MAX + 1, 5, false},
		{10, GRANT_TIMES_MAX + 1, false},
		{INT64_MAX, 5, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(grant_numbers_fit(rows[i].minutes, rows[i].times), rows[i].fit);
}

static void a_grant_ends_by_its_time_its_uses_and_a_no(void **state)
{
	static const struct {
		unsigned used;
		const char *revoked;
		int64_t now_ms;
		enum grant_state state;
		int64_t left_ms;
	} rows[] = {
		{0, NULL, 1000, GRANT_HOLDS, 2 * MINUTE},
		{2, NULL, 1000 + MINUTE, GRANT_HOLDS, MINUTE},
		{2, NULL, 999 + 2 * MINUTE, GRANT_HOLDS, 1},
		{2, NULL, 1000 + 2 * MINUTE, GRANT_EXPIRED, 0},
		{0, NULL, 1000 + 9 * MINUTE, GRANT_EXPIRED, 0},
		{3, NULL, 2000, GRANT_USED_UP, 2 * MINUTE - 1000},
		{3, NULL, 1000 + 9 * MINUTE, GRANT_USED_UP, 0},
		{0, "by you", 2000, GRANT_REVOKED, 2 * MINUTE - 1000},
		{3, "by you", 1000 + 9 * MINUTE, GRANT_REVOKED, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct grant grant = {.minutes = 2,
			.times = 3,
			.used = rows[i].used,
			.revoked_why = (char *)rows[i].revoked,
			.made_at_ms = 1000};

		assert_int_equal(grant_state(&grant, rows[i].now_ms), rows[i].state);
		assert_int_equal(grant_left_ms(&grant, rows[i].now_ms), rows[i].left_ms);
	}
}

static struct grant one(unsigned peer, const char *what, int64_t now_ms)
{
	struct grant grant = {.peer = peer, .minutes = 10, .times = 5, .made_at_ms = now_ms};

	digest_bytes(what, strlen(what), &grant.digest);
	return grant;
}

static uint64_t found(const struct grants *grants, unsigned peer, const char *what, int64_t now_ms)
{
	struct digest digest;
	const struct grant *grant;

	digest_bytes(what, strlen(what), &digest);
	grant = grants_find(grants, peer, &digest, now_ms);
	return grant != NULL ? grant->number : 0;
}

static void only_the_same_call_of_the_same_sender_is_covered(void **state)
{
	CLEANUP(grants_release) struct grants grants = {0};
	struct err err = ERR_INIT;
	struct grant a = one(1, "a", 0), b = one(2, "b", 0), again = one(1, "a", 0);

	(void)state;
	assert_int_equal(grants_add(&grants, &a, 0, &err), 0);
	assert_int_equal(grants_add(&grants, &b, 0, &err), 0);
	assert_int_equal(grants_add(&grants, &again, 0, &err), 0);
	assert_int_equal(found(&grants, 1, "a", 1), 1);
	assert_int_equal(found(&grants, 2, "b", 1), 2);
	assert_int_equal(found(&grants, 2, "a", 1), 0);
	assert_int_equal(found(&grants, 1, "b", 1), 0);
	assert_int_equal(found(&grants, 1, "A", 1), 0);
	assert_int_equal(grants_holding(&grants, 1), 3);
	grants_get(&grants, 1)->used = 5;
	assert_int_equal(found(&grants, 1, "a", 1), 3);
	assert_int_equal(found(&grants, 1, "a", 10 * MINUTE), 0);
	assert_non_null(grants_find(&grants, 2, NULL, 1));
	assert_null(grants_find(&grants, 3, NULL, 1));
}

static void no_more_than_so_many_hold_and_no_number_comes_twice(void **state)
{
	CLEANUP(grants_release) struct grants grants = {0};
	struct err err = ERR_INIT;
	struct grant more = one(1, "more", 0), wrong = one(1, "wrong", 0);

	(void)state;
	for (unsigned i = 0; i < GRANTS_MAX; i++) {
		struct grant grant = one(1, "a", i == 7 ? -10 * MINUTE : 0);

		assert_int_equal(grants_add(&grants, &grant, 0, &err), 0);
	}
	wrong.times = GRANT_TIMES_MAX + 1;
	assert_int_equal(grants_add(&grants, &wrong, 0, &err), -1);
	assert_int_equal(err.code, ERR_INVALID);
	assert_int_equal(grants_add(&grants, &more, 0, &err), 0);
	assert_null(grants_get(&grants, 8));
	assert_int_equal(grants.count, GRANTS_MAX);
	assert_int_equal(grants.last, GRANTS_MAX + 1);
	more = one(1, "more", 0);
	assert_int_equal(grants_add(&grants, &more, 0, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_int_equal(grants.last, GRANTS_MAX + 1);
}

static void a_card_that_asks_for_a_word_or_reaches_this_machine_has_no_grant(void **state)
{
	struct card card;

	(void)state;
	card_init(&card);
	for (int network = 0; network < CARD_NETWORK_COUNT; network++) {
		card.network = (enum card_network)network;
		assert_int_equal(grant_possible(&card), network != CARD_NETWORK_ON_HOST);
	}
	card.network = CARD_NETWORK_OFF;
	mem_grow(&card.unusual.items, &card.unusual.cap, 0, sizeof(*card.unusual.items));
	card.unusual.items[card.unusual.count++] = (struct unusual){.severity = SEVERITY_NOTE};
	assert_true(grant_possible(&card));
	card.asked = mem_strdup("as it was before a person edited it");
	assert_false(grant_possible(&card));
	free(STEAL(card.asked));
	assert_true(grant_possible(&card));
	card.unusual.items[0].severity = SEVERITY_DANGER;
	assert_false(grant_possible(&card));
	card_release(&card);
}

/* What differs between two calls that are the same, then what must not differ. */
static void set_seq(struct card_fixture *f)
{
	f->in.seq = 99;
}

static void set_came_from(struct card_fixture *f)
{
	f->in.came_from = "stdin, line 99, id 99";
}

static void set_words(struct card_fixture *f)
{
	free(f->request.reason);
	f->request.reason = mem_strdup("trust me");
	free(f->request.agent);
	f->request.agent = mem_strdup("root");
}

static void set_proved(struct card_fixture *f)
{
	strcpy(f->offer.proved, "proved at 15:00 and again at start");
}

static void set_command(struct card_fixture *f)
{
	fixture_command(f, "git diff --stat HEAD~3 ");
}

static void set_directory(struct card_fixture *f)
{
	free(f->confinement.cwd);
	f->confinement.cwd = mem_strdup("/srv/shop/out");
}

static void set_network(struct card_fixture *f)
{
	f->confinement.network = true;
}

static void set_timeout(struct card_fixture *f)
{
	f->confinement.limits.wall_s--;
}

static void set_backend(struct card_fixture *f)
{
	f->offer.backend = BACKEND_BUBBLEWRAP;
}

static void set_isolation(struct card_fixture *f)
{
	f->offer.facets[FACET_PROCESSES] = HOLD_PART;
}

static void set_plan(struct card_fixture *f)
{
	f->in.plan_bytes = "plan of more";
	f->in.plan_len = strlen("plan of more");
}

static void set_place(struct card_fixture *f)
{
	f->confinement.writable.items[0].ino++;
}

static void set_socket(struct card_fixture *f)
{
	strv_add(&f->confinement.sockets, "/srv/shop/run/db.sock");
}

static void set_environment(struct card_fixture *f)
{
	strv_add(&f->confinement.env.kept, "LC_ALL=C");
}

static void set_helpers(struct card_fixture *f)
{
	f->helpers.bytes[0] ^= 1;
}

static void set_session(struct card_fixture *f)
{
	f->in.session = "20261130T140200Z-4122-9c3e";
}

static void set_rule(struct card_fixture *f)
{
	free(f->ruling.rule);
	f->ruling.rule = mem_strdup("tool_policy.tools.shell (line 3)");
}

static void set_ignored(struct card_fixture *f)
{
	strv_add(&f->request.ignored, "approved");
}

static void digest_of(void (*change)(struct card_fixture *), struct digest *ret)
{
	CLEANUP(fixture_release) struct card_fixture f;
	CLEANUP(card_release) struct card card;
	struct card_inputs in;
	struct request request;
	struct offer offer;

	fixture_init(&f);
	if (change != NULL)
		change(&f);
	grant_inputs(&f.in, &request, &offer, &in);
	card_build(&in, &card);
	*ret = card.digest;
}

static void one_input_that_differs_is_another_call(void **state)
{
	static const struct {
		void (*change)(struct card_fixture *);
		bool same;
	} rows[] = {
		{set_seq, true},
		{set_came_from, true},
		{set_words, true},
		{set_proved, true},
		{set_command, false},
		{set_directory, false},
		{set_network, false},
		{set_timeout, false},
		{set_backend, false},
		{set_isolation, false},
		{set_plan, false},
		{set_place, false},
		{set_socket, false},
		{set_environment, false},
		{set_helpers, false},
		{set_session, false},
		{set_rule, false},
		{set_ignored, false},
	};
	struct digest first, other;

	(void)state;
	digest_of(NULL, &first);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		digest_of(rows[i].change, &other);
		if (digest_equal(&first, &other) != rows[i].same)
			fail_msg("row %zu", i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_a_least_and_a_most),
		cmocka_unit_test(a_grant_ends_by_its_time_its_uses_and_a_no),
		cmocka_unit_test(only_the_same_call_of_the_same_sender_is_covered),
		cmocka_unit_test(no_more_than_so_many_hold_and_no_number_comes_twice),
		cmocka_unit_test(a_card_that_asks_for_a_word_or_reaches_this_machine_has_no_grant),
		cmocka_unit_test(one_input_that_differs_is_another_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

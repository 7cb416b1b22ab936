#include "config.h"

#include "core/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/test_card_fixture.h"

#define GRANT GRANT_OF("1")
#define GRANT_OF(n)                                                                                \
	"{\"grant\":" n ",\"minutes\":2,\"times\":2,\"digest\":"                                   \
	"\"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\"}"
#define YES "{\"decision\":\"approved\",\"by\":\"operator\"}"
#define USE(n) "{\"decision\":\"approved\",\"by\":\"grant\",\"grant\":1,\"use\":" #n "}"

struct film {
	struct model model;
	uint64_t number;
};

static int apply(struct film *film, enum event_type type, uint64_t seq, struct json *fields)
{
	struct event event = {.type = type,
		.number = ++film->number,
		.at_ms = (int64_t)film->number,
		.wall_ms = 5000000,
		.seq = seq,
		.fields = fields};
	struct err err = ERR_INIT;
	int status = model_apply(&film->model, &event, &err);

	event_release(&event);
	assert_true(status == 0 || err.code == ERR_INVALID);
	return status;
}

static int tell(struct film *film, enum event_type type, uint64_t seq, const char *text)
{
	struct json *fields = NULL;
	struct err err = ERR_INIT;

	assert_int_equal(json_parse(text, strlen(text), JSON_DEPTH_MAX, &fields, &err), 0);
	return apply(film, type, seq, fields);
}

static void ask(struct film *film, uint64_t seq)
{
	assert_int_equal(
		tell(film, EVENT_RECEIVED, seq,
			"{\"peer\":1,\"line\":1,\"agent\":\"pipeline\",\"command\":\"x\"}"),
		0);
	assert_int_equal(apply(film, EVENT_CARD, seq, fixture_card_event(seq)), 0);
}

static void film_open(struct film *film)
{
	*film = (struct film){0};
	model_init(&film->model);
	assert_int_equal(
		tell(film, EVENT_SESSION_START, 0, "{\"session\":\"20261130T140200Z-4121-9c3e\"}"),
		0);
}

static void film_close(struct film *film)
{
	model_release(&film->model);
}

static void the_model_counts_the_uses_of_a_grant(void **state)
{
	CLEANUP(film_close) struct film film;
	const struct grant *grant;
	const struct job *job;

	(void)state;
	film_open(&film);
	ask(&film, 1);
	assert_int_equal(tell(&film, EVENT_GRANT, 1, GRANT), 0);
	assert_int_equal(tell(&film, EVENT_DECIDED, 1, YES), 0);
	assert_int_equal(model_job(&film.model, 1)->grant_given, 1);
	assert_int_equal(model_job(&film.model, 1)->grant, 0);
	grant = grants_get(&film.model.grants, 1);
	assert_string_equal(grant->command, "git diff --stat HEAD~3");
	assert_string_equal(grant->directory, "/srv/shop");
	assert_string_equal(grant->agent, "pipeline");
	assert_int_equal(grant->peer, 1);
	assert_int_equal(grant->time_s, 60);
	assert_int_equal(grant->backend, BACKEND_LANDLOCK);
	for (uint64_t seq = 2; seq <= 3; seq++) {
		ask(&film, seq);
		assert_int_equal(tell(&film, EVENT_DECIDED, seq, seq == 2 ? USE(1) : USE(2)), 0);
		job = model_job(&film.model, seq);
		assert_int_equal(job->decided_by, DECIDER_GRANT);
		assert_int_equal(job->grant, 1);
		assert_int_equal(job->grant_seq, 1);
		assert_int_equal(job->grant_use, seq - 1);
		assert_int_equal(job->grant_times, 2);
	}
	assert_int_equal(grant->last_seq, 3);
	assert_int_equal(grant_state(grant, 20), GRANT_USED_UP);
	ask(&film, 4);
	assert_int_equal(tell(&film, EVENT_DECIDED, 4, USE(3)), -1);
}

static void a_record_of_a_grant_that_cannot_be_is_refused(void **state)
{
	static const char *const wrong[] = {"{}",
		"{\"grant\":1,\"minutes\":2,\"times\":2,\"digest\":\"00\"}",
		"{\"grant\":2,\"minutes\":2,\"times\":2,\"digest\":"
		"\"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\"}",
		"{\"grant\":1,\"minutes\":61,\"times\":2,\"digest\":"
		"\"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\"}",
		"{\"grant\":1,\"minutes\":2,\"times\":0,\"digest\":"
		"\"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\"}"};
	CLEANUP(film_close) struct film film;

	(void)state;
	film_open(&film);
	assert_int_equal(tell(&film, EVENT_GRANT, 0, GRANT), -1);
	ask(&film, 1);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		assert_int_equal(tell(&film, EVENT_GRANT, 1, wrong[i]), -1);
	assert_int_equal(tell(&film, EVENT_DECIDED, 1, USE(1)), -1);
	assert_int_equal(tell(&film, EVENT_GRANT, 1, GRANT), 0);
	assert_int_equal(tell(&film, EVENT_DECIDED, 1, YES), 0);
	ask(&film, 2);
	assert_int_equal(tell(&film, EVENT_DECIDED, 2, USE(2)), -1);
	assert_int_equal(tell(&film, EVENT_REVOKED, 0, "{\"grant\":1}"), -1);
	assert_int_equal(tell(&film, EVENT_REVOKED, 0, "{\"grant\":2,\"why\":\"by you\"}"), -1);
	assert_int_equal(tell(&film, EVENT_REVOKED, 0, "{\"grant\":1,\"why\":\"by you\"}"), 0);
	assert_int_equal(tell(&film, EVENT_REVOKED, 0, "{\"grant\":1,\"why\":\"by you\"}"), -1);
	assert_int_equal(tell(&film, EVENT_DECIDED, 2, USE(1)), -1);
}

static void a_call_that_comes_back_is_covered_no_more_and_a_gap_ends_all(void **state)
{
	CLEANUP(film_close) struct film film;

	(void)state;
	film_open(&film);
	ask(&film, 1);
	assert_int_equal(tell(&film, EVENT_GRANT, 1, GRANT), 0);
	assert_int_equal(tell(&film, EVENT_DECIDED, 1, YES), 0);
	ask(&film, 2);
	assert_int_equal(tell(&film, EVENT_DECIDED, 2, USE(1)), 0);
	assert_int_equal(tell(&film, EVENT_REQUEUED, 2, "{\"why\":\"no place was free\"}"), 0);
	assert_int_equal(model_job(&film.model, 2)->grant, 0);
	assert_int_equal(grants_holding(&film.model.grants, 20), 1);
	assert_int_equal(tell(&film, EVENT_GAP, 0, "{\"why\":\"disk full\"}"), 0);
	assert_int_equal(grants_holding(&film.model.grants, 20), 0);
	assert_int_equal(tell(&film, EVENT_DECIDED, 2, USE(2)), -1);
}

/* The file after a gap counts on where the one before was left; a reader of it alone must not stumble over that. */
static void behind_a_gap_the_numbers_go_on(void **state)
{
	CLEANUP(film_close) struct film film = {0};

	(void)state;
	model_init(&film.model);
	assert_int_equal(
		tell(&film, EVENT_GAP, 0,
			"{\"why\":\"disk full\",\"session\":\"20261130T140200Z-4121-9c3e\"}"),
		0);
	ask(&film, 7);
	assert_int_equal(tell(&film, EVENT_GRANT, 7, GRANT_OF("0")), -1);
	assert_int_equal(tell(&film, EVENT_GRANT, 7, GRANT_OF("3")), 0);
	assert_non_null(grants_get(&film.model.grants, 3));
	assert_int_equal(tell(&film, EVENT_DECIDED, 7, YES), 0);
	ask(&film, 8);
	assert_int_equal(tell(&film, EVENT_GRANT, 8, GRANT_OF("3")), -1);
	assert_int_equal(tell(&film, EVENT_GRANT, 8, GRANT_OF("4")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_model_counts_the_uses_of_a_grant),
		cmocka_unit_test(a_record_of_a_grant_that_cannot_be_is_refused),
		cmocka_unit_test(a_call_that_comes_back_is_covered_no_more_and_a_gap_ends_all),
		cmocka_unit_test(behind_a_gap_the_numbers_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

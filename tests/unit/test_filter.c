#include "config.h"

#include "tui/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tui/history.h"

#define MINUTE_MS INT64_C(60000)
#define DAY_MS (1440 * MINUTE_MS)
#define START_WALL_MS INT64_C(1796047320000) /* 2026-11-30T14:02:00Z */

/* Milliseconds on the wall clock at a time of that day. */
#define DAY_AT(hour, minute) (START_WALL_MS + ((hour)*60 + (minute)-14 * 60 - 2) * MINUTE_MS)

static struct job a_job(void)
{
	return (struct job){.seq = 7,
		.state = JOB_ENDED,
		.agent = "Build-Bot",
		.command = "rm -r build && make test 20",
		.reason = REASON_EXIT_STATUS,
		.exit_code = 20,
		.ended_wall_ms = DAY_AT(14, 21)};
}

static struct model a_model(int64_t now_wall_ms)
{
	return (struct model){
		.start_wall_ms = START_WALL_MS, .now_at_ms = now_wall_ms - START_WALL_MS};
}

static bool matches(const char *text, const struct job *job, int64_t now_wall_ms)
{
	struct model model = a_model(now_wall_ms);
	struct err err = ERR_INIT;
	struct filter filter;
	bool found;

	if (filter_parse(text, &model, &filter, &err) != 0)
		fail_msg("%s: %s", text, err.text);
	found = filter_match(&filter, job);
	filter_release(&filter);
	return found;
}

static void each_word_must_be_somewhere(void **state)
{
	static const struct {
		const char *text;
		bool found;
	} cases[] = {
		{"", true},
		{"   ", true},
		{"make", true},
		{"MAKE", true},
		{"make rm", true},
		{"make curl", false},
		{"bot make 20", true},
		{"\"rm -r\"", true},
		{"\"make rm\"", false},
		{"agent:bot", true},
		{"agent:make", false},
		{"AGENT:build make", true},
		{"\"agent:build\"", false},
		{"agent:", true},
		{"ended:exit", true},
		{"ended:make", false},
		{"ended:\"exit 20\"", true},
		{"exit 20", true},
		{"EXIT 20", true},
		{"exit 2", false},
		{"exit 2 make", false},
		{"exit make", true},
		{"signal 20", false},
		{"rejected", false},
		{"\"", true},
		{"\"make", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct job job = a_job();

		if (matches(cases[i].text, &job, DAY_AT(15, 0)) != cases[i].found)
			fail_msg("%s", cases[i].text);
	}
}

static void every_end_is_found_by_its_word(void **state)
{
	static const struct {
		enum reason reason;
		const char *text;
	} cases[] = {
		{REASON_NONE, "exit 0"},
		{REASON_TIMEOUT, "ended:\"time limit\""},
		{REASON_REJECTED, "rejected"},
		{REASON_APPROVAL_TIMEOUT, "expired"},
		{REASON_DENIED_BY_POLICY, "policy denies"},
		{REASON_WITHDRAWN, "withdrawn"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct job job = a_job();

		job.reason = cases[i].reason;
		job.exit_code = 0;
		if (!matches(cases[i].text, &job, DAY_AT(15, 0)))
			fail_msg("%s", cases[i].text);
	}
}

static void a_time_is_the_last_one_of_that_name(void **state)
{
	static const struct {
		const char *text;
		int64_t end, now;
		bool found;
	} cases[] = {
		{"since:14:21", DAY_AT(14, 21), DAY_AT(15, 0), true},
		{"since:14:22", DAY_AT(14, 21), DAY_AT(15, 0), false},
		{"until:14:21", DAY_AT(14, 21) + 59999, DAY_AT(15, 0), true},
		{"until:14:20", DAY_AT(14, 21), DAY_AT(15, 0), false},
		{"since:14:20 until:14:30", DAY_AT(14, 21), DAY_AT(15, 0), true},
		{"since:14:20 until:14:30", DAY_AT(14, 31), DAY_AT(15, 0), false},
		/* Still to come: all there is lies before it. */
		{"until:16:00", DAY_AT(14, 21), DAY_AT(15, 0), true},
		/* Over midnight. */
		{"since:23:50", DAY_AT(24, 10), DAY_AT(24, 20), true},
		{"since:23:50", DAY_AT(23, 40), DAY_AT(24, 20), false},
		{"since:23:50 until:0:05", DAY_AT(24, 4), DAY_AT(24, 20), true},
		{"since:23:50 until:00:05", DAY_AT(24, 10), DAY_AT(24, 20), false},
		/* The day before does not count. */
		{"since:14:20", DAY_AT(14, 21), DAY_AT(15, 0) + DAY_MS, false},
	};

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct job job = a_job();

		job.ended_wall_ms = cases[i].end;
		if (matches(cases[i].text, &job, cases[i].now) != cases[i].found)
			fail_msg("%s, case %zu", cases[i].text, i);
	}
}

static void a_filter_that_cannot_be_read_says_what_to_type(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"since:noon", "since: needs a time of day: since:14:20"},
		{"until:", "until: needs a time of day: until:14:20"},
		{"since:24:00", "since: needs a time of day: since:14:20"},
		{"since:14:60", "since: needs a time of day: since:14:20"},
		{"make since:14:20:30", "since: needs a time of day: since:14:20"},
		{"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 "
		 "31 32 33",
			"at most 32 words"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct model model = a_model(DAY_AT(15, 0));
		struct err err = ERR_INIT;
		struct filter filter;

		assert_int_equal(-1, filter_parse(cases[i].text, &model, &filter, &err));
		assert_string_equal(cases[i].why, err.text);
	}
}

/* A forgotten call keeps the first 4,096 bytes: a filter finds the same before and after. */
static void only_what_is_kept_of_a_long_command_is_searched(void **state)
{
	MEM_AUTO char *command = mem_alloc(6000);
	struct job job = a_job();

	(void)state;
	memset(command, 'x', 5999);
	memcpy(command, "head", 4);
	memcpy(command + 5990, "tail", 4);
	job.command = command;
	assert_true(matches("head", &job, DAY_AT(15, 0)));
	assert_false(matches("tail", &job, DAY_AT(15, 0)));
}

static void calls_are_listed_newest_end_first_and_only_when_over(void **state)
{
	struct job jobs[] = {
		{.seq = 1, .state = JOB_ENDED, .ended_at_ms = 50},
		{.seq = 2, .state = JOB_RUNNING},
		{.seq = 3, .state = JOB_REJECTED, .ended_at_ms = 20},
		{.seq = 4, .state = JOB_WAITING},
		{.seq = 5, .state = JOB_EXPIRED, .ended_at_ms = 40},
		{.seq = 6, .state = JOB_LOST, .ended_at_ms = 40, .forgotten = true},
	};
	static const uint64_t want[] = {1, 6, 5, 3};
	struct job *list[ARRAY_LEN(jobs)];
	struct model model = {.jobs = list, .count = ARRAY_LEN(jobs)};
	struct history_rows rows;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(jobs); i++)
		list[i] = &jobs[i];
	model_relist(&model);
	history_rows_make(&model, "", &rows);
	assert_int_equal(ARRAY_LEN(want), rows.count);
	assert_int_equal(ARRAY_LEN(want), rows.all);
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_int_equal(want[i], rows.items[i]->seq);
	assert_int_equal(2, history_rows_at(&rows, 5));
	assert_int_equal(rows.count, history_rows_find(&rows, 4));
	history_rows_release(&rows);
	history_rows_make(&model, "since:x", &rows);
	assert_int_equal(0, rows.count);
	assert_int_equal(ARRAY_LEN(want), rows.all);
	history_rows_release(&rows);
	/* The calls are not its own. */
	model.jobs = NULL;
	model.count = 0;
	model_release(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_word_must_be_somewhere),
		cmocka_unit_test(every_end_is_found_by_its_word),
		cmocka_unit_test(a_time_is_the_last_one_of_that_name),
		cmocka_unit_test(a_filter_that_cannot_be_read_says_what_to_type),
		cmocka_unit_test(only_what_is_kept_of_a_long_command_is_searched),
		cmocka_unit_test(calls_are_listed_newest_end_first_and_only_when_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "core/job.h"

static void a_call_walks_from_its_line_to_its_answer(void **state)
{
	static const struct {
		enum event_type type;
		enum job_state to;
	} steps[] = {
		{EVENT_RULED, JOB_NEW},
		{EVENT_CARD, JOB_WAITING},
		{EVENT_SEEN, JOB_WAITING},
		{EVENT_DECIDED, JOB_APPROVED},
		{EVENT_REQUEUED, JOB_WAITING},
		{EVENT_CARD, JOB_WAITING},
		{EVENT_DECIDED, JOB_APPROVED},
		{EVENT_LAUNCHING, JOB_STARTING},
		{EVENT_OUTPUT, JOB_STARTING},
		{EVENT_STARTED, JOB_RUNNING},
		{EVENT_OUTPUT, JOB_RUNNING},
		{EVENT_TRUNCATED, JOB_RUNNING},
		{EVENT_STOPPING, JOB_STOPPING},
		{EVENT_STOPPING, JOB_STOPPING},
		{EVENT_OUTPUT, JOB_STOPPING},
		{EVENT_GIT_CHANGED, JOB_STOPPING},
		{EVENT_ENDED, JOB_ENDED},
		{EVENT_ANSWERED, JOB_ENDED},
	};
	enum job_state at = JOB_NEW;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		at = job_next(at, steps[i].type);
		assert_int_equal(at, steps[i].to);
	}
}

static void what_is_over_stays_over(void **state)
{
	(void)state;
	for (int s = JOB_ENDED; s < JOB_STATE_COUNT; s++) {
		assert_true(job_is_over((enum job_state)s));
		for (int t = EVENT_RECEIVED; t <= EVENT_EXPIRED; t++) {
			enum job_state to = job_next((enum job_state)s, (enum event_type)t);

			assert_true(to == JOB_IMPOSSIBLE || to == (enum job_state)s);
		}
		assert_int_equal(job_next((enum job_state)s, EVENT_ANSWERED), s);
		assert_int_equal(job_next_rejected((enum job_state)s), JOB_IMPOSSIBLE);
	}
	for (int s = JOB_NEW; s < JOB_ENDED; s++) {
		assert_false(job_is_over((enum job_state)s));
		assert_int_equal(job_next((enum job_state)s, EVENT_ANSWERED), JOB_IMPOSSIBLE);
	}
}

/* Each of these would be a command that runs without the decision before it, or a decision about
   nothing. */
static void nothing_runs_that_was_not_decided(void **state)
{
	static const struct {
		enum job_state from;
		enum event_type type;
	} pairs[] = {
		{JOB_NEW, EVENT_LAUNCHING},
		{JOB_NEW, EVENT_STARTED},
		{JOB_NEW, EVENT_OUTPUT},
		{JOB_NEW, EVENT_ENDED},
		{JOB_WAITING, EVENT_LAUNCHING},
		{JOB_WAITING, EVENT_STARTED},
		{JOB_WAITING, EVENT_OUTPUT},
		{JOB_WAITING, EVENT_ENDED},
		{JOB_WAITING, EVENT_STOPPING},
		{JOB_WAITING, EVENT_RULED},
		{JOB_APPROVED, EVENT_STARTED},
		{JOB_APPROVED, EVENT_DECIDED},
		{JOB_APPROVED, EVENT_EXPIRED},
		{JOB_STARTING, EVENT_DECIDED},
		{JOB_RUNNING, EVENT_STARTED},
		{JOB_RUNNING, EVENT_REQUEUED},
		{JOB_RUNNING, EVENT_CARD},
		{JOB_RUNNING, EVENT_REFUSED},
		{JOB_RUNNING, EVENT_WITHDRAWN},
		{JOB_STOPPING, EVENT_REQUEUED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		assert_int_equal(job_next(pairs[i].from, pairs[i].type), JOB_IMPOSSIBLE);
	assert_int_equal(job_next_rejected(JOB_WAITING), JOB_REJECTED);
	assert_int_equal(job_next_rejected(JOB_RUNNING), JOB_IMPOSSIBLE);
	assert_int_equal(job_next_rejected(JOB_NEW), JOB_IMPOSSIBLE);
}

static void events_of_the_session_change_no_call(void **state)
{
	static const enum event_type types[] = {EVENT_SESSION_START, EVENT_PEER, EVENT_PEER_LEFT,
		EVENT_LISTENING, EVENT_PROFILE, EVENT_VIEW, EVENT_INTAKE, EVENT_GAP,
		EVENT_FOUND_OPEN, EVENT_SESSION_END, EVENT_GRANT, EVENT_REVOKED, EVENT_LOCKED};

	(void)state;
	for (int s = 0; s < JOB_STATE_COUNT; s++) {
		for (size_t i = 0; i < ARRAY_LEN(types); i++)
			assert_int_equal(job_next((enum job_state)s, types[i]), s);
	}
}

static void every_state_has_a_name(void **state)
{
	(void)state;
	for (int s = 0; s < JOB_STATE_COUNT; s++) {
		assert_non_null(job_state_name((enum job_state)s));
		/* found_call keeps it in 16 bytes. */
		assert_true(strlen(job_state_name((enum job_state)s)) < 16);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_walks_from_its_line_to_its_answer),
		cmocka_unit_test(what_is_over_stays_over),
		cmocka_unit_test(nothing_runs_that_was_not_decided),
		cmocka_unit_test(events_of_the_session_change_no_call),
		cmocka_unit_test(every_state_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

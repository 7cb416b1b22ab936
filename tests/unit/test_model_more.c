#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/model.h"
#include "tests/unit/test_card_fixture.h"

static int apply(struct model *model, enum event_type type, uint64_t seq, struct json *fields,
	struct err *err)
{
	struct event event = {.type = type, .number = 1, .seq = seq, .fields = fields};
	int status = model_apply(model, &event, err);

	event_release(&event);
	return status;
}

static void emit(struct model *model, enum event_type type, uint64_t seq, const char *text)
{
	struct json *fields = NULL;
	struct err err = ERR_INIT;

	assert_int_equal(json_parse(text, strlen(text), JSON_DEPTH_MAX, &fields, &err), 0);
	if (apply(model, type, seq, fields, &err) != 0)
		fail_msg("%s: %s", event_type_name(type), err.text);
}

static void wait_for_person(struct model *model, uint64_t seq)
{
	struct err err = ERR_INIT;

	emit(model, EVENT_RECEIVED, seq, "{\"peer\":0,\"line\":1,\"command\":\"x\"}");
	assert_int_equal(apply(model, EVENT_CARD, seq, fixture_card_event(seq), &err), 0);
}

static void run(struct model *model, uint64_t seq)
{
	wait_for_person(model, seq);
	emit(model, EVENT_DECIDED, seq, "{\"decision\":\"approved\",\"by\":\"operator\"}");
	emit(model, EVENT_LAUNCHING, seq, "{\"backend\":\"landlock\"}");
	emit(model, EVENT_STARTED, seq, "{}");
}

static void the_next_waiting_call_is_found_both_ways(void **state)
{
	CLEANUP(model_release) struct model model;

	(void)state;
	model_init(&model);
	assert_int_equal(model_next_waiting(&model, 0, false), 0);
	for (uint64_t seq = 2; seq <= 12; seq += 2)
		wait_for_person(&model, seq);
	emit(&model, EVENT_EXPIRED, 6, "{}");
	emit(&model, EVENT_EXPIRED, 12, "{}");
	assert_int_equal(model_next_waiting(&model, 0, false), 2);
	assert_int_equal(model_next_waiting(&model, 2, false), 4);
	assert_int_equal(model_next_waiting(&model, 4, false), 8);
	assert_int_equal(model_next_waiting(&model, 7, false), 8);
	assert_int_equal(model_next_waiting(&model, 10, false), 0);
	assert_int_equal(model_next_waiting(&model, 10, true), 8);
	assert_int_equal(model_next_waiting(&model, 7, true), 4);
	assert_int_equal(model_next_waiting(&model, 2, true), 0);
	assert_null(model_job(&model, 3));
	assert_null(model_job(&model, 0));
	assert_null(model_job(&model, 13));
}

static void ten_thousand_calls_keep_their_counts(void **state)
{
	CLEANUP(model_release) struct model model;

	(void)state;
	model_init(&model);
	for (uint64_t seq = 1; seq <= 10000; seq++) {
		emit(&model, EVENT_RECEIVED, seq, "{\"peer\":0,\"line\":1,\"command\":\"x\"}");
		emit(&model, EVENT_REFUSED, seq,
			"{\"reason\":\"denied_by_policy\",\"sentence\":\"no\"}");
	}
	assert_int_equal(model.done, 10000);
	assert_int_equal(model.count, 10000);
	for (uint64_t seq = 1; seq <= 10000; seq++)
		assert_int_equal(model_job(&model, seq)->decided_by, DECIDER_POLICY);
}

static void output_is_kept_up_to_the_cap_and_counted_beyond(void **state)
{
	CLEANUP(model_release) struct model model;
	MEM_AUTO char *chunk = mem_alloc(65537);
	uint64_t sent = 0;

	(void)state;
	model_init(&model);
	run(&model, 1);
	memset(chunk, 'x', 65536);
	chunk[100] = '\n';
	while (sent < LIMIT_OUTPUT_BYTES + 3 * 65536) {
		struct err err = ERR_INIT;

		assert_int_equal(
			apply(&model, EVENT_OUTPUT, 1, event_output_fields(chunk, 65000), &err), 0);
		sent += 65000;
	}
	const struct job *job = model_job(&model, 1);

	assert_int_equal(job->output.len, LIMIT_OUTPUT_BYTES);
	assert_int_equal(job->output_bytes, sent);
	assert_int_equal(job->output_dropped, sent - LIMIT_OUTPUT_BYTES);
	assert_int_equal(job->output_lines, (LIMIT_OUTPUT_BYTES - 101) / 65000 + 1);
	emit(&model, EVENT_TRUNCATED, 1, "{\"cap\":1048576}");
	emit(&model, EVENT_ENDED, 1,
		"{\"reason\":\"\",\"output_bytes\":9000000,\"dropped\":7951424}");
	assert_int_equal(job->output_bytes, 9000000);
	assert_int_equal(job->output_dropped, 7951424);
	assert_int_equal(job->reason, REASON_NONE);
}

static void more_time_raises_the_limit(void **state)
{
	CLEANUP(model_release) struct model model;
	struct err err = ERR_INIT;

	(void)state;
	model_init(&model);
	run(&model, 1);
	emit(&model, EVENT_EXTENDED, 1, "{\"by_ms\":30000}");
	assert_int_equal(model_job(&model, 1)->wall_limit_ms, 90000);
	assert_int_equal(apply(&model, EVENT_EXTENDED, 1, json_new_object(), &err), -1);
}

static void how_much_time_a_command_can_have_is_known_from_its_start(void **state)
{
	CLEANUP(model_release) struct model model;

	(void)state;
	model_init(&model);
	run(&model, 1);
	assert_int_equal(model_job(&model, 1)->wall_most_ms, 0);
	wait_for_person(&model, 2);
	emit(&model, EVENT_DECIDED, 2, "{\"decision\":\"approved\",\"by\":\"operator\"}");
	emit(&model, EVENT_LAUNCHING, 2, "{\"backend\":\"landlock\"}");
	emit(&model, EVENT_STARTED, 2, "{\"wall_most_ms\":600000}");
	assert_int_equal(model_job(&model, 2)->wall_most_ms, 600000);
}

static void what_was_never_started_has_no_duration(void **state)
{
	CLEANUP(model_release) struct model model;

	(void)state;
	model_init(&model);
	wait_for_person(&model, 1);
	emit(&model, EVENT_DECIDED, 1, "{\"decision\":\"approved\",\"by\":\"operator\"}");
	emit(&model, EVENT_LAUNCHING, 1, "{\"backend\":\"landlock\"}");
	emit(&model, EVENT_ENDED, 1,
		"{\"reason\":\"sandbox_failed\",\"sentence\":\"x\",\"duration_ms\":-1}");
	assert_int_equal(model_job(&model, 1)->duration_ms, -1);
	assert_int_equal(model_job(&model, 1)->started_at_ms, -1);
	assert_int_equal(model_job(&model, 1)->exit_code, -1);
}

static void a_stop_a_git_change_and_an_intake_are_remembered(void **state)
{
	CLEANUP(model_release) struct model model;

	(void)state;
	model_init(&model);
	run(&model, 1);
	emit(&model, EVENT_STOPPING, 1, "{\"by\":\"operator\",\"why\":\"killed_by_operator\"}");
	assert_int_equal(model.running, 1);
	emit(&model, EVENT_GIT_CHANGED, 1, "{\"paths\":[\".git/config\",\".git/modules/x\"]}");
	emit(&model, EVENT_ENDED, 1, "{\"reason\":\"killed_by_operator\",\"signal\":15}");
	assert_int_equal(model_job(&model, 1)->git_changed.count, 2);
	assert_int_equal(model_job(&model, 1)->signal, 15);
	emit(&model, EVENT_INTAKE, 0, "{\"open\":false,\"why\":\"end of input\"}");
	assert_false(model.intake_open);
	assert_string_equal(model.intake_why, "end of input");
	emit(&model, EVENT_SESSION_END, 0, "{\"why\":\"quit\",\"ui\":{\"view\":2}}");
	assert_true(model.ended);
	assert_int_equal(json_get_int(model.last_ui, "view", 0), 2);
}

static void later_and_unknown_types_change_nothing(void **state)
{
	static const enum event_type types[] = {EVENT_LIMIT, EVENT_PROFILE, EVENT_TYPE_COUNT};
	CLEANUP(model_release) struct model model;

	(void)state;
	model_init(&model);
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		struct err err = ERR_INIT;

		assert_int_equal(apply(&model, types[i], 0, json_new_object(), &err), 0);
	}
	assert_int_equal(model.count, 0);
}

static void a_dead_session_is_one_line(void **state)
{
	CLEANUP(model_release) struct model model;

	(void)state;
	model_init(&model);
	emit(&model, EVENT_FOUND_OPEN, 0,
		"{\"file\":\"20261130T120000Z-77-ab01.jsonl\",\"torn\":false,"
		"\"calls\":[{\"seq\":4,\"state\":\"running\"}]}");
	assert_string_equal(
		model.found_open, "the earlier session 77-ab01 did not end: 1 call is lost");
	emit(&model, EVENT_FOUND_OPEN, 0,
		"{\"file\":\"20261130T130000Z-78-ab02.jsonl\",\"torn\":true,\"calls\":[]}");
	assert_string_equal(
		model.found_open, "2 earlier sessions did not end, the last is 78-ab02");
}

/* The file that follows a broken one begins in the middle: its calls are not known, and that is no
   corruption. */
static void after_a_gap_unknown_calls_are_passed_over(void **state)
{
	CLEANUP(model_release) struct model model;

	(void)state;
	model_init(&model);
	emit(&model, EVENT_GAP, 0,
		"{\"why\":\"disk full\",\"session\":\"20261130T140200Z-1-00aa\"}");
	assert_string_equal(model.session_short, "1-00aa");
	emit(&model, EVENT_ENDED, 7, "{\"reason\":\"\"}");
	emit(&model, EVENT_ANSWERED, 7, "{}");
	assert_int_equal(model.count, 0);
	wait_for_person(&model, 8);
	assert_int_equal(model.waiting, 1);
}

static void a_gap_in_a_live_session_says_that_the_record_works_again(void **state)
{
	CLEANUP(model_release) struct model model;

	(void)state;
	model_init(&model);
	emit(&model, EVENT_SESSION_START, 0, "{\"session\":\"20261130T140200Z-1-00aa\"}");
	wait_for_person(&model, 1);
	model_set_record_failed(&model, "disk full");
	assert_string_equal(model.record_failed, "disk full");
	emit(&model, EVENT_GAP, 0,
		"{\"why\":\"disk full\",\"session\":\"20261130T150000Z-1-00bb\"}");
	assert_null(model.record_failed);
	assert_string_equal(model.session_short, "1-00bb");
	emit(&model, EVENT_EXPIRED, 1, "{}");
	assert_int_equal(model.done, 1);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void assert_counts_are_true(const struct model *model)
{
	unsigned waiting = 0, running = 0, done = 0;

	for (size_t i = 0; i < model->count; i++) {
		enum job_state s = model->jobs[i]->state;

		waiting += s == JOB_WAITING;
		running += s == JOB_STARTING || s == JOB_RUNNING || s == JOB_STOPPING;
		done += job_is_over(s);
	}
	assert_int_equal(model->waiting, waiting);
	assert_int_equal(model->running, running);
	assert_int_equal(model->done, done);
}

/* Whatever comes in whatever order: no crash, counts that are true, and nothing that is over moves
   again. */
static void random_events_never_break_the_model(void **state)
{
	static const char *const fields[] = {"{}", "{\"peer\":0,\"line\":1,\"command\":\"x\"}",
		"{\"decision\":\"approved\",\"by\":\"operator\"}",
		"{\"decision\":\"rejected\",\"by\":\"operator\"}", "{\"backend\":\"landlock\"}",
		"{\"text\":\"x\\n\"}", "{\"verdict\":\"allow\"}", "{\"verdict\":\"supervised\"}",
		"{\"why\":\"x\",\"by\":\"console\",\"open\":true,\"file\":\"x\"}",
		"{\"reason\":\"timeout\",\"sentence\":\"x\"}"};
	uint32_t seed = 11;

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		CLEANUP(model_release) struct model model;
		bool over[8] = {false};

		model_init(&model);
		for (unsigned i = 0; i < 200; i++) {
			uint64_t seq = next_random(&seed) % 8;
			enum event_type type =
				(enum event_type)(next_random(&seed) % EVENT_TYPE_COUNT);
			const char *text = fields[next_random(&seed) % ARRAY_LEN(fields)];
			struct json *v = NULL;
			struct err err = ERR_INIT;

			if (next_random(&seed) % 4 == 0) {
				type = EVENT_CARD;
				v = fixture_card_event(seq);
			} else {
				json_parse(text, strlen(text), JSON_DEPTH_MAX, &v, &err);
			}
			apply(&model, type, seq, v, &err);
			assert_counts_are_true(&model);
			const struct job *job = model_job(&model, seq);

			if (job != NULL && over[seq])
				assert_true(job_is_over(job->state));
			if (job != NULL)
				over[seq] = job_is_over(job->state);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_next_waiting_call_is_found_both_ways),
		cmocka_unit_test(ten_thousand_calls_keep_their_counts),
		cmocka_unit_test(output_is_kept_up_to_the_cap_and_counted_beyond),
		cmocka_unit_test(more_time_raises_the_limit),
		cmocka_unit_test(how_much_time_a_command_can_have_is_known_from_its_start),
		cmocka_unit_test(what_was_never_started_has_no_duration),
		cmocka_unit_test(a_stop_a_git_change_and_an_intake_are_remembered),
		cmocka_unit_test(later_and_unknown_types_change_nothing),
		cmocka_unit_test(a_dead_session_is_one_line),
		cmocka_unit_test(after_a_gap_unknown_calls_are_passed_over),
		cmocka_unit_test(a_gap_in_a_live_session_says_that_the_record_works_again),
		cmocka_unit_test(random_events_never_break_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

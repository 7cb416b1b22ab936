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

static void apply(struct model *model, enum event_type type, uint64_t seq, struct json *fields)
{
	struct event event = {.type = type, .number = 1, .seq = seq, .fields = fields};
	struct err err = ERR_INIT;

	if (model_apply(model, &event, &err) != 0)
		fail_msg("%s: %s", event_type_name(type), err.text);
	event_release(&event);
}

static void emit(struct model *model, enum event_type type, uint64_t seq, const char *text)
{
	struct json *fields = NULL;

	assert_int_equal(json_parse(text, strlen(text), JSON_DEPTH_MAX, &fields, NULL), 0);
	apply(model, type, seq, fields);
}

static void wait_for_person(struct model *model, uint64_t seq, size_t command_bytes)
{
	MEM_AUTO char *command = mem_alloc(command_bytes + 1);
	struct json *received = json_new_object();

	memset(command, 'x', command_bytes);
	json_set_int(received, "peer", 1);
	json_set_int(received, "line", 1);
	json_set_str(received, "command", command);
	apply(model, EVENT_RECEIVED, seq, received);
	apply(model, EVENT_CARD, seq, fixture_card_event(seq));
}

static void run(struct model *model, uint64_t seq)
{
	emit(model, EVENT_DECIDED, seq, "{\"decision\":\"approved\",\"by\":\"operator\"}");
	emit(model, EVENT_LAUNCHING, seq, "{\"backend\":\"landlock\"}");
	emit(model, EVENT_STARTED, seq, "{}");
	emit(model, EVENT_OUTPUT, seq, "{\"text\":\"one line\\n\"}");
}

static void end(struct model *model, uint64_t seq)
{
	emit(model, EVENT_ENDED, seq, "{\"exit_code\":0}");
	emit(model, EVENT_ANSWERED, seq, "{\"delivered\":true}");
}

/* Else a session of a thousand calls holds a thousand cards and outputs in memory. */
static void what_is_over_for_long_is_kept_in_the_record_alone(void **state)
{
	CLEANUP(model_release) struct model model;

	(void)state;
	model_init(&model);
	wait_for_person(&model, 1, 5000);
	wait_for_person(&model, 2, 5000);
	run(&model, 2);
	for (uint64_t seq = 3; seq <= MODEL_WHOLE_MAX + 4; seq++) {
		wait_for_person(&model, seq, 5000);
		run(&model, seq);
		end(&model, seq);
	}
	for (uint64_t seq = 1; seq <= MODEL_WHOLE_MAX + 4; seq++) {
		const struct job *job = model_job(&model, seq);
		bool old = seq == 3 || seq == 4;

		assert_int_equal(job->forgotten, old);
		assert_int_equal(job->card == NULL, old);
		assert_int_equal(strlen(job->command), old ? 4096 : 5000);
		assert_int_equal(job->output.len, old || seq == 1 ? 0 : 9);
		assert_int_equal(job->output_bytes, seq == 1 ? 0 : 9);
	}
	end(&model, 2);
	assert_false(model_job(&model, 2)->forgotten);
	assert_true(model_job(&model, 5)->forgotten);
	assert_int_equal(model.done, MODEL_WHOLE_MAX + 3);
}

static void add_output(struct model *model, uint64_t seq, size_t bytes)
{
	MEM_AUTO char *text = mem_alloc(bytes + 1);
	struct json *fields = json_new_object();

	memset(text, 'o', bytes);
	json_set_str(fields, "text", text);
	apply(model, EVENT_OUTPUT, seq, fields);
}

/* Else a session of few calls with much output each holds the cap of all of them in memory. */
static void long_outputs_push_the_oldest_out(void **state)
{
	CLEANUP(model_release) struct model model;
	size_t most = MODEL_OUTPUT_BYTES /
		      4; /* with the line before it, three of them fit, four do not */

	(void)state;
	model_init(&model);
	for (uint64_t seq = 1; seq <= 5; seq++) {
		wait_for_person(&model, seq, 10);
		run(&model, seq);
		add_output(&model, seq, seq == 4 ? 0 : most);
		end(&model, seq);
	}
	assert_true(model_job(&model, 1)->forgotten);
	for (uint64_t seq = 2; seq <= 5; seq++) {
		assert_false(model_job(&model, seq)->forgotten);
		assert_non_null(model_job(&model, seq)->card);
	}
	assert_int_equal(model_job(&model, 1)->output.len, 0);
	assert_int_equal(model_job(&model, 1)->output_bytes, most + 9);
	assert_int_equal(model_job(&model, 5)->output.len, most + 9);
}

static void the_newest_output_is_kept_whatever_its_length(void **state)
{
	CLEANUP(model_release) struct model model;

	(void)state;
	model_init(&model);
	for (uint64_t seq = 1; seq <= 9; seq++) {
		wait_for_person(&model, seq, 10);
		run(&model, seq);
		add_output(&model, seq, LIMIT_OUTPUT_BYTES);
		end(&model, seq);
		assert_false(model_job(&model, seq)->forgotten);
		assert_int_equal(model_job(&model, seq)->output.len, LIMIT_OUTPUT_BYTES);
	}
	assert_int_equal(model.whole_count, MODEL_OUTPUT_BYTES / LIMIT_OUTPUT_BYTES);
}

static void the_oldest_that_are_over_go_and_stay_counted(void **state)
{
	CLEANUP(model_release) struct model model;
	uint64_t last = MODEL_JOBS_MAX + 10;

	(void)state;
	model_init(&model);
	wait_for_person(&model, 1, 10);
	for (uint64_t seq = 2; seq <= last; seq++) {
		emit(&model, EVENT_RECEIVED, seq, "{\"peer\":0,\"line\":1,\"command\":\"x\"}");
		emit(&model, EVENT_REFUSED, seq,
			"{\"reason\":\"denied_by_policy\",\"sentence\":\"no\"}");
		emit(&model, EVENT_ANSWERED, seq, "{\"delivered\":true}");
	}
	/* What waits is not among those that are counted. */
	assert_int_equal(model.count, MODEL_JOBS_MAX + 1);
	assert_int_equal(model.done, last - 1);
	assert_int_equal(model.waiting, 1);
	assert_non_null(model_job(&model, 1));
	assert_null(model_job(&model, 2));
	assert_null(model_job(&model, 10));
	assert_non_null(model_job(&model, 11));
	assert_non_null(model_job(&model, last));
	assert_int_equal(model_next_waiting(&model, 0, false), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_over_for_long_is_kept_in_the_record_alone),
		cmocka_unit_test(long_outputs_push_the_oldest_out),
		cmocka_unit_test(the_newest_output_is_kept_whatever_its_length),
		cmocka_unit_test(the_oldest_that_are_over_go_and_stay_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

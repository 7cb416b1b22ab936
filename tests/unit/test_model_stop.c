#include "config.h"

#include "core/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static int apply(
	struct model *model, enum event_type type, uint64_t seq, int64_t at_ms, const char *text)
{
	struct event event = {
		.type = type, .number = 1, .seq = seq, .at_ms = at_ms, .wall_ms = 1000000 + at_ms};
	struct err err = ERR_INIT;

	assert_int_equal(json_parse(text, strlen(text), JSON_DEPTH_MAX, &event.fields, &err), 0);
	int status = model_apply(model, &event, &err);

	event_release(&event);
	return status;
}

static void call(struct model *model, uint64_t seq, enum job_state state)
{
	assert_int_equal(0,
		apply(model, EVENT_RECEIVED, seq, 10, "{\"peer\":1,\"line\":1,\"command\":\"x\"}"));
	model_job(model, seq)->state = state;
}

static void what_is_open_is_what_gets_stopped(void **state)
{
	struct model model;

	(void)state;
	model_init(&model);
	call(&model, 1, JOB_ENDED);
	call(&model, 2, JOB_RUNNING);
	call(&model, 3, JOB_STOPPING);
	call(&model, 4, JOB_WAITING);
	call(&model, 5, JOB_APPROVED);
	call(&model, 6, JOB_STARTING);
	assert_int_equal(0, apply(&model, EVENT_INTAKE, 0, 500,
				    "{\"open\":false,\"stop_all\":true,\"why\":\"x\"}"));
	const struct stop_all *stop = &model.stop;
	assert_true(stop->on && !model.intake_open);
	assert_int_equal(stop->ended_count, 3);
	assert_int_equal(stop->ended[0], 2);
	assert_int_equal(stop->ended[2], 6);
	assert_int_equal(stop->rejected_count, 2);
	assert_int_equal(stop->rejected[1], 5);
	assert_int_equal(stop->left, -1);
	assert_int_equal(stop->wall_ms, 1000500);
	/* A second word about it counts what is left and changes nothing else. */
	assert_int_equal(0, apply(&model, EVENT_INTAKE, 0, 900,
				    "{\"open\":false,\"stop_all\":true,\"left\":2}"));
	assert_int_equal(stop->left, 2);
	assert_int_equal(stop->left_wall_ms, 1000900);
	assert_int_equal(stop->at_ms, 500);
	/* The end of input is no end of it; only its own word is. */
	assert_int_equal(0, apply(&model, EVENT_INTAKE, 0, 950, "{\"open\":false}"));
	assert_true(stop->on);
	assert_int_equal(
		0, apply(&model, EVENT_INTAKE, 0, 990, "{\"open\":true,\"stop_all\":false}"));
	assert_true(!stop->on && model.intake_open);
	model_release(&model);
}

static void only_calls_that_came_later_count_as_refused(void **state)
{
	static const char refused[] = "{\"reason\":\"intake_closed\",\"sentence\":\"s\"}";
	struct model model;

	(void)state;
	model_init(&model);
	call(&model, 1, JOB_NEW);
	assert_int_equal(
		0, apply(&model, EVENT_INTAKE, 0, 500, "{\"open\":false,\"stop_all\":true}"));
	assert_int_equal(0, apply(&model, EVENT_REFUSED, 1, 510, refused));
	assert_int_equal(model.stop.refused, 0);
	call(&model, 2, JOB_NEW);
	assert_int_equal(0, apply(&model, EVENT_REFUSED, 2, 520, refused));
	call(&model, 3, JOB_NEW);
	assert_int_equal(0, apply(&model, EVENT_REFUSED, 3, 530,
				    "{\"reason\":\"invalid_request\",\"sentence\":\"s\"}"));
	assert_int_equal(model.stop.refused, 1);
	assert_int_equal(model.stop.refused_last, 2);
	assert_int_equal(model.stop.refused_wall_ms, 1000520);
	model_release(&model);
}

static void long_lists_are_counted_not_kept(void **state)
{
	struct model model;

	(void)state;
	model_init(&model);
	for (uint64_t seq = 1; seq <= 3 * MODEL_STOP_LIST; seq++)
		call(&model, seq, JOB_WAITING);
	assert_int_equal(
		0, apply(&model, EVENT_INTAKE, 0, 500, "{\"open\":false,\"stop_all\":true}"));
	assert_int_equal(model.stop.rejected_count, 3 * MODEL_STOP_LIST);
	assert_int_equal(model.stop.rejected[MODEL_STOP_LIST - 1], MODEL_STOP_LIST);
	model_release(&model);
}

static void a_lock_keeps_its_reason_while_passphrases_are_tried(void **state)
{
	struct model model;

	(void)state;
	model_init(&model);
	assert_int_equal(
		0, apply(&model, EVENT_LOCKED, 0, 500,
			   "{\"locked\":true,\"why\":\"idle\",\"minutes\":10,\"set\":true}"));
	assert_true(model.lock.on && model.lock.set);
	assert_int_equal(model.lock.why, LOCK_IDLE);
	assert_int_equal(model.lock.minutes, 10);
	assert_int_equal(0,
		apply(&model, EVENT_LOCKED, 0, 700,
			"{\"locked\":true,\"why\":\"passphrase\",\"tries\":2,\"wait_ms\":2000}"));
	assert_int_equal(model.lock.why, LOCK_IDLE);
	assert_int_equal(model.lock.wall_ms, 1000500);
	assert_int_equal(model.lock.tries, 2);
	assert_int_equal(model.lock.wait_until_ms, 2700);
	assert_int_equal(0,
		apply(&model, EVENT_LOCKED, 0, 3000, "{\"locked\":false,\"why\":\"passphrase\"}"));
	assert_true(!model.lock.on && model.lock.set);
	assert_int_equal(model.lock.tries, 0);
	model_release(&model);
}

static void fields_that_do_not_fit_are_refused(void **state)
{
	static const struct {
		enum event_type type;
		const char *text;
	} bad[] = {
		{EVENT_LOCKED, "{}"},
		{EVENT_LOCKED, "{\"locked\":1}"},
		{EVENT_LOCKED, "{\"locked\":true,\"tries\":-5}"},
		{EVENT_LOCKED, "{\"locked\":true,\"tries\":4294967296}"},
		{EVENT_LOCKED, "{\"locked\":true,\"wait_ms\":9007199254740992}"},
		{EVENT_LOCKED, "{\"locked\":true,\"minutes\":\"x\"}"},
		{EVENT_INTAKE, "{\"open\":false,\"stop_all\":1}"},
		{EVENT_INTAKE, "{\"open\":false,\"stop_all\":true,\"left\":1.5}"},
		{EVENT_INTAKE, "{\"stop_all\":true}"},
	};
	struct model model;

	(void)state;
	model_init(&model);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		if (apply(&model, bad[i].type, 0, 1, bad[i].text) != -1)
			fail_msg("%s was taken", bad[i].text);
		assert_true(!model.lock.on && !model.stop.on && model.intake_open);
	}
	model_release(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_open_is_what_gets_stopped),
		cmocka_unit_test(only_calls_that_came_later_count_as_refused),
		cmocka_unit_test(long_lists_are_counted_not_kept),
		cmocka_unit_test(a_lock_keeps_its_reason_while_passphrases_are_tried),
		cmocka_unit_test(fields_that_do_not_fit_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "core/event.h"
#include "core/model.h"

/* The law of the record: what was recorded can be fed to the model again, event by event, without an impossible state. The golden
   record is of a session that had calls of every kind; a later version must go on reading it. With files as arguments the program
   replays those instead: the scripts hand it the records of their live sessions. */

#define RECORD_BYTES (64u << 20)
#define GOLDEN TEST_DATA "/record-v1.jsonl"

struct record {
	struct str text;
	const char *lines[4096];
	size_t lens[4096];
	size_t count;
};

static int read_record(const char *path, struct record *ret, struct err *err)
{
	*ret = (struct record){.text = STR_INIT};
	if (fd_read_file(path, RECORD_BYTES, &ret->text, err) != 0)
		return -1;
	for (const char *at = str_c(&ret->text), *end; (end = strchr(at, '\n')) != NULL;
		at = end + 1) {
		if (ret->count == sizeof(ret->lines) / sizeof(ret->lines[0]))
			return err_set(err, ERR_LIMIT, "more than %zu lines", ret->count);
		ret->lines[ret->count] = at;
		ret->lens[ret->count++] = (size_t)(end - at);
	}
	return 0;
}

static int apply_line(struct model *model, const char *line, size_t len, struct err *err)
{
	struct event event;
	struct digest prev;
	int status = event_parse(line, len, &event, &prev, err);

	if (status != 0 && err->code != ERR_NOT_FOUND)
		return -1;
	if (status == 0)
		status = model_apply(model, &event, err);
	else
		status = 0; /* of a later version: kept, not applied */
	event_release(&event);
	return status;
}

/* Feeds all lines but those of `skip` (SIZE_MAX: none). 0, or -1 with the line's number in err. */
static int replay(const struct record *record, size_t skip, struct model *model, struct err *err)
{
	for (size_t i = 0; i < record->count; i++) {
		if (i != skip && apply_line(model, record->lines[i], record->lens[i], err) != 0)
			return err_context(err, "line %zu", i + 1);
	}
	return 0;
}

static int open_golden(void **state)
{
	struct record *record = mem_alloc(sizeof(*record));
	struct err err = ERR_INIT;

	if (read_record(GOLDEN, record, &err) != 0)
		fail_msg("%s: %s", GOLDEN, err.text);
	*state = record;
	return 0;
}

static int close_golden(void **state)
{
	struct record *record = *state;

	str_release(&record->text);
	free(record);
	return 0;
}

static void every_recorded_event_is_possible_for_the_model(void **state)
{
	const struct record *record = *state;
	struct err err = ERR_INIT;
	struct model model;

	model_init(&model);
	if (replay(record, SIZE_MAX, &model, &err) != 0)
		fail_msg("%s", err.text);
	assert_true(record->count > 50);
	assert_true(model.ended);
	assert_int_equal(model.waiting, 0);
	assert_int_equal(model.running, 0);
	assert_int_equal(model.last_event, record->count);
	assert_non_null(model.last_ui);
	model_release(&model);
}

static void each_call_of_the_record_ends_as_it_did(void **state)
{
	static const struct {
		uint64_t seq;
		enum job_state state;
		enum reason reason;
	} wanted[] = {
		{1, JOB_ENDED, REASON_NONE},
		{2, JOB_REJECTED, REASON_REJECTED},
		{3, JOB_ENDED, REASON_EXIT_STATUS},
		{4, JOB_ENDED, REASON_KILLED_BY_OPERATOR},
		{5, JOB_ENDED, REASON_TIMEOUT},
		{6, JOB_REFUSED, REASON_INVALID_REQUEST},
		{7, JOB_REFUSED, REASON_UNKNOWN_TOOL},
		{8, JOB_ENDED, REASON_CONSOLE_CLOSED},
		{9, JOB_REFUSED, REASON_CONSOLE_CLOSED},
	};
	const struct record *record = *state;
	struct err err = ERR_INIT;
	struct model model;

	model_init(&model);
	assert_int_equal(replay(record, SIZE_MAX, &model, &err), 0);
	assert_int_equal(model.count, ARRAY_LEN(wanted));
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		const struct job *job = model_job(&model, wanted[i].seq);

		assert_non_null(job);
		assert_string_equal(job_state_name(job->state), job_state_name(wanted[i].state));
		assert_string_equal(reason_name(job->reason), reason_name(wanted[i].reason));
	}
	model_release(&model);
}

static void a_recorded_line_is_written_again_as_it_is(void **state)
{
	const struct record *record = *state;

	for (size_t i = 0; i < record->count; i++) {
		struct str again STR_AUTO = STR_INIT;
		struct err err = ERR_INIT;
		struct digest prev;
		struct event event;

		if (event_parse(record->lines[i], record->lens[i], &event, &prev, &err) != 0)
			fail_msg("line %zu: %s", i + 1, err.text);
		event_print(&event, &prev, &again);
		assert_int_equal(again.len, record->lens[i]);
		assert_memory_equal(str_c(&again), record->lines[i], again.len);
		event_release(&event);
	}
}

static size_t line_of(const struct record *record, const char *type, unsigned seq)
{
	char *words MEM_AUTO = mem_printf("\"type\":\"%s\",\"seq\":%u,", type, seq);

	for (size_t i = 0; i < record->count; i++) {
		if (memmem(record->lines[i], record->lens[i], words, strlen(words)) != NULL)
			return i;
	}
	fail_msg("there is no line with %s", words);
	return SIZE_MAX;
}

/* What a call that ran cannot be without: taken out, a later event of it is impossible. */
static void a_record_without_a_step_of_a_call_is_impossible(void **state)
{
	static const unsigned ran[] = {1, 3, 4, 5, 8};
	static const char *const steps[] = {"received", "card", "decided", "launching"};
	const struct record *record = *state;

	for (size_t i = 0; i < ARRAY_LEN(ran) * ARRAY_LEN(steps); i++) {
		unsigned seq = ran[i / ARRAY_LEN(steps)];
		const char *step = steps[i % ARRAY_LEN(steps)];
		struct err err = ERR_INIT;
		struct model model;

		model_init(&model);
		if (replay(record, line_of(record, step, seq), &model, &err) == 0)
			fail_msg("%s of call %u is not missed", step, seq);
		assert_int_equal(err.code, ERR_INVALID);
		model_release(&model);
	}
}

static int replay_files(int count, char **paths)
{
	int failed = 0;

	for (int i = 0; i < count; i++) {
		struct record *record = mem_alloc(sizeof(*record));
		struct err err = ERR_INIT;
		struct model model;

		model_init(&model);
		if (read_record(paths[i], record, &err) != 0 ||
			replay(record, SIZE_MAX, &model, &err) != 0) {
			fprintf(stderr, "%s: %s\n", paths[i], err.text);
			failed = 1;
		}
		model_release(&model);
		str_release(&record->text);
		free(record);
	}
	return failed;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_recorded_event_is_possible_for_the_model),
		cmocka_unit_test(each_call_of_the_record_ends_as_it_did),
		cmocka_unit_test(a_recorded_line_is_written_again_as_it_is),
		cmocka_unit_test(a_record_without_a_step_of_a_call_is_impossible),
	};

	if (argc > 1)
		return replay_files(argc - 1, argv + 1);
	return cmocka_run_group_tests(tests, open_golden, close_golden);
}

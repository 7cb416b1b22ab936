#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/player_file.h"
#include "app/record_name.h"
#include "app/retain.h"
#include "base/clock.h"
#include "base/mem.h"
#include "core/model.h"
#include "tests/unit/test_audit_fixture.h"

/* The files of a session are read as one, while they grow, when some are compressed, and when the first ones are gone. */

static void turn(struct audit *audit)
{
	struct err err = ERR_INIT;
	char hex[DIGEST_HEX_BYTES];

	assert_int_equal(audit_sync(audit, &err), 0);
	audit_limit(audit, 1);
	assert_true(audit_wants_next(audit));
	if (audit_next(audit, &err) != 0)
		fail_msg("%s", err.text);
	digest_hex(audit_chain(audit), hex);
	MEM_AUTO char *fields = mem_printf(
		"{\"session\":\"%s\",\"chain\":\"%s\",\"calls\":[]}", audit_session(audit), hex);

	record_emit(audit, EVENT_CONTINUED, 0, fields);
}

/* Three files of 100 lines each, then session_end. */
static char *write_session(const struct record *r)
{
	struct audit *audit = record_start(r);
	char *session = mem_strdup(audit_session(audit));

	for (unsigned part = 0; part < 3; part++) {
		for (unsigned i = 0; i < 99; i++)
			record_emit(audit, EVENT_VIEW, 0, "{\"ui\":{\"rows\":24}}");
		if (part < 2)
			turn(audit);
	}
	record_end(audit);
	return session;
}

static struct player_file *open_part(const struct record *r, const char *session, unsigned part)
{
	MEM_AUTO char *name = record_name_of(session, part);
	MEM_AUTO char *path = record_path(r, name);
	struct player_file *file = NULL;
	struct err err = ERR_INIT;

	if (player_file_open(path, &file, &err) != 0)
		fail_msg("%s", err.text);
	return file;
}

/* Its number and, in *ret_type, its type; 0: the end. */
static uint64_t next(struct player_file *file, enum event_type *ret_type)
{
	struct event event = {0};
	struct err err = ERR_INIT;
	int status = player_file_next(file, &event, &err);

	if (status < 0)
		fail_msg("%s", err.text);
	if (status == 0)
		return 0;
	uint64_t number = event.number;

	*ret_type = event.type;
	assert_int_equal(number, player_file_line(file));
	assert_true(player_file_continues(file));
	event_release(&event);
	return number;
}

static void check_all(struct player_file *file, uint64_t first)
{
	enum event_type type = EVENT_TYPE_COUNT;
	struct err err = ERR_INIT;

	for (uint64_t number = first; number <= 301; number++)
		assert_int_equal(next(file, &type), number);
	assert_int_equal(type, EVENT_SESSION_END);
	assert_int_equal(next(file, &type), 0);
	assert_int_equal(player_file_offset(file), player_file_size(file));
	assert_false(player_file_is_torn(file));
	/* Back and forth over the borders of the files, which are behind 100 and 200. */
	static const uint64_t numbers[] = {301, 201, 200, 101, 250, 102, 300, 150, 299};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i] < first)
			continue;
		if (player_file_seek(file, numbers[i], &err) != 0)
			fail_msg("%s", err.text);
		assert_int_equal(next(file, &type), numbers[i]);
		assert_int_equal(type == EVENT_CONTINUED, numbers[i] == 101 || numbers[i] == 201);
	}
}

static void run_rules(const struct record *r, const struct retain_rules *rules)
{
	struct retain_report report;
	struct err err = ERR_INIT;

	if (retain_run(r->dir, rules, clock_wall_ms(), &report, &err) != 0)
		fail_msg("%s", err.text);
	retain_report_release(&report);
}

static void several_files_are_read_as_one(void **state)
{
	const struct record *r = *state;
	const struct retain_rules rules = {.compress = true}, two = {.keep = 2};
	MEM_AUTO char *session = write_session(r);
	struct player_file *file = open_part(r, session, 1);

	check_all(file, 1);
	player_file_close(file);
	run_rules(r, &rules);
	file = open_part(r, session, 1);
	check_all(file, 1);
	player_file_close(file);
	run_rules(r, &two);
	file = open_part(r, session, 2);
	check_all(file, 101);
	player_file_close(file);
}

static void what_is_written_later_is_read_through_the_next_files(void **state)
{
	const struct record *r = *state;
	struct audit *audit = record_start(r);
	struct player_file *file = open_part(r, audit_session(audit), 1);
	enum event_type type = EVENT_TYPE_COUNT;
	uint64_t number = 1;

	assert_int_equal(next(file, &type), number++);
	for (unsigned part = 0; part < 3; part++) {
		assert_int_equal(next(file, &type), 0);
		assert_true(player_file_is_open(file));
		/* All at once: the reader has not seen the end of the file that is full. */
		record_emit(audit, EVENT_VIEW, 0, "{}");
		turn(audit);
		record_emit(audit, EVENT_VIEW, 0, "{}");
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(next(file, &type), number++);
	}
	record_end(audit);
	assert_int_equal(next(file, &type), number);
	assert_int_equal(type, EVENT_SESSION_END);
	assert_false(player_file_is_open(file));
	player_file_close(file);
}

static int apply(struct model *model, enum event_type type, uint64_t seq, const char *fields,
	struct err *err)
{
	struct event event = {.type = type, .seq = seq, .number = model->last_event + 1};

	assert_int_equal(json_parse(fields, strlen(fields), 8, &event.fields, err), 0);
	int status = model_apply(model, &event, err);

	event_release(&event);
	return status;
}

/* Its model begins as with session_start; what it cannot know of is passed over, a second time it changes nothing. */
static void a_later_file_alone_begins_a_model(void **state)
{
	static const char fields[] =
		"{\"session\":\"20261130T132801Z-4121-9c3e\",\"host\":\"h\",\"max_running\":3,"
		"\"calls\":[{\"seq\":5,\"state\":\"running\"}],\"ui\":{\"rows\":24}}";
	static const char received[] = "{\"peer\":1,\"line\":1,\"command\":\"x\"}";
	struct model model;
	struct err err = ERR_INIT;

	(void)state;
	model_init(&model);
	assert_int_equal(apply(&model, EVENT_CONTINUED, 0, fields, &err), 0);
	assert_string_equal(model.session_short, "4121-9c3e");
	assert_string_equal(model.host, "h");
	assert_int_equal(model.max_running, 3);
	assert_non_null(model.last_ui);
	assert_int_equal(apply(&model, EVENT_OUTPUT, 5, "{\"text\":\"x\"}", &err), 0);
	assert_int_equal(apply(&model, EVENT_ANSWERED, 5, "{}", &err), 0);
	assert_int_equal(model.count, 0);
	assert_int_equal(apply(&model, EVENT_RECEIVED, 6, received, &err), 0);
	assert_int_equal(apply(&model, EVENT_CONTINUED, 0, fields, &err), 0);
	assert_int_equal(model.count, 1);
	assert_int_equal(apply(&model, EVENT_SESSION_START, 0, fields, &err), -1);
	model_release(&model);
}

static void a_session_is_found_by_its_name_in_whatever_form_it_is(void **state)
{
	const struct record *r = *state;
	const struct retain_rules rules = {.compress = true}, one = {.keep = 1};
	MEM_AUTO char *session = write_session(r);
	MEM_AUTO char *first = record_name_of(session, 1);
	MEM_AUTO char *last = record_name_of(session, 3);
	MEM_AUTO char *wanted = record_path(r, first);
	MEM_AUTO char *wanted_last = record_path(r, last);
	const char *tail = strchr(session, '-') + 1;
	struct err err = ERR_INIT;

	for (unsigned i = 0; i < 2; i++) {
		MEM_AUTO char *path = NULL;

		assert_int_equal(player_file_find(tail, r->dir, &path, &err), 0);
		assert_string_equal(path, wanted);
		run_rules(r, &rules);
	}
	run_rules(r, &one);
	MEM_AUTO char *path = NULL;

	assert_int_equal(player_file_find(tail, r->dir, &path, &err), 0);
	assert_string_equal(path, wanted_last);
}

int main(void)
{
#define WITH_RECORD(test) cmocka_unit_test_setup_teardown(test, record_setup, record_teardown)
	const struct CMUnitTest tests[] = {
		WITH_RECORD(several_files_are_read_as_one),
		WITH_RECORD(what_is_written_later_is_read_through_the_next_files),
		cmocka_unit_test(a_later_file_alone_begins_a_model),
		WITH_RECORD(a_session_is_found_by_its_name_in_whatever_form_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

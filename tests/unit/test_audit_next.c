#include "config.h"

#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/chain.h"
#include "app/found.h"
#include "app/record_name.h"
#include "base/fd.h"
#include "base/mem.h"
#include "tests/unit/test_audit_fixture.h"

/* A session whose file is full goes on in the next one: one record, whatever happens between the two. */

static void sync_now(struct audit *audit)
{
	struct err err = ERR_INIT;

	if (audit_sync(audit, &err) != 0)
		fail_msg("%s", err.text);
}

static void continued(struct audit *audit, const char *calls)
{
	char hex[DIGEST_HEX_BYTES];

	digest_hex(audit_chain(audit), hex);
	MEM_AUTO char *fields = mem_printf("{\"session\":\"%s\",\"chain\":\"%s\",\"calls\":%s}",
		audit_session(audit), hex, calls);

	record_emit(audit, EVENT_CONTINUED, 0, fields);
}

static void turn(struct audit *audit)
{
	struct err err = ERR_INIT;

	sync_now(audit);
	assert_true(audit_wants_next(audit));
	if (audit_next(audit, &err) != 0)
		fail_msg("%s", err.text);
	assert_false(audit_wants_next(audit));
}

/* Three files of one session that ended. Caller frees the session's id. */
static char *three_files(const struct record *r)
{
	struct audit *audit = record_start(r);
	char *session = mem_strdup(audit_session(audit));

	audit_limit(audit, 100);
	for (unsigned i = 0; i < 3; i++) {
		record_emit(
			audit, EVENT_RECEIVED, i + 1, "{\"peer\":0,\"line\":1,\"command\":\"x\"}");
		if (i == 2)
			break;
		turn(audit);
		continued(audit, "[]");
	}
	record_end(audit);
	return session;
}

static void names_of_files_are_read_and_made(void **state)
{
	static const struct {
		const char *name;
		unsigned part;
	} names[] = {
		{"20261130T132801Z-1-00ff.jsonl", 1},
		{"20261130T132801Z-1-00ff.2.jsonl", 2},
		{"20261130T132801Z-4194304-00ff.123456.jsonl", 123456},
		{"20261130T132801Z-1-00ff.1.jsonl", 0},
		{"20261130T132801Z-1-00ff.02.jsonl", 0},
		{"20261130T132801Z-1-00ff.0.jsonl", 0},
		{"20261130T132801Z-1-00ff.1234567.jsonl", 0},
		{"20261130T132801Z-1-00ff..jsonl", 0},
		{"20261130T132801Z-1-00ff.2.3.jsonl", 0},
		{"20261130T132801Z-1-00ff.x.jsonl", 0},
		{"20261130T132801Z-1-00ff.jsonl.zst", 0},
		{"20261130T132801Z--00ff.jsonl", 0},
		{"20261130T132801Z-1-00fg.jsonl", 0},
		{"../20261130T132801Z-1-00ff.jsonl", 0},
		{".jsonl", 0},
		{"", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		assert_int_equal(record_name_part(names[i].name), names[i].part);
		assert_int_equal(chain_file_name_is_valid(names[i].name), names[i].part > 0);
		MEM_AUTO char *session = record_name_session(names[i].name);

		if (names[i].part == 0)
			continue;
		MEM_AUTO char *again = record_name_of(session, names[i].part);

		assert_string_equal(again, names[i].name);
	}
	assert_true(record_name_follows(names[0].name, names[1].name));
	assert_false(record_name_follows(names[1].name, names[0].name));
	assert_false(record_name_follows(names[0].name, names[2].name));
	assert_true(record_name_compare("20261130T132801Z-1-00ff.2.jsonl",
			    "20261130T132801Z-1-00ff.10.jsonl") < 0);
	assert_true(record_name_compare("20261130T132801Z-1-00ff.jsonl",
			    "20261130T132801Z-1-00ff.2.jsonl") < 0);
}

static void numbers_and_digests_go_on_through_the_files(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *session = three_files(r);
	STR_AUTO struct str text = STR_INIT, report = STR_INIT;
	struct digest last = {{0}};
	uint64_t number = 0;

	for (unsigned part = 1; part <= 3; part++) {
		MEM_AUTO char *name = record_name_of(session, part);

		record_read(r, name, &text);
		for (const char *at = text.data, *end; (end = strchr(at, '\n')) != NULL;
			at = end + 1) {
			struct event event = {0};
			struct digest prev;
			struct err err = ERR_INIT;
			size_t len = (size_t)(end - at);

			assert_int_equal(event_parse(at, len, &event, &prev, &err), 0);
			assert_int_equal(event.number, ++number);
			assert_true(digest_equal(&prev, &last));
			digest_bytes(at, len, &last);
			event_release(&event);
		}
		assert_int_equal(record_verify(r, name, &report), VERIFY_WHOLE);
	}
	assert_int_equal(number, 7);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
	assert_non_null(strstr(report.data, "3 files, 7 events"));
}

/* Each byte of each file, the first line of a later one among them. */
static void whatever_is_changed_in_a_later_file_is_found(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *session = three_files(r);
	STR_AUTO struct str text = STR_INIT, report = STR_INIT;

	for (unsigned part = 1; part <= 3; part++) {
		MEM_AUTO char *name = record_name_of(session, part);

		record_read(r, name, &text);
		for (size_t i = 0; i < text.len; i += 3) {
			char kept = text.data[i];

			text.data[i] = kept == '7' ? '8' : '7';
			record_write(r, name, text.data, text.len);
			if (record_verify(r, NULL, &report) != VERIFY_ALTERED)
				fail_msg("part %u, byte %zu: %s", part, i, report.data);
			text.data[i] = kept;
		}
		record_write(r, name, text.data, text.len);
	}
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
}

static void a_file_in_the_middle_that_is_gone_is_missed(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *session = three_files(r);
	MEM_AUTO char *name = record_name_of(session, 2);
	MEM_AUTO char *path = record_path(r, name);
	STR_AUTO struct str report = STR_INIT;

	assert_int_equal(unlink(path), 0);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_ALTERED);
	assert_non_null(strstr(report.data, name));
	assert_non_null(strstr(report.data, ".3.jsonl: whole"));
}

static void nothing_is_turned_before_it_is_durable(void **state)
{
	const struct record *r = *state;
	struct audit *audit = record_start(r);

	record_calls(audit, 3);
	sync_now(audit);
	assert_false(audit_wants_next(audit));
	audit_limit(audit, 1 << 20);
	assert_false(audit_wants_next(audit));
	audit_limit(audit, 100);
	assert_true(audit_wants_next(audit));
	record_calls(audit, 1);
	assert_false(audit_wants_next(audit));
	record_end(audit);
}

static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The first step fails: the name is taken. The second: CHAIN has no room. */
static void a_turn_that_fails_leaves_the_file_as_it_is(void **state)
{
	const struct record *r = *state;
	struct audit *audit = record_start(r);
	MEM_AUTO char *next = record_name_of(audit_session(audit), 2);
	MEM_AUTO char *path = record_path(r, next);
	STR_AUTO struct str chain = STR_INIT, again = STR_INIT, report = STR_INIT;
	struct err err = ERR_INIT;

	audit_limit(audit, 100);
	record_calls(audit, 1);
	sync_now(audit);
	record_read(r, "CHAIN", &chain);
	record_write(r, next, "", 0);
	assert_int_equal(audit_next(audit, &err), -1);
	assert_int_equal(unlink(path), 0);
	limit_files(chain.len + 30);
	assert_int_equal(audit_next(audit, &err), -1);
	limit_files(RLIM_INFINITY);
	assert_int_equal(access(path, F_OK), -1);
	record_read(r, "CHAIN", &again);
	assert_string_equal(chain.data, again.data);
	/* Not at every answer anew. */
	assert_false(audit_wants_next(audit));
	record_calls(audit, 1);
	record_end(audit);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
}

/* Nothing of it, and a part of it: the gap in the file behind speaks of the new one, and the old one is whole. */
static void a_next_file_whose_first_line_cannot_be_written_is_followed_by_a_gap(void **state)
{
	const struct record *r = *state;

	for (rlim_t room = 0; room <= 50; room += 50) {
		struct audit *audit = record_start(r);
		MEM_AUTO char *first = record_name_of(audit_session(audit), 1);
		MEM_AUTO char *second = record_name_of(audit_session(audit), 2);
		STR_AUTO struct str report = STR_INIT;
		struct event event = {.type = EVENT_CONTINUED, .fields = json_new_object()};
		struct err err = ERR_INIT;

		audit_limit(audit, 100);
		record_calls(audit, 1);
		turn(audit);
		limit_files(room);
		assert_int_equal(audit_append(audit, &event, &err), -1);
		event_release(&event);
		limit_files(RLIM_INFINITY);
		assert_int_equal(audit_recover(audit, 1796045281123, &err), 0);
		record_emit(audit, EVENT_GAP, 0, "{\"why\":\"disk full\"}");
		record_calls(audit, 1);
		record_end(audit);
		assert_int_equal(record_verify(r, first, &report), VERIFY_WHOLE);
		assert_int_equal(record_verify(r, second, &report), VERIFY_ENDS_EARLY);
		assert_int_equal(record_verify(r, NULL, &report), VERIFY_ENDS_EARLY);
	}
}

static void tell(struct audit *audit, const struct found_open *found)
{
	MEM_AUTO char *fields = mem_printf("{\"file\":\"%s\",\"calls\":[]}", found->file);

	record_emit(audit, EVENT_FOUND_OPEN, 0, fields);
}

/* Killed behind the turn: before the first line of the next file, and behind it. */
static void a_session_that_dies_at_its_turn_is_found_in_its_last_file(void **state)
{
	const struct record *r = *state;

	for (unsigned lines = 0; lines < 3; lines++) {
		struct audit *audit = record_start(r);
		MEM_AUTO char *name = record_name_of(audit_session(audit), 2);
		STR_AUTO struct str report = STR_INIT;
		struct digest chain;
		struct found_list found;

		audit_limit(audit, 100);
		record_emit(audit, EVENT_RECEIVED, 5, "{\"peer\":0,\"line\":1,\"command\":\"x\"}");
		turn(audit);
		if (lines > 0)
			continued(audit, "[{\"seq\":5,\"state\":\"new\"}]");
		if (lines > 1)
			record_emit(audit, EVENT_REFUSED, 5,
				"{\"reason\":\"denied_by_policy\",\"sentence\":\"no\"}");
		record_crash(audit);
		audit = record_open(r, &chain, &found);
		assert_int_equal(found.count, 1);
		assert_string_equal(found.items[0].file, name);
		assert_false(found.items[0].damaged);
		assert_int_equal(found.items[0].call_count, lines > 0 ? 1 : 0);
		if (lines > 0)
			assert_string_equal(
				found.items[0].calls[0].state, lines > 1 ? "refused" : "new");
		tell(audit, &found.items[0]);
		found_list_release(&found);
		record_end(audit);
		assert_int_equal(record_verify(r, NULL, &report), VERIFY_ENDS_EARLY);
	}
}

int main(void)
{
#define WITH_RECORD(test) cmocka_unit_test_setup_teardown(test, record_setup, record_teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_files_are_read_and_made),
		WITH_RECORD(numbers_and_digests_go_on_through_the_files),
		WITH_RECORD(whatever_is_changed_in_a_later_file_is_found),
		WITH_RECORD(a_file_in_the_middle_that_is_gone_is_missed),
		WITH_RECORD(nothing_is_turned_before_it_is_durable),
		WITH_RECORD(a_turn_that_fails_leaves_the_file_as_it_is),
		WITH_RECORD(a_next_file_whose_first_line_cannot_be_written_is_followed_by_a_gap),
		WITH_RECORD(a_session_that_dies_at_its_turn_is_found_in_its_last_file),
	};

	signal(SIGXFSZ, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

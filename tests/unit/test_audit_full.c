#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/chain.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "tests/unit/test_audit_fixture.h"

/* Files of this process may not grow beyond this: a write then fails, the last one after a part of
   it. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static size_t size_of(const struct record *r, const char *name)
{
	MEM_AUTO char *path = record_path(r, name);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (size_t)st.st_size;
}

static int append(struct audit *audit, enum event_type type, struct err *err)
{
	struct event event = {.type = type, .fields = json_new_object()};

	json_set_str(event.fields, "why", "disk full");
	int status = audit_append(audit, &event, err);

	assert_true((status == 0) == (event.number > 0));
	event_release(&event);
	return status;
}

/* Writes on until it fails. */
static void fill(struct audit *audit)
{
	struct err err = ERR_INIT;

	for (unsigned i = 0; append(audit, EVENT_VIEW, &err) == 0; i++)
		assert_true(i < 100000);
	assert_true(audit_failed(audit));
	assert_string_not_equal(err.text, "");
}

static void nothing_is_written_after_a_line_that_was_torn(void **state)
{
	const struct record *r = *state;
	struct audit *audit = record_start(r);
	MEM_AUTO char *name = mem_printf("%s.jsonl", audit_session(audit));
	STR_AUTO struct str report = STR_INIT;
	struct err err = ERR_INIT;

	limit_files(size_of(r, name) + 1000);
	fill(audit);
	limit_files(RLIM_INFINITY);
	size_t size = size_of(r, name);

	assert_int_equal(append(audit, EVENT_VIEW, &err), -1);
	assert_int_equal(audit_sync(audit, &err), -1);
	assert_int_equal(size_of(r, name), size);
	assert_int_equal(audit_close(audit, &err), 0);
	assert_int_equal(record_verify(r, name, &report), VERIFY_ENDS_EARLY);
	assert_non_null(strstr(report.data, "torn"));
}

static void a_new_file_begins_with_the_gap(void **state)
{
	const struct record *r = *state;
	struct audit *audit = record_start(r);
	MEM_AUTO char *broken = mem_printf("%s.jsonl", audit_session(audit));
	STR_AUTO struct str text = STR_INIT, report = STR_INIT;
	struct event first = {0};
	struct digest prev;
	struct err err = ERR_INIT;

	limit_files(size_of(r, broken) + 700);
	fill(audit);
	limit_files(RLIM_INFINITY);
	assert_int_equal(audit_recover(audit, clock_wall_ms(), &err), 0);
	assert_false(audit_failed(audit));
	assert_int_equal(append(audit, EVENT_GAP, &err), 0);
	MEM_AUTO char *name = mem_printf("%s.jsonl", audit_session(audit));

	record_read(r, name, &text);
	assert_int_equal(event_parse(text.data, text.len - 1, &first, &prev, &err), 0);
	assert_int_equal(first.type, EVENT_GAP);
	assert_int_equal(first.number, 1);
	assert_string_equal(json_get_str(first.fields, "before"), broken);
	assert_string_equal(json_get_str(first.fields, "session"), audit_session(audit));
	event_release(&first);
	record_calls(audit, 1);
	record_end(audit);
	assert_int_equal(record_verify(r, name, &report), VERIFY_WHOLE);
	assert_int_equal(record_verify(r, broken, &report), VERIFY_ENDS_EARLY);
	/* Its own session told of it: the next one does not take it for a dead one. */
	free(record_session(r, 0));
}

static void a_record_that_cannot_begin_leaves_nothing_behind(void **state)
{
	const struct record *r = *state;
	STR_AUTO struct str before = STR_INIT, after = STR_INIT, report = STR_INIT;
	struct audit *audit = NULL;
	struct digest chain;
	struct found_list found;
	struct err err = ERR_INIT;

	free(record_session(r, 1));
	record_read(r, "CHAIN", &before);
	for (rlim_t room = 0; room < 200; room += 20) {
		limit_files(before.len + room);
		assert_int_equal(
			audit_open(r->dir, clock_wall_ms(), &audit, &chain, &found, &err), -1);
		limit_files(RLIM_INFINITY);
		record_read(r, "CHAIN", &after);
		assert_string_equal(before.data, after.data);
		assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
	}
}

static void recovery_is_tried_until_there_is_room(void **state)
{
	const struct record *r = *state;
	struct audit *audit = record_start(r);
	MEM_AUTO char *broken = mem_printf("%s.jsonl", audit_session(audit));
	STR_AUTO struct str report = STR_INIT;
	struct err err = ERR_INIT;

	limit_files(size_of(r, "CHAIN") > size_of(r, broken) ? size_of(r, broken)
							     : size_of(r, "CHAIN"));
	fill(audit);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(audit_recover(audit, clock_wall_ms(), &err), -1);
		assert_true(audit_failed(audit));
	}
	limit_files(RLIM_INFINITY);
	assert_int_equal(audit_recover(audit, clock_wall_ms(), &err), 0);
	/* The gap itself breaks: the next one still tells of the first file. */
	limit_files(100);
	assert_int_equal(append(audit, EVENT_GAP, &err), -1);
	limit_files(RLIM_INFINITY);
	assert_int_equal(audit_recover(audit, clock_wall_ms(), &err), 0);
	assert_int_equal(append(audit, EVENT_GAP, &err), 0);
	record_end(audit);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_ENDS_EARLY);
}

/* A real full disk, where this process may mount one. */
static void a_full_disk_fails_closed_and_recovers(void **state)
{
	const struct record *r = *state;

	if (mount("tmpfs", r->dir, "tmpfs", MS_NODEV | MS_NOSUID, "size=64k,mode=0700") != 0)
		skip();
	struct audit *audit = record_start(r);
	STR_AUTO struct str report = STR_INIT;
	struct err err = ERR_INIT;

	fill(audit);
	/* A line of CHAIN may still fit into its last block; the first line of a new file never
	   does. */
	assert_true(audit_recover(audit, clock_wall_ms(), &err) != 0 ||
		    append(audit, EVENT_GAP, &err) != 0);
	assert_true(audit_failed(audit));
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_ENDS_EARLY);
	assert_int_equal(mount("tmpfs", r->dir, "tmpfs", MS_REMOUNT, "size=256k,mode=0700"), 0);
	assert_int_equal(audit_recover(audit, clock_wall_ms(), &err), 0);
	assert_int_equal(append(audit, EVENT_GAP, &err), 0);
	record_end(audit);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_ENDS_EARLY);
}

static int unmount_and_remove(void **state)
{
	const struct record *r = *state;

	umount2(r->dir, MNT_DETACH);
	return record_teardown(state);
}

int main(void)
{
#define WITH_RECORD(test) cmocka_unit_test_setup_teardown(test, record_setup, record_teardown)
	const struct CMUnitTest tests[] = {
		WITH_RECORD(nothing_is_written_after_a_line_that_was_torn),
		WITH_RECORD(a_new_file_begins_with_the_gap),
		WITH_RECORD(a_record_that_cannot_begin_leaves_nothing_behind),
		WITH_RECORD(recovery_is_tried_until_there_is_room),
		cmocka_unit_test_setup_teardown(
			a_full_disk_fails_closed_and_recovers, record_setup, unmount_and_remove),
	};

	signal(SIGXFSZ, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/chain.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "tests/unit/test_audit_fixture.h"

static unsigned mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void the_record_is_closed_to_others_whatever_the_umask(void **state)
{
	static const mode_t masks[] = {0, 0777, 022};
	const struct record *r = *state;

	for (size_t i = 0; i < ARRAY_LEN(masks); i++) {
		MEM_AUTO char *state_home = mem_printf("%s/state%zu", r->base, i);
		MEM_AUTO char *dir = NULL;
		struct audit *audit = NULL;
		struct digest chain;
		struct found_list found;
		struct err err = ERR_INIT;
		mode_t before = umask(masks[i]);
		int made = audit_directory(NULL, state_home, NULL, &dir, &err);

		if (made == 0)
			made = audit_open(dir, 0, &audit, &chain, &found, &err);
		umask(before);
		if (made != 0)
			fail_msg("%s", err.text);
		MEM_AUTO char *expected = mem_printf("%s/exequatur/audit", state_home);
		MEM_AUTO char *file = mem_printf("%s/%s.jsonl", dir, audit_session(audit));
		MEM_AUTO char *chain_file = mem_printf("%s/CHAIN", dir);

		assert_string_equal(dir, expected);
		assert_int_equal(mode_of(dir), 0700);
		assert_int_equal(mode_of(state_home), 0700);
		assert_int_equal(mode_of(file), 0600);
		assert_int_equal(mode_of(chain_file), 0600);
		record_crash(audit);
	}
}

static void the_directory_comes_from_the_configuration_or_the_state_home(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *log = mem_printf("%s/./log//here/", r->base);
	MEM_AUTO char *log_expected = mem_printf("%s/log/here", r->base);
	MEM_AUTO char *home_expected = mem_printf("%s/.local/state/exequatur/audit", r->base);
	struct err err = ERR_INIT;
	char *dir = NULL;

	assert_int_equal(audit_directory(log, "/x", "/y", &dir, &err), 0);
	assert_string_equal(dir, log_expected);
	free(dir);
	assert_int_equal(audit_directory(NULL, "relative", r->base, &dir, &err), 0);
	assert_string_equal(dir, home_expected);
	free(dir);
	assert_int_equal(audit_directory(NULL, NULL, NULL, &dir, &err), -1);
	assert_int_equal(err.code, ERR_UNAVAILABLE);
}

static void a_directory_that_others_could_change_is_refused(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *link = mem_printf("%s/link", r->base);
	MEM_AUTO char *file = mem_printf("%s/file", r->base);
	struct err err = ERR_INIT;
	char *dir = NULL;

	assert_int_equal(symlink(r->dir, link), 0);
	assert_int_equal(audit_directory(link, NULL, NULL, &dir, &err), -1);
	assert_int_equal(err.code, ERR_REFUSED);
	assert_int_equal(chmod(r->dir, 0750), 0);
	assert_int_equal(audit_directory(r->dir, NULL, NULL, &dir, &err), -1);
	assert_int_equal(err.code, ERR_REFUSED);
	assert_non_null(strstr(err.text, "chmod 700"));
	assert_int_equal(chmod(r->dir, 0700), 0);
	fd_close(&(int){open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)});
	assert_int_equal(audit_directory(file, NULL, NULL, &dir, &err), -1);
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(r->dir, 65534, 65534), 0);
	assert_int_equal(audit_directory(r->dir, NULL, NULL, &dir, &err), -1);
	assert_int_equal(err.code, ERR_REFUSED);
	assert_non_null(strstr(err.text, "another user"));
	assert_int_equal(chown(r->dir, 0, 0), 0);
}

static void a_symlink_in_the_place_of_chain_is_not_followed(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *target = mem_printf("%s/target", r->base);
	MEM_AUTO char *chain_path = record_path(r, "CHAIN");
	struct audit *audit = NULL;
	struct digest chain;
	struct found_list found;
	struct err err = ERR_INIT;

	assert_int_equal(symlink(target, chain_path), 0);
	assert_int_equal(audit_open(r->dir, 0, &audit, &chain, &found, &err), -1);
	assert_int_equal(access(target, F_OK), -1);
	assert_int_equal(unlink(chain_path), 0);
}

static void each_line_carries_the_digest_of_the_line_before(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = record_session(r, 3);
	STR_AUTO struct str text = STR_INIT;
	struct digest last = {{0}};
	uint64_t number = 0;

	record_read(r, name, &text);
	assert_true(chain_file_name_is_valid(name));
	for (char *line = text.data; *line != '\0';) {
		size_t len = strcspn(line, "\n");
		struct event event = {0};
		struct digest prev;
		struct err err = ERR_INIT;

		assert_int_equal(event_parse(line, len, &event, &prev, &err), 0);
		assert_int_equal(event.number, ++number);
		assert_true(digest_equal(&prev, &last));
		for (size_t i = 0; i < len; i++)
			assert_in_range((unsigned char)line[i], 0x20, 0x7E);
		digest_bytes(line, len, &last);
		event_release(&event);
		line += len + 1;
	}
	assert_int_equal(number, 11);
}

static void parse_chain_line(
	const struct record *r, unsigned index, struct chain_line *ret, struct digest *ret_digest)
{
	STR_AUTO struct str text = STR_INIT;
	struct err err = ERR_INIT;

	record_read(r, "CHAIN", &text);
	char *line = text.data;

	for (unsigned i = 0; i < index; i++)
		line += strcspn(line, "\n") + 1;
	size_t len = strcspn(line, "\n");

	digest_bytes(line, len, ret_digest);
	if (chain_parse(line, len, ret, &err) != 0)
		fail_msg("CHAIN line %u: %s", index + 1, err.text);
}

static void chain_has_a_line_at_each_start_and_end(void **state)
{
	const struct record *r = *state;
	struct digest chain;
	struct found_list found;
	struct audit *audit = record_open(r, &chain, &found);
	MEM_AUTO char *name = mem_printf("%s.jsonl", audit_session(audit));
	struct chain_line start, end;
	struct digest start_digest, end_digest;

	record_calls(audit, 1);
	record_end(audit);
	parse_chain_line(r, 0, &start, &start_digest);
	parse_chain_line(r, 1, &end, &end_digest);
	assert_int_equal(start.kind, CHAIN_START);
	assert_string_equal(start.file, name);
	assert_int_equal(start.open.count, 1);
	assert_true(digest_equal(&start_digest, &chain));
	assert_int_equal(end.kind, CHAIN_END);
	assert_true(digest_equal(&end.prev, &start_digest));
	assert_int_equal(end.events, 5);
	assert_int_equal(end.open.count, 0);
	chain_line_release(&start);
	chain_line_release(&end);
}

static void a_session_file_is_locked_while_it_is_written(void **state)
{
	const struct record *r = *state;
	struct audit *audit = record_start(r);
	MEM_AUTO char *name = mem_printf("%s.jsonl", audit_session(audit));
	MEM_AUTO char *path = record_path(r, name);
	FD_AUTO int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(flock(fd, LOCK_SH | LOCK_NB), -1);
	record_end(audit);
	assert_int_equal(flock(fd, LOCK_SH | LOCK_NB), 0);
}

static void what_is_not_synced_is_dirty(void **state)
{
	struct audit *audit = record_start(*state);
	struct err err = ERR_INIT;

	assert_true(audit_dirty(audit));
	assert_int_equal(audit_sync(audit, &err), 0);
	assert_false(audit_dirty(audit));
	record_emit(audit, EVENT_VIEW, 0, "{\"ui\":{}}");
	assert_true(audit_dirty(audit));
	record_end(audit);
}

static void two_sessions_at_once_share_chain(void **state)
{
	const struct record *r = *state;
	struct audit *a = record_start(r);
	struct audit *b = record_start(r);
	STR_AUTO struct str report = STR_INIT;

	assert_string_not_equal(audit_session(a), audit_session(b));
	record_calls(b, 2);
	record_calls(a, 1);
	record_end(a);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_ENDS_EARLY);
	assert_non_null(strstr(report.data, "still open"));
	record_calls(b, 0);
	record_end(b);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
}

static void *sync_often(void *context)
{
	struct audit *audit = context;
	struct err err = ERR_INIT;

	for (unsigned i = 0; i < 20; i++) {
		if (audit_sync(audit, &err) != 0)
			return audit;
	}
	return NULL;
}

static void another_thread_may_sync_while_lines_are_written(void **state)
{
	const struct record *r = *state;
	struct audit *audit = record_start(r);
	STR_AUTO struct str report = STR_INIT;
	pthread_t thread;
	void *failed = audit;

	assert_int_equal(pthread_create(&thread, NULL, sync_often, audit), 0);
	record_calls(audit, 300);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	record_end(audit);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
}

/* Without cmocka, whose failures belong to the main thread: gives the number of sessions that were
   found dead, or of errors. */
static void *run_sessions(void *context)
{
	const struct record *r = context;
	uintptr_t wrong = 0;

	for (unsigned i = 0; i < 25; i++) {
		struct event start = {.type = EVENT_SESSION_START, .fields = json_new_object()};
		struct event end = {.type = EVENT_SESSION_END};
		struct audit *audit = NULL;
		struct found_list found = {0};
		struct digest chain;
		struct err err = ERR_INIT;
		char hex[DIGEST_HEX_BYTES];

		if (audit_open(r->dir, 1796045281123, &audit, &chain, &found, &err) != 0) {
			json_free(start.fields);
			wrong++;
			continue;
		}
		digest_hex(&chain, hex);
		json_set_str(start.fields, "chain", hex);
		wrong += found.count;
		wrong += audit_append(audit, &start, &err) != 0;
		wrong += audit_append(audit, &end, &err) != 0;
		wrong += audit_close(audit, &err) != 0;
		found_list_release(&found);
		event_release(&start);
	}
	return (void *)wrong;
}

static void sessions_that_begin_and_end_at_once_do_not_take_each_other_for_dead(void **state)
{
	struct record *r = *state;
	STR_AUTO struct str report = STR_INIT;
	pthread_t threads[4];

	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_sessions, r), 0);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
		void *wrong;

		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
	assert_non_null(strstr(report.data, "100 files, 200 events"));
}

/* Not a matter of speed: the work at a start must not grow with the sessions that ended before it.
   */
static void a_start_reads_one_line_of_chain_however_many_ended(void **state)
{
	const struct record *r = *state;
	struct chain_line line;
	struct digest digest;

	for (unsigned i = 0; i < 40; i++)
		free(record_session(r, 0));
	parse_chain_line(r, 79, &line, &digest);
	assert_int_equal(line.kind, CHAIN_END);
	assert_int_equal(line.open.count, 0);
	chain_line_release(&line);
}

static void an_event_too_long_for_the_record_stops_it(void **state)
{
	struct audit *audit = record_start(*state);
	MEM_AUTO char *text = mem_alloc(EVENT_LINE_BYTES + 1);
	struct event event = {.type = EVENT_VIEW, .fields = json_new_object()};
	struct err err = ERR_INIT;

	memset(text, 'x', EVENT_LINE_BYTES);
	json_set_str(event.fields, "ui", text);
	assert_int_equal(audit_append(audit, &event, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_true(audit_failed(audit));
	event_release(&event);
	record_crash(audit);
}

static void only_names_of_sessions_are_names_of_files(void **state)
{
	static const struct {
		const char *name;
		bool valid;
	} cases[] = {
		{"20261130T132801Z-4121-9c3e.jsonl", true},
		{"20261130T132801Z-1-0000.jsonl", true},
		{"20261130T132801Z--0000.jsonl", false},
		{"20261130T132801Z-12345678901-0000.jsonl", false},
		{"20261130T132801Z-1-000g.jsonl", false},
		{"20261130T132801Z-1-0000.json", false},
		{"20261130T132801Z-../x-0000.jsonl", false},
		{"../20261130T132801Z-1-0000.jsonl", false},
		{"2026113xT132801Z-1-0000.jsonl", false},
		{"", false},
		{"CHAIN", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(chain_file_name_is_valid(cases[i].name), cases[i].valid);
}

int main(void)
{
#define WITH_RECORD(test) cmocka_unit_test_setup_teardown(test, record_setup, record_teardown)
	const struct CMUnitTest tests[] = {
		WITH_RECORD(the_record_is_closed_to_others_whatever_the_umask),
		WITH_RECORD(the_directory_comes_from_the_configuration_or_the_state_home),
		WITH_RECORD(a_directory_that_others_could_change_is_refused),
		WITH_RECORD(a_symlink_in_the_place_of_chain_is_not_followed),
		WITH_RECORD(each_line_carries_the_digest_of_the_line_before),
		WITH_RECORD(chain_has_a_line_at_each_start_and_end),
		WITH_RECORD(a_session_file_is_locked_while_it_is_written),
		WITH_RECORD(what_is_not_synced_is_dirty),
		WITH_RECORD(two_sessions_at_once_share_chain),
		WITH_RECORD(another_thread_may_sync_while_lines_are_written),
		WITH_RECORD(sessions_that_begin_and_end_at_once_do_not_take_each_other_for_dead),
		WITH_RECORD(a_start_reads_one_line_of_chain_however_many_ended),
		WITH_RECORD(an_event_too_long_for_the_record_stops_it),
		cmocka_unit_test(only_names_of_sessions_are_names_of_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

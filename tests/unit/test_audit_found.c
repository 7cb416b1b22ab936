#include "config.h"

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
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/chain.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "tests/unit/test_audit_fixture.h"

static char *crashed_session(const struct record *r)
{
	struct audit *audit = record_start(r);
	char *name = mem_printf("%s.jsonl", audit_session(audit));

	record_calls(audit, 2);
	record_emit(audit, EVENT_RECEIVED, 3, "{\"peer\":0,\"line\":3,\"command\":\"make\"}");
	record_emit(audit, EVENT_RULED, 3, "{\"verdict\":\"supervised\"}");
	record_emit(audit, EVENT_CARD, 3, "{\"digest\":\"x\",\"card\":{}}");
	record_emit(audit, EVENT_RECEIVED, 4, "{\"peer\":0,\"line\":4,\"command\":\"make\"}");
	record_emit(audit, EVENT_CARD, 4, "{}");
	record_emit(audit, EVENT_DECIDED, 4, "{\"decision\":\"approved\",\"by\":\"operator\"}");
	record_emit(audit, EVENT_LAUNCHING, 4, "{\"backend\":\"landlock\"}");
	record_emit(audit, EVENT_STARTED, 4, "{}");
	record_emit(audit, EVENT_OUTPUT, 4, "{\"text\":\"half\"}");
	record_crash(audit);
	return name;
}

static void append(const struct record *r, const char *name, const char *text)
{
	MEM_AUTO char *path = record_path(r, name);
	FD_AUTO int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	struct err err = ERR_INIT;

	assert_int_equal(fd_write_all(fd, text, strlen(text), &err), 0);
}

/* What the broker does with what was found. */
static void tell(struct audit *audit, const struct found_open *found)
{
	char hex[DIGEST_HEX_BYTES];

	digest_hex(&found->digest, hex);
	MEM_AUTO char *fields =
		mem_printf("{\"file\":\"%s\",\"digest\":\"%s\",\"torn\":%s,\"calls\":[]}",
			found->file, hex, found->torn ? "true" : "false");

	record_emit(audit, EVENT_FOUND_OPEN, 0, fields);
}

static void digest_of_line(const char *text, unsigned index, struct digest *ret)
{
	for (unsigned i = 0; i < index; i++)
		text += strcspn(text, "\n") + 1;
	digest_bytes(text, strcspn(text, "\n"), ret);
}

static void a_dead_session_is_found_with_the_calls_it_left_open(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = crashed_session(r);
	STR_AUTO struct str before = STR_INIT, after = STR_INIT;
	struct digest chain, last;
	struct found_list found;

	record_read(r, name, &before);
	struct audit *audit = record_open(r, &chain, &found);

	assert_int_equal(found.count, 1);
	assert_string_equal(found.items[0].file, name);
	assert_false(found.items[0].torn);
	assert_false(found.items[0].damaged);
	digest_of_line(before.data, 15, &last);
	assert_true(digest_equal(&found.items[0].digest, &last));
	assert_int_equal(found.items[0].call_count, 2);
	assert_int_equal(found.items[0].calls[0].seq, 3);
	assert_string_equal(found.items[0].calls[0].state, "waiting");
	assert_int_equal(found.items[0].calls[1].seq, 4);
	assert_string_equal(found.items[0].calls[1].state, "running");
	tell(audit, &found.items[0]);
	record_end(audit);
	record_read(r, name, &after);
	assert_string_equal(before.data, after.data);
	found_list_release(&found);
}

static void what_was_told_is_not_found_again(void **state)
{
	const struct record *r = *state;
	STR_AUTO struct str report = STR_INIT;
	struct digest chain;
	struct found_list found;

	free(crashed_session(r));
	struct audit *audit = record_open(r, &chain, &found);

	tell(audit, &found.items[0]);
	record_end(audit);
	found_list_release(&found);
	free(record_session(r, 1));
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_ENDS_EARLY);
}

/* It died between its start and its word about the other: the next one tells. */
static void what_was_not_told_is_found_again(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = crashed_session(r);
	struct digest chain;
	struct found_list found;

	for (unsigned i = 1; i <= 3; i++) {
		struct audit *audit = record_open(r, &chain, &found);

		assert_int_equal(found.count, i);
		assert_string_equal(found.items[0].file, name);
		found_list_release(&found);
		record_crash(audit);
	}
}

static void two_sessions_that_start_together_do_not_both_find_it(void **state)
{
	const struct record *r = *state;
	struct digest chain;
	struct found_list first, second;

	free(crashed_session(r));
	struct audit *a = record_open(r, &chain, &first);
	struct audit *b = record_open(r, &chain, &second);

	assert_int_equal(first.count, 1);
	assert_int_equal(second.count, 0);
	tell(a, &first.items[0]);
	found_list_release(&first);
	record_end(a);
	record_end(b);
}

static void a_live_session_is_not_found(void **state)
{
	const struct record *r = *state;
	struct audit *a = record_start(r);
	struct audit *b = record_start(r);

	record_end(b);
	record_end(a);
}

static void a_torn_tail_is_said_and_left_alone(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = crashed_session(r);
	STR_AUTO struct str report = STR_INIT, after = STR_INIT;
	struct digest chain;
	struct found_list found;

	append(r, name, "{\"prev\":\"12");
	struct audit *audit = record_open(r, &chain, &found);

	assert_true(found.items[0].torn);
	assert_false(found.items[0].damaged);
	tell(audit, &found.items[0]);
	found_list_release(&found);
	record_end(audit);
	record_read(r, name, &after);
	assert_string_equal(after.data + after.len - 11, "{\"prev\":\"12");
	assert_int_equal(record_verify(r, name, &report), VERIFY_ENDS_EARLY);
	/* From now on the torn bytes are evidence too. */
	append(r, name, "3");
	assert_int_equal(record_verify(r, name, &report), VERIFY_ALTERED);
}

static void a_dead_file_that_was_tampered_with_is_told_as_damaged(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = crashed_session(r);
	STR_AUTO struct str text = STR_INIT;
	struct digest chain;
	struct found_list found;

	record_read(r, name, &text);
	text.data[text.len / 2] ^= 1;
	record_write(r, name, text.data, text.len);
	struct audit *audit = record_open(r, &chain, &found);

	assert_int_equal(found.count, 1);
	assert_true(found.items[0].damaged);
	found_list_release(&found);
	record_end(audit);
}

static void a_dead_file_that_is_gone_or_no_file_is_told_as_damaged(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *gone = crashed_session(r);
	MEM_AUTO char *gone_path = record_path(r, gone);
	struct digest chain;
	struct found_list found;

	assert_int_equal(unlink(gone_path), 0);
	assert_int_equal(mkfifo(gone_path, 0600), 0);
	struct audit *audit = record_open(r, &chain, &found);

	assert_int_equal(found.count, 1);
	assert_true(found.items[0].damaged);
	assert_int_equal(found.items[0].call_count, 0);
	tell(audit, &found.items[0]);
	found_list_release(&found);
	record_end(audit);
	free(record_session(r, 0));
}

static void a_long_dead_file_is_read_in_pieces(void **state)
{
	const struct record *r = *state;
	struct audit *audit = record_start(r);
	MEM_AUTO char *text = mem_alloc(300001);
	MEM_AUTO char *fields = NULL;
	struct digest chain;
	struct found_list found;

	memset(text, 'y', 300000);
	fields = mem_printf("{\"text\":\"%s\"}", text);
	record_emit(audit, EVENT_RECEIVED, 1, "{\"peer\":0,\"line\":1,\"command\":\"x\"}");
	for (unsigned i = 0; i < 20; i++)
		record_emit(audit, EVENT_OUTPUT, 1, fields);
	record_crash(audit);
	audit = record_open(r, &chain, &found);
	assert_int_equal(found.count, 1);
	assert_false(found.items[0].damaged);
	assert_int_equal(found.items[0].call_count, 1);
	found_list_release(&found);
	record_end(audit);
}

/* A power loss may leave half a line at the end of CHAIN. It stays, and the next line says that it
   does not count. */
static void a_torn_line_of_chain_is_closed_by_the_next(void **state)
{
	static const char *const tails[] = {"{", "{\"prev\":\"00", "garbage", "\xff\x1b"};
	const struct record *r = *state;
	STR_AUTO struct str report = STR_INIT;

	for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
		free(record_session(r, 1));
		append(r, "CHAIN", tails[i]);
		assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
		free(record_session(r, 1));
		assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
	}
}

/* Cut at every byte of its last line, CHAIN is still one that the next session can go on with. */
static void chain_can_be_torn_at_every_byte(void **state)
{
	const struct record *r = *state;
	STR_AUTO struct str whole = STR_INIT, report = STR_INIT;

	free(record_session(r, 0));
	struct audit *audit = record_start(r);

	record_calls(audit, 1);
	record_crash(audit);
	record_read(r, "CHAIN", &whole);
	const char *last = memrchr(whole.data, '\n', whole.len - 1);

	for (size_t len = (size_t)(last + 1 - whole.data); len < whole.len; len++) {
		struct digest chain;
		struct found_list found;

		record_write(r, "CHAIN", whole.data, len);
		assert_int_not_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
		audit = record_open(r, &chain, &found);
		MEM_AUTO char *name = mem_printf("%s.jsonl", audit_session(audit));
		MEM_AUTO char *path = record_path(r, name);

		found_list_release(&found);
		assert_int_equal(record_verify(r, name, &report), VERIFY_ENDS_EARLY);
		record_crash(audit);
		assert_int_equal(unlink(path), 0);
	}
}

int main(void)
{
#define WITH_RECORD(test) cmocka_unit_test_setup_teardown(test, record_setup, record_teardown)
	const struct CMUnitTest tests[] = {
		WITH_RECORD(a_dead_session_is_found_with_the_calls_it_left_open),
		WITH_RECORD(what_was_told_is_not_found_again),
		WITH_RECORD(what_was_not_told_is_found_again),
		WITH_RECORD(two_sessions_that_start_together_do_not_both_find_it),
		WITH_RECORD(a_live_session_is_not_found),
		WITH_RECORD(a_torn_tail_is_said_and_left_alone),
		WITH_RECORD(a_dead_file_that_was_tampered_with_is_told_as_damaged),
		WITH_RECORD(a_dead_file_that_is_gone_or_no_file_is_told_as_damaged),
		WITH_RECORD(a_long_dead_file_is_read_in_pieces),
		WITH_RECORD(a_torn_line_of_chain_is_closed_by_the_next),
		WITH_RECORD(chain_can_be_torn_at_every_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

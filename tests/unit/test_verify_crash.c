#include "config.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "tests/unit/test_audit_fixture.h"

static char *crashed_session(const struct record *r)
{
	struct audit *audit = record_start(r);
	char *name = mem_printf("%s.jsonl", audit_session(audit));

	record_calls(audit, 2);
	record_crash(audit);
	return name;
}

static void tell_found(const struct record *r)
{
	struct digest chain;
	struct found_list found;
	struct audit *audit = record_open(r, &chain, &found);

	assert_int_equal(found.count, 1);
	MEM_AUTO char *fields = mem_printf("{\"file\":\"%s\"}", found.items[0].file);

	record_emit(audit, EVENT_FOUND_OPEN, 0, fields);
	found_list_release(&found);
	record_end(audit);
}

/* A crash or a power loss leaves any prefix; none of them is a forgery. */
static void a_dead_session_cut_anywhere_ends_early_and_is_never_altered(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = crashed_session(r);
	STR_AUTO struct str text = STR_INIT, report = STR_INIT;

	record_read(r, name, &text);
	for (size_t len = 0; len <= text.len; len++) {
		record_write(r, name, text.data, len);
		assert_int_equal(record_verify(r, NULL, &report), VERIFY_ENDS_EARLY);
		assert_int_equal(record_verify(r, name, &report), VERIFY_ENDS_EARLY);
	}
}

static void an_ended_session_cut_anywhere_is_altered(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = record_session(r, 2);
	STR_AUTO struct str text = STR_INIT, report = STR_INIT;

	record_read(r, name, &text);
	for (size_t len = 0; len < text.len; len++) {
		record_write(r, name, text.data, len);
		assert_int_equal(record_verify(r, NULL, &report), VERIFY_ALTERED);
	}
	record_write(r, name, text.data, text.len);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
}

static void a_dead_session_is_bound_from_when_it_was_found(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = crashed_session(r);
	STR_AUTO struct str text = STR_INIT, report = STR_INIT;

	tell_found(r);
	record_read(r, name, &text);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_ENDS_EARLY);
	for (size_t len = 0; len < text.len; len++) {
		record_write(r, name, text.data, len);
		assert_int_equal(record_verify(r, NULL, &report), VERIFY_ALTERED);
	}
}

/* Whatever torn bytes a crash leaves at its end, the next start tells of it, and from then on they
   are bound too. */
static void a_dead_session_cut_anywhere_is_found_and_bound(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = crashed_session(r);
	STR_AUTO struct str text = STR_INIT, chain = STR_INIT, report = STR_INIT;

	record_read(r, name, &text);
	record_read(r, "CHAIN", &chain);
	for (size_t len = 0; len <= text.len; len += 41) {
		record_write(r, name, text.data, len);
		record_write(r, "CHAIN", chain.data, chain.len);
		tell_found(r);
		assert_int_equal(record_verify(r, name, &report), VERIFY_ENDS_EARLY);
		if (len == 0)
			continue;
		record_write(r, name, text.data, len - 1);
		assert_int_equal(record_verify(r, name, &report), VERIFY_ALTERED);
	}
}

/* The order of the two writes at an end: the last line of the file, then the end line of CHAIN. */
static void a_crash_between_session_end_and_its_line_in_chain_ends_early(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = record_session(r, 1);
	STR_AUTO struct str chain = STR_INIT, report = STR_INIT;

	record_read(r, "CHAIN", &chain);
	const char *last = memrchr(chain.data, '\n', chain.len - 1);
	size_t start = (size_t)(last + 1 - chain.data);

	for (size_t len = start; len < chain.len; len++) {
		record_write(r, "CHAIN", chain.data, len);
		assert_int_equal(record_verify(r, name, &report), VERIFY_ENDS_EARLY);
		assert_non_null(strstr(report.data, "CHAIN has no end line"));
	}
}

/* The order of the two writes at a start: the empty file, then the start line. */
static void a_crash_before_the_start_line_leaves_an_empty_file_that_ends_early(void **state)
{
	static const char name[] = "20261130T132801Z-4121-9c3e.jsonl";
	const struct record *r = *state;
	STR_AUTO struct str report = STR_INIT;

	free(record_session(r, 1));
	record_write(r, name, "", 0);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_ENDS_EARLY);
	record_write(r, name, "x\n", 2);
	assert_int_equal(record_verify(r, NULL, &report), VERIFY_ALTERED);
}

/* Pseudo-random damage: whatever is done to any file, it is never called whole unless it is. */
static void random_damage_is_never_called_whole(void **state)
{
	const struct record *r = *state;
	char *names[4] = {"CHAIN"};
	struct str texts[4] = {STR_INIT};
	uint32_t seed = 3;

	for (unsigned i = 1; i < 4; i++)
		names[i] = record_session(r, i);
	for (unsigned i = 0; i < 4; i++)
		record_read(r, names[i], &texts[i]);
	for (unsigned round = 0; round < 2000; round++) {
		STR_AUTO struct str report = STR_INIT, damaged = STR_INIT;

		seed = seed * 1664525u + 1013904223u;
		unsigned which = (seed >> 16) % 4;
		size_t at = (seed >> 8) % texts[which].len;

		str_add_bytes(&damaged, texts[which].data, texts[which].len);
		if (round % 3 == 0)
			str_truncate(&damaged, at);
		else if (round % 3 == 1)
			damaged.data[at] = (char)(damaged.data[at] ^ (1 << (seed >> 29)));
		else
			str_add_bytes(&damaged, texts[which].data + at, texts[which].len - at);
		record_write(r, names[which], damaged.data, damaged.len);
		assert_int_not_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
		record_write(r, names[which], texts[which].data, texts[which].len);
	}
	for (unsigned i = 0; i < 4; i++)
		str_release(&texts[i]);
	for (unsigned i = 1; i < 4; i++)
		free(names[i]);
}

int main(void)
{
#define WITH_RECORD(test) cmocka_unit_test_setup_teardown(test, record_setup, record_teardown)
	const struct CMUnitTest tests[] = {
		WITH_RECORD(a_dead_session_cut_anywhere_ends_early_and_is_never_altered),
		WITH_RECORD(an_ended_session_cut_anywhere_is_altered),
		WITH_RECORD(a_dead_session_is_bound_from_when_it_was_found),
		WITH_RECORD(a_dead_session_cut_anywhere_is_found_and_bound),
		WITH_RECORD(a_crash_between_session_end_and_its_line_in_chain_ends_early),
		WITH_RECORD(a_crash_before_the_start_line_leaves_an_empty_file_that_ends_early),
		WITH_RECORD(random_damage_is_never_called_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

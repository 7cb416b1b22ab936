#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cmd.h"
#include "base/mem.h"
#include "tests/unit/test_audit_fixture.h"

static size_t line_start(const char *text, unsigned line)
{
	size_t at = 0;

	for (unsigned i = 1; i < line; i++)
		at += strcspn(text + at, "\n") + 1;
	return at;
}

static size_t line_end(const char *text, unsigned line)
{
	size_t start = line_start(text, line);

	return start + strcspn(text + start, "\n") + 1;
}

static void take_out(struct str *text, unsigned line)
{
	size_t start = line_start(text->data, line), end = line_end(text->data, line);

	memmove(text->data + start, text->data + end, text->len - end + 1);
	text->len -= end - start;
}

static void assert_altered(const struct record *r, const char *name, const char *where)
{
	STR_AUTO struct str report = STR_INIT;

	assert_int_equal(record_verify(r, NULL, &report), VERIFY_ALTERED);
	if (strstr(report.data, where) == NULL)
		fail_msg("\"%s\" is not in: %s", where, report.data);
	if (name == NULL)
		return;
	assert_int_equal(record_verify(r, name, &report), VERIFY_ALTERED);
	if (strstr(report.data, where) == NULL)
		fail_msg("\"%s\" is not in: %s", where, report.data);
}

static void an_untouched_record_is_whole(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *first = record_session(r, 2);
	MEM_AUTO char *second = record_session(r, 0);
	MEM_AUTO char *line = mem_printf("%s: whole, 8 events\n", first);
	STR_AUTO struct str report = STR_INIT;

	assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
	assert_non_null(strstr(report.data, line));
	assert_non_null(strstr(report.data, second));
	assert_non_null(strstr(report.data, "the chain holds: 2 files, 10 events\n"));
	assert_int_equal(record_verify(r, first, &report), VERIFY_WHOLE);
	assert_int_equal(record_verify(r, "CHAIN", &report), VERIFY_WHOLE);
}

/* Each byte of each line, one after the other. */
static void a_changed_byte_is_named_with_its_line(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = record_session(r, 1);
	STR_AUTO struct str text = STR_INIT;
	unsigned line = 1;

	record_read(r, name, &text);
	for (size_t i = 0; i < text.len; i++) {
		char kept = text.data[i];
		MEM_AUTO char *where = mem_printf("%s:%u: altered: ", name, line);

		text.data[i] = kept == '1' ? '2' : '1';
		record_write(r, name, text.data, text.len);
		/* The last newline: what was a line is a torn one now. */
		if (i + 1 == text.len)
			where[strlen(name)] = '\0';
		assert_altered(r, name, where);
		text.data[i] = kept;
		line += kept == '\n';
	}
}

static void a_byte_that_became_a_newline_is_named_with_its_line(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = record_session(r, 1);
	STR_AUTO struct str text = STR_INIT;

	record_read(r, name, &text);
	for (unsigned line = 1; line <= 5; line++) {
		size_t middle = line_start(text.data, line) + 120;
		char kept = text.data[middle];
		MEM_AUTO char *where = mem_printf("%s:%u: altered: ", name, line);

		text.data[middle] = '\n';
		record_write(r, name, text.data, text.len);
		assert_altered(r, name, where);
		text.data[middle] = kept;
	}
}

static void a_removed_line_is_named_with_its_place(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = record_session(r, 3);

	for (unsigned line = 1; line <= 11; line++) {
		MEM_AUTO char *where = mem_printf("%s:%u: altered: ", name, line);
		STR_AUTO struct str text = STR_INIT, whole = STR_INIT;

		record_read(r, name, &whole);
		record_read(r, name, &text);
		take_out(&text, line);
		record_write(r, name, text.data, text.len);
		assert_altered(r, name, where);
		record_write(r, name, whole.data, whole.len);
	}
}

static void a_removed_tail_is_named_with_its_first_line(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = record_session(r, 3);
	STR_AUTO struct str text = STR_INIT;

	record_read(r, name, &text);
	for (unsigned line = 11; line >= 1; line--) {
		MEM_AUTO char *where =
			mem_printf("%s:%u: altered: the file ends before", name, line);

		record_write(r, name, text.data, line_start(text.data, line));
		assert_altered(r, name, where);
	}
}

static void an_added_line_is_named(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = record_session(r, 1);
	MEM_AUTO char *where = mem_printf("%s:6: altered: this line was added", name);
	MEM_AUTO char *torn = mem_printf("%s:6: altered: what follows", name);
	STR_AUTO struct str text = STR_INIT;
	struct event event = {.type = EVENT_VIEW, .number = 6};
	struct digest last;

	record_read(r, name, &text);
	size_t start = line_start(text.data, 5);

	digest_bytes(text.data + start, text.len - start - 1, &last);
	event_print(&event, &last, &text);
	record_write(r, name, text.data, text.len);
	assert_altered(r, name, torn);
	str_add_char(&text, '\n');
	record_write(r, name, text.data, text.len);
	assert_altered(r, name, where);
}

static void swapped_lines_are_named(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = record_session(r, 3);
	MEM_AUTO char *where = mem_printf("%s:4: altered: another line", name);
	STR_AUTO struct str text = STR_INIT, swapped = STR_INIT;

	record_read(r, name, &text);
	size_t a = line_start(text.data, 4), b = line_start(text.data, 5),
	       c = line_start(text.data, 6);

	str_add_bytes(&swapped, text.data, a);
	str_add_bytes(&swapped, text.data + b, c - b);
	str_add_bytes(&swapped, text.data + a, b - a);
	str_add_bytes(&swapped, text.data + c, text.len - c);
	record_write(r, name, swapped.data, swapped.len);
	assert_altered(r, name, where);
}

static void a_removed_file_is_named(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *first = record_session(r, 1);
	MEM_AUTO char *second = record_session(r, 1);
	MEM_AUTO char *path = record_path(r, first);
	MEM_AUTO char *where = mem_printf("%s:1: altered: the file is not there", first);
	STR_AUTO struct str report = STR_INIT;

	assert_int_equal(unlink(path), 0);
	assert_altered(r, NULL, where);
	assert_int_equal(record_verify(r, second, &report), VERIFY_WHOLE);
}

static void files_that_changed_places_are_named(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *first = record_session(r, 1);
	MEM_AUTO char *second = record_session(r, 1);
	MEM_AUTO char *where = mem_printf("%s:1: altered: this is not the first line", first);
	STR_AUTO struct str a = STR_INIT, b = STR_INIT;

	record_read(r, first, &a);
	record_read(r, second, &b);
	record_write(r, first, b.data, b.len);
	record_write(r, second, a.data, a.len);
	assert_altered(r, first, where);
}

static void a_file_that_chain_does_not_know_is_named(void **state)
{
	static const char name[] = "20261130T132801Z-4121-9c3e.jsonl";
	const struct record *r = *state;
	MEM_AUTO char *first = record_session(r, 1);
	STR_AUTO struct str text = STR_INIT;

	record_read(r, first, &text);
	record_write(r, name, text.data, text.len);
	assert_altered(r, name, "20261130T132801Z-4121-9c3e.jsonl:1: altered: CHAIN does not know");
}

static void a_missing_chain_is_named(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *first = record_session(r, 1);
	MEM_AUTO char *path = record_path(r, "CHAIN");

	assert_int_equal(unlink(path), 0);
	assert_altered(r, first, "CHAIN: altered: it is not there");
	free(record_session(r, 1));
	MEM_AUTO char *where = mem_printf("%s:1: altered: CHAIN does not know", first);

	assert_altered(r, first, where);
}

static void a_changed_byte_of_chain_is_named(void **state)
{
	const struct record *r = *state;
	STR_AUTO struct str text = STR_INIT;
	unsigned changed = 0;

	free(record_session(r, 1));
	free(record_session(r, 1));
	record_read(r, "CHAIN", &text);
	for (size_t i = 0; i < text.len; i++) {
		STR_AUTO struct str report = STR_INIT;
		char kept = text.data[i];

		text.data[i] = kept == '1' ? '2' : '1';
		record_write(r, "CHAIN", text.data, text.len);
		int status = record_verify(r, NULL, &report);

		/* Without its last newline the last line is a torn one: its session ends early. */
		assert_int_equal(status, i + 1 == text.len ? VERIFY_ENDS_EARLY : VERIFY_ALTERED);
		changed += status == VERIFY_ALTERED;
		text.data[i] = kept;
	}
	assert_int_equal(changed, text.len - 1);
}

static void a_removed_line_of_chain_is_named(void **state)
{
	const struct record *r = *state;

	for (unsigned i = 0; i < 3; i++)
		free(record_session(r, 1));
	for (unsigned line = 1; line <= 6; line++) {
		STR_AUTO struct str text = STR_INIT, whole = STR_INIT, report = STR_INIT;

		record_read(r, "CHAIN", &whole);
		record_read(r, "CHAIN", &text);
		take_out(&text, line);
		record_write(r, "CHAIN", text.data, text.len);
		int status = record_verify(r, NULL, &report);

		/* The last end line alone could as well be one that a crash never wrote. */
		assert_int_equal(status, line == 6 ? VERIFY_ENDS_EARLY : VERIFY_ALTERED);
		record_write(r, "CHAIN", whole.data, whole.len);
	}
}

/* Neither a record nor CHAIN may be anything but a plain file: what stands in its place is an alteration, not a reason to stop. */
static void what_is_no_plain_file_is_named(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *first = record_session(r, 1);
	const char *const names[] = {first, "CHAIN"};
	free(record_session(r, 0)); /* so that CHAIN goes on */

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		MEM_AUTO char *path = record_path(r, names[i]);
		MEM_AUTO char *away = mem_printf("%s.away", path);
		MEM_AUTO char *where = mem_printf(
			"%s:%s altered: it is not a plain file", names[i], i == 0 ? "1:" : "");

		assert_int_equal(rename(path, away), 0);
		assert_int_equal(mkfifo(path, 0600), 0);
		assert_altered(r, i == 0 ? first : NULL, where);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(symlink(away, path), 0);
		assert_altered(r, i == 0 ? first : NULL, where);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(rename(away, path), 0);
	}
	STR_AUTO struct str report = STR_INIT;

	assert_int_equal(record_verify(r, NULL, &report), VERIFY_WHOLE);
}

static void a_path_that_holds_no_record_is_a_usage_error(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *none = record_path(r, "none.jsonl");
	STR_AUTO struct str report = STR_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(verify_path(none, &report, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_int_equal(verify_path(r->dir, &report, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_int_equal(verify_path("/dev/null", &report, &err), -1);
}

static void the_command_gives_the_status_and_refuses_what_it_does_not_know(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *first = record_session(r, 1);
	MEM_AUTO char *path = record_path(r, first);
	char *whole[] = {"audit", "verify", r->dir, NULL};
	char *dashes[] = {"audit", "verify", "--", path, NULL};
	char *two[] = {"audit", "verify", path, path, NULL};
	char *option[] = {"audit", "verify", "--fast", NULL};
	char *other[] = {"audit", "shred", path, NULL};
	char *alone[] = {"audit", NULL};
	char *absent[] = {"audit", "verify", "/nowhere/at/all", NULL};

	assert_int_equal(cmd_audit(3, whole), 0);
	assert_int_equal(cmd_audit(4, dashes), 0);
	assert_int_equal(cmd_audit(4, two), EXIT_USAGE);
	assert_int_equal(cmd_audit(3, option), EXIT_USAGE);
	assert_int_equal(cmd_audit(3, other), EXIT_USAGE);
	assert_int_equal(cmd_audit(1, alone), EXIT_USAGE);
	assert_int_equal(cmd_audit(3, absent), EXIT_USAGE);
	record_write(r, first, "x\n", 2);
	assert_int_equal(cmd_audit(4, dashes), 1);
}

int main(void)
{
#define WITH_RECORD(test) cmocka_unit_test_setup_teardown(test, record_setup, record_teardown)
	const struct CMUnitTest tests[] = {
		WITH_RECORD(an_untouched_record_is_whole),
		WITH_RECORD(a_changed_byte_is_named_with_its_line),
		WITH_RECORD(a_byte_that_became_a_newline_is_named_with_its_line),
		WITH_RECORD(a_removed_line_is_named_with_its_place),
		WITH_RECORD(a_removed_tail_is_named_with_its_first_line),
		WITH_RECORD(an_added_line_is_named),
		WITH_RECORD(swapped_lines_are_named),
		WITH_RECORD(a_removed_file_is_named),
		WITH_RECORD(files_that_changed_places_are_named),
		WITH_RECORD(a_file_that_chain_does_not_know_is_named),
		WITH_RECORD(a_missing_chain_is_named),
		WITH_RECORD(a_changed_byte_of_chain_is_named),
		WITH_RECORD(a_removed_line_of_chain_is_named),
		WITH_RECORD(what_is_no_plain_file_is_named),
		WITH_RECORD(a_path_that_holds_no_record_is_a_usage_error),
		WITH_RECORD(the_command_gives_the_status_and_refuses_what_it_does_not_know),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

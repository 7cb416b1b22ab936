#include "config.h"

#include "core/edit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "core/request.h"

static void the_new_text_must_be_what_a_request_could_hold(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *why; /* NULL: it may run */
	} rows[] = {
		{"ls", 2, NULL},
		{"ls\n", 3, NULL},
		{"", 0, "the command is empty"},
		{"l\0s", 3, "it holds a NUL byte"},
		{"l\xff", 2, "it is not UTF-8"},
		{"\xd0\xb7\xd0\xb2", 4, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = ERR_INIT;
		int bad = edit_check(rows[i].bytes, rows[i].len, &err);

		assert_int_equal(bad, rows[i].why == NULL ? 0 : -1);
		if (rows[i].why != NULL)
			assert_string_equal(err.text, rows[i].why);
	}
}

static void a_text_longer_than_an_argument_is_refused_with_its_length(void **state)
{
	MEM_AUTO char *text = mem_array(REQUEST_COMMAND_BYTES + 2, 1);
	struct err err = ERR_INIT;

	(void)state;
	memset(text, 'x', REQUEST_COMMAND_BYTES + 1);
	assert_int_equal(edit_check(text, REQUEST_COMMAND_BYTES, &err), 0);
	assert_int_equal(edit_check(text, REQUEST_COMMAND_BYTES + 1, &err), -1);
	assert_string_equal(err.text, "it has 131072 bytes, and at most 131071 can be started");
}

/* "-1-1:old +1-1:new": kind, lines, text. */
static void print_diff(const char *old, const char *now, struct str *out)
{
	static const char signs[] = {[EDIT_SAME] = '=', [EDIT_TAKEN] = '-', [EDIT_ADDED] = '+'};
	struct edit_diff diff;

	edit_diff(old, now, &diff);
	for (size_t i = 0; i < diff.count; i++) {
		const struct edit_hunk *h = &diff.items[i];

		str_printf(out, "%s%c%u,%u:%.*s", i > 0 ? " " : "", signs[h->kind], h->line,
			h->lines, (int)h->len, (h->kind == EDIT_TAKEN ? old : now) + h->start);
	}
	edit_diff_release(&diff);
}

static void a_difference_is_told_in_whole_lines_and_unchanged_ones_stand_once(void **state)
{
	static const struct {
		const char *old, *now, *diff;
	} rows[] = {
		{"a", "a", "=1,1:a"},
		{"a", "b", "-1,1:a +1,1:b"},
		{"a\nb\nc", "a\nc", "=1,1:a -2,1:b =2,1:c"},
		{"a\nc", "a\nb\nc", "=1,1:a +2,1:b =3,1:c"},
		{"a\nb\nc\nd", "x\nb\nc\ny", "-1,1:a +1,1:x =2,2:b\nc -4,1:d +4,1:y"},
		/* The newline at the end is a line of its own, so that taking it shows. */
		{"a\n", "a", "=1,1:a -2,1:"},
		{"a", "a\n", "=1,1:a +2,1:"},
		{"a\na\na", "a", "=1,1:a -2,2:a\na"},
		{"a\nb", "b\na", "-1,1:a =1,1:b +2,1:a"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct str text STR_AUTO = STR_INIT;

		print_diff(rows[i].old, rows[i].now, &text);
		assert_string_equal(str_c(&text), rows[i].diff);
	}
}

/* What is on the screen must be both texts whole, whatever the difference is. */
static void both_texts_can_be_read_back_from_the_difference(void **state)
{
	unsigned seed = 4121;

	(void)state;
	for (unsigned round = 0; round < 500; round++) {
		char text[2][32] = {"", ""};
		struct str back[2] = {STR_INIT, STR_INIT};
		struct edit_diff diff;
		bool first[2] = {true, true};

		for (int t = 0; t < 2; t++) {
			size_t len = (seed = seed * 1103515245 + 12345) >> 16 & 15;

			for (size_t i = 0; i < len; i++)
				text[t][i] = "ab\n"[((seed = seed * 1103515245 + 12345) >> 16) % 3];
		}
		edit_diff(text[0], text[1], &diff);
		for (size_t i = 0; i < diff.count; i++) {
			const struct edit_hunk *h = &diff.items[i];
			const char *of = h->kind == EDIT_TAKEN ? text[0] : text[1];

			for (int t = 0; t < 2; t++) {
				if (h->kind == (t == 0 ? EDIT_ADDED : EDIT_TAKEN))
					continue;
				if (!first[t])
					str_add_char(&back[t], '\n');
				first[t] = false;
				str_add_bytes(&back[t], of + h->start, h->len);
			}
		}
		assert_string_equal(str_c(&back[0]), text[0]);
		assert_string_equal(str_c(&back[1]), text[1]);
		str_release(&back[0]);
		str_release(&back[1]);
		edit_diff_release(&diff);
	}
}

static void a_text_of_only_newlines_costs_no_table(void **state)
{
	MEM_AUTO char *old = mem_array(REQUEST_COMMAND_BYTES + 1, 1);
	MEM_AUTO char *now = mem_array(REQUEST_COMMAND_BYTES + 1, 1);
	struct edit_diff diff;

	(void)state;
	memset(old, '\n', REQUEST_COMMAND_BYTES);
	memset(now, '\n', REQUEST_COMMAND_BYTES);
	old[0] = 'x';
	now[0] = 'y';
	old[REQUEST_COMMAND_BYTES - 1] = 'x';
	now[REQUEST_COMMAND_BYTES - 1] = 'y';
	edit_diff(old, now, &diff);
	assert_int_equal(diff.count, 2);
	edit_diff_release(&diff);
}

static void of_a_line_the_words_that_differ_are_found_at_whole_characters(void **state)
{
	static const struct {
		const char *old, *now, *taken, *added;
	} rows[] = {
		{"make build dist mods && all", "make build dist && all", "mods", ""},
		{"make all", "make -j2 all", "", "-j2"},
		{"rm a", "rm b", "a", "b"},
		{"same", "same", "", ""},
		{"a b", "a  b", "", " "},
		{"ls \xd0\xb7", "ls \xd0\xb2", "\xd0\xb7", "\xd0\xb2"},
		{"ls \xd0\xb7", "ls \xd1\xb7", "\xd0\xb7", "\xd1\xb7"},
		{"", "x", "", "x"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct edit_span taken, added;

		edit_spans(rows[i].old, strlen(rows[i].old), rows[i].now, strlen(rows[i].now),
			&taken, &added);
		assert_int_equal(taken.end - taken.start, strlen(rows[i].taken));
		assert_memory_equal(
			rows[i].old + taken.start, rows[i].taken, strlen(rows[i].taken));
		assert_int_equal(added.end - added.start, strlen(rows[i].added));
		assert_memory_equal(
			rows[i].now + added.start, rows[i].added, strlen(rows[i].added));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_new_text_must_be_what_a_request_could_hold),
		cmocka_unit_test(a_text_longer_than_an_argument_is_refused_with_its_length),
		cmocka_unit_test(a_difference_is_told_in_whole_lines_and_unchanged_ones_stand_once),
		cmocka_unit_test(both_texts_can_be_read_back_from_the_difference),
		cmocka_unit_test(a_text_of_only_newlines_costs_no_table),
		cmocka_unit_test(of_a_line_the_words_that_differ_are_found_at_whole_characters),
	};

	return cmocka_run_group_tests_name("edit", tests, NULL, NULL);
}

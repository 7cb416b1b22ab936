#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/linebuf.h"
#include "base/mem.h"

#define MAX 5

/* Feeds the text in chunks of `step` bytes and writes what came out: lines as [x], long ones as
   !. */
static void trace(const char *text, size_t step, struct str *out)
{
	CLEANUP(linebuf_release) struct linebuf lb;
	size_t len = strlen(text);
	enum linebuf_status status;
	const char *line;
	size_t line_len;

	linebuf_init(&lb, MAX);
	for (size_t at = 0; at <= len; at += step) {
		bool end = at + step > len;

		linebuf_feed(&lb, text + at, end ? len - at : step);
		while ((status = linebuf_next(&lb, end, &line, &line_len)) != LINEBUF_NONE) {
			if (status == LINEBUF_TOO_LONG)
				str_printf(out, "%zu!", lb.line_no);
			else
				str_printf(out, "%zu[%.*s]", lb.line_no, (int)line_len, line);
		}
	}
}

static void lines_come_out_the_same_however_they_went_in(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"\n", "1[]"},
		{"a\nb\n", "1[a]2[b]"},
		{"a\nb", "1[a]2[b]"},
		{"12345\n", "1[12345]"},
		{"123456\n", "1!"},
		{"123456", "1!"},
		{"1234567890123\nok\n", "1!2[ok]"},
		{"a\n1234567890\n\n12345\n123456\nz", "1[a]2!3[]4[12345]5!6[z]"},
		{"123456\n123456\n", "1!2!"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (size_t step = 1; step < 20; step++) {
			STR_AUTO struct str out = STR_INIT;

			trace(cases[i][0], step, &out);
			assert_string_equal(str_c(&out), cases[i][1]);
		}
	}
}

static void a_long_line_is_reported_before_it_ends(void **state)
{
	CLEANUP(linebuf_release) struct linebuf lb;
	const char *line;
	size_t len;

	(void)state;
	linebuf_init(&lb, MAX);
	linebuf_feed(&lb, "123456", 6);
	assert_int_equal(linebuf_next(&lb, false, &line, &len), LINEBUF_TOO_LONG);
	assert_int_equal(linebuf_next(&lb, false, &line, &len), LINEBUF_NONE);
}

static void the_tail_of_a_long_line_costs_no_memory(void **state)
{
	CLEANUP(linebuf_release) struct linebuf lb;
	static char chunk[4096];
	const char *line;
	size_t len;

	(void)state;
	memset(chunk, 'x', sizeof(chunk));
	linebuf_init(&lb, MAX);
	linebuf_feed(&lb, chunk, sizeof(chunk));
	assert_int_equal(linebuf_next(&lb, false, &line, &len), LINEBUF_TOO_LONG);
	for (int i = 0; i < 1000; i++) {
		linebuf_feed(&lb, chunk, sizeof(chunk));
		assert_int_equal(linebuf_next(&lb, false, &line, &len), LINEBUF_NONE);
	}
	assert_true(lb.pending.cap < 4 * sizeof(chunk));
	linebuf_feed(&lb, "\nok\n", 4);
	assert_int_equal(linebuf_next(&lb, false, &line, &len), LINEBUF_LINE);
	assert_memory_equal(line, "ok", 2);
}

static void many_lines_do_not_grow_the_buffer(void **state)
{
	CLEANUP(linebuf_release) struct linebuf lb;
	const char *line;
	size_t len;

	(void)state;
	linebuf_init(&lb, MAX);
	for (int i = 0; i < 10000; i++) {
		linebuf_feed(&lb, "abc\nd", 5);
		assert_int_equal(linebuf_next(&lb, false, &line, &len), LINEBUF_LINE);
		assert_int_equal(linebuf_next(&lb, false, &line, &len), LINEBUF_NONE);
	}
	assert_true(lb.pending.cap <= 64);
}

static void a_nul_byte_is_part_of_its_line(void **state)
{
	CLEANUP(linebuf_release) struct linebuf lb;
	const char *line;
	size_t len;

	(void)state;
	linebuf_init(&lb, MAX);
	linebuf_feed(&lb, "a\0b\n", 4);
	assert_int_equal(linebuf_next(&lb, false, &line, &len), LINEBUF_LINE);
	assert_int_equal(len, 3);
	assert_memory_equal(line, "a\0b", 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_out_the_same_however_they_went_in),
		cmocka_unit_test(a_long_line_is_reported_before_it_ends),
		cmocka_unit_test(the_tail_of_a_long_line_costs_no_memory),
		cmocka_unit_test(many_lines_do_not_grow_the_buffer),
		cmocka_unit_test(a_nul_byte_is_part_of_its_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/redact_fields.h"
#include "fixture.h"
#include "tui/layout.h"
#include "tui/view_words.h"

static const struct output_look wide = {.width = 79};

/* Rows as text: segments apart by nothing, rows by LF, without the blank at their left. */
static void rows_text(const struct rows *rows, struct str *out)
{
	for (size_t i = 0; i < rows->count; i++) {
		for (size_t n = 0; n < rows->items[i].count; n++)
			str_add(out, rows->items[i].segments[n].text + (n == 0));
		str_add_char(out, '\n');
	}
}

static void output_is_shown_as_it_should_be(void **state)
{
	static const struct {
		const char *bytes, *want;
	} cases[] = {
		{"", ""},
		{"\n", "\n"},
		{"a", "a\n"},
		{"a\n", "a\n"},
		{"a\n\n\n\n\nb\n", "a\n\n\n\n\nb\n"},
		{"a                              b   \n", "a                              b   \n"},
		{"dos\r\n", "dos<CR>\n"},
		{"one\rtwo\n", "two<1 CR>\n"},
		{"  1 %\r 50 %\r100 %\r", "100 %<3 CR>\n"},
		{"  1 %\r 50 %\r\n", " 50 %<2 CR>\n"},
		{"\r\r\r", "<3 CR>\n"},
		{"\r", "<CR>\n"},
		{"a\tb", "a<TAB>b\n"},
		{"\033[1;31mred\033[0m", "<ESC>[1;31mred<ESC>[0m\n"},
		{"\033[2Jgone\033c", "<ESC>[2Jgone<ESC>c\n"},
		{"<31 CR> <ESC>", "<U+003C>31 CR> <U+003C>ESC>\n"},
		{"<html>", "<html>\n"},
		{"\xE7\x94\xA8 \xFF\x80", "\xE7\x94\xA8 <xFF><x80>\n"},
		{"\xD0\xB0pple", "\xD0\xB0pple\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str text = STR_INIT;
		struct fixture f;
		struct rows rows;

		layout_output(fixture_open_output(&f, cases[i].bytes, strlen(cases[i].bytes)),
			&wide, &rows);
		rows_text(&rows, &text);
		assert_string_equal(cases[i].want, str_c(&text));
		rows_release(&rows);
		fixture_close(&f);
	}
}

static void only_colours_are_quiet(void **state)
{
	static const enum style want[] = {STYLE_PLAIN, STYLE_QUIET, STYLE_PLAIN, STYLE_ESCAPE,
		STYLE_PLAIN, STYLE_QUIET, STYLE_PLAIN, STYLE_ESCAPE};
	static const char bytes[] = "\033[38;5;1mred\033[8zx\ty\007";
	struct fixture f;
	struct rows rows;

	(void)state;
	layout_output(fixture_open_output(&f, bytes, strlen(bytes)), &wide, &rows);
	assert_int_equal(1, rows.count);
	assert_int_equal(ARRAY_LEN(want), rows.items[0].count);
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_int_equal(want[i], rows.items[0].segments[i].style);
	rows_release(&rows);
	fixture_close(&f);
}

static void an_unfolded_line_is_one_row_with_signs_where_it_goes_on(void **state)
{
	static const struct {
		const char *bytes;
		size_t pan;
		const char *want;
		bool goes_on;
	} cases[] = {
		{"0123456789", 0, " 0123456789\n", false},
		{"0123456789A", 0, " 0123456789…\n", true},
		{"0123456789ABCDEF", 5, "…56789ABCDE…\n", true},
		{"0123456789ABCDEF", 6, "…6789ABCDEF\n", false},
		{"0123\nab\n", 4, "…\n…\n", false},
		{"\n\nx", 4, "\n\n…\n", false},
		{"\n\nx", 0, "\n\n x\n", false},
		/* What would be cut in two is not shown: blanks at the left, nothing at the right. */
		{"\xE7\x94\xA8\xE7\x94\xA8", 1, "… \xE7\x94\xA8\n", false},
		{"012345678\xE7\x94\xA8", 0, " 012345678 …\n", true},
		{"\033[0m01234567", 3, "…  [0m01234…\n", true},
		{"\033[0m01", 8, "…01\n", false},
		{"1 %\r 2 %\r 3 %\n", 0, "  3 %<2 CR>\n", false},
		{"…", 0, " …\n", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct output_look look = {.width = 12, .unfold = true, .pan = cases[i].pan};
		STR_AUTO struct str text = STR_INIT;
		struct fixture f;
		struct rows rows;

		layout_output(fixture_open_output(&f, cases[i].bytes, strlen(cases[i].bytes)),
			&look, &rows);
		for (size_t r = 0; r < rows.count; r++) {
			for (size_t n = 0; n < rows.items[r].count; n++)
				str_add(&text, rows.items[r].segments[n].text);
			str_add_char(&text, '\n');
		}
		assert_string_equal(cases[i].want, str_c(&text));
		assert_int_equal(cases[i].goes_on, layout_output_goes_on(&rows.items[0]));
		rows_release(&rows);
		fixture_close(&f);
	}
}

static void random_output(unsigned seed, struct str *out)
{
	static const char *const parts[] = {"word ", "\n", "\r", "\t", "\033[32m", "\xE7\x94\xA8",
		"<", "<E", "<tag>", "\xFF", "\xCC\x81", "\x7F", "a long word without any end ",
		"\n\n", "\033]0;x\007", "\xF0\x9F\x91\x8D", " ",
		"0123456789012345678901234567890123456789"};

	for (unsigned i = 0; i < 600; i++) {
		seed = seed * 1103515245 + 12345;
		str_add(out, parts[(seed >> 16) % ARRAY_LEN(parts)]);
	}
}

static void assert_same_rows(
	const struct rows *all, const struct rows *part, size_t first, size_t count)
{
	STR_AUTO struct str want = STR_INIT;
	STR_AUTO struct str have = STR_INIT;
	struct rows slice = *all;

	slice.items += first < all->count ? first : all->count;
	slice.count = first < all->count ? all->count - first : 0;
	slice.count = slice.count < count ? slice.count : count;
	rows_text(&slice, &want);
	rows_text(part, &have);
	assert_string_equal(str_c(&want), str_c(&have));
}

/* Counting without building, and building a part, agree with building all; no row is too wide. */
static void a_part_is_what_it_is_of_the_whole(void **state)
{
	static const unsigned widths[] = {59, 79, 119};

	(void)state;
	for (unsigned n = 0; n < 60; n++) {
		STR_AUTO struct str bytes = STR_INIT;
		unsigned width = widths[n % ARRAY_LEN(widths)];
		const struct output_look look = {.width = width,
			.ascii = n % 2 == 1,
			.unfold = n % 3 == 2,
			.pan = n % 4 * 11};
		struct fixture f;
		struct rows all;

		random_output(n, &bytes);
		struct job *job = fixture_open_output(&f, bytes.data, bytes.len);
		layout_output(job, &look, &all);
		assert_int_equal(all.count, layout_output_rows(job, &look));
		for (size_t first = 0; first <= all.count; first += 7) {
			struct rows part;

			layout_output_part(job, &look, first, 10, &part);
			assert_same_rows(&all, &part, first, 10);
			rows_release(&part);
		}
		for (size_t i = 0; i < all.count; i++) {
			unsigned columns = 0;

			for (size_t s = 0; s < all.items[i].count; s++)
				columns += text_columns(all.items[i].segments[s].text);
			assert_true(columns < width + look.unfold);
		}
		rows_release(&all);
		fixture_close(&f);
	}
}

/* Without CR nothing is left out: the rows turn back into the bytes, line by line. */
static void nothing_of_an_output_is_left_out_but_overwritten_states(void **state)
{
	(void)state;
	for (unsigned n = 100; n < 140; n++) {
		STR_AUTO struct str bytes = STR_INIT;
		STR_AUTO struct str shown = STR_INIT;
		STR_AUTO struct str back = STR_INIT;
		struct fixture f;
		struct rows rows;
		size_t line = SIZE_MAX;

		random_output(n, &bytes);
		for (size_t i = 0; i < bytes.len; i++) {
			if (bytes.data[i] == '\r')
				bytes.data[i] = '\v';
		}
		layout_output(fixture_open_output(&f, bytes.data, bytes.len),
			&(struct output_look){.width = 59}, &rows);
		for (size_t i = 0; i < rows.count; i++) {
			if (i > 0 && rows.items[i].start != line)
				str_add_char(&shown, '\n');
			line = rows.items[i].start;
			for (size_t s = 0; s < rows.items[i].count; s++)
				str_add(&shown, rows.items[i].segments[s].text + (s == 0));
		}
		assert_int_equal(0, text_unescape(str_c(&shown), shown.len, &back, NULL));
		if (bytes.data[bytes.len - 1] == '\n')
			str_add_char(&back, '\n');
		assert_int_equal(bytes.len, back.len);
		assert_memory_equal(bytes.data, back.data, bytes.len);
		rows_release(&rows);
		fixture_close(&f);
	}
}

static void say(void (*words)(int64_t, struct str *), int64_t ms, const char *want)
{
	STR_AUTO struct str text = STR_INIT;

	words(ms, &text);
	assert_string_equal(want, str_c(&text));
}

static void clocks_are_rounded_down(void **state)
{
	(void)state;
	say(words_waited, -5, "0 s");
	say(words_waited, 999, "0 s");
	say(words_waited, 119999, "119 s");
	say(words_waited, 120000, "2 min");
	say(words_waited, 3599999, "59 min");
	say(words_left, 300000, "5 min");
	say(words_left, 299999, "4 min");
	say(words_left, 120000, "2 min");
	say(words_left, 119999, "115 s");
	say(words_left, 30000, "30 s");
	say(words_left, 29999, "!29 s");
	say(words_left, -1, "!0 s");
	say(words_took, 99, "0.0 s");
	say(words_took, 12499, "12.4 s");
	say(words_took, 59999, "59.9 s");
	say(words_took, 62999, "62 s");
}

static void sizes_and_counts_have_their_words(void **state)
{
	static const struct {
		uint64_t n;
		const char *size, *count;
	} cases[] = {
		{0, "0 bytes", "0"},
		{1, "1 byte", "1"},
		{1023, "1,023 bytes", "1,023"},
		{1024, "1 KiB", "1,024"},
		{1048575, "1023 KiB", "1,048,575"},
		{1048576, "1 MiB", "1,048,576"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str size = STR_INIT;
		STR_AUTO struct str count = STR_INIT;

		words_size(cases[i].n, &size);
		words_count(cases[i].n, &count);
		assert_string_equal(cases[i].size, str_c(&size));
		assert_string_equal(cases[i].count, str_c(&count));
	}
}

static void fields_are_cut_with_a_sign(void **state)
{
	static const struct {
		const char *text;
		unsigned columns;
		const char *want;
	} cases[] = {
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"\xE7\x94\xA8\xE6\x88\xB7", 3, "\xE7\x94\xA8…"},
		{"\xE7\x94\xA8\xE6\x88\xB7", 4, "\xE7\x94\xA8\xE6\x88\xB7"},
		{"ab\033", 5, "ab…"},
		{"ab\033", 7, "ab<ESC>"},
		{"\033", 3, "…"},
		{"a\nb", 9, "a<LF>b"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str text = STR_INIT;

		words_field(cases[i].text, cases[i].columns, false, &text);
		assert_string_equal(cases[i].want, str_c(&text));
	}
}

/* As a replay gets it: only how much there was. */
static void an_output_that_was_not_recorded_says_so(void **state)
{
	STR_AUTO struct str text = STR_INIT;
	struct fixture f;
	const struct job *job = fixture_open_output(&f, "", 0);

	(void)state;
	fixture_event(&f, EVENT_OUTPUT, 1, 0, redact_output_size("secret\n", 7));
	assert_int_equal(job->output.len, 0);
	assert_int_equal(job->output_bytes, 7);
	f.ui.card_seq = 1;
	f.ui.view = VIEW_OUTPUT;
	fixture_draw(&f);
	frame_print(&f.frame, false, &text);
	assert_non_null(
		strstr(str_c(&text), "Its output was not recorded: the record holds sizes"));
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_is_shown_as_it_should_be),
		cmocka_unit_test(only_colours_are_quiet),
		cmocka_unit_test(an_unfolded_line_is_one_row_with_signs_where_it_goes_on),
		cmocka_unit_test(a_part_is_what_it_is_of_the_whole),
		cmocka_unit_test(nothing_of_an_output_is_left_out_but_overwritten_states),
		cmocka_unit_test(an_output_that_was_not_recorded_says_so),
		cmocka_unit_test(clocks_are_rounded_down),
		cmocka_unit_test(sizes_and_counts_have_their_words),
		cmocka_unit_test(fields_are_cut_with_a_sign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

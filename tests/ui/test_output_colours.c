#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "fixture.h"
#include "tui/frame.h"
#include "tui/layout.h"
#include "tui/seek.h"

/* "[2:red]": a segment with its style's letter, where that is not plain. */
static void rows_text(const struct rows *rows, struct str *out)
{
	for (size_t i = 0; i < rows->count; i++) {
		for (size_t n = 0; n < rows->items[i].count; n++) {
			const struct segment *s = &rows->items[i].segments[n];

			if (s->style == STYLE_PLAIN)
				str_add(out, s->text);
			else
				str_printf(out, "[%c:%s]", frame_style_letter(s->style), s->text);
		}
		str_add_char(out, '\n');
	}
}

static void colours_colour_their_line_and_nothing_else(void **state)
{
	static const struct {
		const char *bytes, *want;
	} cases[] = {
		{"\033[31mred\033[0m plain", " [2:red] plain\n"},
		{"\033[31mred\nplain", " [2:red]\n plain\n"},
		{"\033[32m0123456789AB", " [3:0123456789]\n [3:AB]\n"},
		{"\033[1mbold\033[22m\033[33mx", " [1:bold][4:x]\n"},
		{"\033[1;34mb\033[39mp", " [5:b]p\n"},
		{"\033[35mm\033[mp", " [6:m]p\n"},
		{"\033[96mc\033[37mw", " [7:c]w\n"},
		{"\033[38;5;1mr\033[38;5;200mp", " [2:r]p\n"},
		{"\033[38;2;1;2;3mp\033[48;5;31mp", " pp\n"},
		{"\033[38:5:2mg\033[99999999999999m", " [3:g]\n"},
		/* What could hide text has no effect. */
		{"\033[30;40mblack\033[8mcon", " blackcon\n"},
		{"\033[7mrev", " rev\n"},
		/* All else is shown as it is without the option. */
		{"\033[2J\033[31", " [E:<ESC>][2J\n [E:<ESC>][31\n"},
		{"\033]0;x\007", " [E:<ESC>]]0;x\n [E:<BEL>]\n"},
		{"\033[31m\033[32m", "\n"},
	};
	const struct output_look look = {.width = 12, .colours = true};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str text = STR_INIT;
		struct fixture f;
		struct rows rows;

		fixture_open_output(&f, cases[i].bytes, strlen(cases[i].bytes));
		layout_output(model_job(&f.model, 1), &look, &rows);
		rows_text(&rows, &text);
		assert_string_equal(cases[i].want, str_c(&text));
		rows_release(&rows);
		fixture_close(&f);
	}
}

static void random_colours(unsigned seed, struct str *out)
{
	static const char *const parts[] = {"word ", "\n", "\r", "\t", "\033[32m", "\033[0m",
		"\033[1;31m", "\xE7\x94\xA8", "\033[", "m", "\033[38;5;4m", "\xFF",
		"a long word without any end "};

	for (unsigned i = 0; i < 400; i++) {
		seed = seed * 1103515245 + 12345;
		str_add(out, parts[(seed >> 16) % ARRAY_LEN(parts)]);
	}
}

/* What is counted without being built, and a part, agree with the whole. */
static void a_coloured_part_is_what_it_is_of_the_whole(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 30; n++) {
		const struct output_look look = {
			.width = 31, .colours = true, .unfold = n % 3 == 2, .pan = n % 2 * 9};
		STR_AUTO struct str bytes = STR_INIT;
		struct fixture f;
		struct rows all;

		random_colours(n, &bytes);
		fixture_open_output(&f, bytes.data, bytes.len);
		const struct job *job = model_job(&f.model, 1);
		layout_output(job, &look, &all);
		assert_int_equal(all.count, layout_output_rows(job, &look));
		for (size_t first = 0; first + 5 <= all.count; first += 3) {
			STR_AUTO struct str want = STR_INIT;
			STR_AUTO struct str have = STR_INIT;
			struct rows part, slice = all;

			slice.items += first;
			slice.count = 5;
			layout_output_part(job, &look, first, 5, &part);
			rows_text(&slice, &want);
			rows_text(&part, &have);
			assert_string_equal(str_c(&want), str_c(&have));
			rows_release(&part);
		}
		rows_release(&all);
		fixture_close(&f);
	}
}

static void a_match_behind_colours_is_where_it_is_shown(void **state)
{
	static const char bytes[] = "\033[31m01234567\033[0mneedle";
	struct seek seek;
	struct output_look look = {.width = 10, .colours = true, .seek = &seek};
	struct output_match match;
	struct fixture f;

	(void)state;
	fixture_open_output(&f, bytes, strlen(bytes));
	seek_begin(&seek, "needle");
	assert_true(layout_output_match(model_job(&f.model, 1), &look, -1, false, &match));
	assert_int_equal(match.column, 8);
	assert_int_equal(match.row, 1);
	seek_release(&seek);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(colours_colour_their_line_and_nothing_else),
		cmocka_unit_test(a_coloured_part_is_what_it_is_of_the_whole),
		cmocka_unit_test(a_match_behind_colours_is_where_it_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

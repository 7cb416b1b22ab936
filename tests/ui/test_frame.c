#include "config.h"

#include "tui/frame.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unictype.h>
#include <unistr.h>
#include <wchar.h>

#include <cmocka.h>

#define COLS 40

static bool is_visible(ucs4_t uc)
{
	static const uint32_t hidden = UC_CATEGORY_MASK_Cc | UC_CATEGORY_MASK_Cf |
				       UC_CATEGORY_MASK_Cs | UC_CATEGORY_MASK_Co |
				       UC_CATEGORY_MASK_Cn | UC_CATEGORY_MASK_Zl |
				       UC_CATEGORY_MASK_Zp;

	if (uc_is_general_category_withtable(uc, hidden))
		return false;
	return uc == ' ' || !uc_is_general_category(uc, UC_CATEGORY_Zs);
}

/* Nothing in a cell acts on a terminal, and it is as wide as it says. */
static void assert_cell_is_safe(const struct cell *cell, ucs4_t from)
{
	const uint8_t *at = (const uint8_t *)cell->text;
	size_t left = strlen(cell->text);
	bool first = true;

	if (cell->width == 0) {
		assert_int_equal(0, left);
		return;
	}
	if (u8_check(at, left) != NULL || left == 0)
		fail_msg("U+%04X: a cell is not UTF-8", (unsigned)from);
	while (left > 0) {
		ucs4_t uc;
		int used = u8_mbtouc(&uc, at, left);

		if (!is_visible(uc))
			fail_msg("U+%04X: U+%04X reached a cell", (unsigned)from, (unsigned)uc);
		if (wcwidth((wchar_t)uc) != (first ? cell->width : 0))
			fail_msg("U+%04X: U+%04X is %d wide in a cell of %u", (unsigned)from,
				(unsigned)uc, wcwidth((wchar_t)uc), cell->width);
		first = false;
		at += used;
		left -= (size_t)used;
	}
}

static void assert_frame_is_safe(struct frame *frame, ucs4_t from)
{
	unsigned columns = 0;

	for (unsigned col = 0; col < frame->cols; col++) {
		assert_cell_is_safe(frame_at(frame, col, 0), from);
		columns += frame_at(frame, col, 0)->width;
	}
	assert_int_equal(frame->cols, columns);
}

static void put_code_point(struct frame *frame, ucs4_t uc)
{
	char text[16] = {'a'};
	int used = u8_uctomb((uint8_t *)text + 1, uc, sizeof(text) - 2);

	text[1 + used] = 'b';
	frame_clear(frame);
	frame_put(frame, 0, 0, COLS, STYLE_PLAIN, text);
	assert_frame_is_safe(frame, uc);
	assert_int_equal('a', frame_at(frame, 0, 0)->text[0]);
}

static void no_code_point_reaches_a_cell_that_could_act(void **state)
{
	struct frame frame;

	(void)state;
	frame_init(&frame, COLS, 1);
	for (ucs4_t uc = 1; uc <= 0x10FFFF; uc++) {
		if (uc < 0xD800 || uc > 0xDFFF)
			put_code_point(&frame, uc);
	}
	frame_release(&frame);
}

static void on_a_frame_of_ascii_all_cells_are_ascii(void **state)
{
	struct frame frame;

	(void)state;
	frame_init(&frame, COLS, 1);
	frame.ascii = true;
	for (ucs4_t uc = 0x80; uc <= 0x10FFFF; uc++) {
		if (uc >= 0xD800 && uc <= 0xDFFF)
			continue;
		put_code_point(&frame, uc);
		for (unsigned col = 0; col < COLS; col++) {
			const char *text = frame_at(&frame, col, 0)->text;

			if (text[0] < ' ' || text[0] > '~' || text[1] != '\0')
				fail_msg("U+%04X is not ASCII", (unsigned)uc);
		}
	}
	frame_release(&frame);
}

static void a_byte_that_is_not_utf8_becomes_its_number(void **state)
{
	struct frame frame;

	(void)state;
	frame_init(&frame, COLS, 1);
	for (unsigned byte = 0x80; byte <= 0xFF; byte++) {
		char text[] = {'a', (char)byte, 'b', '\0'};
		STR_AUTO struct str shown = STR_INIT;
		char want[16];

		frame_clear(&frame);
		frame_put(&frame, 0, 0, COLS, STYLE_PLAIN, text);
		frame_print(&frame, false, &shown);
		snprintf(want, sizeof(want), "a<x%02X>b ", byte);
		assert_memory_equal(want, str_c(&shown), strlen(want));
	}
	frame_release(&frame);
}

static void put_and_print(
	const char *text, unsigned col, unsigned max, bool ascii, const char *want)
{
	STR_AUTO struct str shown = STR_INIT;
	struct frame frame;

	frame_init(&frame, 12, 1);
	frame.ascii = ascii;
	frame_put(&frame, col, 0, max, STYLE_PLAIN, text);
	frame_print(&frame, false, &shown);
	frame_release(&frame);
	assert_string_equal(want, str_c(&shown));
}

static void text_is_put_as_it_should_be(void **state)
{
	static const struct {
		const char *text;
		unsigned col, max;
		bool ascii;
		const char *want;
	} cases[] = {
		{"plain", 0, 99, false, "plain       \n"},
		{"plain", 2, 3, false, "  pla       \n"},
		{"plain", 10, 99, false, "          pl\n"},
		{"plain", 12, 99, false, "            \n"},
		{"<ESC>[m", 0, 99, false, "<ESC>[m     \n"}, /* the first pass wrote this */
		{"\033[m", 0, 99, false, "<ESC>[m     \n"},
		{"a\tb\r\n", 0, 99, false, "a<TAB>b<CR><\n"},
		{"  a  ", 0, 99, false, "  a         \n"},
		{"\xE7\x94\xA8\xE6\x88\xB7", 0, 3, false,
			"\xE7\x94\xA8          \n"}, /* no half of a wide one */
		{"\xE7\x94\xA8", 11, 99, false, "            \n"},
		{"\xE2\x94\x80\xE2\x94\xA4\xE2\x80\xA6", 0, 99, true, "-+~         \n"},
		{"\xE2\x96\x88\xE2\x96\x91", 0, 99, true, "#.          \n"},
		{"\xC3\xA9", 0, 99, true, "<U+00E9>    \n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		put_and_print(
			cases[i].text, cases[i].col, cases[i].max, cases[i].ascii, cases[i].want);
}

static void half_of_a_wide_cell_never_stays_behind(void **state)
{
	struct frame frame;

	(void)state;
	frame_init(&frame, 6, 1);
	for (unsigned col = 0; col < 4; col++) {
		STR_AUTO struct str shown = STR_INIT;

		frame_clear(&frame);
		frame_put(&frame, 1, 0, 2, STYLE_PLAIN, "\xE7\x94\xA8");
		frame_put(&frame, col, 0, 1, STYLE_PLAIN, "x");
		frame_print(&frame, false, &shown);
		assert_frame_is_safe(&frame, 'x');
		if (col == 1)
			assert_string_equal(" x    \n", str_c(&shown));
		if (col == 2)
			assert_string_equal("  x   \n", str_c(&shown));
	}
	frame_release(&frame);
}

static void each_style_has_a_letter_of_its_own(void **state)
{
	(void)state;
	for (int a = 0; a < STYLE_COUNT; a++) {
		for (int b = a + 1; b < STYLE_COUNT; b++)
			assert_int_not_equal(frame_style_letter((enum style)a),
				frame_style_letter((enum style)b));
	}
}

/* Contrast as of WCAG 2 between two of the 256 colours. */
static double linear(unsigned value)
{
	double c = value / 255.0;

	if (c <= 0.03928)
		return c / 12.92;
	/* base ^ 2.4 is base ^ 2 times x, where x ^ 5 = base ^ 2: found by halving, so that no libm is linked. */
	double base = (c + 0.055) / 1.055, target = base * base, low = 0, high = 1;

	for (int i = 0; i < 60; i++) {
		double mid = (low + high) / 2;

		if (mid * mid * mid * mid * mid < target)
			low = mid;
		else
			high = mid;
	}
	return target * low;
}

static double luminance(int colour)
{
	static const unsigned steps[] = {0, 95, 135, 175, 215, 255};
	unsigned n = (unsigned)colour - 16, grey = 8 + ((unsigned)colour - 232) * 10;

	if (colour >= 232)
		return linear(grey);
	return 0.2126 * linear(steps[n / 36]) + 0.7152 * linear(steps[n / 6 % 6]) +
	       0.0722 * linear(steps[n % 6]);
}

static double contrast(double a, double b)
{
	return a > b ? (a + 0.05) / (b + 0.05) : (b + 0.05) / (a + 0.05);
}

/* Against both grounds of a theme, or its own. */
static void assert_readable(enum style style, enum theme theme)
{
	static const double grounds[THEME_COUNT][2] = {
		[THEME_DARK] = {0.0, 0.013},  /* black, #1e1e1e */
		[THEME_LIGHT] = {1.0, 0.921}, /* white, #fdf6e3 */
	};
	struct look look = style_look(style, theme, DEPTH_256);

	if (look.fg < 0)
		return;
	for (int i = 0; i < 2; i++) {
		double ground = look.bg >= 0 ? luminance(look.bg) : grounds[theme][i];

		if (contrast(luminance(look.fg), ground) < 4.5)
			fail_msg("%s cannot be read in theme %d", style_name(style), theme);
	}
}

static void each_colour_can_be_read_on_its_ground(void **state)
{
	(void)state;
	for (int style = 0; style < STYLE_COUNT; style++) {
		assert_readable((enum style)style, THEME_DARK);
		assert_readable((enum style)style, THEME_LIGHT);
	}
}

static void without_colours_there_is_none(void **state)
{
	(void)state;
	for (int style = 0; style < STYLE_COUNT; style++) {
		struct look mono = style_look((enum style)style, THEME_MONO, DEPTH_256);
		struct look none = style_look((enum style)style, THEME_DARK, DEPTH_MONO);

		assert_int_equal(-1, mono.fg);
		assert_int_equal(-1, mono.bg);
		assert_memory_equal(&mono, &none, sizeof(mono));
	}
	assert_true(style_look(STYLE_DANGER, THEME_MONO, DEPTH_16).reverse);
	assert_true(style_look(STYLE_READY, THEME_MONO, DEPTH_16).bold);
}

int main(void)
{
	/* For wcwidth(): what the C library thinks, and with it most terminals. */
	if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
		return 77;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_code_point_reaches_a_cell_that_could_act),
		cmocka_unit_test(on_a_frame_of_ascii_all_cells_are_ascii),
		cmocka_unit_test(a_byte_that_is_not_utf8_becomes_its_number),
		cmocka_unit_test(text_is_put_as_it_should_be),
		cmocka_unit_test(half_of_a_wide_cell_never_stays_behind),
		cmocka_unit_test(each_style_has_a_letter_of_its_own),
		cmocka_unit_test(each_colour_can_be_read_on_its_ground),
		cmocka_unit_test(without_colours_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

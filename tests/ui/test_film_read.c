#include "config.h"

#include "tui/film.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "film_scene.h"
#include "scenes_set.h"

/* What of a screen that was recorded is read on another, and what the record tells of the keys. */

/* H118: a text that was recorded on a wide screen is all there on a small one: each byte comes by, row by row, and the frame has the small
   size whatever size was recorded. */
static void a_wide_recording_is_read_on_a_small_screen(void **state)
{
	struct film_scene s;
	struct ui wide;
	STR_AUTO struct str text = STR_INIT;
	bool seen[51] = {false};
	unsigned found = 0;

	(void)state;
	film_scene_open(&s, 60, 20);
	str_add(&text, "\n"); /* behind the line that was begun */
	for (unsigned n = 1; n <= 50; n++)
		str_printf(&text, "%0180u\n", n);
	fixture_output(&s.f, 13, s.f.now_ms, str_c(&text), text.len);
	ui_init(&wide, 200, 50);
	wide.card_seq = wide.selected = wide.output_seq = 13;
	wide.view = VIEW_OUTPUT;
	ui_film_go(&s.ui, &s.f.model, &wide);
	s.film.then = &wide;
	film_scene_char(&s, 'g');
	for (unsigned step = 0; step < 400; step++) {
		film_scene_draw(&s);
		assert_int_equal(60, s.frame.cols);
		assert_int_equal(20, s.frame.rows);
		for (unsigned row = 2; row < 16; row++) {
			char end[9 * CELL_BYTES + 1] = "";
			unsigned n = 0;

			/* 180 digits are three rows of 57 and one of 9. */
			for (unsigned col = 1; col <= 9; col++)
				strcat(end, frame_at(&s.frame, col, row)->text);
			if (strcmp(" ", frame_at(&s.frame, 10, row)->text) == 0 &&
				strspn(end, "0123456789") == 9 && sscanf(end, "%u", &n) == 1 &&
				n <= 50)
				seen[n] = true;
		}
		film_scene_char(&s, 'j');
	}
	for (unsigned n = 1; n <= 50; n++)
		found += seen[n];
	assert_int_equal(50, found);
	ui_release(&wide);
	film_scene_close(&s);
}

static void assert_last_key(const struct fixture *f, const char *wanted)
{
	JSON_AUTO struct json *ui = ui_to_json(&f->ui);
	const char *key = json_get_str(ui, "key");

	if (wanted == NULL)
		assert_null(key);
	else
		assert_string_equal(wanted, key);
}

/* The record tells which key came last; of a line that is typed that something was typed, of a passphrase nothing. */
static void the_last_key_is_told_and_what_is_typed_is_not(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, 80, 24);
	set_day_open(&f);
	fixture_card(&f, 14);
	fixture_code(&f, KEY_CODE_PGDN);
	assert_last_key(&f, "PgDn");
	fixture_char(&f, 'r');
	assert_last_key(&f, "r");
	fixture_char(&f, 'N');
	assert_last_key(&f, "text");
	fixture_code(&f, KEY_CODE_ESC);
	assert_last_key(&f, "Esc");
	fixture_char(&f, 'L');
	assert_true(prompt_is_secret(f.ui.prompt.kind));
	assert_last_key(&f, NULL);
	fixture_char(&f, 's');
	assert_last_key(&f, NULL);
	fixture_code(&f, KEY_CODE_ESC);
	assert_last_key(&f, NULL);
	fixture_close(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wide_recording_is_read_on_a_small_screen),
		cmocka_unit_test(the_last_key_is_told_and_what_is_typed_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

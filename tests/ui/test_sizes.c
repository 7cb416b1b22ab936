#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "scenes.h"
#include "tui/view.h"

/* Another size at any moment: the frame is exactly that large, and nothing is decided where it cannot be read. */

#define STEPS 60u
#define COLS_MAX 300u
#define ROWS_MAX 100u

static unsigned seed;

static unsigned pick(unsigned of)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % of;
}

static void new_size(struct fixture *f)
{
	static const unsigned cols[] = {1, 2, 3, 59, 60, 61, 80, 109, 110, 111, 200, COLS_MAX};
	static const unsigned rows[] = {1, 2, 3, 15, 16, 17, 24, 29, 30, 31, ROWS_MAX};
	bool edge = pick(2) == 0;

	ui_resize(&f->ui, edge ? cols[pick(ARRAY_LEN(cols))] : 1 + pick(COLS_MAX),
		edge ? rows[pick(ARRAY_LEN(rows))] : 1 + pick(ROWS_MAX), f->now_ms);
	ui_follow(&f->ui, &f->model, f->now_ms);
}

static bool decides(const struct intent *intent)
{
	static const enum intent_kind kinds[] = {
		INTENT_APPROVE, INTENT_REJECT, INTENT_GRANT, INTENT_EDIT, INTENT_EDITOR};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (intent->kind == kinds[i])
			return true;
	}
	return false;
}

static void take_intent(struct fixture *f, struct intent *intent, unsigned *decisions)
{
	if (decides(intent)) {
		assert_false(ui_too_small(&f->ui));
		(*decisions)++;
	}
	intent_release(intent);
}

static void press_any(struct fixture *f, unsigned *decisions)
{
	static const enum key_code codes[] = {KEY_CODE_ENTER, KEY_CODE_ESC, KEY_CODE_DOWN,
		KEY_CODE_UP, KEY_CODE_PGDN, KEY_CODE_END, KEY_CODE_TAB, KEY_CODE_LEFT,
		KEY_CODE_RIGHT};
	static const char chars[] = "aaaarety y123456?/novu+xjkgGhlb! ";
	struct key key = {
		.code = KEY_CODE_CHAR, .ch = (unsigned char)chars[pick(sizeof(chars) - 1)]};
	struct intent intent = {0};

	if (pick(3) == 0)
		key = (struct key){.code = codes[pick(ARRAY_LEN(codes))]};
	if (ui_key(&f->ui, &f->model, &key, f->now_ms, &intent) == 1)
		take_intent(f, &intent, decisions);
}

static void pass_time(struct fixture *f, unsigned *decisions)
{
	static const int64_t steps[] = {0, 10, 50, 60, 250, 450, 700};
	struct intent intent = {0};

	f->now_ms += steps[pick(ARRAY_LEN(steps))];
	if (ui_tick(&f->ui, &f->model, f->now_ms, &intent) == 1)
		take_intent(f, &intent, decisions);
}

static void assert_frame_has_the_size(struct fixture *f)
{
	assert_int_equal(f->frame.cols, f->ui.cols);
	assert_int_equal(f->frame.rows, f->ui.rows);
	for (unsigned row = 0; row < f->frame.rows; row++) {
		unsigned columns = 0;

		for (unsigned col = 0; col < f->frame.cols; col++) {
			const struct cell *cell = frame_at(&f->frame, col, row);

			columns += cell->width;
			assert_true((cell->width == 0) == (cell->text[0] == '\0'));
		}
		assert_int_equal(columns, f->frame.cols);
	}
	assert_true(f->frame.cursor_col < (int)f->frame.cols);
	assert_true(f->frame.cursor_row < (int)f->frame.rows);
}

static unsigned play(const struct scene *scene)
{
	unsigned decisions = 0;
	struct fixture f;

	scene_open(scene, &f);
	for (unsigned i = 0; i < STEPS; i++) {
		/* Long enough at one size that a card can be read and decided, now and then. */
		if (pick(4) == 0)
			new_size(&f);
		pass_time(&f, &decisions);
		fixture_draw(&f);
		if (pick(2) == 0)
			press_any(&f, &decisions);
		fixture_draw(&f);
		assert_frame_has_the_size(&f);
	}
	fixture_close(&f);
	return decisions;
}

static void a_frame_has_its_size_and_a_small_one_decides_nothing(void **state)
{
	unsigned decisions = 0;

	(void)state;
	seed = 7;
	for (size_t i = 0; i < scene_count; i++) {
		if (!scenes[i].styles)
			decisions += play(&scenes[i]);
	}
	/* And some came, else nothing was tried. */
	assert_true(decisions > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_has_its_size_and_a_small_one_decides_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

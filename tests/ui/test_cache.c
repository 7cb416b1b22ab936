#include "config.h"

#include "tui/ui_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "scenes.h"
#include "tui/view.h"

/* What is kept between two frames changes nothing that is drawn. */

static unsigned seed;

static unsigned pick(unsigned of)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % of;
}

static void assert_same_row(const struct row *a, const struct row *b)
{
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		assert_int_equal(a->segments[i].style, b->segments[i].style);
		assert_string_equal(a->segments[i].text, b->segments[i].text);
	}
}

static void assert_same_window(const struct job *job, const struct output_look *indexed,
	bool following, size_t count, size_t top)
{
	struct output_look plain = *indexed;
	struct rows a, b;
	size_t top_a = top, top_b = top;

	plain.index = NULL;
	assert_int_equal(layout_output_rows(job, &plain), layout_output_rows(job, indexed));
	assert_int_equal(layout_output_window(job, &plain, following, count, &top_a, &a),
		layout_output_window(job, indexed, following, count, &top_b, &b));
	assert_int_equal(top_a, top_b);
	assert_int_equal(a.count, b.count);
	for (size_t i = 0; i < a.count; i++)
		assert_same_row(&a.items[i], &b.items[i]);
	size_t byte = pick((unsigned)job->output.len + 1);
	size_t row = layout_output_line_row(job, indexed, byte);
	assert_int_equal(layout_output_line_row(job, &plain, byte), row);
	rows_release(&a);
	layout_output(job, &plain, &a);
	assert_true(row == a.count || a.items[row].start <= byte);
	assert_true(row == 0 || a.items[row - 1].end <= byte);
	rows_release(&a);
	rows_release(&b);
}

static void add_some(struct str *out)
{
	static const char *const pieces[] = {"line of a build\n", "\n", "no end ", "\r", "55 %\r",
		"\xD1\x83\xD0\xBA\xD1\x80 ", "\xE7\x94\xA8\xE6\x88\xB7", "e\xCC\x81",
		"\xE7\x94\xA8\xCC\x81", "\033[31m", "\033[0m", "<ESC>", "\xFF",
		"\xF0\x9F\x91\x8B\xF0\x9F\x8F\xBD", "\xC3", "\xA9", "\xEA\xB0\x80\xE1\x86\xA8",
		"\t", "\xE2\x80\xAE", "x\xE7\x94\xA8"};

	for (unsigned n = pick(40); n > 0; n--)
		str_add(out, pieces[pick(ARRAY_LEN(pieces))]);
	for (unsigned n = pick(8) == 0 ? 600 : 0; n > 0; n--)
		str_printf(out, "row %u\n", n);
}

static void an_index_of_an_output_that_grows_changes_no_row(void **state)
{
	(void)state;
	seed = 41;
	for (unsigned round = 0; round < 60; round++) {
		struct output_index *index = output_index_new();
		STR_AUTO struct str bytes = STR_INIT;
		struct fixture f;
		struct job *job = fixture_open_output(&f, "", 0);
		struct str real = job->output;

		for (unsigned step = 0; step < 12; step++) {
			struct output_look look = {.width = step % 5 == 4 ? 119 : 59 + round % 3,
				.ascii = round % 4 == 1,
				.colours = round % 4 == 2,
				.unfold = round % 8 == 7,
				.index = index};

			add_some(&bytes);
			job->output = bytes;
			assert_same_window(job, &look, pick(2) == 0, 1 + pick(40), pick(1200));
		}
		job->output = real;
		output_index_free(index);
		fixture_close(&f);
	}
}

static void assert_draws_the_same_without(struct fixture *f)
{
	struct ui_cache *kept = f->ui.cache;
	struct frame fresh = {0};

	view_draw(&f->model, &f->ui, f->now_ms, &f->frame);
	f->ui.cache = ui_cache_new();
	view_draw(&f->model, &f->ui, f->now_ms, &fresh);
	ui_cache_free(f->ui.cache);
	f->ui.cache = kept;
	assert_int_equal(f->frame.cols, fresh.cols);
	assert_int_equal(f->frame.rows, fresh.rows);
	assert_memory_equal(f->frame.cells, fresh.cells,
		(size_t)fresh.cols * fresh.rows * sizeof(*fresh.cells));
	frame_release(&fresh);
}

static void type(struct fixture *f, uint32_t ch)
{
	struct key key = {.code = KEY_CODE_CHAR, .ch = ch};
	struct intent intent = {0};

	fixture_later(f, 500);
	if (ui_key(&f->ui, &f->model, &key, f->now_ms, &intent) == 1)
		intent_release(&intent);
}

static void every_scene_is_drawn_from_what_is_kept_as_it_would_be_without(void **state)
{
	static const char keys[] = "jjv Gk123Jb?4v2 gu3u";

	(void)state;
	for (size_t i = 0; i < scene_count; i++) {
		struct fixture f;

		scene_open(&scenes[i], &f);
		for (const char *key = keys; *key != '\0'; key++) {
			type(&f, (unsigned char)*key);
			assert_draws_the_same_without(&f);
			fixture_draw(&f);
		}
		ui_resize(&f.ui, 60 + (unsigned)i % 90, 16 + (unsigned)i % 30, f.now_ms);
		ui_follow(&f.ui, &f.model, f.now_ms);
		assert_draws_the_same_without(&f);
		fixture_close(&f);
	}
}

static void a_card_that_changed_is_laid_out_again(void **state)
{
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < scene_count; i++) {
		if (strcmp(scenes[i].name, "card-changed") != 0)
			continue;
		scene_open(&scenes[i], &f);
		const struct job *job = ui_card_job(&f.ui, &f.model);
		const struct rows *rows = ui_card_rows(&f.ui, job);
		size_t count = rows->count;
		assert_ptr_equal(rows->items, ui_card_rows(&f.ui, job)->items);
		f.ui.cols = 60;
		assert_true(ui_card_rows(&f.ui, job)->count > count);
		f.ui.cols = 80;
		assert_int_equal(ui_card_rows(&f.ui, job)->count, count);
		f.ui.details = true;
		assert_true(ui_card_rows(&f.ui, job)->count > count);
		fixture_close(&f);
		return;
	}
	fail_msg("no such scene");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_index_of_an_output_that_grows_changes_no_row),
		cmocka_unit_test(every_scene_is_drawn_from_what_is_kept_as_it_would_be_without),
		cmocka_unit_test(a_card_that_changed_is_laid_out_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include "tui/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "scenes.h"
#include "scenes_calls.h"
#include "tui/action.h"

static const struct {
	unsigned cols, rows;
} sizes[] = {{60, 16}, {61, 17}, {75, 19}, {76, 20}, {79, 23}, {80, 24}, {81, 25}, {99, 31},
	{109, 29}, {110, 30}, {120, 36}, {200, 50}, {300, 100}};

static const char *cell_at(struct frame *frame, unsigned col, unsigned row)
{
	return frame_at(frame, col, row)->text;
}

static void assert_row_is_filled(struct frame *frame, unsigned row)
{
	unsigned columns = 0;

	for (unsigned col = 0; col < frame->cols; col++) {
		const struct cell *cell = frame_at(frame, col, row);

		columns += cell->width;
		if (cell->width == 2)
			assert_int_equal(0, frame_at(frame, col + 1, row)->width);
		assert_true((cell->width == 0) == (cell->text[0] == '\0'));
	}
	assert_int_equal(frame->cols, columns);
}

static bool is_edge(const char *text, const char *const edges[])
{
	for (size_t i = 0; edges[i] != NULL; i++) {
		if (strcmp(edges[i], text) == 0)
			return true;
	}
	return false;
}

/* What never moves: title, the rule below the body, gate row, key row, and the edge at the right. */
static void assert_frame_is_in_place(struct frame *frame, bool ascii)
{
	static const char *const edges[] = {"│", "█", "░", "┐", "┤", NULL};
	static const char *const edges_ascii[] = {"|", "#", ".", "+", NULL};
	static const char *const names[] = {
		"1", "2", "3", "4", "5", "6", "?", "E", "s", "l", "m", "H", "7", NULL};
	unsigned last = frame->cols - 1, rule = frame->rows - 3, body = rule;

	/* The wide arrangement has the name of the product there. */
	if (!is_edge(cell_at(frame, 1, 0), names))
		fail_msg("title begins with %s", cell_at(frame, 1, 0));
	assert_string_equal(ascii ? "-" : "─", cell_at(frame, 0, rule));
	assert_string_equal(ascii ? "+" : "┘", cell_at(frame, last, rule));
	assert_string_equal("[", cell_at(frame, 1, rule + 1));
	for (unsigned row = 4; row < body; row++) {
		if (!is_edge(cell_at(frame, last, row), ascii ? edges_ascii : edges))
			fail_msg("row %u has no edge but %s", row, cell_at(frame, last, row));
	}
}

static void scenes_fit_every_size(void **state)
{
	(void)state;
	for (size_t i = 0; i < scene_count; i++) {
		for (size_t n = 0; n < ARRAY_LEN(sizes); n++) {
			struct scene scene = scenes[i];
			struct fixture f;

			if (scene.cols < UI_MIN_COLS)
				continue;
			scene.cols = sizes[n].cols;
			scene.rows = sizes[n].rows;
			scene_open(&scene, &f);
			assert_int_equal(scene.cols, f.frame.cols);
			assert_int_equal(scene.rows, f.frame.rows);
			for (unsigned row = 0; row < scene.rows; row++)
				assert_row_is_filled(&f.frame, row);
			assert_frame_is_in_place(&f.frame, scene.ascii);
			fixture_close(&f);
		}
	}
}

static void nothing_but_one_text_is_on_a_screen_too_small(void **state)
{
	static const struct {
		unsigned cols, rows;
	} small[] = {{59, 16}, {60, 15}, {1, 1}, {10, 3}, {300, 15}, {59, 100}};

	(void)state;
	for (size_t i = 0; i < scene_count; i++) {
		for (size_t n = 0; n < ARRAY_LEN(small); n++) {
			struct fixture f;

			fixture_open(&f, small[n].cols, small[n].rows);
			fixture_call(&f, &call_diff);
			f.ui.card_seq = f.ui.selected = 16;
			f.ui.view = (enum view)(i % VIEW_COUNT);
			fixture_draw(&f);
			STR_AUTO struct str text = STR_INIT;
			frame_print(&f.frame, false, &text);
			assert_int_equal('T', str_c(&text)[0]);
			assert_null(strstr(str_c(&text), "git"));
			assert_null(strstr(str_c(&text), "[a]"));
			fixture_close(&f);
		}
	}
}

static void a_frame_of_ascii_is_ascii(void **state)
{
	(void)state;
	for (size_t i = 0; i < scene_count; i++) {
		struct scene scene = scenes[i];
		STR_AUTO struct str text = STR_INIT;
		struct fixture f;

		scene.ascii = true;
		scene_open(&scene, &f);
		frame_print(&f.frame, false, &text);
		for (size_t at = 0; at < text.len; at++)
			assert_true((unsigned char)text.data[at] < 0x7F);
		fixture_close(&f);
	}
}

/* Scrolled row by row, each row of the body of a card comes by. */
static void every_row_of_a_card_can_be_reached(void **state)
{
	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(sizes); n++) {
		struct fixture f;
		struct rows rows;

		fixture_open(&f, sizes[n].cols, sizes[n].rows);
		fixture_call(&f, &call_workflow);
		f.ui.card_seq = f.ui.selected = 14;
		f.ui.view = VIEW_CARD;
		layout_card(model_job(&f.model, 14), view_body_cols(&f.ui), false, false, &rows);
		for (size_t top = 0; top < rows.count; top++) {
			STR_AUTO struct str text = STR_INIT;
			const struct row *row = &rows.items[top];

			f.ui.card_top = top;
			fixture_draw(&f);
			frame_print(&f.frame, false, &text);
			for (size_t i = 0; i < row->count; i++)
				assert_non_null(strstr(str_c(&text), row->segments[i].text));
		}
		rows_release(&rows);
		fixture_close(&f);
	}
}

static bool footer_has(const char *line, const char *key)
{
	size_t len = strlen(key);

	for (const char *at = strstr(line, key); at != NULL; at = strstr(at + 1, key)) {
		bool starts = at == line || strchr(" ([", at[-1]) != NULL;

		if (starts && strchr(" )]", at[len]) != NULL)
			return true;
	}
	return false;
}

/* The key at the start of a word of the key row is one that the table knows in this view. */
static bool table_has(const char *word, size_t len)
{
	for (unsigned i = 0; i < action_count; i++) {
		const char *keys = action_table[i].keys_shown;
		const char *footer = action_table[i].footer;

		if (keys != NULL && strncmp(keys, word, len) == 0)
			return true;
		if (footer != NULL && strncmp(footer, word, len) == 0 && footer[len] == ' ')
			return true;
	}
	return false;
}

static void check_footer(const char *line)
{
	const char *at = line;

	while (*(at += strspn(at, " ")) != '\0') {
		const char *end = strstr(at, "  ");
		size_t key = strcspn(at, " ");

		if (*at == '(' || *at == '[')
			assert_true(table_has(at + 1, key - 2));
		else if (!table_has(at, key))
			fail_msg("no such key: %.*s", (int)key, at);
		at = end != NULL ? end : at + strlen(at);
	}
}

static void last_line(struct frame *frame, struct str *out)
{
	for (unsigned col = 0; col < frame->cols; col++)
		str_add(out, cell_at(frame, col, frame->rows - 1));
}

/* A scene of a person who moved keys: test_moved_keys looks at those. */
static bool has_moved_keys(const struct fixture *f)
{
	return f->model.keys.count > 0;
}

static void the_key_row_names_only_keys_of_the_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < scene_count; i++) {
		STR_AUTO struct str line = STR_INIT;
		struct fixture f;

		scene_open(&scenes[i], &f);
		last_line(&f.frame, &line);
		/* A prompt takes keys as text: those of its row are no actions. */
		bool typed = prompt_is_text(f.ui.prompt.kind) || prompt_is_secret(f.ui.prompt.kind);

		if (!typed && f.ui.cols >= UI_MIN_COLS && !has_moved_keys(&f))
			check_footer(str_c(&line));
		fixture_close(&f);
	}
}

static void a_lit_lamp_and_the_key_go_together(void **state)
{
	(void)state;
	for (size_t i = 0; i < scene_count; i++) {
		STR_AUTO struct str line = STR_INIT;
		struct fixture f;
		bool ready;

		scene_open(&scenes[i], &f);
		ready = ui_gate(&f.ui, &f.model, f.now_ms) == GATE_READY;
		last_line(&f.frame, &line);
		if (has_moved_keys(&f))
			ready = false;
		else if (f.ui.cols >= UI_MIN_COLS)
			assert_int_equal(ready, strncmp(str_c(&line), " [a] ", 5) == 0);
		if (ready) {
			assert_string_equal("a", cell_at(&f.frame, 2, f.frame.rows - 2));
			assert_true(footer_has(str_c(&line), "r"));
		}
		fixture_close(&f);
	}
}

static void the_body_is_as_high_as_it_says(void **state)
{
	static const enum view views[] = {VIEW_QUEUE, VIEW_CARD, VIEW_OUTPUT, VIEW_HELP};

	(void)state;
	for (size_t n = 0; sizes[n].cols < 110; n++) {
		unsigned want[] = {
			sizes[n].rows - 6, sizes[n].rows - 7, sizes[n].rows - 7, sizes[n].rows - 5};
		struct fixture f;

		fixture_open(&f, sizes[n].cols, sizes[n].rows);
		fixture_call(&f, &call_diff);
		f.ui.card_seq = f.ui.selected = 16;
		for (size_t i = 0; i < ARRAY_LEN(views); i++) {
			f.ui.view = views[i];
			assert_int_equal(want[i], view_body_rows(&f.ui, &f.model));
		}
		assert_int_equal(sizes[n].cols - 1, view_body_cols(&f.ui));
		fixture_close(&f);
	}
}

static void each_pane_is_as_high_as_it_says(void **state)
{
	static const struct {
		unsigned cols, rows, queue, card, output, card_cols;
	} panes[] = {{110, 30, 14, 12, 9, 69}, {120, 36, 20, 18, 9, 79}, {160, 45, 27, 25, 11, 119},
		{199, 50, 31, 29, 12, 158}, {200, 50, 31, 29, 12, 138},
		{300, 100, 68, 66, 25, 238}};

	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(panes); n++) {
		struct fixture f;

		fixture_open(&f, panes[n].cols, panes[n].rows);
		fixture_call(&f, &call_diff);
		f.ui.card_seq = f.ui.selected = 16;
		assert_int_equal(panes[n].queue, view_rows_of(&f.ui, &f.model, VIEW_QUEUE));
		assert_int_equal(panes[n].card, view_rows_of(&f.ui, &f.model, VIEW_CARD));
		assert_int_equal(panes[n].output, view_rows_of(&f.ui, &f.model, VIEW_OUTPUT));
		assert_int_equal(panes[n].card_cols, view_cols_of(&f.ui, VIEW_CARD));
		assert_int_equal(panes[n].cols - 1, view_cols_of(&f.ui, VIEW_OUTPUT));
		f.ui.view = VIEW_HELP;
		assert_int_equal(panes[n].rows - 5, view_body_rows(&f.ui, &f.model));
		fixture_close(&f);
	}
}

/* The law of a replay, for what the record keeps of the screen. */
static void a_stopped_and_a_locked_screen_are_drawn_again_from_what_is_recorded(void **state)
{
	(void)state;
	for (size_t i = 0; i < scene_count; i++) {
		STR_AUTO struct str live = STR_INIT;
		STR_AUTO struct str again = STR_INIT;
		struct fixture f;
		struct ui back;
		struct err err = ERR_INIT;

		if (strncmp(scenes[i].name, "panic", 5) != 0 &&
			strncmp(scenes[i].name, "lock", 4) != 0)
			continue;
		scene_open(&scenes[i], &f);
		frame_print(&f.frame, true, &live);
		struct json *recorded JSON_AUTO = ui_to_json(&f.ui);

		assert_int_equal(0, ui_from_json(recorded, &back, &err));
		view_draw(&f.model, &back, f.now_ms, &f.frame);
		frame_print(&f.frame, true, &again);
		assert_string_equal(str_c(&live), str_c(&again));
		ui_release(&back);
		fixture_close(&f);
	}
}

static void the_cursor_shows_in_a_prompt_only(void **state)
{
	(void)state;
	for (size_t i = 0; i < scene_count; i++) {
		struct fixture f;

		scene_open(&scenes[i], &f);
		assert_int_equal(f.frame.cursor_shown, prompt_is_text(f.ui.prompt.kind) ||
							       prompt_is_secret(f.ui.prompt.kind) ||
							       f.ui.prompt.kind == PROMPT_GRANT);
		fixture_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scenes_fit_every_size),
		cmocka_unit_test(nothing_but_one_text_is_on_a_screen_too_small),
		cmocka_unit_test(a_frame_of_ascii_is_ascii),
		cmocka_unit_test(every_row_of_a_card_can_be_reached),
		cmocka_unit_test(the_key_row_names_only_keys_of_the_table),
		cmocka_unit_test(a_lit_lamp_and_the_key_go_together),
		cmocka_unit_test(the_body_is_as_high_as_it_says),
		cmocka_unit_test(each_pane_is_as_high_as_it_says),
		cmocka_unit_test(
			a_stopped_and_a_locked_screen_are_drawn_again_from_what_is_recorded),
		cmocka_unit_test(the_cursor_shows_in_a_prompt_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

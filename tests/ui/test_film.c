#include "config.h"

#include "tui/film.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "film_scene.h"
#include "golden.h"

/* The screen of a record that is played: its pictures, its keys, and that nothing on it decides. */

static void key_a(struct film_scene *s)
{
	film_scene_char(s, 'a');
}

static void playing(struct film_scene *s)
{
	s->film.paused = false;
	s->film.speed = 2;
	ui_film_go(&s->ui, &s->f.model, &s->f.ui);

	/* As the player does: what was recorded, read twice. */
	JSON_AUTO struct json *recorded = ui_to_json(&s->f.ui);
	struct ui then;
	struct err err = ERR_INIT;

	assert_int_equal(0, ui_from_json(recorded, &then, &err));
	ui_film_take_seen(&s->ui, &then);
	ui_release(&then);
}

static void at_end(struct film_scene *s)
{
	s->film.at_end = true;
	s->film.event = s->film.events;
	s->film.at_ms = s->film.last_ms;
	s->ui.view = VIEW_HISTORY;
	s->ui.history_seq = 11;
}

static void torn(struct film_scene *s)
{
	at_end(s);
	s->film.broken = "20261130T140200Z-4121-9c3e.jsonl:656: an event line whose prev is not as "
			 "one is written";
	s->film.record = FILM_ALTERED;
	s->film.record_line = 656;
}

static void still_written(struct film_scene *s)
{
	s->film.paused = false;
	s->film.at_end = s->film.follows = true;
	s->film.events = s->film.event;
	s->film.mark_count = 12;
	s->film.last_ms = s->film.at_ms;
	s->film.record = FILM_STILL_OPEN;
	s->film.cuts_waits = false;
	s->ui.view = VIEW_QUEUE;
}

static void going_to(struct film_scene *s)
{
	film_scene_char(s, ':');
	for (const char *at = "14:35"; *at != '\0'; at++)
		film_scene_char(s, *at);
}

static void seeking(struct film_scene *s)
{
	s->film.seeking = s->film.counting = true;
	s->film.record = FILM_CHECKING;
	s->film.speed = -2;
}

static void help(struct film_scene *s)
{
	film_scene_char(s, '?');
}

static const struct picture {
	const char *name;
	unsigned cols, rows;
	void (*set)(struct film_scene *s);
	bool ascii, styles;
} pictures[] = {
	{"replay-paused-100x30", 100, 30, key_a, false, false},
	{"replay-paused-100x30-styles", 100, 30, key_a, false, true},
	{"replay-playing-100x30", 100, 30, playing, false, false},
	{"replay-playing-90x24", 90, 24, playing, false, false},
	{"replay-playing-160x50", 160, 50, playing, false, false},
	{"replay-playing-80x24", 80, 24, playing, false, false},
	{"replay-end-100x30", 100, 30, at_end, false, false},
	{"replay-end-60x20", 60, 20, at_end, false, false},
	{"replay-torn-80x24", 80, 24, torn, false, false},
	{"replay-written-80x24", 80, 24, still_written, false, false},
	{"replay-goto-80x24", 80, 24, going_to, false, false},
	{"replay-seeking-60x16", 60, 16, seeking, false, false},
	{"replay-help-100x30", 100, 30, help, false, false},
	{"replay-ascii-100x30", 100, 30, key_a, true, false},
};

static void picture_is_as_kept(void **state)
{
	const struct picture *picture = *state;
	STR_AUTO struct str have = STR_INIT;
	struct film_scene s;

	film_scene_open(&s, picture->cols, picture->rows);
	s.ui.ascii = picture->ascii;
	picture->set(&s);
	film_scene_draw(&s);
	frame_print(&s.frame, picture->styles, &have);
	film_scene_close(&s);
	golden_check(picture->name, &have);
}

/* Whatever a live screen decides with says that this is a recording, on every view; no intent comes of it. */
static void a_key_that_would_decide_does_nothing(void **state)
{
	static const char keys[] = "arextyimL!O+";

	(void)state;
	for (unsigned view = 0; view < VIEW_COUNT; view++) {
		for (const char *at = keys; *at != '\0'; at++) {
			struct film_scene s;

			film_scene_open(&s, 100, 30);
			s.ui.view = (enum view)view;
			struct intent intent = film_scene_char(&s, *at);
			if (intent.kind != INTENT_NONE || s.ui.prompt.kind != PROMPT_NONE)
				fail_msg("%c on view %u: intent %d", *at, view, (int)intent.kind);
			if (strncmp(s.ui.message, "this is a recording: ", 21) != 0)
				fail_msg("%c on view %u says %s", *at, view, s.ui.message);
			assert_int_equal(*at, s.ui.message[21]);
			film_scene_close(&s);
		}
	}
}

static void each_key_of_the_film_asks_for_its_step(void **state)
{
	static const struct {
		char key;
		enum film_step step;
	} rows[] = {{' ', FILM_PAUSE}, {'.', FILM_EVENT_ON}, {',', FILM_EVENT_BACK},
		{'J', FILM_DECISION_ON}, {'K', FILM_DECISION_BACK}, {'f', FILM_FAILURE_ON},
		{'<', FILM_SLOWER}, {'>', FILM_FASTER}};

	(void)state;
	for (unsigned view = 0; view < VIEW_COUNT; view++) {
		for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
			struct film_scene s;

			film_scene_open(&s, 80, 24);
			s.ui.view = (enum view)view;
			struct intent intent = film_scene_char(&s, rows[i].key);
			assert_int_equal(INTENT_FILM, intent.kind);
			assert_int_equal(rows[i].step, intent.seq);
			assert_false(s.ui.film_own);
			film_scene_close(&s);
		}
	}
}

static void the_live_views_move_as_they_do_live(void **state)
{
	static const struct {
		const char *keys;
		enum view view;
	} rows[] = {{"1", VIEW_QUEUE}, {"2", VIEW_CARD}, {"3", VIEW_OUTPUT}, {"4", VIEW_HISTORY},
		{"5", VIEW_GRANTS}, {"6", VIEW_AGENTS}, {"?", VIEW_HELP}, {"12", VIEW_CARD}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct film_scene s;

		film_scene_open(&s, 100, 30);
		for (const char *at = rows[i].keys; *at != '\0'; at++)
			assert_int_equal(INTENT_NONE, film_scene_char(&s, *at).kind);
		assert_int_equal(rows[i].view, s.ui.view);
		assert_true(s.ui.film_own);
		film_scene_close(&s);
	}
}

static void quit_asks_nothing(void **state)
{
	struct film_scene s;

	(void)state;
	film_scene_open(&s, 100, 30);
	assert_int_equal(INTENT_QUIT, film_scene_char(&s, 'q').kind);
	assert_int_equal(PROMPT_NONE, s.ui.prompt.kind);
	film_scene_close(&s);
}

static void esc_on_the_queue_goes_back_to_the_reviewers_view(void **state)
{
	struct film_scene s;
	struct key esc = {.code = KEY_CODE_ESC};

	(void)state;
	film_scene_open(&s, 100, 30);
	film_scene_char(&s, '1');
	assert_true(s.ui.film_own);
	film_scene_key(&s, &esc);
	assert_false(s.ui.film_own);
	film_scene_close(&s);
}

static void a_place_is_typed(void **state)
{
	struct film_scene s;
	struct key enter = {.code = KEY_CODE_ENTER};

	(void)state;
	film_scene_open(&s, 100, 30);
	going_to(&s);
	struct intent intent = film_scene_key(&s, &enter);
	assert_int_equal(INTENT_FILM, intent.kind);
	assert_int_equal(FILM_GOTO, intent.seq);
	assert_string_equal("14:35", intent.text);
	intent_release(&intent);
	assert_int_equal(PROMPT_NONE, s.ui.prompt.kind);
	film_scene_close(&s);
}

/* A click on the bar goes there; on the letters, the gate row and the key row it does nothing. */
static void a_click_on_the_bar_goes_there(void **state)
{
	struct film_scene s;

	(void)state;
	film_scene_open(&s, 100, 30);
	for (unsigned row = 0; row < 30; row++) {
		struct key click = {.code = KEY_CODE_CLICK, .col = 8 + 42, .row = row};
		struct intent intent = film_scene_key(&s, &click);

		if (row != 24) {
			assert_int_equal(INTENT_NONE, intent.kind);
			continue;
		}
		assert_int_equal(INTENT_FILM, intent.kind);
		assert_int_equal(FILM_BAR, intent.seq);
		assert_in_range(intent.until, 500000, 512000);
	}
	film_scene_close(&s);
}

/* The time that a click on a column gives is drawn on that column. */
static void the_bar_and_its_clicks_agree(void **state)
{
	struct film_place place = film_place(100, 30);

	(void)state;
	for (unsigned col = place.bar_col; col < place.bar_col + place.bar_cols; col++) {
		uint64_t part = ((uint64_t)(col - place.bar_col) * 2 + 1) * 500000 / place.bar_cols;
		int64_t last = 2700000;

		assert_int_equal(
			col, film_bar_column(&place, (int64_t)part * last / 1000000, last));
	}
}

static void marks_are_found_in_both_directions(void **state)
{
	struct film_scene s;

	(void)state;
	film_scene_open(&s, 100, 30);
	assert_int_equal(430, film_next(&s.film, 412, film_is_decision)->event);
	assert_int_equal(380, film_before(&s.film, 412, film_is_decision)->event);
	assert_int_equal(480, film_next(&s.film, 430, film_is_decision)->event);
	assert_int_equal(380, film_before(&s.film, 430, film_is_decision)->event);
	assert_int_equal(600, film_next(&s.film, 412, film_is_failure)->event);
	assert_int_equal(330, film_next(&s.film, 0, film_is_failure)->event);
	assert_null(film_next(&s.film, 600, film_is_decision));
	assert_null(film_before(&s.film, 120, film_is_decision));
	assert_null(film_before(&s.film, 0, film_is_decision));
	assert_int_equal(430, film_decision_of(&s.film, 412, 14)->event);
	assert_null(film_decision_of(&s.film, 430, 14));
	film_scene_close(&s);
}

/* At any size nothing is drawn outside of the frame, and each row is filled. */
static void every_size_is_drawn(void **state)
{
	(void)state;
	for (unsigned cols = 1; cols <= 180; cols += cols < 58 ? 19 : 1) {
		for (unsigned rows = 1; rows <= 60; rows += rows < 14 ? 4 : 3) {
			struct film_scene s;

			film_scene_open(&s, cols, rows);
			for (unsigned view = 0; view < VIEW_COUNT; view++) {
				s.ui.view = s.ui.back = (enum view)view;
				if (view == VIEW_HELP)
					s.ui.back = VIEW_CARD;
				ui_film_follow(&s.ui, &s.f.model);
				film_scene_draw(&s);
				assert_int_equal(cols, s.frame.cols);
				assert_int_equal(rows, s.frame.rows);
			}
			film_scene_close(&s);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(a_key_that_would_decide_does_nothing),
		cmocka_unit_test(each_key_of_the_film_asks_for_its_step),
		cmocka_unit_test(the_live_views_move_as_they_do_live),
		cmocka_unit_test(quit_asks_nothing),
		cmocka_unit_test(esc_on_the_queue_goes_back_to_the_reviewers_view),
		cmocka_unit_test(a_place_is_typed),
		cmocka_unit_test(a_click_on_the_bar_goes_there),
		cmocka_unit_test(the_bar_and_its_clicks_agree),
		cmocka_unit_test(marks_are_found_in_both_directions),
		cmocka_unit_test(every_size_is_drawn),
	};
	struct CMUnitTest tests[ARRAY_LEN(pictures) + ARRAY_LEN(others)];

	memset(tests, 0, sizeof(tests));
	for (size_t i = 0; i < ARRAY_LEN(pictures); i++)
		tests[i] = (struct CMUnitTest){.name = pictures[i].name,
			.test_func = picture_is_as_kept,
			.initial_state = (void *)(uintptr_t)&pictures[i]};
	memcpy(&tests[ARRAY_LEN(pictures)], others, sizeof(others));
	return _cmocka_run_group_tests("film", tests, ARRAY_LEN(tests), NULL, NULL);
}

#include "config.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/words.h"
#include "golden.h"
#include "scenes.h"
#include "scenes_calls.h"
#include "tui/action.h"
#include "tui/edge.h"
#include "tui/filter.h"
#include "tui/fit.h"
#include "tui/layout_plain.h"

/* Scenes in each language as pictures, and what holds in all of them. */

static const char *const languages[] = {"ru", "uk", "zh_CN"};
static const char *const pictures[] = {"card-changed", "card-details", "card-everyday",
	"card-finished", "card-not-held", "card-off", "card-off-60x16", "card-ready", "empty-first",
	"grant-prompt", "grants", "help", "help-60x16", "history", "history-empty", "locked",
	"no-sandbox", "output", "panic", "question-quit-60x16", "queue", "queue-60x16",
	"reject-prompt", "typed-word-ready", "wide-main-120x36"};

/* So the manual of gettext tells to change the language of a running program. */
extern int _nl_msg_cat_cntr;

static void speak(const char *language)
{
	const char *build = getenv("EXQ_BUILD");
	MEM_AUTO char *dir = mem_printf("%s/po", build != NULL ? build : ".");

	assert_int_equal(0, setenv("LANGUAGE", language, 1));
	_nl_msg_cat_cntr++;
	words_begin(dir);
	if (words_are_english())
		fail_msg("no catalogue %s/%s/LC_MESSAGES/exequatur.mo", dir, language);
}

static const struct scene *find_scene(const char *name)
{
	for (size_t i = 0; i < scene_count; i++) {
		if (strcmp(scenes[i].name, name) == 0)
			return &scenes[i];
	}
	fail_msg("no scene %s", name);
	return NULL;
}

static void each_language_is_as_in_its_pictures(void **state)
{
	(void)state;
	for (size_t l = 0; l < ARRAY_LEN(languages); l++) {
		speak(languages[l]);
		for (size_t i = 0; i < ARRAY_LEN(pictures); i++) {
			MEM_AUTO char *name = mem_printf("%s-%s", pictures[i], languages[l]);
			STR_AUTO struct str have = STR_INIT;
			struct fixture f;

			scene_open(find_scene(pictures[i]), &f);
			frame_print(&f.frame, false, &have);
			fixture_close(&f);
			golden_check(name, &have);
		}
	}
	words_end();
}

static void assert_rows_are_filled(struct frame *frame)
{
	for (unsigned row = 0; row < frame->rows; row++) {
		unsigned columns = 0;

		for (unsigned col = 0; col < frame->cols; col++)
			columns += frame_at(frame, col, row)->width;
		assert_int_equal(frame->cols, columns);
	}
}

/* Words that need more room may leave more of a card to be seen: never less. */
static void no_language_lights_a_lamp_that_english_has_not(void **state)
{
	(void)state;
	for (size_t l = 0; l < ARRAY_LEN(languages); l++) {
		for (size_t i = 0; i < scene_count; i++) {
			const struct scene *scene = &scenes[i];
			struct fixture f, english;

			if (scene->ascii || scene->cols < UI_MIN_COLS)
				continue;
			words_end();
			scene_open(scene, &english);
			speak(languages[l]);
			fixture_draw(&english);
			assert_rows_are_filled(&english.frame);
			scene_open(scene, &f);
			const char *lamp = frame_at(&f.frame, 2, scene->rows - 2)->text;
			assert_string_equal("[", frame_at(&f.frame, 1, scene->rows - 2)->text);
			if (strcmp(lamp, " ") != 0 && strcmp(lamp, ".") != 0)
				assert_string_equal(
					lamp, frame_at(&english.frame, 2, scene->rows - 2)->text);
			assert_rows_are_filled(&f.frame);
			fixture_close(&f);
			fixture_close(&english);
		}
	}
	words_end();
}

static void composed_texts_are_translated_and_their_parts_stay(void **state)
{
	static const struct {
		const char *english, *shown;
	} rows[] = {
		{"", ""},
		{"approving #14", "схвалюється #14"},
		{"not found: approving #14", "не знайдено: approving #14"},
		{"not found: 100 %s", "не знайдено: 100 %s"},
		{"nobody's text", "nobody's text"},
		{"time 60 s supervisor", "час 60 с наглядач"},
		{"CPU 80 % cgroup", "CPU 80 % cgroup"},
		{" line 3          asks for root", " рядок 3         просить прав root"},
		{" line 1 at 32    decodes text and runs it",
			" рядок 1, знак 32  розкодовує текст і запускає"},
	};

	(void)state;
	speak("uk");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		STR_AUTO struct str out = STR_INIT;

		edge_words(rows[i].english, &out);
		assert_string_equal(rows[i].shown, str_c(&out));
	}
	words_end();
}

static void parts_of_a_text_may_change_places(void **state)
{
	STR_AUTO struct str out = STR_INIT;

	(void)state;
	speak("zh_CN");
	edge_words("mixes Cyrillic into a Latin word", &out);
	assert_string_equal("在Latin词中混入 Cyrillic 字母", str_c(&out));
	words_end();
}

static void foreign_spans_of_a_card_are_never_translated(void **state)
{
	struct facts facts = {0};
	struct fact *fact = facts_add(&facts, "may write");
	struct line *line = fact_line(fact), *shown;

	(void)state;
	line_add(line, SPAN_FOREIGN, "off: ");
	line_add(line, SPAN_OURS, "off: ");
	line_add(line, SPAN_AGENT, "off: ");
	struct facts other = {0};
	shown = fact_line(facts_add(&other, ""));
	speak("uk");
	edge_line(line, shown);
	assert_string_equal("off: ", shown->spans[0].text);
	assert_string_equal("вимк.: ", shown->spans[1].text);
	assert_string_equal("off: ", shown->spans[2].text);
	words_end();
	facts_release(&facts);
	facts_release(&other);
}

/* What was seen of a card is counted by the bytes of its English text in every language. */
static void positions_of_a_card_are_those_of_its_english_text(void **state)
{
	(void)state;
	for (size_t l = 0; l < ARRAY_LEN(languages); l++) {
		struct fixture f;
		struct rows english, shown;

		words_end();
		fixture_open(&f, 80, 24);
		fixture_call(&f, &call_diff);
		const struct job *job = model_job(&f.model, 16);
		layout_card(job, 79, false, false, &english);
		speak(languages[l]);
		layout_card(job, 79, false, false, &shown);
		assert_int_equal(english.total, shown.total);
		size_t at = 0;
		for (size_t i = 0; i < shown.count; i++) {
			assert_true(shown.items[i].start == at ||
				    shown.items[i].start == shown.items[i].end);
			if (shown.items[i].end > at)
				at = shown.items[i].end;
		}
		assert_int_equal(shown.total, at);
		rows_release(&english);
		rows_release(&shown);
		fixture_close(&f);
	}
	words_end();
}

/* Plain mode reads the same facts as sentences; what is typed stays. */
static void plain_mode_speaks_the_language_too(void **state)
{
	struct fixture f;
	struct rows rows;
	STR_AUTO struct str text = STR_INIT;

	(void)state;
	speak("uk");
	fixture_open(&f, 80, 24);
	fixture_call(&f, &call_diff);
	layout_plain_card(model_job(&f.model, 16), 80, false, &rows);
	for (size_t i = 0; i < rows.count; i++) {
		for (size_t n = 0; n < rows.items[i].count; n++)
			str_add(&text, rows.items[i].segments[n].text);
		str_add(&text, "\n");
	}
	assert_non_null(strstr(str_c(&text), "git diff --stat HEAD~3\n"));
	assert_non_null(strstr(str_c(&text), "мережа: вимк.: власна порожня мережа"));
	assert_non_null(strstr(str_c(&text), "файли закриті, мережу відрізано двічі"));
	assert_non_null(strstr(str_c(&text), "approve 16 "));
	assert_null(strstr(str_c(&text), "network"));
	rows_release(&rows);
	fixture_close(&f);
	words_end();
}

static void a_filter_means_the_same_in_every_language(void **state)
{
	static const struct model model;
	const struct job late = {.reason = REASON_TIMEOUT},
			 failed = {.reason = REASON_EXIT_STATUS, .exit_code = 2};
	static const struct {
		const char *text;
		bool late, failed;
	} rows[] = {{"ended:limit", true, false}, {"ended:межа", true, false},
		{"exit 2", false, true}, {"ended:rejected", false, false}};

	(void)state;
	speak("uk");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = ERR_INIT;
		struct filter filter;

		assert_int_equal(0, filter_parse(rows[i].text, &model, &filter, &err));
		assert_int_equal(rows[i].late, filter_match(&filter, &late));
		assert_int_equal(rows[i].failed, filter_match(&filter, &failed));
		filter_release(&filter);
	}
	words_end();
}

static void rows_break_between_words(void **state)
{
	static const struct {
		const char *text;
		unsigned columns;
		size_t len;
	} rows[] = {{"", 10, 0}, {"one two", 10, 7}, {"one two", 5, 3}, {"one two", 3, 3},
		{"seventeen", 4, 4}, {"沙箱沙箱", 4, 6}, {"沙箱，沙", 4, 3}, {"沙箱 a", 5, 6}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(rows[i].len, fit_row(rows[i].text, rows[i].columns));
	STR_AUTO struct str out = STR_INIT;
	fit_pad("沙箱", 6, &out);
	fit_pad("沙箱", 2, &out);
	assert_string_equal("沙箱  沙箱 ", str_c(&out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_language_is_as_in_its_pictures),
		cmocka_unit_test(no_language_lights_a_lamp_that_english_has_not),
		cmocka_unit_test(composed_texts_are_translated_and_their_parts_stay),
		cmocka_unit_test(parts_of_a_text_may_change_places),
		cmocka_unit_test(foreign_spans_of_a_card_are_never_translated),
		cmocka_unit_test(positions_of_a_card_are_those_of_its_english_text),
		cmocka_unit_test(plain_mode_speaks_the_language_too),
		cmocka_unit_test(a_filter_means_the_same_in_every_language),
		cmocka_unit_test(rows_break_between_words),
	};

	/* What a program that asks the locale gets: English is the only language of "C". */
	if (setlocale(LC_ALL, "C.UTF-8") == NULL)
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

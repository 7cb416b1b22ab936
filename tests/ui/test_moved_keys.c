#include "config.h"

#include "tui/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "scenes.h"
#include "tui/keymap.h"

/* Every action on another key: then no sentence, footer or line of help may name a key of the table. */

/* One of these each, none of them a key of the table, and none that a scene has by itself as a word. */
static const char others[] = "cdfipwzABCDEFHIMPQRSTUVWXYZ6789\"$%^_`{|}~=;&\\@";

static const char *const names[] = {"Enter", "Space", "Esc", "Tab", "Shift-Tab", "PgDn", "PgUp",
	"Home", "End", "r", "e", "t", "v", "x", "o", "y", "j", "k", "b", "g", "G", "J", "K", "n",
	"N", "u", "h", "l", "L", "O", "q", "Ctrl-C"};
/* Words of sentences, signs and figures elsewhere: looked for where they name a key. */
static const char *const phrases[] = {"[a]", "(a)", "a runs", "a asks", "a lights", "a does",
	"+ more", "/ find", "/ filter", "/ search", "/ changes", "? keys", "? shows", "! stop all",
	"1 queue", "2 card", "3 output", "4 history", "5 grants", "1 shows", "5 lists", "1 2 3",
	"4 5", "m mark", "[y]", "[x]"};
/* What these keys do in a prompt, and what no key ever does, is so whatever is bound. */
static const char *const always[] = {"rested for 0.4 s. Enter, Space, mouse and paste never",
	"Esc in a prompt", "yes holds for exactly this; v" /* the card's own: test_card */,
	"decide. Enter, Space, mouse and paste never decide."};

/* Those of a recording are never met beside the others: they begin with the first of these again. */
static void move_all(struct fixture *f)
{
	size_t next[2] = {0, 0};

	for (unsigned i = 0; i < action_count; i++) {
		size_t *at = &next[action_table[i].where == ON_FILM];

		assert_true(*at < sizeof(others) - 1);
		strv_printf(&f->model.keys, "%s=%c", action_name(action_table[i].action),
			others[(*at)++]);
	}
	ui_follow(&f->ui, &f->model, f->now_ms);
	f->ui.message[0] = '\0'; /* said with the keys of then */
}

static bool is_blank(char c)
{
	return c == '\0' || strchr(" :;,.()[]\"", c) != NULL;
}

static bool has_word(const char *line, const char *word)
{
	for (const char *at = strstr(line, word); at != NULL; at = strstr(at + 1, word)) {
		bool name = at > line && at[-1] == '.'; /* of a file: price.o */

		if (!name && (at == line || is_blank(at[-1])) && is_blank(at[strlen(word)]))
			return true;
	}
	return false;
}

static bool is_always(const char *line)
{
	for (size_t i = 0; i < ARRAY_LEN(always); i++) {
		if (strstr(line, always[i]) != NULL)
			return true;
	}
	return false;
}

static void row_text(struct frame *frame, unsigned row, struct str *out)
{
	str_clear(out);
	for (unsigned col = 0; col < frame->cols; col++) {
		const struct cell *cell = frame_at(frame, col, row);

		/* An agent's words and a command name what they like. */
		if (cell->style != STYLE_AGENT && cell->style != STYLE_STRING)
			str_add(out, cell->text);
		else
			str_add_char(out, '#');
	}
}

/* Of a prompt: its keys are fixed. */
static bool is_fixed(const struct fixture *f, unsigned row, const char *name)
{
	bool prompt = f->ui.prompt.kind != PROMPT_NONE;
	bool key =
		strcmp(name, "Enter") == 0 || strcmp(name, "Esc") == 0 || strcmp(name, "Tab") == 0;

	/* And what is typed into it is nobody's key. */
	if (f->ui.prompt.kind == PROMPT_EDIT && row + 2 < f->frame.rows)
		return true;
	return prompt && key && row + 2 >= f->frame.rows;
}

/* Returns how many it names. */
static unsigned check_row(
	const char *scene, const struct fixture *f, unsigned row, const char *line)
{
	unsigned named = 0;

	if (is_always(line))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!has_word(line, names[i]) || is_fixed(f, row, names[i]))
			continue;
		named++;
		print_error("%s names %s: %s\n", scene, names[i], line);
	}
	for (size_t i = 0; i < ARRAY_LEN(phrases); i++) {
		if (strstr(line, phrases[i]) == NULL)
			continue;
		named++;
		print_error("%s says %s: %s\n", scene, phrases[i], line);
	}
	return named;
}

static void no_view_names_a_key_that_is_not_bound(void **state)
{
	unsigned named = 0;

	(void)state;
	for (size_t i = 0; i < scene_count; i++) {
		STR_AUTO struct str line = STR_INIT;
		struct fixture f;

		scene_open(&scenes[i], &f);
		move_all(&f);
		view_draw(&f.model, &f.ui, f.now_ms, &f.frame);
		for (unsigned row = 0; row < f.frame.rows; row++) {
			row_text(&f.frame, row, &line);
			named += check_row(scenes[i].name, &f, row, str_c(&line));
		}
		fixture_close(&f);
	}
	assert_int_equal(0, named);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_view_names_a_key_that_is_not_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

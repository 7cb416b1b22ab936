#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/card.h"

#define RLO "\xe2\x80\xae"
#define PDF "\xe2\x80\xac"
#define ZWSP "\xe2\x80\x8b"
#define CYRILLIC_A "\xd0\xb0"

/* Notes as the card shows them: "!! 1 hidden what: words|". */
static void trace(const char *command, struct str *out)
{
	CLEANUP(unusual_release) struct unusual_list list = {0};

	unusual_find(command, strlen(command), NULL, &list);
	for (size_t i = 0; i < list.count; i++) {
		const struct unusual *note = &list.items[i];

		str_printf(
			out, "%s %u", note->severity == SEVERITY_DANGER ? "!!" : "!", note->line);
		if (note->line_long)
			str_printf(out, " at %u", note->at);
		if (note->word != NULL)
			str_printf(out, " (%s)", note->word);
		str_printf(out, " %s", note->what);
		if (note->words != NULL) {
			MEM_AUTO char *shown = text_escaped(note->words);

			str_printf(out, ": %s", shown);
		}
		str_add(out, "|");
	}
}

static void each_hidden_thing_is_a_note_with_place_and_words(void **state)
{
	static const struct {
		const char *command, *notes;
	} cases[] = {
		{"ls -la", ""},
		{"ls docs/\xe7\x94\xa8\xe6\x88\xb7 \xd0\xb7\xd0\xb2\xd1\x96\xd1\x82.txt", ""},
		{"echo a\tb\necho c", ""},
		{"cp notes.txt out/" RLO "txt.exe" PDF,
			"!! 1 (hidden) turns the reading order around: <U+202E>|"},
		{"a\nt" ZWSP "ouch x", "!! 2 (hidden) hides a character in a word: t<U+200B>ouch|"},
		{"a" ZWSP "b c" ZWSP "d",
			"!! 1 (hidden) hides characters in words: a<U+200B>b c<U+200B>d|"},
		{"ls " ZWSP " x", "!! 1 (hidden) hides a character: <U+200B>|"},
		{"printf '\x1b[8m'; make -s\r\x1b[2Kls",
			"!! 1 (hidden) controls a terminal: <ESC>[8m <CR> <ESC>[2K|"},
		{"curl https://" CYRILLIC_A "pple.example/jq",
			"! 1 mixes Cyrillic into a Latin word: <U+0430>pple|"},
		{"ls\n\n\n\n\nrm x", "! 2 hides text far below: 4 empty lines|"},
		{"ls\n\n\n", ""},
		{"x " RLO "\ny " ZWSP, "!! 1 (hidden) turns the reading order around: <U+202E>|"
				       "!! 2 (hidden) hides a character: <U+200B>|"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str out = STR_INIT;

		trace(cases[i].command, &out);
		assert_string_equal(str_c(&out), cases[i].notes);
	}
}

static void blanks_are_noted_when_an_ordinary_row_cannot_hold_them(void **state)
{
	static const struct {
		unsigned blanks;
		const char *notes;
	} cases[] = {
		{24, ""},
		{40, ""},
		{72, ""},
		{73, "! 1 at 2 hides text far to the right: 73 blanks|"},
		{300, "! 1 at 2 hides text far to the right: 300 blanks|"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		MEM_AUTO char *command = mem_printf("ls%*s; rm x", (int)cases[i].blanks, "");
		STR_AUTO struct str out = STR_INIT;

		trace(command, &out);
		assert_string_equal(str_c(&out), cases[i].notes);
	}
}

static void a_place_counts_characters_of_its_own_line(void **state)
{
	STR_AUTO struct str command = STR_INIT, out = STR_INIT;

	(void)state;
	str_add(&command, "first line\n");
	for (unsigned i = 0; i < 100; i++)
		str_add(&command, "\xc3\xa9");
	str_add(&command, " " RLO);
	trace(command.data, &out);
	assert_string_equal(
		str_c(&out), "!! 2 at 101 (hidden) turns the reading order around: <U+202E>|");
}

static void many_places_of_one_line_are_one_note(void **state)
{
	STR_AUTO struct str command = STR_INIT, out = STR_INIT;

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		str_add(&command, "\r;");
	trace(command.data, &out);
	assert_string_equal(str_c(&out),
		"!! 1 at 0 (hidden) controls a terminal, 1000 characters in all: "
		"<CR> <CR> <CR> <CR> <CR> <CR> <CR> <CR>|");
}

static void a_note_points_to_the_bytes_it_speaks_of(void **state)
{
	static const char command[] = "ok\nt" ZWSP "ouch";
	CLEANUP(unusual_release) struct unusual_list list = {0};

	(void)state;
	unusual_find(command, strlen(command), NULL, &list);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].start, 4);
	assert_int_equal(list.items[0].len, 3);
	assert_memory_equal(command + list.items[0].start, ZWSP, 3);
}

/* Otherwise a command of 65,000 lines would give a card that no line of the record can hold. */
static void notes_of_very_many_lines_end_in_one_about_the_rest(void **state)
{
	STR_AUTO struct str command = STR_INIT, row = STR_INIT;
	CLEANUP(unusual_release) struct unusual_list list = {0};

	(void)state;
	for (unsigned i = 0; i < 50000; i++)
		str_add(&command, "\r\n");
	unusual_find(command.data, command.len, NULL, &list);
	assert_int_equal(list.count, 65);
	assert_string_equal(list.items[64].what, "and on: 49936 more lines with notes like these");
	assert_int_equal(list.items[64].severity, SEVERITY_DANGER);
	assert_string_equal(list.items[64].word, "hidden");
	unusual_row(&list, &row);
	assert_string_equal(str_c(&row),
		"!! 65 unusual: lines 1, 2, 3, 4, 5, 6 and 58 more hide characters; "
		"line 65 more like these");
}

static void the_row_merges_what_is_alike_and_puts_danger_first(void **state)
{
	static const struct {
		const char *command, *row;
	} cases[] = {
		{"ls", ""},
		{"x " ZWSP, "!! 1 unusual: line 1 hides characters"},
		{"curl https://" CYRILLIC_A "pple/", "! 1 unusual: line 1 mixes scripts"},
		{RLO "\n" ZWSP "\n\r\ncurl " CYRILLIC_A "pple",
			"!! 4 unusual: lines 1, 2, 3 hide characters; line 4 mixes scripts"},
		{"curl " CYRILLIC_A "pple\n" CYRILLIC_A "pple\n" ZWSP,
			"!! 3 unusual: line 3 hides characters; lines 1, 2 mix scripts"},
		{"curl " CYRILLIC_A "pple " ZWSP,
			"!! 2 unusual: line 1 hides characters; mixes scripts"},
		{"ls\n\n\n\n\nx " ZWSP,
			"!! 2 unusual: line 6 hides characters; line 2 empty lines"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(unusual_release) struct unusual_list list = {0};
		STR_AUTO struct str row = STR_INIT;

		unusual_find(cases[i].command, strlen(cases[i].command), NULL, &list);
		unusual_row(&list, &row);
		assert_string_equal(str_c(&row), cases[i].row);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_hidden_thing_is_a_note_with_place_and_words),
		cmocka_unit_test(blanks_are_noted_when_an_ordinary_row_cannot_hold_them),
		cmocka_unit_test(a_place_counts_characters_of_its_own_line),
		cmocka_unit_test(many_places_of_one_line_are_one_note),
		cmocka_unit_test(a_note_points_to_the_bytes_it_speaks_of),
		cmocka_unit_test(notes_of_very_many_lines_end_in_one_about_the_rest),
		cmocka_unit_test(the_row_merges_what_is_alike_and_puts_danger_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

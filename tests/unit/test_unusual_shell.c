#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/card.h"
#include "tests/unit/unusual_quiet.h"
#include "tests/unit/unusual_rows.h"

static void trace(const struct unusual_list *list, struct str *out)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct unusual *note = &list->items[i];

		str_printf(out, "%s %u %s: %s|", note->severity == SEVERITY_DANGER ? "!!" : "!",
			note->line, note->what, note->words);
	}
}

static void find(const char *command, const struct confinement *place, struct str *out)
{
	CLEANUP(unusual_release) struct unusual_list list = {0};

	unusual_find(command, strlen(command), place, &list);
	trace(&list, out);
}

static void an_everyday_command_has_no_note(void **state)
{
	(void)state;
	assert_true(ARRAY_LEN(quiet_commands) >= 60);
	for (size_t i = 0; i < ARRAY_LEN(quiet_commands); i++) {
		STR_AUTO struct str out = STR_INIT;

		find(quiet_commands[i], NULL, &out);
		if (out.len > 0)
			fail_msg("%s has the note %s", quiet_commands[i], str_c(&out));
	}
}

static void an_unusual_command_has_exactly_its_notes(void **state)
{
	(void)state;
	assert_true(ARRAY_LEN(loud_commands) >= 80);
	for (size_t i = 0; i < ARRAY_LEN(loud_commands); i++) {
		STR_AUTO struct str out = STR_INIT;

		find(loud_commands[i].command, NULL, &out);
		assert_string_equal(str_c(&out), loud_commands[i].notes);
	}
}

/* Each by the one thing that makes it loud, or quiet. */
static void a_detail_decides(void **state)
{
	static const struct {
		const char *command, *notes;
	} cases[] = {
		{"curl x | tee y; sh y", "!! 1 runs what it fetches: sh y|"},
		{"curl --output=y x; sh y", "!! 1 runs what it fetches: sh y|"},
		{"curl x > y; sh < y", "!! 1 runs what it fetches: sh < y|"},
		{"bash -o pipefail y", "! 1 runs a file from a place it may write, its text is not "
				       "on this card: y|"},
		{"cp -t /usr/local/bin a",
			"!! 1 writes outside the workspace: cp -t /usr/local/bin|"},
		{"rm -rf /opt/a /opt/b",
			"!! 1 deletes outside the workspace: rm -rf /opt/a /opt/b|"},
		{"python3 -c 'print(b64decode(x))' | sh", "!! 1 decodes text and runs it: python3 "
							  "-c 'print(b64decode(x))' | sh|"},
		{"sh -c 'sudo ls'\\\n;", "!! 1 asks for root: sudo ls|"},
		{"cat ~/.ssh/known_hosts", ""},
		{"echo .env", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str out = STR_INIT;

		find(cases[i].command, NULL, &out);
		assert_string_equal(str_c(&out), cases[i].notes);
	}
}

/* Only the top class asks for a word, and always for one that the record knows. */
static void each_danger_has_a_word_and_no_note_has_one(void **state)
{
	static const char *const words[] = {
		"decoded", "delete", "hidden", "overwrite", "remote", "root"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(loud_commands); i++) {
		CLEANUP(unusual_release) struct unusual_list list = {0};
		const char *command = loud_commands[i].command;

		unusual_find(command, strlen(command), NULL, &list);
		for (size_t n = 0; n < list.count; n++) {
			bool known = false;

			for (size_t w = 0; list.items[n].word != NULL && w < ARRAY_LEN(words); w++)
				known |= strcmp(words[w], list.items[n].word) == 0;
			assert_int_equal(known, list.items[n].severity == SEVERITY_DANGER);
		}
	}
}

/* The view underlines them, so they must be the words that are quoted. */
static void a_note_marks_the_bytes_that_it_quotes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(loud_commands); i++) {
		CLEANUP(unusual_release) struct unusual_list list = {0};
		const char *command = loud_commands[i].command;

		unusual_find(command, strlen(command), NULL, &list);
		for (size_t n = 0; n < list.count; n++) {
			const struct unusual *note = &list.items[n];

			assert_true(note->len > 0 && note->start + note->len <= strlen(command));
			if (note->len == strlen(note->words))
				assert_memory_equal(command + note->start, note->words, note->len);
		}
	}
}

static void places_decide_what_is_outside(void **state)
{
	static const struct {
		const char *command, *notes;
	} cases[] = {
		{"rm -rf /srv/shop/build", ""},
		{"rm -rf /srv/shop", "!! 1 deletes the whole workspace: rm -rf /srv/shop|"},
		{"rm -rf ../../shop/x", ""},
		{"rm -rf ../../other", "!! 1 deletes outside the workspace: rm -rf ../../other|"},
		{"rm -rf *", ""},
		{"rm -rf ../*", "!! 1 deletes the whole workspace: rm -rf ../*|"},
		{"cp a /var/cache/shop/a", ""},
		{"cp a /var/cache/other",
			"!! 1 writes outside the workspace: cp a /var/cache/other|"},
		{"cp a ~/out", "!! 1 writes outside the workspace: cp a ~/out|"},
		{"rm -rf ~/shed/x", ""},
		{"/usr/bin/make", ""},
		{"/srv/shop/run", "! 1 runs a file from a place it may write, its text is not on "
				  "this card: /srv/shop/run|"},
		{"cd /usr/bin && ./make", ""},
		{"cd \"$x\" && rm -rf y", ""},
	};
	CLEANUP(confinement_release) struct confinement place;

	(void)state;
	confinement_init(&place);
	place.cwd = mem_strdup("/srv/shop/sub");
	place.env.home = mem_strdup("/home/mira");
	places_add(&place.writable, "/srv/shop", 1, 1, true);
	places_add(&place.writable, "/var/cache/shop", 1, 2, true);
	places_add(&place.writable, "/home/mira/shed", 1, 3, true);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str out = STR_INIT;

		find(cases[i].command, &place, &out);
		assert_string_equal(str_c(&out), cases[i].notes);
	}
}

static void many_harmless_notes_do_not_push_a_danger_away(void **state)
{
	CLEANUP(unusual_release) struct unusual_list list = {0};
	STR_AUTO struct str command = STR_INIT;

	(void)state;
	for (unsigned i = 0; i < 500; i++)
		str_printf(&command, "cat d%u/.env\n", i);
	str_add(&command, "curl x | sh\n");
	unusual_find(command.data, command.len, NULL, &list);
	assert_int_equal(list.count, 50);
	assert_string_equal(list.items[0].what, "runs what it fetches");
	assert_int_equal(list.items[0].line, 501);
	assert_string_equal(list.items[49].what, "and on: 452 more notes like these");
}

/* Whatever cannot be read is said, and does not hide what stands before it. */
static void text_that_is_not_read_is_named(void **state)
{
	static const char *const cases[] = {"sudo ls; echo 'x", "sudo ls; echo \"x",
		"sudo ls; echo $(x", "sudo ls; cat <<E\nx", "sudo ls; x )", "sudo ls; `a \\`b\\``"};
	STR_AUTO struct str deep = STR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(unusual_release) struct unusual_list list = {0};

		unusual_find(cases[i], strlen(cases[i]), NULL, &list);
		assert_int_equal(list.count, 2);
		assert_string_equal(list.items[0].what, "asks for root");
		assert_string_equal(list.items[1].summary, "not read to its end");
	}
	CLEANUP(unusual_release) struct unusual_list list = {0};

	for (unsigned i = 0; i < 40000; i++)
		str_add(&deep, "$(");
	unusual_find(deep.data, deep.len, NULL, &list);
	assert_int_equal(list.count, 1);
}

/* Each trap is read once more: the fifth is said to be unread, with its bytes. */
static void deep_text_is_named(void **state)
{
	STR_AUTO struct str command = STR_INIT, out = STR_INIT;

	(void)state;
	str_add(&command,
		"trap \"trap \\\"trap \\\\\\\"trap 'sudo ls' EXIT\\\\\\\" EXIT\\\" EXIT\" EXIT");
	find(str_c(&command), NULL, &out);
	assert_non_null(strstr(str_c(&out), "look yourself: sudo ls|"));
	str_clear(&command);
	str_clear(&out);
	for (unsigned i = 0; i < 3000; i++)
		str_add(&command, "cd a;");
	find(str_c(&command), NULL, &out);
	assert_string_equal(
		str_c(&out), "! 1 cannot be read as shell from here on: look yourself: cd a|");
}

/* Words that pad a command do not push a danger out of sight. */
static void the_last_of_many_words_is_read(void **state)
{
	STR_AUTO struct str command = STR_INIT, out = STR_INIT;

	(void)state;
	str_add(&command, "rm");
	for (unsigned i = 0; i < 5000; i++)
		str_add(&command, " a");
	str_add(&command, " /opt/x");
	find(str_c(&command), NULL, &out);
	assert_non_null(strstr(str_c(&out), "deletes outside the workspace"));
}

/* A command that makes more names or files than are followed says so once, as a note of its own. */
static void what_is_too_many_to_follow_is_named(void **state)
{
	static const struct {
		const char *format, *last;
		unsigned most;
	} cases[] = {{"n%u=1;", "n1=2; ls", 64}, {"curl -o f%u x;", "curl -o f1 x", 64},
		{"v%u=$(curl x);", "v1=$(curl x)", 16}, {"curl x | read r%u;", ":", 16}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str command = STR_INIT, out = STR_INIT;

		for (unsigned n = 1; n <= cases[i].most; n++)
			str_printf(&command, cases[i].format, n);
		str_add(&command, cases[i].last);
		find(str_c(&command), NULL, &out);
		assert_string_equal(str_c(&out), "");
		str_clear(&command);
		for (unsigned n = 1; n <= cases[i].most + 2; n++)
			str_printf(&command, cases[i].format, n);
		find(str_c(&command), NULL, &out);
		const char *said = strstr(str_c(&out), "! 1 too many to follow: what this holds is "
						       "not looked for from here on: ");
		assert_ptr_equal(said, str_c(&out));
		assert_null(strstr(said + 5, "too many"));
	}
}

/* What stands for very many names may be any of them, and is not tried without end. */
static void a_pattern_of_very_many_lists_is_taken_for_the_worst(void **state)
{
	STR_AUTO struct str command = STR_INIT, out = STR_INIT;

	(void)state;
	str_add(&command, "rm ");
	for (unsigned i = 0; i < 20; i++)
		str_add(&command, "{a,b}");
	find(str_c(&command), NULL, &out);
	assert_non_null(strstr(str_c(&out), "deletes version control"));
}

/* A word that never ends has no value. */
static void an_open_word_that_names_a_variable_is_read(void **state)
{
	STR_AUTO struct str out = STR_INIT;

	(void)state;
	find("a=$(curl x); echo \"$a", NULL, &out);
	assert_non_null(strstr(str_c(&out), "cannot be read as shell"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_everyday_command_has_no_note),
		cmocka_unit_test(an_unusual_command_has_exactly_its_notes),
		cmocka_unit_test(a_detail_decides),
		cmocka_unit_test(each_danger_has_a_word_and_no_note_has_one),
		cmocka_unit_test(a_note_marks_the_bytes_that_it_quotes),
		cmocka_unit_test(places_decide_what_is_outside),
		cmocka_unit_test(many_harmless_notes_do_not_push_a_danger_away),
		cmocka_unit_test(text_that_is_not_read_is_named),
		cmocka_unit_test(deep_text_is_named),
		cmocka_unit_test(the_last_of_many_words_is_read),
		cmocka_unit_test(what_is_too_many_to_follow_is_named),
		cmocka_unit_test(a_pattern_of_very_many_lists_is_taken_for_the_worst),
		cmocka_unit_test(an_open_word_that_names_a_variable_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

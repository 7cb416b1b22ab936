#include "config.h"

#include "tui/keymap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/config_value.h"

static void map_of(const char *binding, struct keymap *ret)
{
	STRV_AUTO struct strv bindings = STRV_INIT;

	if (binding != NULL)
		strv_add(&bindings, binding);
	keymap_make(&bindings, ret);
}

static const char *config_has(const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; config_binding_action(i) != NULL; i++) {
		if (strcmp(config_binding_action(i), name) == 0)
			found = config_binding_action(i);
	}
	return found;
}

/* A name that could be bound and did nothing would be a key that is silently dead. */
static void each_action_has_a_name_in_the_configuration_and_each_name_an_action(void **state)
{
	(void)state;
	for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
		const char *name = action_name((enum action)i);

		if (name == NULL)
			fail_msg("action %d has no name", i);
		if (config_has(name) == NULL)
			fail_msg("%s is unknown to the configuration", name);
	}
	for (size_t i = 0; config_binding_action(i) != NULL; i++) {
		const char *name = config_binding_action(i);
		bool known = false;

		for (int a = 0; a < ACTION_COUNT; a++)
			known = known || (action_name((enum action)a) != NULL &&
						 strcmp(action_name((enum action)a), name) == 0);
		if (!known)
			fail_msg("%s does nothing", name);
	}
}

/* What the configuration refuses as one key for two actions is at least what the screen could not tell apart. */
static void two_actions_of_one_view_cannot_be_bound_to_one_key(void **state)
{
	static const char key[] = "~";

	(void)state;
	for (unsigned a = 0; a < action_count; a++) {
		for (unsigned b = 0; b < a; b++) {
			struct config config;
			struct err err = ERR_INIT;
			struct config_value value = {.kind = CONFIG_VALUE_STRING};
			unsigned line = 0;

			if ((action_table[a].where & action_table[b].where) == 0)
				continue;
			config_init(&config);
			str_add(&value.text, key);
			assert_int_equal(
				0, config_binding_add(&config, action_name(action_table[a].action),
					   &value, 1, &err));
			assert_int_equal(
				0, config_binding_add(&config, action_name(action_table[b].action),
					   &value, 2, &err));
			if (config_bindings_check(&config, &line, &err) == 0)
				fail_msg("%s and %s", action_name(action_table[a].action),
					action_name(action_table[b].action));
			str_release(&value.text);
			config_release(&config);
		}
	}
}

/* The table of the configuration has the keys of the table of the screen. */
static void the_defaults_of_both_tables_are_the_same(void **state)
{
	struct keymap plain;

	(void)state;
	map_of(NULL, &plain);
	for (unsigned i = 0; i < action_count; i++) {
		const char *name = action_name(action_table[i].action);
		const char *key = keymap_key(&plain, action_table[i].action);

		for (size_t at = 0; config_binding_action(at) != NULL; at++) {
			if (strcmp(config_binding_action(at), name) != 0)
				continue;
			assert_true(config_word_in(key, config_binding_keys(at)));
		}
	}
}

static const struct key *char_key(struct key *key, char ch)
{
	*key = (struct key){.code = KEY_CODE_CHAR, .ch = (uint32_t)ch};
	return key;
}

static void a_bound_key_takes_the_place_of_all_that_the_action_had(void **state)
{
	struct keymap map;
	struct key key, down = {.code = KEY_CODE_DOWN};

	(void)state;
	map_of("down=z", &map);
	assert_int_equal(ACTION_DOWN, keymap_action(&map, char_key(&key, 'z'), ON_QUEUE));
	assert_int_equal(ACTION_NONE, keymap_action(&map, char_key(&key, 'j'), ON_QUEUE));
	assert_int_equal(ACTION_NONE, keymap_action(&map, &down, ON_QUEUE));
	assert_int_equal(ACTION_UP, keymap_action(&map, char_key(&key, 'k'), ON_QUEUE));
}

static void each_kind_of_key_is_read_and_named(void **state)
{
	static const struct {
		const char *binding;
		enum action action;
		struct key key;
		const char *name;
	} cases[] = {
		{"lock=~", ACTION_LOCK, {.code = KEY_CODE_CHAR, .ch = '~'}, "~"},
		{"lock==", ACTION_LOCK, {.code = KEY_CODE_CHAR, .ch = '='}, "="},
		{"lock=Ctrl-B", ACTION_LOCK, {.code = KEY_CODE_CTRL, .ch = 'b'}, "Ctrl-B"},
		{"lock=Backspace", ACTION_LOCK, {.code = KEY_CODE_BACKSPACE}, "Backspace"},
		{"lock=Space", ACTION_LOCK, {.code = KEY_CODE_CHAR, .ch = ' '}, "Space"},
		{"waiting-next=PgDn", ACTION_NEXT_WAITING, {.code = KEY_CODE_PGDN}, "PgDn"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct keymap map;

		map_of(cases[i].binding, &map);
		assert_true(keymap_is_bound(&map, cases[i].action));
		assert_int_equal(cases[i].key.code, map.keys[cases[i].action].code);
		assert_int_equal(cases[i].key.ch, map.keys[cases[i].action].ch);
		assert_string_equal(cases[i].name, keymap_key(&map, cases[i].action));
	}
}

/* A record can be forged: what comes from it is drawn only as the name of a key that there is. */
static void what_is_no_binding_is_left_out(void **state)
{
	static const char *const wrong[] = {"", "=", "approve", "approve=", "approve=ab",
		"approve=\x1b[m", "approve=\n", "aprove=z", "approve=Ctrl-a", "approve=Ctrl-AB",
		"approve=\xd1\x84", "approve=\x7f", "=z"};
	struct keymap plain, map;

	(void)state;
	map_of(NULL, &plain);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		map_of(wrong[i], &map);
		assert_memory_equal(&plain, &map, sizeof(map));
	}
}

static void a_sentence_names_the_key_in_force_once(void **state)
{
	static const struct {
		const char *binding;
		enum action action;
		const char *text, *want;
	} cases[] = {
		{"approve=z", ACTION_APPROVE, "a asks for a word", "z asks for a word"},
		{"approve=z", ACTION_APPROVE, "only when [a] is lit", "only when [z] is lit"},
		{"reject=z", ACTION_APPROVE, "a asks for a word", "a asks for a word"},
		{"part-next=Ctrl-F", ACTION_PART_NEXT, "press Space", "press Ctrl-F"},
		{"waiting-next=n", ACTION_NEXT_WAITING, "Just J opens it", "Just n opens it"},
		{"view-grants=g", ACTION_VIEW_GRANTS, "#15: 5 lists it", "#15: g lists it"},
		{"stop-all=p", ACTION_STOP_ALL, "press!", "pressp"},
		{"help=F", ACTION_HELP, "no key", "no key"},
		{"approve=z", ACTION_APPROVE, "\xd0\xb6 a\xe6\x89\xa7", "\xd0\xb6 z\xe6\x89\xa7"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str out = STR_INIT;
		struct keymap map;

		map_of(cases[i].binding, &map);
		keymap_words(&map, cases[i].text, cases[i].action, &out);
		assert_string_equal(cases[i].want, str_c(&out));
	}
}

/* Which rows speak for which: each key that a line of the help shows is one of its rows. */
static void a_line_of_the_help_names_the_keys_of_its_rows(void **state)
{
	struct keymap plain;

	(void)state;
	map_of(NULL, &plain);
	for (unsigned i = 0; i < action_count; i++) {
		STR_AUTO struct str made = STR_INIT;
		const char *written = action_table[i].keys_shown;
		size_t len = 0;

		if (action_table[i].help == NULL)
			continue;
		keymap_help_keys(&plain, &action_table[i], &made);
		for (const char *at = written; *at != '\0'; at += len + strspn(at + len, " ")) {
			STR_AUTO struct str word = STR_INIT;

			len = strcspn(at, " ");
			str_add_bytes(&word, at, len);
			if (!config_word_in(str_c(&word), str_c(&made)))
				fail_msg("made %s, written %s", str_c(&made), written);
		}
	}
}

static void a_bound_key_is_named_in_its_line_of_the_help(void **state)
{
	static const struct {
		const char *binding;
		enum action action;
		const char *want;
	} cases[] = {
		{"up=z", ACTION_DOWN, "j z  Down"},
		{"down=z", ACTION_DOWN, "z k  Up"},
		{"part-next=z", ACTION_PART_NEXT, "z"},
		{"find=Ctrl-F", ACTION_FIND, "Ctrl-F n N"},
		{"approve=z", ACTION_APPROVE, "z"},
		{"approve=z", ACTION_REJECT, "r"},
		{"view-grants=z", ACTION_VIEW_HISTORY, "4 z 6"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str out = STR_INIT;
		struct keymap map;

		map_of(cases[i].binding, &map);
		for (unsigned row = 0; row < action_count; row++) {
			if (action_table[row].action == cases[i].action)
				keymap_help(&map, &action_table[row], &out);
		}
		assert_string_equal(cases[i].want, str_c(&out));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_action_has_a_name_in_the_configuration_and_each_name_an_action),
		cmocka_unit_test(two_actions_of_one_view_cannot_be_bound_to_one_key),
		cmocka_unit_test(the_defaults_of_both_tables_are_the_same),
		cmocka_unit_test(a_bound_key_takes_the_place_of_all_that_the_action_had),
		cmocka_unit_test(each_kind_of_key_is_read_and_named),
		cmocka_unit_test(what_is_no_binding_is_left_out),
		cmocka_unit_test(a_sentence_names_the_key_in_force_once),
		cmocka_unit_test(a_line_of_the_help_names_the_keys_of_its_rows),
		cmocka_unit_test(a_bound_key_is_named_in_its_line_of_the_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

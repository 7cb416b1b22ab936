#include "config.h"

#include "tui/action.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static void each_action_has_one_row_and_each_key_one_action_in_a_place(void **state)
{
	unsigned rows[ACTION_COUNT] = {0};

	(void)state;
	for (unsigned i = 0; i < action_count; i++) {
		const struct action_row *row = &action_table[i];

		rows[row->action]++;
		assert_true(row->where != 0);
		for (size_t k = 0; k < ARRAY_LEN(row->keys) && row->keys[k].code != KEY_CODE_NONE;
			k++) {
			for (unsigned place = ON_QUEUE; place <= ON_HISTORY; place <<= 1) {
				if ((row->where & place) != 0)
					assert_int_equal(
						action_for_key(&row->keys[k], place), row->action);
			}
		}
	}
	for (int action = ACTION_NONE + 1; action < ACTION_COUNT; action++)
		assert_int_equal(rows[action], 1);
}

/* Caps Lock, sequences, and keys that are pressed without a thought decide nothing. */
static void no_key_that_decides_is_a_capital_a_blank_or_part_of_a_sequence(void **state)
{
	(void)state;
	for (unsigned i = 0; i < action_count; i++) {
		const struct action_row *row = &action_table[i];
		bool prompts = row->action == ACTION_REJECT || row->action == ACTION_STOP;

		if (!row->decides && !prompts)
			continue;
		for (size_t k = 0; k < ARRAY_LEN(row->keys) && row->keys[k].code != KEY_CODE_NONE;
			k++) {
			assert_int_equal(row->keys[k].code, KEY_CODE_CHAR);
			assert_true(islower((int)row->keys[k].ch) || row->keys[k].ch == '+');
			struct key capital = {.code = KEY_CODE_CHAR,
				.ch = (uint32_t)toupper((int)row->keys[k].ch)};
			enum action other = action_for_key(&capital, ON_ALL | ON_QUESTION);
			assert_true(other == ACTION_NONE || other == ACTION_NEXT_WAITING ||
				    other == ACTION_PREV_WAITING || other == ACTION_LAST ||
				    other == row->action);
		}
	}
}

static void the_neighbours_of_keys_that_decide_are_unbound(void **state)
{
	static const char near[] = "wsdzc";

	(void)state;
	for (size_t i = 0; near[i] != '\0'; i++) {
		struct key key = {.code = KEY_CODE_CHAR, .ch = (uint32_t)near[i]};

		assert_int_equal(action_for_key(&key, ON_ALL | ON_QUESTION), ACTION_NONE);
	}
}

static void a_key_works_where_it_belongs_and_nowhere_else(void **state)
{
	static const struct {
		uint32_t ch;
		unsigned where;
	} keys[] = {{'a', ON_CARD}, {'r', ON_CARD | ON_QUEUE}, {'v', ON_CARD},
		{'x', ON_CARD | ON_OUTPUT | ON_GRANTS}, {'+', ON_CARD | ON_OUTPUT},
		{'y', ON_QUESTION}, {'q', ON_ALL}, {'J', ON_ALL}, {'e', ON_CARD}, {'t', ON_CARD},
		{'5', ON_ALL}, {'!', ON_ALL}, {'L', ON_ALL}, {'O', ON_STOPPED},
		{'/', ON_HISTORY | ON_CARD | ON_OUTPUT}, {'n', ON_HISTORY | ON_CARD | ON_OUTPUT},
		{'4', ON_ALL}, {'m', ON_QUEUE}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct key key = {.code = KEY_CODE_CHAR, .ch = keys[i].ch};

		for (unsigned place = ON_QUEUE; place <= ON_GRANTS; place <<= 1)
			assert_int_equal(action_for_key(&key, place) != ACTION_NONE,
				(keys[i].where & place) != 0);
	}
}

/* Help and footers come from the same rows, so each names a key that the row really has. */
static void help_and_footer_name_the_keys_of_their_row(void **state)
{
	(void)state;
	for (unsigned i = 0; i < action_count; i++) {
		const struct action_row *row = &action_table[i];
		const struct key *key = &row->keys[0];

		assert_int_equal(row->help == NULL, row->keys_shown == NULL);
		if (key->code != KEY_CODE_CHAR || key->ch == ' ')
			continue;
		if (row->keys_shown != NULL)
			assert_non_null(strchr(row->keys_shown, (int)key->ch));
		if (row->footer != NULL)
			assert_int_equal(row->footer[0], key->ch);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_action_has_one_row_and_each_key_one_action_in_a_place),
		cmocka_unit_test(no_key_that_decides_is_a_capital_a_blank_or_part_of_a_sequence),
		cmocka_unit_test(the_neighbours_of_keys_that_decide_are_unbound),
		cmocka_unit_test(a_key_works_where_it_belongs_and_nowhere_else),
		cmocka_unit_test(help_and_footer_name_the_keys_of_their_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "core/config.h"
#include "core/config_keys.h"
#include "core/config_path.h"

static void distance_counts_the_slips_of_a_hand(void **state)
{
	static const struct {
		const char *a, *b;
		unsigned distance;
	} cases[] = {
		{"", "", 0},
		{"shell", "shell", 0},
		{"", "abc", 3},
		{"shel", "shell", 1},
		{"shelll", "shell", 1},
		{"shall", "shell", 1},
		{"shlel", "shell", 1},
		{"ab", "ba", 1},
		{"kitten", "sitting", 3},
		{"alow_network", "allow_network", 1},
		{"Backend", "backend", 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(config_distance(cases[i].a, cases[i].b), cases[i].distance);
		assert_int_equal(config_distance(cases[i].b, cases[i].a), cases[i].distance);
	}
}

/* One slip in any name of the table finds that name again, unless another one is as near. */
static void one_lost_letter_finds_the_name_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < config_key_count; i++) {
		const char *name = config_keys[i].name;

		if (strlen(name) < 4)
			continue;
		char *lost MEM_AUTO = mem_printf("%c%s", *name, name + 2);
		char *hint MEM_AUTO = mem_printf("the nearest is %s", name);
		struct str sentence STR_AUTO = STR_INIT;

		config_unknown_key(config_keys[i].section, lost, &sentence);
		if (!strstr(str_c(&sentence), hint))
			fail_msg("%s: %s", name, str_c(&sentence));
	}
}

static void each_row_of_the_table_is_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < config_key_count; i++) {
		const struct config_key *key = &config_keys[i];

		assert_true(key->type < CONFIG_TYPE_COUNT);
		assert_int_equal(config_key_find(key->section, key->name), i);
		/* What is absent by default says what that means. */
		assert_true(key->initial || key->words || key->alias_section);
		if (key->alias_section)
			assert_true(config_key_resolve((int)i) >= 0);
		if (key->type == CONFIG_NUMBER && !key->alias_section)
			assert_true(key->max > key->min && key->max <= UINT32_MAX);
	}
}

/* No hint of ours leads to a key that is not there. */
static void what_stands_for_a_documented_key_exists(void **state)
{
	static const char *const sections[] = {"security", "security.policy", "autonomy",
		"autonomy.sandbox", "runtime", "runtime.docker", "security.audit.database",
		"security.approval.auto_approve", "security.tool_policy.groups"};
	const char *use;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
		assert_true(config_prx_section(sections[i], &use));
		assert_true(config_key_find_dotted(use) >= 0);
	}
	assert_false(config_prx_section("security.sandbox.x", &use));
	assert_false(config_prx_section("autonomyx", &use));
	assert_false(config_prx_key("exequatur", "backend", &use));
}

static void sizes_are_read_and_printed(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
		const char *printed;
	} cases[] = {
		{"0", 0, "0"},
		{"1", 1, "1"},
		{"1024", 1024, "1k"},
		{"1536k", 1536 << 10, "1536k"},
		{"256m", 256 << 20, "256m"},
		{"2g", 2ull << 30, "2g"},
		{"2048g", 2048ull << 30, "2048g"},
	};
	static const char *const wrong[] = {
		"", "m", "1t", "1mb", "1 m", " 1", "+1", "-1", "1.5g", "0x10", "9999999999999"};
	uint64_t bytes;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str out STR_AUTO = STR_INIT;

		assert_int_equal(config_size_from_text(cases[i].text, &bytes), 0);
		assert_true(bytes == cases[i].bytes);
		config_size_print(bytes, &out);
		assert_string_equal(str_c(&out), cases[i].printed);
	}
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		assert_int_equal(config_size_from_text(wrong[i], &bytes), -1);
	assert_int_equal(config_size_from_text("999999999999g", &bytes), -1);
}

static void thousandths_are_read_and_printed(void **state)
{
	static const struct {
		const char *text;
		uint64_t milli;
		const char *printed;
	} cases[] = {
		{"1", 1000, "1.0"},
		{"1.0", 1000, "1.0"},
		{"1.5", 1500, "1.5"},
		{"0.125", 125, "0.125"},
		{"0.010", 10, "0.01"},
		{"1024", 1024000, "1024.0"},
	};
	static const char *const wrong[] = {"", ".", "1.", ".5", "1,5", "1.2345", "1e3", "-1", "+1",
		" 1", "1 ", "inf", "1.5x", "1.x"};
	uint64_t milli;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str out STR_AUTO = STR_INIT;

		assert_int_equal(config_milli_from_text(cases[i].text, &milli), 0);
		assert_true(milli == cases[i].milli);
		config_milli_print(milli, &out);
		assert_string_equal(str_c(&out), cases[i].printed);
	}
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		assert_int_equal(config_milli_from_text(wrong[i], &milli), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distance_counts_the_slips_of_a_hand),
		cmocka_unit_test(one_lost_letter_finds_the_name_again),
		cmocka_unit_test(each_row_of_the_table_is_whole),
		cmocka_unit_test(what_stands_for_a_documented_key_exists),
		cmocka_unit_test(sizes_are_read_and_printed),
		cmocka_unit_test(thousandths_are_read_and_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

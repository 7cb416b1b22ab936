#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static void an_empty_string_reads_as_empty_text(void **state)
{
	STR_AUTO struct str s = STR_INIT;

	(void)state;
	assert_string_equal(str_c(&s), "");
	str_clear(&s);
	str_truncate(&s, 5);
	assert_int_equal(s.len, 0);
}

static void what_is_added_follows_what_was_there(void **state)
{
	STR_AUTO struct str s = STR_INIT;

	(void)state;
	str_add(&s, "ab");
	str_add_char(&s, 'c');
	str_printf(&s, "-%d-%s", 7, "x");
	str_add_bytes(&s, NULL, 0);
	assert_string_equal(str_c(&s), "abc-7-x");
	assert_int_equal(s.len, 7);
}

static void nul_bytes_are_kept(void **state)
{
	STR_AUTO struct str s = STR_INIT;

	(void)state;
	str_add_bytes(&s, "a\0b", 3);
	str_add_char(&s, '\0');
	assert_int_equal(s.len, 4);
	assert_memory_equal(s.data, "a\0b\0\0", 5);
}

static void a_long_string_grows_and_stays_terminated(void **state)
{
	STR_AUTO struct str s = STR_INIT;

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		str_printf(&s, "%04u", i);
		assert_int_equal(s.data[s.len], '\0');
	}
	assert_int_equal(s.len, 20000);
	assert_memory_equal(s.data + 4 * 4321, "4321", 4);
}

/* What does not fit where there was room is composed once more, whole. */
static void a_long_piece_is_added_whole_at_every_length(void **state)
{
	char piece[301];

	(void)state;
	memset(piece, 'x', 300);
	piece[300] = '\0';
	for (size_t before = 0; before < 130; before++) {
		STR_AUTO struct str s = STR_INIT;

		for (size_t i = 0; i < before; i++)
			str_add_char(&s, 'a');
		str_printf(&s, "%s|%d", piece + before, 42);
		assert_int_equal(s.len, 300 + strlen("|42"));
		assert_string_equal(s.data + 300, "|42");
	}
}

static void truncation_never_grows(void **state)
{
	STR_AUTO struct str s = STR_INIT;

	(void)state;
	str_add(&s, "hello");
	str_truncate(&s, 9);
	assert_string_equal(str_c(&s), "hello");
	str_truncate(&s, 2);
	assert_string_equal(str_c(&s), "he");
	str_clear(&s);
	assert_string_equal(str_c(&s), "");
}

static void a_stolen_string_leaves_an_empty_one(void **state)
{
	STR_AUTO struct str s = STR_INIT;

	(void)state;
	str_add(&s, "x");
	MEM_AUTO char *text = str_steal(&s);
	MEM_AUTO char *empty = str_steal(&s);
	assert_string_equal(text, "x");
	assert_string_equal(empty, "");
	str_add(&s, "again");
	assert_string_equal(str_c(&s), "again");
}

static void a_released_string_can_be_used_again(void **state)
{
	struct str s = STR_INIT;

	(void)state;
	str_add(&s, "x");
	str_release(&s);
	assert_null(s.data);
	str_add(&s, "y");
	assert_string_equal(str_c(&s), "y");
	str_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_string_reads_as_empty_text),
		cmocka_unit_test(what_is_added_follows_what_was_there),
		cmocka_unit_test(nul_bytes_are_kept),
		cmocka_unit_test(a_long_string_grows_and_stays_terminated),
		cmocka_unit_test(a_long_piece_is_added_whole_at_every_length),
		cmocka_unit_test(truncation_never_grows),
		cmocka_unit_test(a_stolen_string_leaves_an_empty_one),
		cmocka_unit_test(a_released_string_can_be_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

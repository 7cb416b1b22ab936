#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/mem.h"
#include "base/strv.h"

static void the_items_are_an_argument_vector(void **state)
{
	STRV_AUTO struct strv v = STRV_INIT;

	(void)state;
	for (int i = 0; i < 100; i++) {
		strv_printf(&v, "arg%d", i);
		assert_null(v.items[v.count]);
	}
	assert_int_equal(v.count, 100);
	assert_string_equal(v.items[0], "arg0");
	assert_string_equal(v.items[99], "arg99");
}

static void added_text_is_copied_and_taken_text_is_owned(void **state)
{
	STRV_AUTO struct strv v = STRV_INIT;
	char text[] = "one";
	char *owned = mem_strdup("two");

	(void)state;
	strv_add(&v, text);
	text[0] = 'X';
	strv_take(&v, owned);
	assert_string_equal(v.items[0], "one");
	assert_ptr_equal(v.items[1], owned);
}

static void a_vector_can_be_appended_to_itself(void **state)
{
	STRV_AUTO struct strv v = STRV_INIT;

	(void)state;
	strv_add(&v, "a");
	strv_add(&v, "b");
	strv_copy(&v, &v);
	assert_int_equal(v.count, 4);
	assert_string_equal(v.items[3], "b");
	assert_ptr_not_equal(v.items[1], v.items[3]);
}

static void only_equal_text_is_found(void **state)
{
	STRV_AUTO struct strv v = STRV_INIT;

	(void)state;
	assert_false(strv_has(&v, ""));
	strv_add(&v, "abc");
	assert_true(strv_has(&v, "abc"));
	assert_false(strv_has(&v, "ab"));
	assert_false(strv_has(&v, "ABC"));
}

static void sorting_goes_by_bytes(void **state)
{
	static const char *const sorted[] = {"", "B", "a", "aa", "\xC3\xA9"};
	STRV_AUTO struct strv v = STRV_INIT;

	(void)state;
	strv_sort(&v);
	for (size_t i = ARRAY_LEN(sorted); i > 0; i--)
		strv_add(&v, sorted[i - 1]);
	strv_sort(&v);
	for (size_t i = 0; i < ARRAY_LEN(sorted); i++)
		assert_string_equal(v.items[i], sorted[i]);
	assert_null(v.items[v.count]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_items_are_an_argument_vector),
		cmocka_unit_test(added_text_is_copied_and_taken_text_is_owned),
		cmocka_unit_test(a_vector_can_be_appended_to_itself),
		cmocka_unit_test(only_equal_text_is_found),
		cmocka_unit_test(sorting_goes_by_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

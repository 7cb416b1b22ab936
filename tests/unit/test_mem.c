#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void fresh_memory_is_zeroed(void **state)
{
	MEM_AUTO unsigned char *bytes = mem_alloc(257);
	MEM_AUTO int *array = mem_array(31, sizeof(*array));

	(void)state;
	for (size_t i = 0; i < 257; i++)
		assert_int_equal(bytes[i], 0);
	for (size_t i = 0; i < 31; i++)
		assert_int_equal(array[i], 0);
}

static void nothing_is_still_memory(void **state)
{
	MEM_AUTO void *none = mem_alloc(0);
	MEM_AUTO void *empty = mem_array(0, 8);
	MEM_AUTO void *resized = mem_resize(NULL, 0, 8);

	(void)state;
	assert_non_null(none);
	assert_non_null(empty);
	assert_non_null(resized);
}

static void a_copy_of_bytes_ends_with_nul_and_keeps_inner_ones(void **state)
{
	MEM_AUTO char *copy = mem_strndup("a\0b", 3);
	MEM_AUTO char *empty = mem_strndup(NULL, 0);

	(void)state;
	assert_memory_equal(copy, "a\0b\0", 4);
	assert_string_equal(empty, "");
}

static void no_text_stays_no_text(void **state)
{
	MEM_AUTO char *copy = mem_strdup("x");

	(void)state;
	assert_null(mem_strdup(NULL));
	assert_string_equal(copy, "x");
}

static void printed_text_has_its_length(void **state)
{
	MEM_AUTO char *text = mem_printf("%s-%0500d", "a", 1);

	(void)state;
	assert_int_equal(strlen(text), 502);
}

static void a_growing_array_keeps_its_elements(void **state)
{
	MEM_AUTO size_t *items = NULL;
	size_t cap = 0;
	size_t moves = 0;

	(void)state;
	for (size_t count = 0; count < 1000; count++) {
		size_t before = cap;

		mem_grow(&items, &cap, count, sizeof(*items));
		moves += before != cap;
		assert_true(cap > count);
		items[count] = count;
	}
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
	assert_true(moves < 12);
}

static void growth_can_jump(void **state)
{
	MEM_AUTO char *items = NULL;
	size_t cap = 0;

	(void)state;
	mem_grow(&items, &cap, 5000, 1);
	assert_true(cap > 5000);
}

static char *steal_from(char **owner)
{
	return STEAL(*owner);
}

static void a_stolen_pointer_leaves_nothing_behind(void **state)
{
	MEM_AUTO char *owner = mem_strdup("x");
	char *before = owner;
	MEM_AUTO char *thief = steal_from(&owner);

	(void)state;
	assert_null(owner);
	assert_ptr_equal(thief, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fresh_memory_is_zeroed),
		cmocka_unit_test(nothing_is_still_memory),
		cmocka_unit_test(a_copy_of_bytes_ends_with_nul_and_keeps_inner_ones),
		cmocka_unit_test(no_text_stays_no_text),
		cmocka_unit_test(printed_text_has_its_length),
		cmocka_unit_test(a_growing_array_keeps_its_elements),
		cmocka_unit_test(growth_can_jump),
		cmocka_unit_test(a_stolen_pointer_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

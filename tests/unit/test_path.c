#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/mem.h"
#include "base/path.h"

struct pair_case {
	const char *a, *b, *expected;
};

static void names_are_joined_with_one_slash(void **state)
{
	static const struct pair_case cases[] = {
		{"/a", "b", "/a/b"},
		{"/a/", "b", "/a/b"},
		{"/", "b", "/b"},
		{"/a", "/b", "/b"},
		{"", "b", "b"},
		{"a", "", "a/"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		MEM_AUTO char *got = path_join(cases[i].a, cases[i].b);

		assert_string_equal(got, cases[i].expected);
	}
}

static void a_normal_path_has_no_detours(void **state)
{
	static const char *const cases[][2] = {
		{"/", "/"},
		{"//", "/"},
		{"/a//b/./c/", "/a/b/c"},
		{"/a/../b", "/b"},
		{"/..", "/"},
		{"/../../a", "/a"},
		{"/a/b/../..", "/"},
		{"a/..", "."},
		{"", "."},
		{".", "."},
		{"./a", "a"},
		{"..", ".."},
		{"../../a", "../../a"},
		{"a/../../b", "../b"},
		{"a/b/..", "a"},
		{"/a/...", "/a/..."},
		{"/a/..b", "/a/..b"},
		{"/a\n/..", "/"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		MEM_AUTO char *got = path_normalize(cases[i][0]);

		assert_string_equal(got, cases[i][1]);
	}
}

static void directory_and_name_come_apart(void **state)
{
	static const struct pair_case cases[] = {
		{"/a/b", "/a", "b"},
		{"/a", "/", "a"},
		{"a", ".", "a"},
		{"a/b/c", "a/b", "c"},
		{"a//b", "a", "b"},
		{"/", "/", ""},
		{"", ".", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		MEM_AUTO char *dir = path_dirname(cases[i].a);

		assert_string_equal(dir, cases[i].b);
		assert_string_equal(path_basename(cases[i].a), cases[i].expected);
	}
}

static void below_means_a_whole_component(void **state)
{
	(void)state;
	assert_true(path_is_equal_or_below("/srv/shop", "/srv/shop"));
	assert_true(path_is_equal_or_below("/srv/shop/a", "/srv/shop"));
	assert_true(path_is_equal_or_below("/srv", "/"));
	assert_true(path_is_equal_or_below("/", "/"));
	assert_false(path_is_equal_or_below("/srv/shopping", "/srv/shop"));
	assert_false(path_is_equal_or_below("/srv", "/srv/shop"));
	assert_false(path_is_equal_or_below("srv", "/"));
}

static void only_a_leading_tilde_alone_is_home(void **state)
{
	static const char *const cases[][2] = {
		{"~", "/home/mira"},
		{"~/x", "/home/mira/x"},
		{"~other/x", "~other/x"},
		{"/a/~", "/a/~"},
		{"a", "a"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		MEM_AUTO char *got = path_expand_home(cases[i][0], "/home/mira");

		assert_string_equal(got, cases[i][1]);
	}
}

static void without_a_home_the_tilde_stays(void **state)
{
	MEM_AUTO char *got = path_expand_home("~/x", NULL);

	(void)state;
	assert_string_equal(got, "~/x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_joined_with_one_slash),
		cmocka_unit_test(a_normal_path_has_no_detours),
		cmocka_unit_test(directory_and_name_come_apart),
		cmocka_unit_test(below_means_a_whole_component),
		cmocka_unit_test(only_a_leading_tilde_alone_is_home),
		cmocka_unit_test(without_a_home_the_tilde_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

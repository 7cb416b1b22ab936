#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

static struct json *parsed(const char *text)
{
	struct json *v = NULL;
	struct err err = ERR_INIT;

	if (json_parse(text, strlen(text), JSON_DEPTH_MAX, &v, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return v;
}

static void expect_print(const struct json *v, bool ascii, const char *expected)
{
	STR_AUTO struct str out = STR_INIT;

	json_print(v, ascii, &out);
	assert_string_equal(str_c(&out), expected);
}

static void members_are_read_by_name_and_type(void **state)
{
	JSON_AUTO struct json *v =
		parsed(" {\"s\":\"a\\n\\u00e9\\ud83d\\ude00\",\"n\":-7,\"t\":true,\"f\":false,"
		       "\"z\":null,\"a\":[1,2,3],\"o\":{}} \r\n");

	(void)state;
	assert_string_equal(json_get_str(v, "s"), "a\n\xC3\xA9\xF0\x9F\x98\x80");
	assert_int_equal(json_get_int(v, "n", 1), -7);
	assert_true(json_get_bool(v, "t", false));
	assert_false(json_get_bool(v, "f", true));
	assert_int_equal(json_type(json_get(v, "z")), JSON_NULL);
	assert_int_equal(json_count(json_get(v, "a")), 3);
	assert_int_equal(json_count(json_get(v, "o")), 0);
	assert_int_equal(json_count(v), 7);
	assert_string_equal(json_key(json_first(v)), "s");
}

static void another_type_or_nothing_gives_the_fallback(void **state)
{
	JSON_AUTO struct json *v = parsed("{\"s\":\"1\",\"n\":1,\"h\":1.5,\"z\":null}");
	int64_t value = 99;

	(void)state;
	assert_null(json_get_str(v, "n"));
	assert_null(json_get_str(v, "S"));
	assert_null(json_get(NULL, "s"));
	assert_int_equal(json_get_int(v, "s", 5), 5);
	assert_int_equal(json_get_int(v, "h", 5), 5);
	assert_int_equal(json_get_int(v, "absent", 5), 5);
	assert_true(json_get_bool(v, "n", true));
	assert_true(json_get_bool(v, "z", true));
	assert_false(json_bool(json_get(v, "n")));
	assert_int_equal(json_int(json_get(v, "s"), &value), -1);
	assert_int_equal(value, 99);
	assert_int_equal(json_type(NULL), JSON_NULL);
}

static void the_order_of_members_is_kept(void **state)
{
	JSON_AUTO struct json *v = parsed("{\"b\":1,\"a\":[{\"z\":2},{\"z\":3}],\"\":4}");

	(void)state;
	expect_print(v, false, "{\"b\":1,\"a\":[{\"z\":2},{\"z\":3}],\"\":4}");
}

static void only_whole_numbers_within_2_to_the_53_are_integers(void **state)
{
	static const struct {
		const char *text;
		int status;
		int64_t value;
	} cases[] = {
		{"0", 0, 0},
		{"-0", 0, 0},
		{"9007199254740992", 0, INT64_C(9007199254740992)},
		{"-9007199254740992", 0, INT64_C(-9007199254740992)},
		{"9007199254740993", -1, 0},
		{"-9007199254740993", -1, 0},
		{"99999999999999999999999", -1, 0},
		{"30.0", 0, 30},
		{"1e2", 0, 100},
		{"1E+2", 0, 100},
		{"1200e-2", 0, 12},
		{"0e999999999999", 0, 0},
		{"0.00", 0, 0},
		{"1.5", -1, 0},
		{"1e-1", -1, 0},
		{"1.00000000000000000001", -1, 0},
		{"1e16", -1, 0},
		{"0.1e17", -1, 0},
		{"5e-99999999999999", -1, 0},
		{"1e300", -1, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		JSON_AUTO struct json *v = parsed(cases[i].text);
		int64_t value = 0;

		assert_int_equal(json_int(v, &value), cases[i].status);
		assert_int_equal(value, cases[i].value);
	}
}

static void numbers_print_as_they_were_written(void **state)
{
	static const char text[] = "[9007199254740992,-9007199254740993,1.5,1e300,30.0,"
				   "123456789012345,-1]";
	JSON_AUTO struct json *v = parsed(text);
	JSON_AUTO struct json *copy = json_copy(v);
	JSON_AUTO struct json *large = json_new_int(INT64_MIN);

	(void)state;
	expect_print(v, false, text);
	expect_print(copy, true, text);
	expect_print(large, false, "-9223372036854775808");
}

static void the_locale_does_not_change_numbers(void **state)
{
	(void)state;
	if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL)
		setlocale(LC_NUMERIC, "C.UTF-8");
	JSON_AUTO struct json *v = parsed("[1.5,2.50e1]");
	expect_print(v, false, "[1.5,2.50e1]");
	assert_int_equal(json_int(json_next(json_first(v)), &(int64_t){0}), 0);
	setlocale(LC_NUMERIC, "C");
}

static void strings_print_with_what_must_be_escaped(void **state)
{
	JSON_AUTO struct json *v = json_new_str(
		"\"\\/\b\f\n\r\t\x01\x1F\x7F\xC2\x9B\xE2\x80\xA8\xC3\xA9\xF0\x9F\x98\x80");

	(void)state;
	expect_print(v, false,
		"\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\\u009b\\u2028\xC3\xA9"
		"\xF0\x9F\x98\x80\"");
	expect_print(v, true,
		"\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\\u009b\\u2028\\u00e9"
		"\\ud83d\\ude00\"");
}

static void bytes_may_hold_nul(void **state)
{
	static const char bytes[] = "a\0b\xC3\xA9\"";
	JSON_AUTO struct json *v = json_new_bytes(bytes, sizeof(bytes) - 1);
	JSON_AUTO struct json *plain = json_new_bytes(bytes, 1);
	JSON_AUTO struct json *empty = json_new_bytes(NULL, 0);

	(void)state;
	assert_int_equal(json_type(v), JSON_STRING);
	assert_null(json_str(v));
	expect_print(v, false, "\"a\\u0000b\xC3\xA9\\\"\"");
	expect_print(v, true, "\"a\\u0000b\\u00e9\\\"\"");
	assert_string_equal(json_str(plain), "a");
	assert_string_equal(json_str(empty), "");
}

static void what_is_not_utf8_never_leaves(void **state)
{
	JSON_AUTO struct json *v = json_new_str("a\xFFz\xC3");

	(void)state;
	expect_print(v, false, "\"a\xEF\xBF\xBDz\xEF\xBF\xBD\"");
	expect_print(v, true, "\"a\\ufffdz\\ufffd\"");
}

static void a_built_object_prints_in_order(void **state)
{
	JSON_AUTO struct json *v = json_new_object();
	struct json *list = json_new_array();

	(void)state;
	json_set_int(v, "id", 7);
	json_set_str(v, "error", NULL);
	json_set_bool(v, "success", false);
	json_push(list, json_new_str("a"));
	json_push(list, json_new_null());
	json_push(list, json_new_bool(true));
	json_set(v, "notes", list);
	json_set(v, "k\"\xC3\xA9", json_new_object());
	expect_print(v, true,
		"{\"id\":7,\"error\":null,\"success\":false,\"notes\":[\"a\",null,true],"
		"\"k\\\"\\u00e9\":{}}");
}

static void a_copy_does_not_share_with_its_origin(void **state)
{
	struct json *v = parsed("{\"a\":[\"x\"]}");
	JSON_AUTO struct json *copy = json_copy(v);

	(void)state;
	json_free(v);
	expect_print(copy, false, "{\"a\":[\"x\"]}");
	assert_null(json_copy(NULL));
}

static void every_type_has_a_name(void **state)
{
	(void)state;
	for (int type = JSON_NULL; type <= JSON_OBJECT; type++)
		assert_true(strlen(json_type_name((enum json_type)type)) > 3);
	assert_string_equal(json_type_name(JSON_STRING), "a string");
}

static void a_large_string_prints_whole(void **state)
{
	const size_t len = 1 << 20;
	MEM_AUTO char *bytes = mem_alloc(len + 1);
	STR_AUTO struct str out = STR_INIT;

	(void)state;
	memset(bytes, 'x', len);
	bytes[len / 2] = '\n';
	JSON_AUTO struct json *v = json_new_bytes(bytes, len);
	json_print(v, false, &out);
	assert_int_equal(out.len, len + 3);
}

static void equal_is_what_is_printed_alike(void **state)
{
	static const struct {
		const char *a, *b;
		bool equal;
	} cases[] = {
		{"null", "null", true},
		{"null", "false", false},
		{"true", "true", true},
		{"true", "false", false},
		{"1", "1", true},
		{"1", "2", false},
		{"1.5", "1.5", true},
		{"1.5", "1.50", false},
		{"12345678901234567890", "12345678901234567890", true},
		{"12345678901234567890", "12345678901234567891", false},
		{"\"a\"", "\"a\"", true},
		{"\"a\"", "\"b\"", false},
		{"\"\\u0061\"", "\"a\"", true},
		{"\"1\"", "1", false},
		{"[1,[2,3]]", "[1,[2,3]]", true},
		{"[1,[2,3]]", "[1,[2,4]]", false},
		{"[1,2]", "[1,2,3]", false},
		{"[1,2,3]", "[1,2]", false},
		{"[]", "{}", false},
		{"{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}", true},
		{"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", false},
		{"{\"a\":1}", "{\"a\":1,\"b\":2}", false},
		{"{\"a\":1}", "{\"A\":1}", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		JSON_AUTO struct json *a = NULL, *b = NULL;

		assert_int_equal(json_parse(cases[i].a, strlen(cases[i].a), 8, &a, NULL), 0);
		assert_int_equal(json_parse(cases[i].b, strlen(cases[i].b), 8, &b, NULL), 0);
		assert_int_equal(json_equal(a, b), cases[i].equal);
	}
	JSON_AUTO struct json *x = json_new_bytes("a\0b", 3);
	JSON_AUTO struct json *y = json_new_bytes("a\0b", 3);
	JSON_AUTO struct json *z = json_new_bytes("a\0c", 3);

	assert_true(json_equal(x, y));
	assert_false(json_equal(x, z));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_is_what_is_printed_alike),
		cmocka_unit_test(members_are_read_by_name_and_type),
		cmocka_unit_test(another_type_or_nothing_gives_the_fallback),
		cmocka_unit_test(the_order_of_members_is_kept),
		cmocka_unit_test(only_whole_numbers_within_2_to_the_53_are_integers),
		cmocka_unit_test(numbers_print_as_they_were_written),
		cmocka_unit_test(the_locale_does_not_change_numbers),
		cmocka_unit_test(strings_print_with_what_must_be_escaped),
		cmocka_unit_test(bytes_may_hold_nul),
		cmocka_unit_test(what_is_not_utf8_never_leaves),
		cmocka_unit_test(a_built_object_prints_in_order),
		cmocka_unit_test(a_copy_does_not_share_with_its_origin),
		cmocka_unit_test(every_type_has_a_name),
		cmocka_unit_test(a_large_string_prints_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

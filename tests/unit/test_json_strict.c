#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

struct refusal {
	const char *text;
	size_t len; /* 0: up to the NUL */
	const char *message;
};

static void expect_refusal(const struct refusal *c)
{
	struct json *v = NULL;
	struct err err = ERR_INIT;
	size_t len = c->len > 0 ? c->len : strlen(c->text);
	/* A copy of exactly this size lets a sanitizer see a read behind the end. */
	MEM_AUTO char *exact = malloc(len > 0 ? len : 1);

	assert_non_null(exact);
	memcpy(exact, c->text, len);
	assert_int_equal(json_parse(exact, len, JSON_DEPTH_MAX, &v, &err), -1);
	assert_null(v);
	assert_int_equal(err.code, ERR_INVALID);
	if (strstr(err.text, c->message) == NULL)
		fail_msg("%s: \"%s\" does not say \"%s\"", c->text, err.text, c->message);
}

static void expect_refusals(const struct refusal *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		expect_refusal(&cases[i]);
}

static void text_that_is_not_one_value_is_refused(void **state)
{
	static const struct refusal cases[] = {
		{"", 0, "the end instead of a value at byte 0"},
		{"  ", 0, "the end instead of a value at byte 2"},
		{"{", 0, "no name of a member at byte 1"},
		{"[1", 0, "the end inside a value"},
		{"[1,]", 0, "no value at byte 3"},
		{"{\"a\":1,}", 0, "no name of a member at byte 7"},
		{"{\"a\"}", 0, "no colon"},
		{"{\"a\" 1}", 0, "no colon"},
		{"{a:1}", 0, "no name"},
		{"[1 2]", 0, "no comma and no end at byte 3"},
		{"[1}", 0, "no comma and no end"},
		{"{\"a\":1]", 0, "no comma and no end"},
		{"1 2", 0, "something after the value at byte 2"},
		{"{}{}", 0, "something after the value"},
		{"{}\0", 3, "something after the value"},
		{"{}//", 0, "something after the value"},
		{"\xEF\xBB\xBF{}", 0, "no value at byte 0"},
		{"nul", 0, "no value"},
		{"True", 0, "no value"},
		{"'a'", 0, "no value"},
		{"NaN", 0, "no value"},
		{"\x0B{}", 0, "no value"},
		{"]", 0, "no value"},
	};

	(void)state;
	expect_refusals(cases, ARRAY_LEN(cases));
}

static void strings_that_lie_are_refused(void **state)
{
	static const struct refusal cases[] = {
		{"\"a", 0, "a string without an end at byte 0"},
		{"\"a\\\"", 0, "a string without an end"},
		{"\"a\nb\"", 0, "a raw control character in a string at byte 2"},
		{"\"a\0b\"", 5, "a raw control character in a string at byte 2"},
		{"\"\\u0000\"", 0, "\\u0000"},
		{"{\"a\\u0000b\":1}", 0, "\\u0000"},
		{"\"\\ud800\"", 0, "a lone surrogate at byte 1"},
		{"\"\\udc00\"", 0, "a lone surrogate"},
		{"\"\\ud800\\u0041\"", 0, "a lone surrogate"},
		{"\"\\ud800\\ud800\"", 0, "a lone surrogate"},
		{"\"\\ud800x\"", 0, "a lone surrogate"},
		{"\"\\ud83d\\ude0\"", 0, "a lone surrogate"},
		{"\"\\u12g4\"", 0, "four hexadecimal digits"},
		{"\"\\u12", 0, "four hexadecimal digits"},
		{"\"\\x41\"", 0, "an unknown escape at byte 1"},
		{"\"\\\0\"", 4, "an unknown escape"},
		{"\"\\", 0, "an unknown escape"},
	};

	(void)state;
	expect_refusals(cases, ARRAY_LEN(cases));
}

static void what_is_not_utf8_is_refused(void **state)
{
	static const struct refusal cases[] = {
		{"\"\xFF\"", 0, "invalid UTF-8 at byte 1"},
		{"\"\xC0\x80\"", 0, "invalid UTF-8"},
		{"\"\xED\xA0\x80\"", 0, "invalid UTF-8"},
		{"\"\xF4\x90\x80\x80\"", 0, "invalid UTF-8"},
		{"\"ab\xE2\x82", 0, "invalid UTF-8 at byte 3"},
		{"{}\x80", 0, "invalid UTF-8 at byte 2"},
	};

	(void)state;
	expect_refusals(cases, ARRAY_LEN(cases));
}

static void numbers_outside_the_grammar_are_refused(void **state)
{
	static const struct refusal cases[] = {
		{"01", 0, "a number that JSON does not know at byte 0"},
		{"-", 0, "a number that JSON does not know"},
		{"-a", 0, "a number that JSON does not know"},
		{"+1", 0, "no value"},
		{"1.", 0, "a number that JSON does not know"},
		{".5", 0, "no value"},
		{"1e", 0, "a number that JSON does not know"},
		{"1e+", 0, "a number that JSON does not know"},
		{"0x10", 0, "something after the value"},
		{"[1.e5]", 0, "a number that JSON does not know at byte 1"},
		{"1e400", 0, "a number too large"},
		{"[-1e999]", 0, "a number too large"},
		{"1234567890123456789012345678901234567890123456789012345678901234", 0,
			"more than 63 bytes"},
	};

	(void)state;
	expect_refusals(cases, ARRAY_LEN(cases));
}

static void a_name_twice_in_one_object_is_refused(void **state)
{
	static const struct refusal cases[] = {
		{"{\"a\":1,\"a\":2}", 0, "\"a\" is there twice, at byte 7"},
		{"{\"a\":1,\"\\u0061\":2}", 0, "\"a\" is there twice"},
		{"{\"\":1,\"\":2}", 0, "\"\" is there twice"},
		{"[{\"x\":{\"y\":[{\"b\":1,\"c\":2,\"b\":3}]}}]", 0, "\"b\" is there twice"},
		{"{\"k\":{},\"a\":{\"k\":1},\"k\":2}", 0, "\"k\" is there twice, at byte 20"},
		{"{\"\\n\":1,\"\\u000a\":1}", 0, "is there twice"},
		{"{\"\\ud83d\\ude00\":1,\"\xF0\x9F\x98\x80\":1}", 0, "is there twice"},
	};

	(void)state;
	expect_refusals(cases, ARRAY_LEN(cases));
}

static void the_same_name_in_two_objects_is_fine(void **state)
{
	static const char *const cases[] = {
		"[{\"a\":1},{\"a\":1}]",
		"{\"a\":{\"a\":{\"a\":1}}}",
		"{\"a\":1,\"A\":2,\"aa\":3}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		JSON_AUTO struct json *v = NULL;

		assert_int_equal(json_parse(cases[i], strlen(cases[i]), 16, &v, NULL), 0);
	}
}

static int parse_nested(size_t depth, size_t max_depth, struct err *err)
{
	STR_AUTO struct str text = STR_INIT;
	JSON_AUTO struct json *v = NULL;

	for (size_t i = 0; i < depth; i++)
		str_add(&text, i % 2 == 0 ? "[" : "{\"a\":");
	str_add(&text, "1");
	for (size_t i = depth; i > 0; i--)
		str_add(&text, i % 2 == 1 ? "]" : "}");
	return json_parse(text.data, text.len, max_depth, &v, err);
}

static void nesting_ends_at_its_limit(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(parse_nested(16, 16, &err), 0);
	assert_int_equal(parse_nested(17, 16, &err), -1);
	assert_non_null(strstr(err.text, "nesting over 16"));
	assert_int_equal(parse_nested(0, 0, &err), 0);
	assert_int_equal(parse_nested(1, 0, &err), -1);
	assert_int_equal(parse_nested(900, 900, &err), 0);
}

static void a_hundred_thousand_brackets_are_no_crash(void **state)
{
	static char text[100000];
	struct json *v = NULL;
	struct err err = ERR_INIT;

	(void)state;
	memset(text, '[', sizeof(text));
	assert_int_equal(json_parse(text, sizeof(text), 16, &v, &err), -1);
	assert_non_null(strstr(err.text, "nesting over 16 at byte 16"));
	assert_int_equal(json_parse(text, sizeof(text), SIZE_MAX, &v, &err), -1);
}

static void many_names_are_compared_without_comparing_all_with_all(void **state)
{
	STR_AUTO struct str text = STR_INIT;
	JSON_AUTO struct json *v = NULL;
	struct err err = ERR_INIT;

	(void)state;
	str_add(&text, "{");
	for (unsigned i = 0; i < 200000; i++)
		str_printf(&text, "\"%u\":0,", i);
	str_add(&text, "\"last\":0}");
	assert_int_equal(json_parse(text.data, text.len, 16, &v, &err), 0);
	assert_int_equal(json_count(v), 200001);
	str_truncate(&text, text.len - 1);
	str_add(&text, ",\"77\":0}");
	struct json *refused = NULL;
	assert_int_equal(json_parse(text.data, text.len, 16, &refused, &err), -1);
	assert_non_null(strstr(err.text, "\"77\" is there twice"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_that_is_not_one_value_is_refused),
		cmocka_unit_test(strings_that_lie_are_refused),
		cmocka_unit_test(what_is_not_utf8_is_refused),
		cmocka_unit_test(numbers_outside_the_grammar_are_refused),
		cmocka_unit_test(a_name_twice_in_one_object_is_refused),
		cmocka_unit_test(the_same_name_in_two_objects_is_fine),
		cmocka_unit_test(nesting_ends_at_its_limit),
		cmocka_unit_test(a_hundred_thousand_brackets_are_no_crash),
		cmocka_unit_test(many_names_are_compared_without_comparing_all_with_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

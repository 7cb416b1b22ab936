#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/request.h"

struct refusal {
	const char *line;
	const char *sentence; /* the beginning of it */
};

/* Wraps what stands for the value of `arguments`. */
#define CALL(arguments) "{\"id\":5,\"name\":\"shell\",\"arguments\":" arguments "}"
#define WITH(member) CALL("{\"command\":\"ls\"," member "}")

/* Not one complete value of strict JSON: no id can be trusted, so none is echoed. */
static const struct refusal unreadable[] = {
	{"", "not one JSON object: "},
	{"   ", "not one JSON object: "},
	{"ls -la", "not one JSON object: "},
	{"{\"name\":\"shell\",\"arguments\":{\"command\":\"ls\"}", "not one JSON object: "},
	{CALL("{\"command\":\"ls\"}") " trailing", "not one JSON object: "},
	{CALL("{\"command\":\"ls\"}") CALL("{\"command\":\"ls\"}"), "not one JSON object: "},
	{CALL("{\"command\":\"ls\",\"command\":\"touch x\"}"), "not one JSON object: "},
	{CALL("{\"command\":\"ls\",\"comm\\u0061nd\":\"touch x\"}"), "not one JSON object: "},
	{"{\"id\":5,\"id\":6,\"name\":\"shell\",\"arguments\":{\"command\":\"ls\"}}",
		"not one JSON object: "},
	{WITH("\"x\":{\"y\":[{\"z\":1,\"z\":2}]}"), "not one JSON object: "},
	{CALL("{\"command\":\"ls\\u0000; touch x\"}"), "not one JSON object: "},
	{WITH("\"working_dir\":\"/srv\\u0000/x\""), "not one JSON object: "},
	{WITH("\"a\\u0000b\":1"), "not one JSON object: "},
	{CALL("{\"command\":\"echo \\ud800\"}"), "not one JSON object: "},
	{CALL("{\"command\":\"echo \\udc00\\ud800\"}"), "not one JSON object: "},
	{CALL("{\"command\":\"echo \xff\"}"), "not one JSON object: "},
	{CALL("{\"command\":\"echo \xc0\xaf\"}"), "not one JSON object: "},
	{CALL("{\"command\":\"echo \xed\xa0\x80\"}"), "not one JSON object: "},
	{CALL("{\"command\":\"a\tb\"}"), "not one JSON object: "},
	{WITH("\"timeout\":1e400"), "not one JSON object: "},
	{WITH("\"timeout\":NaN"), "not one JSON object: "},
	{WITH("\"timeout\":Infinity"), "not one JSON object: "},
	{WITH("\"timeout\":01"), "not one JSON object: "},
	{WITH("\"x\":[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]"), "not one JSON object: "},
	{"\xef\xbb\xbf" CALL("{\"command\":\"ls\"}"), "not one JSON object: "},
};

/* Strict JSON, and no call of ours: the id is echoed. */
static const struct refusal wrong[] = {
	{"{\"id\":5,\"arguments\":{\"command\":\"ls\"}}",
		"\"name\" is missing; it names the tool, which is \"shell\""},
	{"{\"id\":5,\"name\":\"shell\",\"tool\":\"Shell\",\"arguments\":{\"command\":\"ls\"}}",
		"\"name\" and \"tool\" differ; send one of them"},
	{"{\"id\":5,\"name\":[\"shell\"],\"arguments\":{\"command\":\"ls\"}}",
		"\"name\" must be a string, not a list"},
	{"{\"id\":5,\"name\":\"shell\",\"tool\":null,\"arguments\":{\"command\":\"ls\"}}",
		"\"tool\" must be a string, not null"},
	{"{\"id\":5,\"name\":\"shell\"}", "\"arguments\" is missing; send {\"command\": \"...\"}"},
	{CALL("null"), "\"arguments\" must be an object, not null"},
	{CALL("[\"ls\"]"), "\"arguments\" must be an object, not a list"},
	{CALL("7"), "\"arguments\" must be an object, not a number"},
	{CALL("\"ls -la\""), "the string in \"arguments\": "},
	{CALL("\"[1]\""), "the string in \"arguments\" must hold an object, not a list"},
	{CALL("\"{}\""), "\"command\" is missing in \"arguments\"; send what is to be run"},
	{CALL("\"\\\"{\\\\\\\"command\\\\\\\":\\\\\\\"ls\\\\\\\"}\\\"\""),
		"the string in \"arguments\" must hold an object, not a string"},
	{CALL("\"{\\\"command\\\":\\\"ls\\\",\\\"command\\\":\\\"rm\\\"}\""),
		"the string in \"arguments\": "},
	{CALL("\"{\\\"command\\\":\\\"ls\\\\u0000rm\\\"}\""), "the string in \"arguments\": "},
	{CALL("\"{\\\"command\\\":\\\"ls\\\"} x\""), "the string in \"arguments\": "},
	{CALL("{}"), "\"command\" is missing in \"arguments\"; send what is to be run"},
	{CALL("{\"command\":\"\"}"), "\"command\" is empty; send what is to be run"},
	{CALL("{\"command\":[\"ls\",\"-la\"]}"),
		"\"command\" must be a string, not a list; send the whole command line as one "
		"string"},
	{CALL("{\"command\":null}"), "\"command\" must be a string, not null; "},
	{CALL("{\"command\":7}"), "\"command\" must be a string, not a number; "},
	{WITH("\"timeout\":0"), "\"timeout\" must be whole seconds, at least 1; "},
	{WITH("\"timeout\":-1"), "\"timeout\" must be whole seconds, at least 1; "},
	{WITH("\"timeout\":-1e20"), "\"timeout\" must be whole seconds, at least 1; "},
	{WITH("\"timeout\":1.5"), "\"timeout\" must be whole seconds, at least 1; "},
	{WITH("\"timeout\":1e-3"), "\"timeout\" must be whole seconds, at least 1; "},
	{WITH("\"timeout\":12345678901234567890.5"),
		"\"timeout\" must be whole seconds, at least 1; "},
	{WITH("\"timeout\":\"30\""), "\"timeout\" must be a number of whole seconds, not a string"},
	{WITH("\"timeout\":true"), "\"timeout\" must be a number of whole seconds, not "},
	{WITH("\"timeout\":null"), "\"timeout\" must be a number of whole seconds, not null"},
	{WITH("\"network\":1"), "\"network\" must be true or false, not a number"},
	{WITH("\"network\":\"true\""), "\"network\" must be true or false, not a string"},
	{WITH("\"network\":null"), "\"network\" must be true or false, not null"},
	{WITH("\"working_dir\":7"), "\"working_dir\" must be a string, not a number"},
	{WITH("\"working_dir\":\"\""), "\"working_dir\" is empty; leave it out for the workspace"},
	{"{\"id\":5,\"name\":\"shell\",\"agent\":7,\"arguments\":{\"command\":\"ls\"}}",
		"\"agent\" must be a string, not a number"},
	{"{\"id\":5,\"name\":\"shell\",\"reason\":{},\"arguments\":{\"command\":\"ls\"}}",
		"\"reason\" must be a string, not an object"},
};

/* What is no id is answered with none. */
static const struct refusal bad_ids[] = {
	{"{\"id\":null,\"name\":\"shell\",\"arguments\":{\"command\":\"ls\"}}",
		"\"id\" must be a string or a whole number, not null"},
	{"{\"id\":true,\"name\":\"shell\",\"arguments\":{\"command\":\"ls\"}}",
		"\"id\" must be a string or a whole number, not "},
	{"{\"id\":[1],\"name\":\"shell\",\"arguments\":{\"command\":\"ls\"}}",
		"\"id\" must be a string or a whole number, not a list"},
	{"{\"id\":1.5,\"name\":\"shell\",\"arguments\":{\"command\":\"ls\"}}",
		"\"id\" must be a whole number within 2^53, or a string"},
	{"{\"id\":9007199254740993,\"name\":\"shell\",\"arguments\":{\"command\":\"ls\"}}",
		"\"id\" must be a whole number within 2^53, or a string"},
	{"[1]", "a call is one object, not a list"},
	{"\"ls\"", "a call is one object, not a string"},
	{"null", "a call is one object, not null"},
};

static const struct refusal other_tools[] = {
	{"{\"id\":5,\"name\":\"approve\",\"arguments\":{\"id\":\"r1\"}}",
		"there is no tool \"approve\" here; only shell"},
	{"{\"id\":5,\"tool\":\"fetch\"}", "there is no tool \"fetch\" here; only shell"},
	{"{\"id\":5,\"name\":\"Shell\",\"arguments\":{\"command\":\"ls\"}}",
		"there is no tool \"Shell\" here; only shell"},
	{"{\"id\":5,\"name\":\"\",\"arguments\":{\"command\":\"ls\"}}",
		"there is no tool \"\" here; only shell"},
	{"{\"id\":5,\"name\":\"0123456789012345678901234567890123456789012345678901234567890123"
	 "456789\"}",
		"there is no tool "
		"\"0123456789012345678901234567890123456789012345678901234567890123..."
		"\" here; only shell"},
};

static void check(const struct refusal *refusal, enum reason wanted, bool has_id)
{
	struct request request;
	struct err err = ERR_INIT;
	enum reason reason = REASON_NONE;

	request_init(&request);
	if (!request_parse(refusal->line, strlen(refusal->line), &request, &reason, &err))
		fail_msg("accepted: %s", refusal->line);
	assert_int_equal(reason, wanted);
	if (strncmp(err.text, refusal->sentence, strlen(refusal->sentence)))
		fail_msg(
			"%s\n  says   %s\n  wanted %s", refusal->line, err.text, refusal->sentence);
	assert_true(text_is_utf8(err.text, strlen(err.text)));
	assert_int_equal(request.id.kind, has_id ? REQUEST_ID_INTEGER : REQUEST_ID_NONE);
	assert_int_equal(request.id.number, has_id ? 5 : 0);
	request_release(&request);
}

static void what_is_not_strict_json_is_refused_without_an_id(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(unreadable); i++)
		check(&unreadable[i], REASON_INVALID_REQUEST, false);
}

static void what_breaks_a_rule_is_refused_by_name_with_its_id(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		check(&wrong[i], REASON_INVALID_REQUEST, true);
}

static void an_id_that_is_none_is_not_echoed(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad_ids); i++)
		check(&bad_ids[i], REASON_INVALID_REQUEST, false);
}

static void another_tool_is_unknown_whatever_its_arguments(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(other_tools); i++)
		check(&other_tools[i], REASON_UNKNOWN_TOOL, true);
}

static void a_raw_nul_is_refused_by_length(void **state)
{
	static const char line[] = CALL("{\"command\":\"ls\0rm\"}");
	struct request request;
	struct err err = ERR_INIT;
	enum reason reason = REASON_NONE;

	(void)state;
	request_init(&request);
	assert_int_equal(request_parse(line, sizeof(line) - 1, &request, &reason, &err), -1);
	assert_int_equal(reason, REASON_INVALID_REQUEST);
	assert_null(request.command);
	request_release(&request);
}

static void a_hundred_thousand_brackets_are_one_refusal(void **state)
{
	char *line MEM_AUTO = mem_alloc(100001);
	struct request request;
	struct err err = ERR_INIT;
	enum reason reason = REASON_NONE;

	(void)state;
	memset(line, '[', 100000);
	request_init(&request);
	assert_int_equal(request_parse(line, 100000, &request, &reason, &err), -1);
	assert_int_equal(reason, REASON_INVALID_REQUEST);
	request_release(&request);
}

static void a_directory_is_no_longer_than_a_path(void **state)
{
	char *dir MEM_AUTO = mem_alloc(4097);
	struct request request;
	struct err err = ERR_INIT;
	enum reason reason = REASON_NONE;

	(void)state;
	memset(dir, 'd', 4096);
	char *line MEM_AUTO = mem_printf(WITH("\"working_dir\":\"%s\""), dir);
	request_init(&request);
	assert_int_equal(request_parse(line, strlen(line), &request, &reason, &err), -1);
	assert_string_equal(err.text, "\"working_dir\" is longer than a path can be (4095 bytes)");
	request_release(&request);
}

/* A torn line runs nothing, wherever it was torn. */
static void no_part_of_a_call_is_a_call(void **state)
{
	static const char line[] = WITH("\"timeout\":30,\"network\":true");

	(void)state;
	for (size_t len = 0; len < sizeof(line) - 1; len++) {
		struct request request;
		struct err err = ERR_INIT;
		enum reason reason = REASON_NONE;

		request_init(&request);
		assert_int_equal(request_parse(line, len, &request, &reason, &err), -1);
		assert_int_equal(reason, REASON_INVALID_REQUEST);
		request_release(&request);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_strict_json_is_refused_without_an_id),
		cmocka_unit_test(what_breaks_a_rule_is_refused_by_name_with_its_id),
		cmocka_unit_test(an_id_that_is_none_is_not_echoed),
		cmocka_unit_test(another_tool_is_unknown_whatever_its_arguments),
		cmocka_unit_test(a_raw_nul_is_refused_by_length),
		cmocka_unit_test(a_hundred_thousand_brackets_are_one_refusal),
		cmocka_unit_test(a_directory_is_no_longer_than_a_path),
		cmocka_unit_test(no_part_of_a_call_is_a_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

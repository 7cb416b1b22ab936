#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "core/request.h"

static void parse(const char *line, struct request *ret)
{
	struct err err = ERR_INIT;
	enum reason reason = REASON_COUNT;

	request_init(ret);
	if (request_parse(line, strlen(line), ret, &reason, &err))
		fail_msg("%s: %s", line, err.text);
	assert_int_equal(reason, REASON_NONE);
}

static void both_forms_of_a_call_mean_the_same(void **state)
{
	static const char *const cases[] = {
		"{\"name\":\"shell\",\"arguments\":{\"command\":\"ls -la\"}}",
		"{\"tool\":\"shell\",\"arguments\":{\"command\":\"ls -la\"}}",
		"{\"tool\":\"shell\",\"name\":\"shell\",\"arguments\":{\"command\":\"ls -la\"}}",
		"{\"name\":\"shell\",\"arguments\":\"{\\\"command\\\":\\\"ls -la\\\"}\"}",
		" {\"name\":\"shell\",\"arguments\":\" {\\\"command\\\":\\\"ls -la\\\"} \"}\r",
		"{\"arguments\":{\"command\":\"ls -la\"},\"name\":\"shell\"}",
		"{\"name\":\"shell\",\"arguments\":{\"command\":\"l\\u0073 -la\"}}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct request request;

		parse(cases[i], &request);
		assert_string_equal(request.tool, "shell");
		assert_string_equal(request.command, "ls -la");
		assert_int_equal(request.id.kind, REQUEST_ID_NONE);
		assert_false(request.timeout_set);
		assert_false(request.network);
		assert_null(request.working_dir);
		assert_null(request.agent);
		assert_null(request.reason);
		assert_int_equal(request.ignored.count, 0);
		request_release(&request);
	}
}

static void every_member_arrives(void **state)
{
	struct request request;

	(void)state;
	parse("{\"id\":\"r1\",\"name\":\"shell\",\"arguments\":{\"command\":\"a\\nb\",\"timeout\":"
	      "30,"
	      "\"working_dir\":\"/srv/app\",\"network\":true},\"agent\":\"build-bot\","
	      "\"reason\":\"\\u0436\"}",
		&request);
	assert_int_equal(request.id.kind, REQUEST_ID_STRING);
	assert_string_equal(request.id.text, "r1");
	assert_string_equal(request.command, "a\nb");
	assert_true(request.timeout_set);
	assert_int_equal(request.timeout_s, 30);
	assert_string_equal(request.working_dir, "/srv/app");
	assert_true(request.network);
	assert_string_equal(request.agent, "build-bot");
	assert_string_equal(request.reason, "\xd0\xb6");
	request_release(&request);
}

static void what_has_no_effect_is_kept_by_name_alone(void **state)
{
	struct request request;

	(void)state;
	parse("{\"approved\":true,\"name\":\"shell\",\"sandbox\":\"none\",\"arguments\":"
	      "{\"command\":\"ls\",\"approved\":\"zzVALUEzz\",\"backend\":[1,{\"x\":2}],"
	      "\"Command\":\"rm\",\"Timeout\":1},\"ID\":4}",
		&request);
	static const char *const names[] = {
		"approved", "sandbox", "ID", "approved", "backend", "Command", "Timeout"};
	assert_int_equal(request.ignored.count, ARRAY_LEN(names));
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_string_equal(request.ignored.items[i], names[i]);
	assert_string_equal(request.command, "ls");
	assert_int_equal(request.id.kind, REQUEST_ID_NONE);
	assert_false(request.timeout_set);
	request_release(&request);
}

static void a_timeout_is_whole_seconds_of_any_size(void **state)
{
	static const struct {
		const char *spelling;
		int64_t seconds;
	} cases[] = {
		{"1", 1},
		{"60", 60},
		{"6e1", 60},
		{"60.0", 60},
		{"2147483648", 2147483648},
		{"4294967296", 4294967296},
		{"9007199254740992", (int64_t)1 << 53},
		{"9007199254740993", (int64_t)1 << 53},
		{"18446744073709551617", (int64_t)1 << 53},
		{"1e300", (int64_t)1 << 53},
		{"1.5e+20", (int64_t)1 << 53},
		{"12345678901234567890.000", (int64_t)1 << 53},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *line MEM_AUTO = mem_printf("{\"name\":\"shell\",\"arguments\":"
						 "{\"command\":\"ls\",\"timeout\":%s}}",
			cases[i].spelling);
		struct request request;

		parse(line, &request);
		assert_true(request.timeout_set);
		assert_true(request.timeout_s == cases[i].seconds);
		request_release(&request);
	}
}

static void an_id_is_echoed_as_it_came(void **state)
{
	static const struct {
		const char *spelling;
		int64_t number;
	} cases[] = {
		{"0", 0},
		{"-1", -1},
		{"7", 7},
		{"9007199254740992", (int64_t)1 << 53},
		{"-9007199254740992", -((int64_t)1 << 53)},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *line MEM_AUTO = mem_printf("{\"id\":%s,\"name\":\"shell\",\"arguments\":"
						 "{\"command\":\"ls\"}}",
			cases[i].spelling);
		struct request request;

		parse(line, &request);
		assert_int_equal(request.id.kind, REQUEST_ID_INTEGER);
		assert_true(request.id.number == cases[i].number);
		request_release(&request);
	}
}

static char *line_with_id_of(size_t bytes)
{
	char *id MEM_AUTO = mem_alloc(bytes + 1);

	memset(id, 'x', bytes);
	return mem_printf(
		"{\"id\":\"%s\",\"name\":\"shell\",\"arguments\":{\"command\":\"ls\"}}", id);
}

static void an_id_has_at_most_256_bytes(void **state)
{
	char *longest MEM_AUTO = line_with_id_of(REQUEST_ID_BYTES);
	char *longer MEM_AUTO = line_with_id_of(REQUEST_ID_BYTES + 1);
	struct request request;
	struct err err = ERR_INIT;
	enum reason reason = REASON_NONE;

	(void)state;
	parse(longest, &request);
	assert_int_equal(strlen(request.id.text), REQUEST_ID_BYTES);
	request_release(&request);
	request_init(&request);
	assert_int_equal(request_parse(longer, strlen(longer), &request, &reason, &err), -1);
	assert_int_equal(reason, REASON_INVALID_REQUEST);
	assert_int_equal(request.id.kind, REQUEST_ID_NONE);
	assert_string_equal(err.text, "\"id\" has 257 bytes; send a shorter one, at most 256");
	request_release(&request);
}

static char *line_with_command_of(size_t bytes)
{
	char *command MEM_AUTO = mem_alloc(bytes + 1);

	memset(command, 'x', bytes);
	return mem_printf("{\"name\":\"shell\",\"arguments\":{\"command\":\"%s\"}}", command);
}

static void a_command_is_what_one_argument_can_hold(void **state)
{
	char *longest MEM_AUTO = line_with_command_of(REQUEST_COMMAND_BYTES);
	char *longer MEM_AUTO = line_with_command_of(REQUEST_COMMAND_BYTES + 1);
	struct request request;
	struct err err = ERR_INIT;
	enum reason reason = REASON_NONE;

	(void)state;
	parse(longest, &request);
	assert_int_equal(strlen(request.command), 131071);
	request_release(&request);
	request_init(&request);
	assert_int_equal(request_parse(longer, strlen(longer), &request, &reason, &err), -1);
	assert_int_equal(reason, REASON_INVALID_REQUEST);
	assert_string_equal(err.text,
		"\"command\" has 131072 bytes, and at most 131071 can be started; write it to a "
		"file first and run the file");
	request_release(&request);
}

static void a_line_has_at_most_256_kib(void **state)
{
	size_t len = REQUEST_LINE_BYTES + 1;
	char *line MEM_AUTO = mem_alloc(len + 1);
	struct request request;
	struct err err = ERR_INIT;
	enum reason reason = REASON_NONE;

	(void)state;
	memset(line, ' ', len);
	request_init(&request);
	assert_int_equal(request_parse(line, len, &request, &reason, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_int_equal(reason, REASON_INVALID_REQUEST);
	request_release(&request);
}

static void ids_are_equal_by_kind_and_value(void **state)
{
	char r1[] = "r1", again[] = "r1", seven[] = "7";
	const struct request_id none = {.kind = REQUEST_ID_NONE};
	const struct request_id text = {.kind = REQUEST_ID_STRING, .text = r1};
	const struct request_id same = {.kind = REQUEST_ID_STRING, .text = again};
	const struct request_id digit = {.kind = REQUEST_ID_STRING, .text = seven};
	const struct request_id number = {.kind = REQUEST_ID_INTEGER, .number = 7};

	(void)state;
	assert_true(request_id_equal(&text, &same));
	assert_true(request_id_equal(&number, &number));
	assert_false(request_id_equal(&text, &digit));
	assert_false(request_id_equal(&digit, &number));
	assert_false(request_id_equal(&none, &none));
}

static void a_copy_owns_all_it_holds(void **state)
{
	struct request from, to;

	(void)state;
	parse("{\"id\":\"r1\",\"tool\":\"shell\",\"x\":1,\"arguments\":{\"command\":\"ls\","
	      "\"working_dir\":\"a\",\"timeout\":3},\"agent\":\"b\",\"reason\":\"c\"}",
		&from);
	parse("{\"id\":\"old\",\"tool\":\"shell\",\"y\":1,\"arguments\":{\"command\":\"old\"}}",
		&to);
	from.line_no = 15;
	request_copy(&to, &from);
	request_release(&from);
	assert_string_equal(to.id.text, "r1");
	assert_string_equal(to.tool, "shell");
	assert_string_equal(to.command, "ls");
	assert_string_equal(to.working_dir, "a");
	assert_string_equal(to.agent, "b");
	assert_string_equal(to.reason, "c");
	assert_int_equal(to.ignored.count, 1);
	assert_string_equal(to.ignored.items[0], "x");
	assert_int_equal(to.timeout_s, 3);
	assert_int_equal(to.line_no, 15);
	request_release(&to);
}

static void every_sample_request_is_accepted(void **state)
{
	struct str text STR_AUTO = STR_INIT;
	struct err err = ERR_INIT;
	int64_t count = 0;

	(void)state;
	assert_int_equal(
		fd_read_file(TEST_DATA "/samples/requests.jsonl", 1 << 20, &text, &err), 0);
	for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n")) {
		struct request request;

		parse(line, &request);
		assert_int_equal(request.id.number, ++count);
		assert_int_equal(request.network, count == 5);
		assert_int_equal(request.ignored.count, 0);
		request_release(&request);
	}
	assert_int_equal(count, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_forms_of_a_call_mean_the_same),
		cmocka_unit_test(every_member_arrives),
		cmocka_unit_test(what_has_no_effect_is_kept_by_name_alone),
		cmocka_unit_test(a_timeout_is_whole_seconds_of_any_size),
		cmocka_unit_test(an_id_is_echoed_as_it_came),
		cmocka_unit_test(an_id_has_at_most_256_bytes),
		cmocka_unit_test(a_command_is_what_one_argument_can_hold),
		cmocka_unit_test(a_line_has_at_most_256_kib),
		cmocka_unit_test(ids_are_equal_by_kind_and_value),
		cmocka_unit_test(a_copy_owns_all_it_holds),
		cmocka_unit_test(every_sample_request_is_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

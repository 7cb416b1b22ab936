#include "config.h"

#include "app/answer.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"

static void what_was_printed_is_read_back(void **state)
{
	static const struct {
		const char *output;
		size_t len;
		enum reason reason;
		int exit_code, signal;
		const char *sentence;
	} rows[] = {
		{"", 0, REASON_NONE, 0, 0, NULL},
		{"hi\n", 3, REASON_NONE, 0, 0, NULL},
		{"a\0b\0", 4, REASON_EXIT_STATUS, 3, 0, "it ended with 3"},
		{"\0", 1, REASON_NONE, 0, 0, NULL},
		{"\\u0000 \\\\u0000 \"quoted\"", 24, REASON_NONE, 0, 0, NULL},
		{"\",\"output\":\"", 12, REASON_SIGNALED, -1, 9, "signal 9: gone"},
		{"\x1b[31m \xe2\x80\xae \xf0\x9f\x98\x80", 14, REASON_TIMEOUT, -1, 15, "stopped"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows) * 2; i++) {
		struct request_id id = {
			.kind = REQUEST_ID_STRING, .text = (char *)",\"output\":\"x"};
		size_t row = i / 2;
		struct result out, in;
		struct err err = ERR_INIT;
		STR_AUTO struct str line = STR_INIT;

		result_init(&out);
		out.reason = rows[row].reason;
		out.sentence = mem_strdup(rows[row].sentence);
		out.exit_code = rows[row].exit_code;
		out.signal = rows[row].signal;
		str_add_bytes(&out.output, rows[row].output, rows[row].len);
		(i % 2 == 0 ? result_print : result_print_ascii)(&out, &id, 1, &line);
		assert_int_equal(answer_parse(line.data, line.len - 1, &in, &err), 0);
		assert_int_equal(in.output.len, rows[row].len);
		assert_memory_equal(str_c(&in.output), rows[row].output, rows[row].len);
		assert_int_equal(in.reason, rows[row].reason);
		assert_int_equal(in.exit_code, rows[row].exit_code);
		assert_int_equal(in.signal, rows[row].signal);
		assert_true((in.sentence == NULL) == (rows[row].sentence == NULL));
		if (in.sentence != NULL)
			assert_string_equal(in.sentence, rows[row].sentence);
		result_release(&in);
		result_release(&out);
	}
}

static void what_is_no_answer_is_refused(void **state)
{
	static const char *const lines[] = {"", "{", "{}", "{\"success\":true}",
		"{\"id\":1,\"output\":\"", "{\"id\":1,\"output\":\"\\",
		"{\"id\":1,\"output\":\"a\"", "{\"id\":1,\"output\":\"\\u00\",\"success\":true}",
		"{\"id\":1,\"output\":\"\\ud800\",\"success\":true}",
		"{\"id\":1,\"output\":\"a\",\"success\":false}",
		"{\"id\":1,\"output\":\"a\",\"reason\":\"odd\",\"error\":\"odd: x\"}",
		"{\"id\":1,\"output\":\"a\",\"reason\":\"timeout\"}",
		"{\"id\":1,\"output\":\"a\",\"success\":true}x"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct result in;
		struct err err = ERR_INIT;

		if (answer_parse(lines[i], strlen(lines[i]), &in, &err) == 0)
			fail_msg("taken: %s", lines[i]);
		assert_string_equal(err.text, "the console gave no answer that can be read");
		result_release(&in);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_printed_is_read_back),
		cmocka_unit_test(what_is_no_answer_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

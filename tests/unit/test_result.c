#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/limits.h"
#include "core/result.h"

static char *printed(const struct result *result, const struct request_id *id, uint64_t seq)
{
	struct str out = STR_INIT;

	result_print(result, id, seq, &out);
	assert_true(text_is_utf8(out.data, out.len));
	assert_ptr_equal(memchr(out.data, '\n', out.len), out.data + out.len - 1);
	return str_steal(&out);
}

static void an_answer_has_the_members_of_the_protocol_in_their_order(void **state)
{
	struct request_id id = {.kind = REQUEST_ID_INTEGER, .number = 7};
	struct result result;

	(void)state;
	result_init(&result);
	result.reason = REASON_TIMEOUT;
	result.sentence = mem_strdup("stopped after 60 s");
	str_add(&result.output, "half\n");
	result.output_bytes = 5;
	result.signal = 15;
	result.backend = "landlock";
	result.decision = DECISION_APPROVED;
	result.decided_by = DECIDER_OPERATOR;
	result.waited_ms = 5120;
	result.duration_ms = 60021;
	char *line MEM_AUTO = printed(&result, &id, 3);
	assert_string_equal(line,
		"{\"id\":7,\"seq\":3,\"success\":false,\"output\":\"half\\n\","
		"\"error\":\"timeout: stopped after 60 s\",\"reason\":\"timeout\","
		"\"exit_code\":null,\"signal\":15,\"truncated\":false,\"output_bytes\":5,"
		"\"backend\":\"landlock\",\"network\":false,\"decision\":\"approved\","
		"\"decided_by\":\"operator\",\"waited_ms\":5120,\"duration_ms\":60021,"
		"\"notes\":[]}\n");
	result_release(&result);
}

static void success_has_neither_error_nor_reason(void **state)
{
	struct request_id id = {.kind = REQUEST_ID_STRING, .text = mem_strdup("r\"1")};
	struct result result;

	(void)state;
	result_init(&result);
	result.exit_code = 0;
	result.network = true;
	result.backend = "bubblewrap";
	result.decision = DECISION_ALLOWED;
	result.decided_by = DECIDER_POLICY;
	result.waited_ms = 0;
	result.duration_ms = 12;
	result.notes = NOTE_BIT(NOTE_UNSANDBOXED) | NOTE_BIT(NOTE_TIMEOUT_CLAMPED);
	result.edited_command = mem_strdup("ls -l");
	char *line MEM_AUTO = printed(&result, &id, 1);
	assert_string_equal(line,
		"{\"id\":\"r\\\"1\",\"seq\":1,\"success\":true,\"output\":\"\",\"error\":null,"
		"\"reason\":null,\"exit_code\":0,\"signal\":null,\"truncated\":false,"
		"\"output_bytes\":0,\"backend\":\"bubblewrap\",\"network\":true,"
		"\"decision\":\"allowed\",\"decided_by\":\"policy\",\"waited_ms\":0,"
		"\"duration_ms\":12,\"notes\":[\"timeout_clamped\",\"unsandboxed\"],"
		"\"edited_command\":\"ls -l\"}\n");
	result_release(&result);
	free(id.text);
}

static void what_never_started_has_no_times_and_no_backend(void **state)
{
	struct result result;

	(void)state;
	result_init(&result);
	result.reason = REASON_INVALID_REQUEST;
	result.sentence = mem_strdup("\"command\" is missing");
	result.decision = DECISION_REFUSED;
	result.decided_by = DECIDER_CONSOLE;
	char *line MEM_AUTO = printed(&result, NULL, 9);
	assert_string_equal(line,
		"{\"id\":null,\"seq\":9,\"success\":false,\"output\":\"\","
		"\"error\":\"invalid_request: \\\"command\\\" is missing\","
		"\"reason\":\"invalid_request\",\"exit_code\":null,\"signal\":null,"
		"\"truncated\":false,\"output_bytes\":0,\"backend\":null,\"network\":false,"
		"\"decision\":\"refused\",\"decided_by\":\"console\",\"waited_ms\":null,"
		"\"duration_ms\":null,\"notes\":[]}\n");
	result_release(&result);
}

/* What stands between "output":" and the member behind it. */
static char *printed_output(const char *bytes, size_t len, uint64_t written)
{
	static const char begin[] = "\"output\":\"", end[] = "\",\"error\":";
	struct result result;

	result_init(&result);
	str_add_bytes(&result.output, bytes, len);
	result.output_bytes = written;
	char *line MEM_AUTO = printed(&result, NULL, 1);
	char *from = strstr(line, begin);
	char *to = strstr(line, end);
	assert_non_null(from);
	assert_non_null(to);
	result_release(&result);
	from += sizeof(begin) - 1;
	return mem_strndup(from, (size_t)(to - from));
}

static void output_of_any_bytes_becomes_utf8(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *shown;
	} cases[] = {
		{"", 0, ""},
		{"plain\n", 6, "plain\\n"},
		{"a\0b", 3, "a\\u0000b"},
		{"\0\0", 2, "\\u0000\\u0000"},
		{"\xd0\xb6", 2, "\xd0\xb6"},
		{"a\xff"
		 "b",
			3,
			"a\xef\xbf\xbd"
			"b"},
		{"\xc3", 1, "\xef\xbf\xbd"},
		{"\x1b[0m\"\\", 6, "\\u001b[0m\\\"\\\\"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *shown MEM_AUTO = printed_output(cases[i].bytes, cases[i].len, cases[i].len);

		assert_string_equal(shown, cases[i].shown);
	}
}

/* The output up to the cap ends `back` bytes into nothing: `tail` holds its last bytes. */
static void check_cut(const char *tail, size_t tail_len, size_t kept_of_tail)
{
	char *bytes MEM_AUTO = mem_alloc(LIMIT_OUTPUT_BYTES);
	char wanted[128];
	uint64_t written = 3000000;

	memset(bytes, 'a', LIMIT_OUTPUT_BYTES);
	memcpy(bytes + LIMIT_OUTPUT_BYTES - tail_len, tail, tail_len);
	char *shown MEM_AUTO = printed_output(bytes, LIMIT_OUTPUT_BYTES, written);
	size_t kept = LIMIT_OUTPUT_BYTES - tail_len + kept_of_tail;

	snprintf(wanted, sizeof(wanted), "\\n[exequatur: output cut here, %llu bytes dropped]\\n",
		(unsigned long long)(written - kept));
	assert_int_equal(strlen(shown), kept + strlen(wanted));
	assert_string_equal(shown + kept, wanted);
	assert_memory_equal(shown + kept - kept_of_tail, tail, kept_of_tail);
}

static void cut_output_ends_at_a_whole_character(void **state)
{
	(void)state;
	check_cut("a", 1, 1);
	check_cut("\xd0\xb6", 2, 2);
	check_cut("\xd0", 1, 0);
	check_cut("\xe2\x82\xac", 3, 3);
	check_cut("\xe2\x82", 2, 0);
	check_cut("\xe2", 1, 0);
	check_cut("\xf0\x9f\x98\x80", 4, 4);
	check_cut("\xf0\x9f\x98", 3, 0);
	check_cut("\xf0\x9f", 2, 0);
	check_cut("\xf0", 1, 0);
}

static void truncation_is_told_by_note_and_member(void **state)
{
	struct result result;

	(void)state;
	result_init(&result);
	str_add(&result.output, "abc");
	result.output_bytes = 4;
	char *line MEM_AUTO = printed(&result, NULL, 1);
	assert_non_null(strstr(line, "\"abc\\n[exequatur: output cut here, 1 byte dropped]\\n\""));
	assert_non_null(strstr(line, "\"truncated\":true,\"output_bytes\":4,"));
	assert_non_null(strstr(line, "\"notes\":[\"output_truncated\"]"));
	result_release(&result);
}

static void more_than_the_cap_is_never_printed(void **state)
{
	size_t len = LIMIT_OUTPUT_BYTES + 10;
	char *bytes MEM_AUTO = mem_alloc(len);

	(void)state;
	memset(bytes, 'b', len);
	char *shown MEM_AUTO = printed_output(bytes, len, len);
	assert_string_equal(
		shown + LIMIT_OUTPUT_BYTES, "\\n[exequatur: output cut here, 10 bytes dropped]\\n");
}

static void exactly_the_cap_is_not_cut(void **state)
{
	char *bytes MEM_AUTO = mem_alloc(LIMIT_OUTPUT_BYTES);

	(void)state;
	memset(bytes, 'b', LIMIT_OUTPUT_BYTES);
	char *shown MEM_AUTO = printed_output(bytes, LIMIT_OUTPUT_BYTES, LIMIT_OUTPUT_BYTES);
	assert_int_equal(strlen(shown), LIMIT_OUTPUT_BYTES);
}

static void a_sentence_of_invalid_bytes_leaves_the_answer_valid(void **state)
{
	struct result result;

	(void)state;
	result_init(&result);
	result.reason = REASON_LAUNCH_FAILED;
	result.sentence = mem_strdup("/srv/\xff: no such file");
	result.edited_command = mem_strdup("echo \xc3");
	char *line MEM_AUTO = printed(&result, NULL, 1);
	assert_non_null(strstr(line, "launch_failed: /srv/\xef\xbf\xbd: no such file"));
	assert_non_null(strstr(line, "\"edited_command\":\"echo \xef\xbf\xbd\""));
	result_release(&result);
}

static void an_answer_for_a_terminal_is_ascii(void **state)
{
	struct str out STR_AUTO = STR_INIT;
	struct result result;

	(void)state;
	result_init(&result);
	str_add(&result.output, "\xd0\xb6\xe2\x80\xae\xf0\x9f\x98\x80\x7f");
	result.output_bytes = result.output.len;
	result_print_ascii(&result, NULL, 1, &out);
	for (size_t i = 0; i + 1 < out.len; i++)
		assert_true(out.data[i] >= 0x20 && out.data[i] < 0x7f);
	assert_non_null(strstr(out.data, "\\u0436\\u202e\\ud83d\\ude00"));
	result_release(&result);
}

/* Any bytes whatever: the answer is one line of strict JSON, or one that only NUL keeps from being read. */
static void any_output_gives_one_line_of_json(void **state)
{
	unsigned seed = 20261130;

	(void)state;
	for (unsigned round = 0; round < 500; round++) {
		struct str out STR_AUTO = STR_INIT;
		struct json *v JSON_AUTO = NULL;
		struct err err = ERR_INIT;
		struct result result;

		result_init(&result);
		for (unsigned i = 0; i < round % 60; i++) {
			seed = seed * 1103515245u + 12345u;
			str_add_char(&result.output, (char)((seed >> 16) % 255 + 1));
		}
		result.output_bytes = result.output.len + round % 3;
		result_print(&result, NULL, round, &out);
		assert_int_equal(json_parse(out.data, out.len, JSON_DEPTH_MAX, &v, &err), 0);
		assert_int_equal(json_count(v), 17);
		result_release(&result);
	}
}

static void names_are_found_again_and_nothing_else_is(void **state)
{
	enum decision decision = DECISION_COUNT;
	enum decider decider = DECIDER_COUNT;
	enum note note = NOTE_COUNT;

	(void)state;
	for (int i = 1; i < DECISION_COUNT; i++) {
		assert_int_equal(decision_from_name(decision_name((enum decision)i), &decision), 0);
		assert_int_equal(decision, i);
	}
	for (int i = 1; i < DECIDER_COUNT; i++) {
		assert_int_equal(decider_from_name(decider_name((enum decider)i), &decider), 0);
		assert_int_equal(decider, i);
	}
	for (int i = 0; i < NOTE_COUNT; i++) {
		assert_int_equal(note_from_name(note_name((enum note)i), &note), 0);
		assert_int_equal(note, i);
	}
	assert_int_equal(decision_from_name("", &decision), -1);
	assert_int_equal(decider_from_name("Operator", &decider), -1);
	assert_int_equal(note_from_name("truncated", &note), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_has_the_members_of_the_protocol_in_their_order),
		cmocka_unit_test(success_has_neither_error_nor_reason),
		cmocka_unit_test(what_never_started_has_no_times_and_no_backend),
		cmocka_unit_test(output_of_any_bytes_becomes_utf8),
		cmocka_unit_test(cut_output_ends_at_a_whole_character),
		cmocka_unit_test(truncation_is_told_by_note_and_member),
		cmocka_unit_test(more_than_the_cap_is_never_printed),
		cmocka_unit_test(exactly_the_cap_is_not_cut),
		cmocka_unit_test(a_sentence_of_invalid_bytes_leaves_the_answer_valid),
		cmocka_unit_test(an_answer_for_a_terminal_is_ascii),
		cmocka_unit_test(any_output_gives_one_line_of_json),
		cmocka_unit_test(names_are_found_again_and_nothing_else_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/event.h"

#define ZERO "0000000000000000000000000000000000000000000000000000000000000000"

static const struct digest none;

static char *printed(const struct event *event)
{
	struct str out = STR_INIT;

	event_print(event, &none, &out);
	return str_steal(&out);
}

static void a_line_has_its_members_in_the_fixed_order(void **state)
{
	struct event event = {.type = EVENT_STARTED,
		.number = 7,
		.at_ms = 1250,
		.wall_ms = 1796045281123,
		.seq = 3,
		.fields = json_new_object()};

	(void)state;
	json_set_str(event.fields, "why", "\x1b[2J\xc3\xa9\xf0\x9f\x98\x80");
	MEM_AUTO char *line = printed(&event);

	assert_string_equal(line,
		"{\"prev\":\"" ZERO "\",\"v\":1,\"event\":7,\"at\":1250,"
		"\"wall\":\"2026-11-30T13:28:01.123Z\",\"type\":\"started\",\"seq\":3,"
		"\"why\":\"\\u001b[2J\\u00e9\\ud83d\\ude00\"}");
	event_release(&event);
}

static void an_event_without_fields_and_call_is_a_line_too(void **state)
{
	struct event event = {.type = EVENT_GAP, .number = 1, .wall_ms = 0};

	(void)state;
	MEM_AUTO char *line = printed(&event);

	assert_string_equal(line, "{\"prev\":\"" ZERO "\",\"v\":1,\"event\":1,\"at\":0,"
				  "\"wall\":\"1970-01-01T00:00:00.000Z\",\"type\":\"gap\"}");
}

static void every_type_has_a_name_of_its_own_that_reads_back(void **state)
{
	enum event_type type = EVENT_TYPE_COUNT;

	(void)state;
	for (int i = 0; i < EVENT_TYPE_COUNT; i++) {
		assert_int_equal(
			event_type_from_name(event_type_name((enum event_type)i), &type), 0);
		assert_int_equal(type, i);
	}
	assert_int_equal(event_type_from_name("ended ", &type), -1);
	assert_int_equal(event_type_from_name("", &type), -1);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static struct json *random_fields(uint32_t *seed)
{
	struct json *fields = json_new_object();
	char bytes[64];

	for (unsigned i = 0; i < next_random(seed) % 6; i++) {
		char key[8];
		size_t len = next_random(seed) % sizeof(bytes);

		for (size_t b = 0; b < len; b++)
			bytes[b] = (char)(1 + next_random(seed) % 126);
		snprintf(key, sizeof(key), "k%u", i);
		if (next_random(seed) % 3 == 0)
			json_set_int(fields, key, (int64_t)next_random(seed) - 100000);
		else
			json_set(fields, key, json_new_bytes(bytes, len));
	}
	return fields;
}

static void what_is_printed_reads_back_to_the_same_event(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		struct event event = {
			.type = (enum event_type)(next_random(&seed) % EVENT_TYPE_COUNT),
			.number = 1 + next_random(&seed),
			.at_ms = next_random(&seed),
			.wall_ms = (int64_t)next_random(&seed) * 997 * 131,
			.seq = next_random(&seed) % 3,
			.fields = random_fields(&seed)};
		struct event again = {0};
		struct digest prev, again_prev;
		struct err err = ERR_INIT;
		STR_AUTO struct str line = STR_INIT, second = STR_INIT;

		digest_bytes(&i, sizeof(i), &prev);
		event_print(&event, &prev, &line);
		for (size_t b = 0; b < line.len; b++)
			assert_in_range((unsigned char)line.data[b], 0x20, 0x7E);
		assert_int_equal(event_parse(line.data, line.len, &again, &again_prev, &err), 0);
		assert_true(digest_equal(&prev, &again_prev));
		assert_int_equal(again.type, event.type);
		assert_int_equal(again.number, event.number);
		assert_int_equal(again.at_ms, event.at_ms);
		assert_int_equal(again.wall_ms, event.wall_ms);
		assert_int_equal(again.seq, event.seq);
		event_print(&again, &again_prev, &second);
		assert_string_equal(line.data, second.data);
		event_release(&event);
		event_release(&again);
	}
}

static void a_line_that_is_not_written_so_is_refused(void **state)
{
	static const char *const cases[] = {
		"",
		"{}",
		"[]",
		"{\"v\":1,\"prev\":\"" ZERO "\",\"event\":1,\"at\":0,"
		"\"wall\":\"2026-11-30T13:28:01.123Z\",\"type\":\"gap\"}",
#define LINE(prev, v, event, at, wall, rest)                                                       \
	"{\"prev\":" prev ",\"v\":" v ",\"event\":" event ",\"at\":" at ",\"wall\":" wall rest "}"
#define WALL "\"2026-11-30T13:28:01.123Z\""
#define PREV "\"" ZERO "\""
		LINE("\"00\"", "1", "1", "0", WALL, ",\"type\":\"gap\""),
		LINE("1", "1", "1", "0", WALL, ",\"type\":\"gap\""),
		LINE(PREV, "2", "1", "0", WALL, ",\"type\":\"gap\""),
		LINE(PREV, "\"1\"", "1", "0", WALL, ",\"type\":\"gap\""),
		LINE(PREV, "1", "0", "0", WALL, ",\"type\":\"gap\""),
		LINE(PREV, "1", "-1", "0", WALL, ",\"type\":\"gap\""),
		LINE(PREV, "1", "1.5", "0", WALL, ",\"type\":\"gap\""),
		LINE(PREV, "1", "99999999999999999999", "0", WALL, ",\"type\":\"gap\""),
		LINE(PREV, "1", "1", "-1", WALL, ",\"type\":\"gap\""),
		LINE(PREV, "1", "1", "0", "\"2026-02-30T13:28:01.123Z\"", ",\"type\":\"gap\""),
		LINE(PREV, "1", "1", "0", "\"2026-11-30T25:28:01.123Z\"", ",\"type\":\"gap\""),
		LINE(PREV, "1", "1", "0", "\"2026-11-30 13:28:01.123Z\"", ",\"type\":\"gap\""),
		LINE(PREV, "1", "1", "0", "\"2026-00-30T13:28:01.123Z\"", ",\"type\":\"gap\""),
		LINE(PREV, "1", "1", "0", "\"2026-11-30T13:28:01Z\"", ",\"type\":\"gap\""),
		LINE(PREV, "1", "1", "0", "12", ",\"type\":\"gap\""),
		LINE(PREV, "1", "1", "0", WALL, ",\"type\":\"gap\",\"seq\":0"),
		LINE(PREV, "1", "1", "0", WALL, ",\"type\":\"gap\",\"seq\":\"1\""),
		LINE(PREV, "1", "1", "0", WALL, ",\"type\":7"),
		LINE(PREV, "1", "1", "0", WALL, ""),
		LINE(PREV, "1", "1", "0", WALL, ",\"type\":\"gap\",\"a\":1,\"a\":2"),
		LINE(PREV, "1", "1", "0", WALL, ",\"type\":\"gap\",\"a\":\"\xff\""),
		LINE(PREV, "1", "1", "0", WALL, ",\"type\":\"gap\"") " x",
		LINE(PREV, "1", "1", "0", WALL, ",\"type\":\"gap\",\"a\":\"\\u0000\""),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct event event;
		struct digest prev;
		struct err err = ERR_INIT;

		assert_int_equal(event_parse(cases[i], strlen(cases[i]), &event, &prev, &err), -1);
		assert_int_equal(err.code, ERR_INVALID);
		assert_string_not_equal(err.text, "");
	}
}

static void an_unknown_type_is_kept_and_told_apart(void **state)
{
	static const char line[] = LINE(PREV, "1", "4", "9", WALL, ",\"type\":\"later\",\"x\":[1]");
	struct event event = {0};
	struct digest prev;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(event_parse(line, strlen(line), &event, &prev, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_int_equal(event.type, EVENT_TYPE_COUNT);
	assert_int_equal(event.number, 4);
	assert_int_equal(json_count(json_get(event.fields, "x")), 1);
	event_release(&event);
}

static void a_line_longer_than_any_is_refused_unread(void **state)
{
	size_t len = EVENT_LINE_BYTES + 1;
	MEM_AUTO char *line = mem_array(len, 1);
	struct event event;
	struct digest prev;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(event_parse(line, len, &event, &prev, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
}

static void output_comes_back_byte_for_byte(void **state)
{
	uint32_t seed = 5;
	char bytes[300];

	(void)state;
	for (size_t len = 0; len < sizeof(bytes); len++) {
		for (unsigned kind = 0; kind < 3; kind++) {
			STR_AUTO struct str out = STR_INIT;
			struct err err = ERR_INIT;

			for (size_t i = 0; i < len; i++) {
				unsigned random = next_random(&seed) & 0xFF;

				bytes[i] = (char)(kind == 0   ? 'a' + (int)(random % 26)
						  : kind == 1 ? (int)(random % 128)
							      : (int)random);
			}
			JSON_AUTO struct json *fields = event_output_fields(bytes, len);

			if (kind == 0)
				assert_non_null(json_get_str(fields, "text"));
			assert_int_equal(event_output_bytes(fields, &out, &err), 0);
			assert_int_equal(out.len, len);
			assert_memory_equal(str_c(&out), bytes, len);
		}
	}
}

static void bytes_that_are_no_text_are_base64(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *base64;
	} cases[] = {
		{"\0", 1, "AA=="},
		{"\xff\xfe", 2, "//4="},
		{"\xfb\xef\xbe", 3, "++++"},
		{"Man\xff", 4, "TWFu/w=="},
		{"\xe2\x82", 2, "4oI="},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		JSON_AUTO struct json *fields = event_output_fields(cases[i].bytes, cases[i].len);

		assert_null(json_get(fields, "text"));
		assert_string_equal(json_get_str(fields, "base64"), cases[i].base64);
	}
}

static void output_that_is_neither_or_both_is_refused(void **state)
{
	static const char *const cases[] = {"{}", "{\"text\":1}",
		"{\"text\":\"a\",\"base64\":\"AA==\"}", "{\"base64\":\"\"}", "{\"base64\":\"AAA\"}",
		"{\"base64\":\"A===\"}", "{\"base64\":\"AB==\"}", "{\"base64\":\"AAB=\"}",
		"{\"base64\":\"AA==AA==\"}", "{\"base64\":\"AA=A\"}", "{\"base64\":\"A A=\"}",
		"{\"base64\":\"AAAA\\n\"}"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		JSON_AUTO struct json *fields = NULL;
		STR_AUTO struct str out = STR_INIT;
		struct err err = ERR_INIT;

		str_add(&out, "kept");
		assert_int_equal(json_parse(cases[i], strlen(cases[i]), 4, &fields, &err), 0);
		assert_int_equal(event_output_bytes(fields, &out, &err), -1);
		assert_int_equal(err.code, ERR_INVALID);
		assert_string_equal(out.data, "kept");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_its_members_in_the_fixed_order),
		cmocka_unit_test(an_event_without_fields_and_call_is_a_line_too),
		cmocka_unit_test(every_type_has_a_name_of_its_own_that_reads_back),
		cmocka_unit_test(what_is_printed_reads_back_to_the_same_event),
		cmocka_unit_test(a_line_that_is_not_written_so_is_refused),
		cmocka_unit_test(an_unknown_type_is_kept_and_told_apart),
		cmocka_unit_test(a_line_longer_than_any_is_refused_unread),
		cmocka_unit_test(output_comes_back_byte_for_byte),
		cmocka_unit_test(bytes_that_are_no_text_are_base64),
		cmocka_unit_test(output_that_is_neither_or_both_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

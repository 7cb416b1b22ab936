#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/card_like.h"
#include "core/redact_fields.h"
#include "tests/unit/test_card_fixture.h"

static struct json *parse(const char *text)
{
	struct json *v = NULL;
	struct err err = ERR_INIT;

	if (json_parse(text, strlen(text), JSON_DEPTH_MAX, &v, &err) != 0)
		fail_msg("%s: %s", text, err.text);
	return v;
}

static const struct {
	enum event_type type;
	const char *fields,
		*masked; /* without the member that tells of it; NULL: nothing is masked */
} cases[] = {
	{EVENT_RECEIVED,
		"{\"agent\":\"a\",\"agent_reason\":\"use abcdefgh9\",\"command\":\"TOKEN=abcdefgh9 "
		"x\"}",
		"{\"agent\":\"a\",\"agent_reason\":\"use *********\",\"command\":\"TOKEN=********* "
		"x\"}"},
	{EVENT_PROFILE,
		"{\"env\":[\"HOME=/"
		"\",\"MY_TOKEN=abc\"],\"argv\":[\"x\",\"--password=abc\"],\"profile\":\"ab\"}",
		"{\"env\":[\"HOME=/"
		"\",\"MY_TOKEN=***\"],\"argv\":[\"x\",\"--password=***\"],\"profile\":\"ab\"}"},
	{EVENT_REFUSED,
		"{\"reason\":\"x\",\"sentence\":\"no: "
		"PASSWORD=abc\",\"tried\":[{\"backend\":\"b\",\"why\":\"TOKEN=abc\"}]}",
		"{\"reason\":\"x\",\"sentence\":\"no: "
		"PASSWORD=***\",\"tried\":[{\"backend\":\"b\",\"why\":\"TOKEN=***\"}]}"},
	{EVENT_VIEW, "{\"ui\":{\"view\":1,\"find\":\"TOKEN=abc\",\"key\":\"a\"}}",
		"{\"ui\":{\"view\":1,\"find\":\"TOKEN=***\",\"key\":\"a\"}}"},
	/* Names that a reader has to understand, whatever they look like. */
	{EVENT_LOCKED, "{\"locked\":true,\"why\":\"operator\"}", NULL},
	{EVENT_PROBE, "{\"backend\":\"TOKEN=abc\",\"ok\":true}", NULL},
	{EVENT_OUTPUT, "{\"text\":\"TOKEN=abc\"}", NULL},
	{EVENT_RULED, "{\"verdict\":\"allow\",\"rule\":\"shell\"}", NULL},
};

static void texts_are_masked_and_names_are_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STRV_AUTO struct strv known = STRV_INIT;
		JSON_AUTO struct json *fields = parse(cases[i].fields);
		STR_AUTO struct str text = STR_INIT;
		struct event event = {.type = cases[i].type, .fields = fields};
		JSON_AUTO struct json *masked = redact_fields(&event, &known);

		if (cases[i].masked == NULL) {
			assert_null(masked);
			continue;
		}
		assert_non_null(masked);
		JSON_AUTO struct json *told = json_take(masked, "masked");

		assert_true(json_get_int(told, "count", 0) > 0);
		assert_int_equal(strlen(json_get_str(told, "digest")), 64);
		json_print(masked, true, &text);
		assert_string_equal(text.data, cases[i].masked);
	}
}

/* A secret across the spans of a line, in a text that is no UTF-8, in a note about the command: the card can be read, and is the same
   but for it. */
static void a_masked_card_is_a_card(void **state)
{
	CLEANUP(fixture_release) struct card_fixture f;
	CLEANUP(card_release) struct card card = {0}, read = {0};
	CLEANUP(card_whole_release) struct card_whole whole = {.count = 0};
	STRV_AUTO struct strv known = STRV_INIT;
	STR_AUTO struct str text = STR_INIT;
	struct event event = {.type = EVENT_CARD, .fields = json_new_object()};
	struct err err = ERR_INIT;
	char hex[DIGEST_HEX_BYTES];

	(void)state;
	fixture_init(&f);
	fixture_command(&f, "API_KEY=zzSECRETzz sudo ls");
	strv_add(&f.confinement.env.kept, "MY_TOKEN=\xfe\x80zzOTHERzz");
	card_build(&f.in, &card);
	struct fact *fact = facts_add(&card.facts, "more");
	struct line *line = fact_line(fact);

	line_add(line, SPAN_OURS, "%s", "password=");
	line_add(line, SPAN_FOREIGN, "%s", "zzTHIRDzz");
	json_set(event.fields, "card", card_to_record(&card, NULL, &whole));
	JSON_AUTO struct json *masked = redact_fields(&event, &known);

	json_free(event.fields);
	json_print(masked, true, &text);
	assert_null(strstr(text.data, "SECRET"));
	assert_null(strstr(text.data, "OTHER"));
	assert_null(strstr(text.data, "THIRD"));
	digest_hex(&card.digest, hex);
	if (card_from_record(
		    json_get(masked, "card"), card.seq, hex, NULL, &whole, false, &read, &err) != 0)
		fail_msg("%s", err.text);
	assert_string_equal(read.command, "API_KEY=********** sudo ls");
	assert_int_equal(read.unusual.count, card.unusual.count);
	assert_int_equal(read.details.count, card.details.count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_masked_and_names_are_not),
		cmocka_unit_test(a_masked_card_is_a_card),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

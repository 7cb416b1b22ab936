#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/model.h"
#include "tests/unit/test_card_fixture.h"

/* A card, and a call, whose command a person edited. */

static void build(struct card *card, const char *asked, const char *editor)
{
	CLEANUP(fixture_release) struct card_fixture f;

	fixture_init(&f);
	f.in.asked = asked;
	f.in.editor = editor;
	f.in.edited_at = "14:36:02";
	card_build(&f.in, card);
}

static void the_card_says_what_the_agent_said_before_the_edit_and_who_edited(void **state)
{
	CLEANUP(card_release) struct card card;
	STR_AUTO struct str says = STR_INIT;
	STR_AUTO struct str from = STR_INIT;

	(void)state;
	build(&card, "git diff", NULL);
	fixture_print_fact(&card.facts, "agent says", &says);
	fixture_print_fact(&card.facts, "came from", &from);
	assert_non_null(strstr(str_c(&says), "\" (said before your edit)"));
	assert_non_null(strstr(str_c(&from), "; edited by you at 14:36:02"));
	assert_string_equal(card.asked, "git diff");
	assert_null(card.editor);
}

static void a_yes_for_one_edit_is_none_for_another(void **state)
{
	static const char *const edits[][2] = {{NULL, NULL}, {"git diff", NULL},
		{"git diff ", NULL}, {"git diff", "/usr/bin/vim"}};
	struct card cards[ARRAY_LEN(edits)];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
		build(&cards[i], edits[i][0], edits[i][1]);
		for (size_t j = 0; j < i; j++)
			assert_false(digest_equal(&cards[i].digest, &cards[j].digest));
	}
	for (size_t i = 0; i < ARRAY_LEN(edits); i++)
		card_release(&cards[i]);
}

static void an_edited_card_comes_back_from_the_record_and_a_card_without_has_no_member_of_it(
	void **state)
{
	static const char *const edits[][2] = {
		{NULL, NULL}, {"git diff", NULL}, {"git diff", "/usr/bin/vim"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
		CLEANUP(card_release) struct card card;
		CLEANUP(card_release) struct card again;
		struct err err = ERR_INIT;

		build(&card, edits[i][0], edits[i][1]);
		JSON_AUTO struct json *v = card_to_json(&card);
		assert_int_equal(json_get(v, "asked") != NULL, edits[i][0] != NULL);
		card_init(&again);
		assert_int_equal(card_from_json(v, false, &again, &err), 0);
		assert_true((again.asked == NULL) == (edits[i][0] == NULL));
		assert_true((again.editor == NULL) == (edits[i][1] == NULL));
	}
}

static int apply(struct model *model, enum event_type type, struct json *fields, struct err *err)
{
	struct event event = {
		.type = type, .number = 1, .seq = 16, .wall_ms = 1000, .fields = fields};
	int status = model_apply(model, &event, err);

	event_release(&event);
	return status;
}

static struct json *parsed(const char *text)
{
	struct json *fields = NULL;
	struct err err = ERR_INIT;

	assert_int_equal(json_parse(text, strlen(text), JSON_DEPTH_MAX, &fields, &err), 0);
	return fields;
}

static struct json *card_fields(const char *asked)
{
	CLEANUP(card_release) struct card card;
	struct json *fields = json_new_object();
	char hex[DIGEST_HEX_BYTES];

	build(&card, asked, NULL);
	digest_hex(&card.digest, hex);
	json_set_str(fields, "digest", hex);
	if (asked != NULL)
		json_set_str(fields, "old", hex);
	json_set(fields, "card", card_to_json(&card));
	return fields;
}

static void let_wait(struct model *model)
{
	struct err err = ERR_INIT;

	model_init(model);
	assert_int_equal(apply(model, EVENT_RECEIVED,
				 parsed("{\"peer\":1,\"line\":1,\"command\":\"git diff\"}"), &err),
		0);
	assert_int_equal(apply(model, EVENT_CARD, card_fields(NULL), &err), 0);
}

/* key: a field that has another value, or none. */
static struct json *other_fields(const struct model *model, const char *key, const char *value)
{
	char old[DIGEST_HEX_BYTES];
	const char *const right[][2] = {
		{"by", "operator"}, {"how", "inline"}, {"command", "ls"}, {"old", old}};
	struct json *fields = json_new_object();

	digest_hex(&model_job(model, 16)->card->digest, old);
	for (size_t i = 0; i < ARRAY_LEN(right); i++) {
		bool other = key != NULL && strcmp(key, right[i][0]) == 0;

		if (!other || value != NULL)
			json_set_str(fields, right[i][0], other ? value : right[i][1]);
	}
	return fields;
}

static struct json *edit_fields(const struct model *model)
{
	return other_fields(model, NULL, NULL);
}

static void the_command_of_a_call_changes_with_its_new_card(void **state)
{
	CLEANUP(model_release) struct model model;
	struct err err = ERR_INIT;

	(void)state;
	let_wait(&model);
	const struct job *job = model_job(&model, 16);
	assert_int_equal(apply(&model, EVENT_EDITED, edit_fields(&model), &err), 0);
	assert_string_equal(job->command, "git diff");
	assert_int_equal(job->state, JOB_WAITING);
	assert_int_equal(apply(&model, EVENT_CARD, card_fields("git diff"), &err), 0);
	assert_string_equal(job->command, "git diff --stat HEAD~3");
	assert_string_equal(job->card->asked, "git diff");
	assert_string_equal(job->edited_how, "inline");
	assert_int_equal(job->edited_wall_ms, 1000);
}

static void a_record_that_says_an_impossible_edit_is_refused(void **state)
{
	static const struct {
		const char *key, *value; /* of the fields, instead of the right one */
	} rows[] = {
		{"how", NULL}, {"command", NULL}, {"command", ""}, {"old", NULL}, {"old", "00"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(model_release) struct model model;
		struct err err = ERR_INIT;

		let_wait(&model);
		assert_int_equal(apply(&model, EVENT_EDITED,
					 other_fields(&model, rows[i].key, rows[i].value), &err),
			-1);
		assert_null(model_job(&model, 16)->edited_how);
	}
}

static void what_is_decided_is_not_edited(void **state)
{
	CLEANUP(model_release) struct model model;
	struct err err = ERR_INIT;

	(void)state;
	let_wait(&model);
	assert_int_equal(apply(&model, EVENT_DECIDED,
				 parsed("{\"decision\":\"approved\",\"by\":\"operator\"}"), &err),
		0);
	assert_int_equal(apply(&model, EVENT_EDITED, edit_fields(&model), &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_card_says_what_the_agent_said_before_the_edit_and_who_edited),
		cmocka_unit_test(a_yes_for_one_edit_is_none_for_another),
		cmocka_unit_test(
			an_edited_card_comes_back_from_the_record_and_a_card_without_has_no_member_of_it),
		cmocka_unit_test(the_command_of_a_call_changes_with_its_new_card),
		cmocka_unit_test(a_record_that_says_an_impossible_edit_is_refused),
		cmocka_unit_test(what_is_decided_is_not_edited),
	};

	return cmocka_run_group_tests_name("edited", tests, NULL, NULL);
}

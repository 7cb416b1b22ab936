#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit/test_card_fixture.h"

static struct digest digest_of(struct card_fixture *f)
{
	CLEANUP(card_release) struct card card;

	card_build(&f->in, &card);
	return card.digest;
}

static void change_session(struct card_fixture *f)
{
	f->in.session = "20261130T140200Z-4121-9c3f";
}
static void change_seq(struct card_fixture *f)
{
	f->in.seq = 17;
}
static void change_plan(struct card_fixture *f)
{
	f->in.plan_bytes = "plam";
}
static void change_rule(struct card_fixture *f)
{
	f->ruling.rule[0] = 'T';
}
static void change_verdict(struct card_fixture *f)
{
	f->ruling.verdict = VERDICT_ALLOW;
}
static void change_command(struct card_fixture *f)
{
	fixture_command(f, "git diff --stat HEAD~4");
}
static void change_reason(struct card_fixture *f)
{
	f->request.reason[0] = 'S';
}
static void change_agent(struct card_fixture *f)
{
	f->request.agent[0] = 'P';
}
static void drop_reason(struct card_fixture *f)
{
	free(f->request.reason);
	f->request.reason = NULL;
}
static void change_dev(struct card_fixture *f)
{
	f->confinement.writable.items[0].dev++;
}
static void change_ino(struct card_fixture *f)
{
	f->confinement.writable.items[0].ino++;
}
static void change_guard_ino(struct card_fixture *f)
{
	f->confinement.guards[1].place.ino++;
}
static void add_readonly(struct card_fixture *f)
{
	places_add(&f->confinement.readonly, "/opt/x", 1, 2, true);
}
static void change_helpers(struct card_fixture *f)
{
	f->helpers.bytes[31] ^= 1;
}
static void change_value(struct card_fixture *f)
{
	f->confinement.env.kept.items[2][5] = 'y';
}
static void change_cut_name(struct card_fixture *f)
{
	f->confinement.env.cut[ENV_GROUP_OTHER].items[3][0] = 'M';
}
static void change_network(struct card_fixture *f)
{
	f->confinement.network = true;
}
static void change_limit(struct card_fixture *f)
{
	f->confinement.limits.open_files--;
}
static void change_hidden_limit(struct card_fixture *f)
{
	f->confinement.limits.file_bytes--;
}
static void change_enforcer(struct card_fixture *f)
{
	f->offer.enforcers[LIMIT_MEMORY] = NULL;
}
static void change_facet(struct card_fixture *f)
{
	f->offer.facets[FACET_END] = HOLD_NONE;
}
static void change_origin(struct card_fixture *f)
{
	f->in.came_from = "stdin, line 17, id 16";
}
static void change_plan_text(struct card_fixture *f)
{
	f->in.plan_text = "sh -c -- true";
}

static void a_yes_holds_for_nothing_else(void **state)
{
	static void (*const changes[])(struct card_fixture *) = {change_session, change_seq,
		change_plan, change_rule, change_verdict, change_command, change_reason,
		change_agent, drop_reason, change_dev, change_ino, change_guard_ino, add_readonly,
		change_helpers, change_value, change_cut_name, change_network, change_limit,
		change_hidden_limit, change_enforcer, change_facet, change_origin,
		change_plan_text};
	CLEANUP(fixture_release) struct card_fixture same;

	(void)state;
	fixture_init(&same);
	struct digest first = digest_of(&same), second = digest_of(&same);

	assert_true(digest_equal(&first, &second));
	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		CLEANUP(fixture_release) struct card_fixture f;

		fixture_init(&f);
		changes[i](&f);
		struct digest changed = digest_of(&f);

		if (digest_equal(&first, &changed))
			fail_msg("change %zu of the inputs left the digest as it was", i);
	}
}

static void assert_same(const struct card *card)
{
	STR_AUTO struct str first = STR_INIT, second = STR_INIT;
	JSON_AUTO struct json *v = card_to_json(card);
	JSON_AUTO struct json *parsed = NULL;
	CLEANUP(card_release) struct card again;
	struct err err = ERR_INIT;

	json_print(v, true, &first);
	assert_int_equal(json_parse(first.data, first.len, JSON_DEPTH_MAX, &parsed, &err), 0);
	assert_int_equal(card_from_json(parsed, false, &again, &err), 0);
	JSON_AUTO struct json *w = card_to_json(&again);

	json_print(w, true, &second);
	assert_string_equal(first.data, second.data);
	assert_true(digest_equal(&card->digest, &again.digest));
	assert_string_equal(card->command, again.command);
}

static void a_card_reads_back_as_it_was(void **state)
{
	static const char *const commands[] = {"ls", "a\xe2\x80\xae b\n\n\n\n\nx \x1b[2J",
		"sudo ls > ~/.bashrc; nohup a &\necho bHM= | base64 -d | sh",
		"git push -f; rm -rf .git", "curl https://\xd0\xb0pple.example",
		"echo \"\\ \xf0\x9f\x98\x80\""};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		CLEANUP(fixture_release) struct card_fixture f;
		CLEANUP(card_release) struct card card;

		fixture_init(&f);
		fixture_command(&f, commands[i]);
		strv_add(&f.request.ignored, "sandbox");
		card_build(&f.in, &card);
		assert_same(&card);
	}
}

static void bytes_that_are_not_utf8_survive_the_record(void **state)
{
	CLEANUP(fixture_release) struct card_fixture f;
	CLEANUP(card_release) struct card card, again;
	JSON_AUTO struct json *v = NULL;
	struct err err = ERR_INIT;

	(void)state;
	fixture_init(&f);
	free(f.confinement.cwd);
	f.confinement.cwd = mem_strdup("/srv/\xff<xFF>\xc3(\n<ESC>");
	strv_add(&f.confinement.env.kept, "LANG=\xfe\x80");
	card_build(&f.in, &card);
	assert_same(&card);
	v = card_to_json(&card);
	assert_int_equal(card_from_json(v, false, &again, &err), 0);
	assert_string_equal(again.facts.items[1].lines[0].spans[0].text, f.confinement.cwd);
}

/* Any one byte of the text changed: refused, or a card that is written exactly so. */
static void a_forged_card_is_refused(void **state)
{
	CLEANUP(fixture_release) struct card_fixture f;
	CLEANUP(card_release) struct card card;
	STR_AUTO struct str text = STR_INIT;
	unsigned refused = 0;

	(void)state;
	fixture_init(&f);
	fixture_command(&f, "t\xe2\x80\x8bouch");
	card_build(&f.in, &card);
	JSON_AUTO struct json *v = card_to_json(&card);

	json_print(v, true, &text);
	for (size_t i = 0; i < text.len; i++) {
		JSON_AUTO struct json *parsed = NULL;
		struct card read;
		struct err err = ERR_INIT;
		char kept = text.data[i];

		text.data[i] = kept == '7' ? '{' : '7';
		if (json_parse(text.data, text.len, JSON_DEPTH_MAX, &parsed, &err) == 0 &&
			card_from_json(parsed, false, &read, &err) == 0) {
			STR_AUTO struct str again = STR_INIT;
			JSON_AUTO struct json *w = card_to_json(&read);

			json_print(w, true, &again);
			assert_string_equal(again.data, text.data);
			card_release(&read);
		} else {
			assert_int_equal(err.code, ERR_INVALID);
			refused++;
		}
		text.data[i] = kept;
	}
	assert_true(refused > 500);
}

static void what_is_no_card_is_refused(void **state)
{
	static const char *const cases[] = {"{}", "[]", "null", "1", "\"x\"", "{\"seq\":1}"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		JSON_AUTO struct json *v = NULL;
		struct card card;
		struct err err = ERR_INIT;

		assert_int_equal(json_parse(cases[i], strlen(cases[i]), 4, &v, &err), 0);
		assert_int_equal(card_from_json(v, false, &card, &err), -1);
		assert_int_equal(err.code, ERR_INVALID);
	}
	struct card card;
	struct err err = ERR_INIT;

	assert_int_equal(card_from_json(NULL, false, &card, &err), -1);
}

/* The worst that a request can hold still fits into one line of the record. */
static void the_largest_command_makes_a_card_that_fits_the_record(void **state)
{
	CLEANUP(fixture_release) struct card_fixture f;
	CLEANUP(card_release) struct card card;
	STR_AUTO struct str text = STR_INIT, command = STR_INIT;

	(void)state;
	fixture_init(&f);
	while (command.len < REQUEST_COMMAND_BYTES - 2)
		str_add(&command, "\x1b\n");
	fixture_command(&f, command.data);
	card_build(&f.in, &card);
	JSON_AUTO struct json *v = card_to_json(&card);

	json_print(v, true, &text);
	assert_true(text.len < 2u << 20);
	assert_same(&card);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_yes_holds_for_nothing_else),
		cmocka_unit_test(a_card_reads_back_as_it_was),
		cmocka_unit_test(bytes_that_are_not_utf8_survive_the_record),
		cmocka_unit_test(a_forged_card_is_refused),
		cmocka_unit_test(what_is_no_card_is_refused),
		cmocka_unit_test(the_largest_command_makes_a_card_that_fits_the_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

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
#include "tests/unit/test_card_fixture.h"

static const char plan[] = "backend     landlock\ncommand     git diff --stat HEAD~3\nmount       "
			   "/usr\nmount       /bin\n"
			   "mount       /etc\nmount       /lib\nmount       /var\nuser        1\n";

static void build(struct card_fixture *f, struct card *ret)
{
	card_init(ret);
	card_build(&f->in, ret);
}

static void assert_equal_json(const struct card *a, const struct card *b)
{
	JSON_AUTO struct json *v = card_to_json(a);
	JSON_AUTO struct json *w = card_to_json(b);
	STR_AUTO struct str first = STR_INIT, second = STR_INIT;

	json_print(v, true, &first);
	json_print(w, true, &second);
	assert_string_equal(first.data, second.data);
}

/* Written, printed, parsed and read; gives the bytes of its line. */
static size_t assert_comes_back(
	const struct card *card, const char *command, const struct card_whole *whole)
{
	JSON_AUTO struct json *v = card_to_record(card, command, whole);
	JSON_AUTO struct json *parsed = NULL;
	STR_AUTO struct str text = STR_INIT;
	CLEANUP(card_release) struct card again = {0};
	struct err err = ERR_INIT;
	char hex[DIGEST_HEX_BYTES];

	digest_hex(&card->digest, hex);
	json_print(v, true, &text);
	assert_int_equal(json_parse(text.data, text.len, JSON_DEPTH_MAX, &parsed, &err), 0);
	assert_int_equal(
		card_from_record(parsed, card->seq, hex, command, whole, false, &again, &err), 0);
	assert_equal_json(card, &again);
	return text.len;
}

static void a_card_like_one_before_is_short_and_comes_back_whole(void **state)
{
	static const char *const commands[] = {"git diff --stat HEAD~3", "ls",
		"echo a\n\xd0\xb6; printf '\\\\x' \"$HOME\"", "sudo rm -rf / ; t\xe2\x80\x8bouch x",
		"echo of more than thirty-two bytes, twice: of more than thirty-two bytes"};
	CLEANUP(fixture_release) struct card_fixture f;
	CLEANUP(card_whole_release) struct card_whole whole = {.count = 0};
	CLEANUP(card_release) struct card first;

	(void)state;
	fixture_init(&f);
	f.in.plan_text = plan;
	build(&f, &first);
	size_t long_bytes = assert_comes_back(&first, first.command, &whole);

	card_whole_add(&whole, &first);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		CLEANUP(card_release) struct card card;
		MEM_AUTO char *shown = mem_printf(
			"backend     landlock\ncommand     %s\nmount       /usr\nmount       /bin\n"
			"mount       /etc\nmount       /lib\nmount       /var\nnew         1\n",
			commands[i]);

		f.in.seq = 17 + i;
		f.in.plan_text = shown;
		fixture_command(&f, commands[i]);
		build(&f, &card);
		size_t bytes = assert_comes_back(&card, commands[i], &whole);

		assert_true(card.unusual.count > 0 || bytes < long_bytes / 2);
		assert_comes_back(&card, "another", &whole);
		assert_comes_back(&card, NULL, &whole);
	}
}

static void a_card_of_another_kind_is_written_whole(void **state)
{
	CLEANUP(fixture_release) struct card_fixture f;
	CLEANUP(card_whole_release) struct card_whole whole = {.count = 0};

	(void)state;
	fixture_init(&f);
	/* More kinds than are remembered: each is another plan. */
	for (unsigned kind = 0; kind < 3 * CARD_WHOLE_MAX; kind++) {
		CLEANUP(card_release) struct card card;
		MEM_AUTO char *text = mem_printf("%u a\n%u b\n%u c\n%u d\n%u e\n%u f\n%u g\n%u "
						 "h\n%u i\n%u j\n%u k\n%u l\n%u m\n",
			kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind, kind,
			kind);

		f.in.plan_text = text;
		build(&f, &card);
		JSON_AUTO struct json *v = card_to_record(&card, NULL, &whole);

		assert_null(json_get(v, "like"));
		card_whole_add(&whole, &card);
		JSON_AUTO struct json *w = card_to_record(&card, NULL, &whole);

		assert_int_equal(json_get_int(w, "like", 0), kind + 1);
		assert_comes_back(&card, NULL, &whole);
	}
}

static const char *const bad[] = {
	"{\"like\":0,\"facts\":[],\"details\":[]}",
	"{\"like\":2,\"facts\":[],\"details\":[]}",
	"{\"like\":1,\"facts\":[]}",
	"{\"like\":1,\"facts\":[99],\"details\":[]}",
	"{\"like\":1,\"facts\":[-1],\"details\":[]}",
	"{\"like\":1,\"facts\":[[]],\"details\":[]}",
	"{\"like\":1,\"facts\":[\"0\"],\"details\":[]}",
	"{\"like\":1,\"facts\":[[0,1]],\"details\":[]}",
	"{\"like\":1,\"facts\":[[0,[0]]],\"details\":[]}",
	"{\"like\":1,\"facts\":[[0,[0,0]]],\"details\":[]}",
	"{\"like\":1,\"facts\":[[0,[0,2]]],\"details\":[]}",
	"{\"like\":1,\"facts\":[[0,[2,1]]],\"details\":[]}",
	"{\"like\":1,\"facts\":[[0,[0,9007199254740991]]],\"details\":[]}",
	"{\"like\":1,\"facts\":[[0,[[\"ours\"]]]],\"details\":[]}",
	"{\"like\":1,\"facts\":[[0,[[\"mine\",\"a\",\"b\"]]]],\"details\":[]}",
	"{\"like\":1,\"facts\":[[0,[[\"ours\",\"a\",1]]]],\"details\":[]}",
	"{\"like\":1,\"facts\":[],\"details\":[],\"more\":1}",
	"{\"like\":1,\"facts\":[],\"details\":[],\"time_s\":-1}",
	"{\"like\":1,\"facts\":[],\"details\":[],\"unusual\":[{}]}",
};

static int read_text(const char *text, size_t len, const struct card_whole *whole)
{
	JSON_AUTO struct json *v = NULL;
	struct card card;
	char hex[DIGEST_HEX_BYTES];
	struct err err = ERR_INIT;

	digest_hex(&(struct digest){{0}}, hex);
	if (json_parse(text, len, JSON_DEPTH_MAX, &v, &err) != 0)
		return -1;
	if (card_from_record(v, 16, hex, "ls", whole, false, &card, &err) == 0) {
		card_release(&card);
		return 0;
	}
	assert_int_equal(err.code, ERR_INVALID);
	return -1;
}

static void what_refers_to_nothing_is_refused(void **state)
{
	CLEANUP(fixture_release) struct card_fixture f;
	CLEANUP(card_whole_release) struct card_whole whole = {.count = 0};
	CLEANUP(card_release) struct card card;
	STR_AUTO struct str text = STR_INIT;

	(void)state;
	fixture_init(&f);
	f.in.plan_text = plan;
	build(&f, &card);
	card_whole_add(&whole, &card);
	assert_int_equal(read_text("{\"like\":1,\"facts\":[],\"details\":[]}", 34, &whole), 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(read_text(bad[i], strlen(bad[i]), &whole), -1);
	/* Any one byte changed: refused or read, and nothing else. */
	JSON_AUTO struct json *v = card_to_record(&card, NULL, &whole);

	json_print(v, true, &text);
	for (size_t i = 0; i < text.len; i++) {
		char kept = text.data[i];

		for (const char *with = "7{]-"; *with != '\0'; with++) {
			text.data[i] = *with;
			read_text(text.data, text.len, &whole);
		}
		text.data[i] = kept;
	}
}

static void a_few_bytes_do_not_become_a_card_without_end(void **state)
{
	CLEANUP(fixture_release) struct card_fixture f;
	CLEANUP(card_whole_release) struct card_whole whole = {.count = 0};
	CLEANUP(card_release) struct card card;
	STR_AUTO struct str text = STR_INIT;

	(void)state;
	fixture_init(&f);
	f.in.plan_text = plan;
	build(&f, &card);
	card_whole_add(&whole, &card);
	str_add(&text, "{\"like\":1,\"facts\":[0");
	for (unsigned i = 0; i < 70000; i++)
		str_add(&text, ",0");
	str_add(&text, "],\"details\":[]}");
	assert_int_equal(read_text(text.data, text.len, &whole), -1);
	str_clear(&text);
	str_printf(&text, "{\"like\":1,\"command\":\"%0100000d\",\"facts\":[[0", 1);
	for (unsigned i = 0; i < 100; i++)
		str_add(&text, ",[[\"ours\",\"\",\"\"]]");
	str_add(&text, "]],\"details\":[]}");
	assert_int_equal(read_text(text.data, text.len, &whole), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_like_one_before_is_short_and_comes_back_whole),
		cmocka_unit_test(a_card_of_another_kind_is_written_whole),
		cmocka_unit_test(what_refers_to_nothing_is_refused),
		cmocka_unit_test(a_few_bytes_do_not_become_a_card_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

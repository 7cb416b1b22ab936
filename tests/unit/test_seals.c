#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/seal_keys.h"
#include "app/seals.h"
#include "base/fd.h"
#include "base/mem.h"
#include "tests/unit/test_audit_fixture.h"

#define WALL 1796045281123
#define PLACE 4096

static int open_dir(const struct record *r)
{
	int fd = open(r->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void begin(const struct record *r, struct digest *ret_key)
{
	FD_AUTO int dir_fd = open_dir(r);
	struct err err = ERR_INIT;

	if (seals_init(dir_fd, WALL, ret_key, &err) != 0)
		fail_msg("seals_init: %s", err.text);
}

static void seal_point(const struct record *r, const struct seals_point *point, struct str *told)
{
	FD_AUTO int dir_fd = open_dir(r);
	struct err err = ERR_INIT;

	if (seals_add(dir_fd, point, WALL, told, &err) != 0)
		fail_msg("seals_add: %s", err.text);
}

static void seal_chain(const struct record *r)
{
	const struct seals_point nothing = {0};
	STR_AUTO struct str told = STR_INIT;

	seal_point(r, &nothing, &told);
	assert_int_equal(told.len, 0);
}

static int verify_by(const struct record *r, const struct digest *key, struct str *out)
{
	const struct verify_kept kept = {.key = key};
	struct err err = ERR_INIT;

	str_clear(out);
	int status = verify_path_kept(r->dir, &kept, out, &err);

	if (status < 0)
		fail_msg("verify: %s", err.text);
	return status;
}

static void expect(const struct record *r, const struct digest *key, int status, const char *words)
{
	STR_AUTO struct str report = STR_INIT;
	int got = verify_by(r, key, &report);

	if (got != status || strstr(report.data, words) == NULL)
		fail_msg("%d, not %d with \"%s\": %s", got, status, words, report.data);
}

/* A session of 2 calls, sealed in its middle and at its end, in a record whose seals began before it. Caller frees. */
static char *sealed_session(const struct record *r)
{
	struct audit *audit = record_start(r);
	char *name = mem_printf("%s.jsonl", audit_session(audit));
	struct audit_point durable;
	STR_AUTO struct str told = STR_INIT;
	struct err err = ERR_INIT;

	record_calls(audit, 1);
	assert_int_equal(audit_sync(audit, &err), 0);
	audit_point(audit, &durable);
	const struct seals_point point = {
		.file = durable.file, .events = durable.events, .digest = durable.digest};

	assert_int_equal(point.events, 4);
	seal_point(r, &point, &told);
	record_emit(audit, EVENT_VIEW, 0, "{\"ui\":{}}");
	record_end(audit);
	seal_chain(r);
	return name;
}

static void a_sealed_record_is_proved_by_the_key_alone(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *before = record_session(r, 1);
	struct digest key, other = {{1}};

	begin(r, &key);
	expect(r, &key, VERIFY_WHOLE, ", 0 events are not sealed\n");
	MEM_AUTO char *name = sealed_session(r);

	expect(r, &key, VERIFY_WHOLE, "seals: epochs 1 to 3, proved by the key ");
	expect(r, &key, VERIFY_WHOLE, ", 0 events are not sealed\n");
	expect(r, NULL, VERIFY_WHOLE, ", which --key compares with the one that you kept\n");
	expect(r, &other, VERIFY_ALTERED,
		"SEALS:1: altered: it was not made by the key that you gave");
	MEM_AUTO char *late = record_session(r, 1);

	expect(r, &key, VERIFY_WHOLE, ", 5 events are not sealed\n");
}

static void seals_that_were_never_begun_are_named(void **state)
{
	const struct record *r = *state;
	FD_AUTO int dir_fd = open_dir(r);
	STR_AUTO struct str told = STR_INIT;
	struct err err = ERR_INIT;
	struct digest key = {{0}};
	uint64_t epoch = 0;

	assert_int_equal(seals_check(dir_fd, &epoch, &told, &err), -1);
	assert_non_null(strstr(err.text, "exequatur audit init-seals"));
	MEM_AUTO char *name = record_session(r, 0);

	expect(r, &key, VERIFY_ALTERED, "SEALS:1: altered: there are no seals");
	begin(r, &key);
	assert_int_equal(seals_init(dir_fd, WALL, &key, &err), -1);
	assert_int_equal(err.code, ERR_REFUSED);
	char hex[DIGEST_HEX_BYTES];

	digest_hex(&key, hex);
	assert_non_null(strstr(err.text, hex));
}

/* In the file, in CHAIN and in SEALS: every bit, with the key and all of it chained. */
static void every_single_bit_of_a_sealed_record_is_held(void **state)
{
	const struct record *r = *state;
	struct digest key;

	begin(r, &key);
	MEM_AUTO char *name = sealed_session(r);
	const char *const files[] = {name, "CHAIN", SEALS_NAME};
	STR_AUTO struct str text = STR_INIT;
	STR_AUTO struct str report = STR_INIT;

	for (size_t f = 0; f < ARRAY_LEN(files); f++) {
		record_read(r, files[f], &text);
		for (size_t bit = 0; bit < 8 * text.len; bit++) {
			char kept = text.data[bit / 8];

			text.data[bit / 8] = (char)(kept ^ (1 << bit % 8));
			record_write(r, files[f], text.data, text.len);
			if (verify_by(r, &key, &report) == VERIFY_WHOLE)
				fail_msg("bit %zu of %s: %s", bit, files[f], report.data);
			text.data[bit / 8] = kept;
		}
		record_write(r, files[f], text.data, text.len);
	}
	assert_int_equal(verify_by(r, &key, &report), VERIFY_WHOLE);
}

static size_t line_at(const struct str *text, unsigned line)
{
	size_t at = 0;

	for (unsigned i = 1; i < line; i++)
		at += strcspn(text->data + at, "\n") + 1;
	return at;
}

/* SEALS with its lines in another order; 0 ends it. */
static void put_lines(const struct record *r, const struct str *text, const unsigned *lines)
{
	STR_AUTO struct str out = STR_INIT;

	for (; *lines != 0; lines++) {
		size_t start = line_at(text, *lines), end = line_at(text, *lines + 1);

		str_add_bytes(&out, text->data + start, end - start);
	}
	record_write(r, SEALS_NAME, str_c(&out), out.len);
}

static void seals_that_are_moved_missing_or_twice_are_named(void **state)
{
	static const struct {
		unsigned lines[6];
		const char *words;
	} cases[] = {
		{{1, 3, 2, 4}, "SEALS:2: altered: another epoch belongs here"},
		{{2, 1, 3, 4}, "SEALS:1: altered: another epoch belongs here"},
		{{1, 2, 4}, "SEALS:3: altered: another epoch belongs here"},
		{{1, 2, 2, 3, 4}, "SEALS:3: altered: another epoch belongs here"},
		{{2, 3, 4}, "SEALS:1: altered: another epoch belongs here"},
		{{1, 2, 3}, "SEALS:4: altered: the key beside it is of another epoch"},
		{{0}, "SEALS:1: altered: there are no seals"},
	};
	const struct record *r = *state;
	STR_AUTO struct str text = STR_INIT;
	struct digest key;

	begin(r, &key);
	MEM_AUTO char *name = sealed_session(r);

	seal_chain(r);
	record_read(r, SEALS_NAME, &text);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		put_lines(r, &text, cases[i].lines);
		expect(r, &key, VERIFY_ALTERED, cases[i].words);
	}
}

static void seals_of_another_machine_are_named(void **state)
{
	const struct record *r = *state;
	struct record *other;
	STR_AUTO struct str text = STR_INIT;
	struct digest key, other_key;

	begin(r, &key);
	seal_chain(r);
	assert_int_equal(record_setup((void **)&other), 0);
	begin(other, &other_key);
	seal_chain(other);
	seal_chain(other);
	record_read(other, SEALS_NAME, &text);
	record_write(r, SEALS_NAME, text.data, text.len);
	expect(r, &key, VERIFY_ALTERED,
		"SEALS:1: altered: it was not made by the key that you gave");
	assert_int_equal(record_teardown((void **)&other), 0);
}

struct states {
	struct str seals[2], keys[2]; /* before and after the seal of epoch 2 */
};

static void take_states(const struct record *r, struct states *s, struct digest *ret_key)
{
	*s = (struct states){0};
	begin(r, ret_key);
	MEM_AUTO char *name = record_session(r, 1);

	for (unsigned i = 0; i < 2; i++) {
		record_read(r, SEALS_NAME, &s->seals[i]);
		record_read(r, SEAL_KEYS_NAME, &s->keys[i]);
		if (i == 0)
			seal_chain(r);
	}
}

static void release_states(struct states *s)
{
	for (unsigned i = 0; i < 2; i++) {
		str_release(&s->seals[i]);
		str_release(&s->keys[i]);
	}
}

/* The key of epoch 2 is in the first place, that of epoch 3 behind it. */
static void put_both_keys(const struct record *r, const struct states *s)
{
	STR_AUTO struct str both = STR_INIT;

	str_add_bytes(&both, s->keys[0].data, PLACE);
	str_add_bytes(&both, s->keys[1].data + PLACE, s->keys[1].len - PLACE);
	record_write(r, SEAL_KEYS_NAME, both.data, both.len);
}

static void a_crash_at_any_step_of_a_seal_loses_nothing_and_is_told(void **state)
{
	static const struct {
		unsigned seals, cut;
		const char *told;
	} cases[] = {
		{0, 0, "a crash came before the seal of epoch 2 was recorded"},
		{1, 10, "a crash tore the seal of epoch 2"},
		{1, 1, "a crash tore the seal of epoch 2"},
		{1, 0, "a crash came before the key of epoch 2 was zeroed"},
	};
	const struct record *r = *state;
	CLEANUP(release_states) struct states s;
	const struct seals_point nothing = {0};
	struct digest key;

	take_states(r, &s, &key);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str told = STR_INIT;
		STR_AUTO struct str keys = STR_INIT;
		const struct str *seals = &s.seals[cases[i].seals];

		put_both_keys(r, &s);
		record_write(r, SEALS_NAME, seals->data, seals->len - cases[i].cut);
		seal_point(r, &nothing, &told);
		if (strstr(str_c(&told), cases[i].told) == NULL)
			fail_msg("%zu: \"%s\"", i, str_c(&told));
		expect(r, &key, VERIFY_WHOLE, ", 0 events are not sealed\n");
		/* Used up: its seed is nowhere in the file any more. */
		record_read(r, SEAL_KEYS_NAME, &keys);
		assert_null(memmem(keys.data, keys.len, s.keys[0].data, 80));
	}
}

static void a_key_that_sealed_is_zeroed_and_cannot_seal_again(void **state)
{
	const struct record *r = *state;
	CLEANUP(release_states) struct states s;
	static const char zeros[512];
	STR_AUTO struct str told = STR_INIT;
	FD_AUTO int dir_fd = open_dir(r);
	struct err err = ERR_INIT;
	struct digest key;
	uint64_t epoch;

	take_states(r, &s, &key);
	assert_memory_not_equal(s.keys[0].data, zeros, sizeof(zeros));
	assert_memory_equal(s.keys[1].data, zeros, sizeof(zeros));
	assert_int_equal(seals_check(dir_fd, &epoch, &told, &err), 0);
	assert_int_equal(epoch, 3);
	/* Whoever takes the last seal off can make no other in its place. */
	record_write(r, SEALS_NAME, s.seals[0].data, s.seals[0].len);
	expect(r, &key, VERIFY_ALTERED, "SEALS:2: altered: the key beside it is of another epoch");
	assert_int_equal(seals_check(dir_fd, &epoch, &told, &err), -1);
	assert_int_equal(err.code, ERR_REFUSED);
	/* An older key put back beside newer seals. */
	record_write(r, SEALS_NAME, s.seals[1].data, s.seals[1].len);
	record_write(r, SEAL_KEYS_NAME, s.keys[0].data, s.keys[0].len);
	expect(r, &key, VERIFY_ALTERED, "SEALS:3: altered: the key beside it is of another epoch");
	assert_int_equal(seals_check(dir_fd, &epoch, &told, &err), -1);
}

static void *seal_often(void *data)
{
	for (unsigned i = 0; i < 8; i++)
		seal_chain(data);
	return NULL;
}

static void two_sessions_share_the_key(void **state)
{
	struct record *r = *state;
	pthread_t threads[2];
	struct digest key;

	begin(r, &key);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, seal_often, r), 0);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	expect(r, &key, VERIFY_WHOLE, "seals: epochs 1 to 17, proved");
}

static void an_anchor_is_found_in_the_line_that_it_was_taken_from(void **state)
{
	const struct record *r = *state;
	MEM_AUTO char *name = record_session(r, 1);
	STR_AUTO struct str text = STR_INIT;
	STR_AUTO struct str report = STR_INIT;
	struct digest anchors[2];
	struct err err = ERR_INIT;

	record_read(r, name, &text);
	size_t start = line_at(&text, 3), end = line_at(&text, 4);

	digest_bytes(text.data + start, end - start - 1, &anchors[0]);
	struct verify_kept kept = {.anchors = anchors, .anchor_count = 1};
	MEM_AUTO char *where = mem_printf(": %s:3\n", name);

	assert_int_equal(verify_path_kept(r->dir, &kept, &report, &err), VERIFY_WHOLE);
	assert_non_null(strstr(report.data, where));
	anchors[1] = (struct digest){{7}};
	kept.anchor_count = 2;
	assert_int_equal(verify_path_kept(r->dir, &kept, &report, &err), VERIFY_ALTERED);
	assert_non_null(strstr(report.data, ": altered: no line here has it"));
}

static void a_key_file_that_is_open_to_others_is_refused(void **state)
{
	const struct record *r = *state;
	FD_AUTO int dir_fd = open_dir(r);
	STR_AUTO struct str told = STR_INIT;
	struct err err = ERR_INIT;
	struct digest key;
	uint64_t epoch;

	begin(r, &key);
	assert_int_equal(fchmodat(dir_fd, SEAL_KEYS_NAME, 0640, 0), 0);
	assert_int_equal(seals_check(dir_fd, &epoch, &told, &err), -1);
	assert_int_equal(err.code, ERR_REFUSED);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, record_setup, record_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_sealed_record_is_proved_by_the_key_alone),
		TEST(seals_that_were_never_begun_are_named),
		TEST(every_single_bit_of_a_sealed_record_is_held),
		TEST(seals_that_are_moved_missing_or_twice_are_named),
		TEST(seals_of_another_machine_are_named),
		TEST(a_crash_at_any_step_of_a_seal_loses_nothing_and_is_told),
		TEST(a_key_that_sealed_is_zeroed_and_cannot_seal_again),
		TEST(two_sessions_share_the_key),
		TEST(an_anchor_is_found_in_the_line_that_it_was_taken_from),
		TEST(a_key_file_that_is_open_to_others_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

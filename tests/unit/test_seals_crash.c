#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "app/seal_keys.h"
#include "base/fd.h"
#include "base/mem.h"
#include "tests/unit/test_seals_fixture.h"

#define PLACE 4096 /* of a key in its file */

struct states {
	struct str seals[2], keys[2]; /* before and after the seal of epoch 2 */
};

static void take_states(const struct record *r, struct states *s, struct digest *ret_key)
{
	*s = (struct states){0};
	seals_begin(r, ret_key);
	free(record_session(r, 1));

	for (unsigned i = 0; i < 2; i++) {
		record_read(r, SEALS_NAME, &s->seals[i]);
		record_read(r, SEAL_KEYS_NAME, &s->keys[i]);
		if (i == 0)
			seals_chain_add(r);
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
		seals_point_add(r, &nothing, &told);
		if (strstr(str_c(&told), cases[i].told) == NULL)
			fail_msg("%zu: \"%s\"", i, str_c(&told));
		seals_expect(r, &key, VERIFY_WHOLE, ", 0 events are not sealed\n");
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
	FD_AUTO int dir_fd = seals_dir(r);
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
	seals_expect(
		r, &key, VERIFY_ALTERED, "SEALS:2: altered: the key beside it is of another epoch");
	assert_int_equal(seals_check(dir_fd, &epoch, &told, &err), -1);
	assert_int_equal(err.code, ERR_REFUSED);
	/* An older key put back beside newer seals. */
	record_write(r, SEALS_NAME, s.seals[1].data, s.seals[1].len);
	record_write(r, SEAL_KEYS_NAME, s.keys[0].data, s.keys[0].len);
	seals_expect(
		r, &key, VERIFY_ALTERED, "SEALS:3: altered: the key beside it is of another epoch");
	assert_int_equal(seals_check(dir_fd, &epoch, &told, &err), -1);
}

static void *seal_often(void *data)
{
	for (unsigned i = 0; i < 8; i++)
		seals_chain_add(data);
	return NULL;
}

static void two_sessions_share_the_key(void **state)
{
	struct record *r = *state;
	pthread_t threads[2];
	struct digest key;

	seals_begin(r, &key);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, seal_often, r), 0);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	seals_expect(r, &key, VERIFY_WHOLE, "seals: epochs 1 to 17, proved");
}

static void a_key_file_that_is_open_to_others_is_refused(void **state)
{
	const struct record *r = *state;
	FD_AUTO int dir_fd = seals_dir(r);
	STR_AUTO struct str told = STR_INIT;
	struct err err = ERR_INIT;
	struct digest key;
	uint64_t epoch;

	seals_begin(r, &key);
	assert_int_equal(fchmodat(dir_fd, SEAL_KEYS_NAME, 0640, 0), 0);
	assert_int_equal(seals_check(dir_fd, &epoch, &told, &err), -1);
	assert_int_equal(err.code, ERR_REFUSED);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, record_setup, record_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_crash_at_any_step_of_a_seal_loses_nothing_and_is_told),
		TEST(a_key_that_sealed_is_zeroed_and_cannot_seal_again),
		TEST(two_sessions_share_the_key),
		TEST(a_key_file_that_is_open_to_others_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

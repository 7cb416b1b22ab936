#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fd.h"
#include "base/mem.h"
#include "tests/unit/test_seals_fixture.h"

static void a_sealed_record_is_proved_by_the_key_alone(void **state)
{
	const struct record *r = *state;
	free(record_session(r, 1));
	struct digest key, other = {{1}};

	seals_begin(r, &key);
	seals_expect(r, &key, VERIFY_WHOLE, ", 0 events are not sealed\n");
	free(seals_session(r));

	seals_expect(r, &key, VERIFY_WHOLE, "seals: epochs 1 to 3, proved by the key ");
	seals_expect(r, &key, VERIFY_WHOLE, ", 0 events are not sealed\n");
	seals_expect(r, NULL, VERIFY_WHOLE, ", which --key compares with the one that you kept\n");
	seals_expect(r, &other, VERIFY_ALTERED,
		"SEALS:1: altered: it was not made by the key that you gave");
	free(record_session(r, 1));

	seals_expect(r, &key, VERIFY_WHOLE, ", 5 events are not sealed\n");
}

static void seals_that_were_never_begun_are_named(void **state)
{
	const struct record *r = *state;
	FD_AUTO int dir_fd = seals_dir(r);
	STR_AUTO struct str told = STR_INIT;
	struct err err = ERR_INIT;
	struct digest key = {{0}};
	uint64_t epoch = 0;

	assert_int_equal(seals_check(dir_fd, &epoch, &told, &err), -1);
	assert_non_null(strstr(err.text, "exequatur audit init-seals"));
	free(record_session(r, 0));

	seals_expect(r, &key, VERIFY_ALTERED, "SEALS:1: altered: there are no seals");
	seals_begin(r, &key);
	assert_int_equal(seals_init(dir_fd, WALL, &key, &err), -1);
	assert_int_equal(err.code, ERR_REFUSED);
	char hex[DIGEST_HEX_BYTES];

	digest_hex(&key, hex);
	assert_non_null(strstr(err.text, hex));
}

static void flip(int fd, size_t bit)
{
	off_t at = (off_t)(bit / 8);
	unsigned char byte;

	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= (unsigned char)(1u << bit % 8);
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
}

static void no_bit_of_it_can_change(
	const struct record *r, const char *name, const struct digest *key)
{
	STR_AUTO struct str report = STR_INIT;
	MEM_AUTO char *path = record_path(r, name);
	FD_AUTO int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	for (size_t bit = 0; bit < 8 * (size_t)st.st_size; bit++) {
		flip(fd, bit);
		if (seals_verify(r, key, &report) == VERIFY_WHOLE)
			fail_msg("bit %zu of %s: %s", bit, name, report.data);
		flip(fd, bit);
	}
}

/* In the file, in CHAIN and in SEALS. */
static void every_single_bit_of_a_sealed_record_is_held(void **state)
{
	const struct record *r = *state;
	STR_AUTO struct str report = STR_INIT;
	struct digest key;
	MEM_AUTO char *name = record_session(r, 0);

	seals_begin(r, &key);
	no_bit_of_it_can_change(r, name, &key);
	no_bit_of_it_can_change(r, "CHAIN", &key);
	no_bit_of_it_can_change(r, SEALS_NAME, &key);
	assert_int_equal(seals_verify(r, &key, &report), VERIFY_WHOLE);
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

	seals_begin(r, &key);
	free(seals_session(r));

	seals_chain_add(r);
	record_read(r, SEALS_NAME, &text);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		put_lines(r, &text, cases[i].lines);
		seals_expect(r, &key, VERIFY_ALTERED, cases[i].words);
	}
}

static void seals_of_another_machine_are_named(void **state)
{
	const struct record *r = *state;
	struct record *other;
	STR_AUTO struct str text = STR_INIT;
	struct digest key, other_key;

	seals_begin(r, &key);
	seals_chain_add(r);
	assert_int_equal(record_setup((void **)&other), 0);
	seals_begin(other, &other_key);
	seals_chain_add(other);
	seals_chain_add(other);
	record_read(other, SEALS_NAME, &text);
	record_write(r, SEALS_NAME, text.data, text.len);
	seals_expect(r, &key, VERIFY_ALTERED,
		"SEALS:1: altered: it was not made by the key that you gave");
	assert_int_equal(record_teardown((void **)&other), 0);
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, record_setup, record_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_sealed_record_is_proved_by_the_key_alone),
		TEST(seals_that_were_never_begun_are_named),
		TEST(every_single_bit_of_a_sealed_record_is_held),
		TEST(seals_that_are_moved_missing_or_twice_are_named),
		TEST(seals_of_another_machine_are_named),
		TEST(an_anchor_is_found_in_the_line_that_it_was_taken_from),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

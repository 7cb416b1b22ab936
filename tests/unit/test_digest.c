#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/mem.h"

static const char empty_hex[] = "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8";

static void bytes_hash_to_what_b2sum_prints(void **state)
{
	static const struct {
		const char *text, *hex;
	} cases[] = {
		{"", empty_hex},
		{"abc", "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"},
	};
	char hex[DIGEST_HEX_BYTES];
	struct digest d;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		digest_bytes(cases[i].text, strlen(cases[i].text), &d);
		digest_hex(&d, hex);
		assert_string_equal(hex, cases[i].hex);
	}
}

static void a_builder_hashes_lengths_names_and_bytes(void **state)
{
	static const char plain[] = "\3\0\0\0\0\0\0\0abc\2\0\0\0\0\0\0\0xy"
				    "\1\0\0\0\0\0\0\0n\10\0\0\0\0\0\0\0\2\1\0\0\0\0\0\0"
				    "\1\0\0\0\0\0\0\0m\377\377\377\377\377\377\377\377";
	struct digest expected, got;
	struct digest_builder *b = digest_begin();

	(void)state;
	digest_add_str(b, "abc", "xy");
	digest_add_u64(b, "n", 0x102);
	digest_add_str(b, "m", NULL);
	digest_end(b, &got);
	digest_bytes(plain, sizeof(plain) - 1, &expected);
	assert_true(digest_equal(&expected, &got));
}

static void pair_digest(const char *name, const char *value, struct digest *ret)
{
	struct digest_builder *b = digest_begin();

	digest_add_str(b, name, value);
	digest_end(b, ret);
}

static void moving_a_byte_between_name_and_value_changes_the_digest(void **state)
{
	struct digest a, b;

	(void)state;
	pair_digest("ab", "c", &a);
	pair_digest("a", "bc", &b);
	assert_false(digest_equal(&a, &b));
}

static void no_text_is_not_the_empty_text(void **state)
{
	struct digest a, b;

	(void)state;
	pair_digest("a", NULL, &a);
	pair_digest("a", "", &b);
	assert_false(digest_equal(&a, &b));
}

static void hex_reads_back(void **state)
{
	char hex[DIGEST_HEX_BYTES];
	struct digest d, back;

	(void)state;
	digest_random(&d, sizeof(d));
	digest_hex(&d, hex);
	assert_int_equal(digest_from_hex(hex, &back), 0);
	assert_true(digest_equal(&d, &back));
}

static void what_is_not_64_hex_digits_is_refused(void **state)
{
	char text[80];
	struct digest d;

	(void)state;
	memset(&d, 7, sizeof(d));
	struct digest untouched = d;
	snprintf(text, sizeof(text), "%s0", empty_hex);
	assert_int_equal(digest_from_hex(text, &d), -1);
	snprintf(text, sizeof(text), "%.63s", empty_hex);
	assert_int_equal(digest_from_hex(text, &d), -1);
	snprintf(text, sizeof(text), "%.63sg", empty_hex);
	assert_int_equal(digest_from_hex(text, &d), -1);
	snprintf(text, sizeof(text), "%.31s::%.31s", empty_hex, empty_hex);
	assert_int_equal(digest_from_hex(text, &d), -1);
	assert_int_equal(digest_from_hex("", &d), -1);
	assert_true(digest_equal(&d, &untouched));
}

static void one_changed_bit_is_another_digest(void **state)
{
	struct digest d;

	(void)state;
	digest_bytes("x", 1, &d);
	struct digest other = d;
	assert_true(digest_equal(&d, &other));
	other.bytes[DIGEST_BYTES - 1] ^= 1;
	assert_false(digest_equal(&d, &other));
}

static void random_bytes_differ(void **state)
{
	uint8_t a[300] = {0}, b[300] = {0};

	(void)state;
	digest_random(a, sizeof(a));
	digest_random(b, sizeof(b));
	assert_memory_not_equal(a, b, sizeof(a));
	assert_memory_not_equal(a + 268, b + 268, 32);
}

static void a_short_one_hangs_on_its_bytes_and_on_its_key(void **state)
{
	uint8_t key[DIGEST_KEY_BYTES] = {1}, other[DIGEST_KEY_BYTES] = {2};
	uint64_t hash = digest_short("7", 1, key);

	(void)state;
	assert_true(digest_short("7", 1, key) == hash);
	assert_true(digest_short("8", 1, key) != hash);
	assert_true(digest_short("7", 1, other) != hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_hash_to_what_b2sum_prints),
		cmocka_unit_test(a_builder_hashes_lengths_names_and_bytes),
		cmocka_unit_test(moving_a_byte_between_name_and_value_changes_the_digest),
		cmocka_unit_test(no_text_is_not_the_empty_text),
		cmocka_unit_test(hex_reads_back),
		cmocka_unit_test(what_is_not_64_hex_digits_is_refused),
		cmocka_unit_test(one_changed_bit_is_another_digest),
		cmocka_unit_test(random_bytes_differ),
		cmocka_unit_test(a_short_one_hangs_on_its_bytes_and_on_its_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

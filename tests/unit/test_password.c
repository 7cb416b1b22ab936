#include "config.h"

#include "base/password.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static void only_the_same_bytes_match(void **state)
{
	static const char *const others[] = {
		"", "open sesam", "open sesame ", "Open sesame", "\xD1\x8F"};
	char hash[PASSWORD_HASH_BYTES], again[PASSWORD_HASH_BYTES];
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(0, password_hash("open sesame", 11, hash, &err));
	assert_true(password_matches(hash, "open sesame", 11));
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		assert_false(password_matches(hash, others[i], strlen(others[i])));
	/* A salt of its own: two people with the same passphrase do not show it. */
	assert_int_equal(0, password_hash("open sesame", 11, again, &err));
	assert_true(strcmp(hash, again) != 0);
	assert_null(strstr(hash, "sesame"));
	assert_int_equal(0, strncmp(hash, "$argon2id$", 10));
}

static void what_is_no_hash_matches_nothing(void **state)
{
	char hash[PASSWORD_HASH_BYTES] = "";

	(void)state;
	assert_false(password_matches(hash, "", 0));
	assert_false(password_matches(hash, "x", 1));
}

static void two_are_equal_when_length_and_bytes_are(void **state)
{
	(void)state;
	assert_true(password_equal("ab", 2, "ab", 2));
	assert_true(password_equal("", 0, "", 0));
	assert_false(password_equal("ab", 2, "abc", 3));
	assert_false(password_equal("ab", 2, "ac", 2));
}

static void what_is_wiped_is_zero(void **state)
{
	char bytes[8] = "abcdefg";

	(void)state;
	password_wipe(bytes, 4);
	assert_memory_equal(bytes, "\0\0\0\0efg", 8);
	password_wipe(NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_same_bytes_match),
		cmocka_unit_test(what_is_no_hash_matches_nothing),
		cmocka_unit_test(two_are_equal_when_length_and_bytes_are),
		cmocka_unit_test(what_is_wiped_is_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

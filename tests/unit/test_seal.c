#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/seal.h"

/* RFC 8032, section 7.1, test 2: one byte. */
static const char seed[] = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
static const char public_hex[] = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
static const char seal_text[] = "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
				"085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";

static void fixed_key(struct seal_key *ret)
{
	struct digest bytes;

	assert_int_equal(digest_from_hex(seed, &bytes), 0);
	memcpy(ret->seed, bytes.bytes, sizeof(ret->seed));
}

static void a_fixed_key_seals_as_rfc_8032_says(void **state)
{
	struct seal_key key;
	struct digest public_key;
	uint8_t seal[SEAL_BYTES];
	char hex[SEAL_HEX_BYTES], public_text[DIGEST_HEX_BYTES];

	(void)state;
	fixed_key(&key);
	seal_key_public(&key, &public_key);
	digest_hex(&public_key, public_text);
	assert_string_equal(public_text, public_hex);
	seal_sign(&key, "\x72", 1, seal);
	seal_hex(seal, hex);
	assert_string_equal(hex, seal_text);
	assert_true(seal_holds(&public_key, "\x72", 1, seal));
}

static void no_bit_of_text_key_or_seal_can_change(void **state)
{
	struct seal_key key;
	struct digest public_key;
	uint8_t seal[SEAL_BYTES];
	char text[] = "the record";

	(void)state;
	fixed_key(&key);
	seal_key_public(&key, &public_key);
	seal_sign(&key, text, sizeof(text), seal);
	struct {
		uint8_t *bytes;
		size_t len;
	} parts[] = {{(uint8_t *)text, sizeof(text)}, {public_key.bytes, DIGEST_BYTES},
		{seal, SEAL_BYTES}};

	for (size_t p = 0; p < ARRAY_LEN(parts); p++)
		for (size_t bit = 0; bit < 8 * parts[p].len; bit++) {
			parts[p].bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			assert_false(seal_holds(&public_key, text, sizeof(text), seal));
			parts[p].bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	assert_true(seal_holds(&public_key, text, sizeof(text), seal));
}

static void a_wiped_key_is_zeros(void **state)
{
	static const struct seal_key zeros;
	struct seal_key key;

	(void)state;
	seal_key_new(&key);
	assert_memory_not_equal(&key, &zeros, sizeof(key));
	seal_key_wipe(&key);
	assert_memory_equal(&key, &zeros, sizeof(key));
}

static void a_seal_is_read_from_exactly_its_spelling(void **state)
{
	uint8_t seal[SEAL_BYTES];
	char hex[SEAL_HEX_BYTES + 1] = "";

	(void)state;
	assert_int_equal(seal_from_hex(seal_text, seal), 0);
	memcpy(hex, seal_text, SEAL_HEX_BYTES - 2);
	assert_int_equal(seal_from_hex(hex, seal), -1);
	memset(hex, '0', SEAL_HEX_BYTES);
	assert_int_equal(seal_from_hex(hex, seal), -1);
	hex[SEAL_HEX_BYTES - 1] = '\0';
	hex[0] = 'g';
	assert_int_equal(seal_from_hex(hex, seal), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fixed_key_seals_as_rfc_8032_says),
		cmocka_unit_test(no_bit_of_text_key_or_seal_can_change),
		cmocka_unit_test(a_wiped_key_is_zeros),
		cmocka_unit_test(a_seal_is_read_from_exactly_its_spelling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

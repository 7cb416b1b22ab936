#include "config.h"

#include "base/seal.h"

#include <sodium.h>
#include <string.h>

_Static_assert(SEAL_BYTES == crypto_sign_BYTES, "the length of libsodium's signatures");
_Static_assert(sizeof(struct seal_key) == crypto_sign_SEEDBYTES, "the length of libsodium's seeds");
_Static_assert(DIGEST_BYTES == crypto_sign_PUBLICKEYBYTES, "the length of libsodium's public keys");

void seal_key_new(struct seal_key *ret)
{
	digest_random(ret->seed, sizeof(ret->seed));
}

void seal_key_public(const struct seal_key *key, struct digest *ret)
{
	uint8_t secret[crypto_sign_SECRETKEYBYTES];

	crypto_sign_seed_keypair(ret->bytes, secret, key->seed);
	sodium_memzero(secret, sizeof(secret));
}

void seal_key_wipe(struct seal_key *key)
{
	sodium_memzero(key, sizeof(*key));
}

void seal_wipe(void *bytes, size_t len)
{
	if (bytes != NULL)
		sodium_memzero(bytes, len);
}

void seal_sign(const struct seal_key *key, const void *bytes, size_t len, uint8_t ret[SEAL_BYTES])
{
	uint8_t public_key[crypto_sign_PUBLICKEYBYTES];
	uint8_t secret[crypto_sign_SECRETKEYBYTES];

	crypto_sign_seed_keypair(public_key, secret, key->seed);
	crypto_sign_detached(ret, NULL, bytes, len, secret);
	sodium_memzero(secret, sizeof(secret));
}

/* libsodium refuses keys of small order and spellings of a signature that are not the one it makes: no bit can be changed. */
bool seal_holds(const struct digest *public_key, const void *bytes, size_t len,
	const uint8_t seal[SEAL_BYTES])
{
	return crypto_sign_verify_detached(seal, bytes, len, public_key->bytes) == 0;
}

void seal_hex(const uint8_t seal[SEAL_BYTES], char buf[SEAL_HEX_BYTES])
{
	sodium_bin2hex(buf, SEAL_HEX_BYTES, seal, SEAL_BYTES);
}

int seal_from_hex(const char *hex, uint8_t ret[SEAL_BYTES])
{
	uint8_t seal[SEAL_BYTES];
	size_t len = strnlen(hex, SEAL_HEX_BYTES), bytes = 0;

	if (len != SEAL_HEX_BYTES - 1 ||
		sodium_hex2bin(seal, sizeof(seal), hex, len, NULL, &bytes, NULL) != 0 ||
		bytes != SEAL_BYTES)
		return -1;
	memcpy(ret, seal, sizeof(seal));
	return 0;
}

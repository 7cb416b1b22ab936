#include "config.h"

#include "base/password.h"

#include <sodium.h>
#include <string.h>

_Static_assert(PASSWORD_HASH_BYTES == crypto_pwhash_STRBYTES, "the length of libsodium's hashes");

int password_hash(const char *bytes, size_t len, char ret[PASSWORD_HASH_BYTES], struct err *err)
{
	char hash[PASSWORD_HASH_BYTES];

	/* Its salt is random. */
	if (sodium_init() < 0)
		return err_set(err, ERR_UNAVAILABLE, "libsodium does not start");
	if (crypto_pwhash_str(hash, bytes, len, crypto_pwhash_OPSLIMIT_INTERACTIVE,
		    crypto_pwhash_MEMLIMIT_INTERACTIVE) != 0)
		return err_set(err, ERR_UNAVAILABLE, "the passphrase needs 64 MiB to be hashed");
	memcpy(ret, hash, sizeof(hash));
	return 0;
}

bool password_matches(const char hash[PASSWORD_HASH_BYTES], const char *bytes, size_t len)
{
	return sodium_init() >= 0 && crypto_pwhash_str_verify(hash, bytes, len) == 0;
}

bool password_equal(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && sodium_memcmp(a, b, a_len) == 0;
}

void password_wipe(void *bytes, size_t len)
{
	if (bytes != NULL)
		sodium_memzero(bytes, len);
}

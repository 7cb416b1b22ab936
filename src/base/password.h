/* A passphrase: hashed by libsodium, kept in memory alone, and wiped where it was typed. */
#ifndef BASE_PASSWORD_H
#define BASE_PASSWORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define PASSWORD_HASH_BYTES 128 /* crypto_pwhash_STRBYTES */

/* Argon2id with libsodium's limits for interactive use (64 MiB, some 0.1 s). Errors: ERR_UNAVAILABLE when that memory is not
   there; *ret is then untouched. */
int password_hash(const char *bytes, size_t len, char ret[PASSWORD_HASH_BYTES], struct err *err);
bool password_matches(const char hash[PASSWORD_HASH_BYTES], const char *bytes, size_t len);
/* Takes as long whether and where they differ. */
bool password_equal(const char *a, size_t a_len, const char *b, size_t b_len);
/* Overwrites; no compiler leaves it out. bytes may be NULL. */
void password_wipe(void *bytes, size_t len);

#endif

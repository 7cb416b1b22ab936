/* Signatures (Ed25519, libsodium). A key is 32 secret bytes; it is wiped by whoever is done with it. */
#ifndef BASE_SEAL_H
#define BASE_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/err.h"

#define SEAL_BYTES 64
#define SEAL_HEX_BYTES (2 * SEAL_BYTES + 1)

struct seal_key {
	uint8_t seed[32];
};

void seal_key_new(struct seal_key *ret);
/* Its public key: 32 bytes, kept and shown like a digest. */
void seal_key_public(const struct seal_key *key, struct digest *ret);
void seal_key_wipe(struct seal_key *key); /* overwrites; no compiler leaves it out */
void seal_wipe(void *bytes, size_t len);  /* the same for its spelling */
void seal_sign(const struct seal_key *key, const void *bytes, size_t len, uint8_t ret[SEAL_BYTES]);
bool seal_holds(const struct digest *public_key, const void *bytes, size_t len,
	const uint8_t seal[SEAL_BYTES]);
void seal_hex(const uint8_t seal[SEAL_BYTES], char buf[SEAL_HEX_BYTES]);
int seal_from_hex(const char *hex, uint8_t ret[SEAL_BYTES]); /* 0, or -1 when not 128 hex digits */

#endif

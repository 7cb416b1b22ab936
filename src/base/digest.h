/* BLAKE2b-256 (libsodium), over plain bytes or over length-prefixed (name, bytes) pairs. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIGEST_BYTES 32
#define DIGEST_HEX_BYTES (2 * DIGEST_BYTES + 1)

struct digest {
	uint8_t bytes[DIGEST_BYTES];
};

struct digest_builder; /* opaque */

void digest_bytes(const void *bytes, size_t len, struct digest *ret); /* what b2sum -l 256 prints */
struct digest_builder *digest_begin(void);
/* Adds u64-LE length of name, name, u64-LE length of bytes, bytes. */
void digest_add(struct digest_builder *b, const char *name, const void *bytes, size_t len);
/* NULL differs from "". */
void digest_add_str(struct digest_builder *b, const char *name, const char *text);
void digest_add_u64(struct digest_builder *b, const char *name, uint64_t value);
void digest_end(struct digest_builder *b, struct digest *ret); /* frees b */
void digest_hex(const struct digest *d, char buf[DIGEST_HEX_BYTES]);
int digest_from_hex(const char *hex, struct digest *ret); /* 0, or -1 when not 64 hex digits */
bool digest_equal(const struct digest *a, const struct digest *b);
/* Random bytes for names. */
void digest_random(void *bytes, size_t len);

#define DIGEST_KEY_BYTES 16
/* For a place in a table: who chooses the bytes and does not know the key cannot choose the place (SipHash-2-4). */
uint64_t digest_short(const void *bytes, size_t len, const uint8_t key[DIGEST_KEY_BYTES]);

#endif

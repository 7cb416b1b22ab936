#include "config.h"

#include "base/digest.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct digest_builder {
	crypto_generichash_state state;
};

/* sodium_init() is left out on purpose: hashing does not need it, and it costs time at every
   start. */
void digest_bytes(const void *bytes, size_t len, struct digest *ret)
{
	crypto_generichash(ret->bytes, DIGEST_BYTES, bytes, len, NULL, 0);
}

struct digest_builder *digest_begin(void)
{
	/* The state wants an alignment of 64, more than calloc gives. */
	struct digest_builder *b =
		aligned_alloc(_Alignof(struct digest_builder), sizeof(struct digest_builder));

	if (b == NULL)
		abort();
	crypto_generichash_init(&b->state, NULL, 0, DIGEST_BYTES);
	return b;
}

static void add_raw(struct digest_builder *b, const void *bytes, size_t len)
{
	crypto_generichash_update(&b->state, bytes, len);
}

static void encode_u64(uint64_t value, uint8_t out[8])
{
	for (unsigned i = 0; i < 8; i++)
		out[i] = (uint8_t)(value >> (8 * i));
}

static void add_u64(struct digest_builder *b, uint64_t value)
{
	uint8_t raw[8];

	encode_u64(value, raw);
	add_raw(b, raw, sizeof(raw));
}

static void add_name(struct digest_builder *b, const char *name)
{
	size_t len = strlen(name);

	add_u64(b, len);
	add_raw(b, name, len);
}

void digest_add(struct digest_builder *b, const char *name, const void *bytes, size_t len)
{
	add_name(b, name);
	add_u64(b, len);
	if (len > 0)
		add_raw(b, bytes, len);
}

void digest_add_str(struct digest_builder *b, const char *name, const char *text)
{
	if (text != NULL) {
		digest_add(b, name, text, strlen(text));
		return;
	}
	/* A length that no text can have stands for "absent". */
	add_name(b, name);
	add_u64(b, UINT64_MAX);
}

void digest_add_u64(struct digest_builder *b, const char *name, uint64_t value)
{
	uint8_t raw[8];

	encode_u64(value, raw);
	digest_add(b, name, raw, sizeof(raw));
}

void digest_end(struct digest_builder *b, struct digest *ret)
{
	crypto_generichash_final(&b->state, ret->bytes, DIGEST_BYTES);
	free(b);
}

void digest_hex(const struct digest *d, char buf[DIGEST_HEX_BYTES])
{
	sodium_bin2hex(buf, DIGEST_HEX_BYTES, d->bytes, DIGEST_BYTES);
}

int digest_from_hex(const char *hex, struct digest *ret)
{
	struct digest d;
	size_t len = strnlen(hex, DIGEST_HEX_BYTES);
	size_t bytes = 0;

	if (len != DIGEST_HEX_BYTES - 1)
		return -1;
	if (sodium_hex2bin(d.bytes, DIGEST_BYTES, hex, len, NULL, &bytes, NULL) != 0 ||
		bytes != DIGEST_BYTES)
		return -1;
	*ret = d;
	return 0;
}

bool digest_equal(const struct digest *a, const struct digest *b)
{
	return sodium_memcmp(a->bytes, b->bytes, DIGEST_BYTES) == 0;
}

void digest_random(void *bytes, size_t len)
{
	uint8_t *at = bytes;

	while (len > 0) {
		ssize_t got = getrandom(at, len, 0);

		if (got < 0 && errno == EINTR)
			continue;
		/* A name that can be guessed is worse than no program. */
		if (got <= 0)
			abort();
		at += got;
		len -= (size_t)got;
	}
}

uint64_t digest_short(const void *bytes, size_t len, const uint8_t key[DIGEST_KEY_BYTES])
{
	uint64_t hash = 0;

	_Static_assert(DIGEST_KEY_BYTES == crypto_shorthash_KEYBYTES, "the key fits");
	_Static_assert(sizeof(hash) == crypto_shorthash_BYTES, "and the number");
	crypto_shorthash((unsigned char *)&hash, bytes, len, key);
	return hash;
}

/* SEAL-KEY: the keys that are not used up yet, in two places of a block each, so that no write can tear both. Private to seals.c
   and the verifier. */
#ifndef APP_SEAL_KEYS_H
#define APP_SEAL_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/seal.h"

#define SEAL_KEYS_NAME "SEAL-KEY"

struct seal_slot {
	bool used;
	uint64_t epoch;
	struct seal_key key;
};

struct seal_keys {
	int fd;
	struct seal_slot slots[2]; /* epoch N lies in slots[N % 2] */
};

/* For writing; create: made when absent (0600). ERR_NOT_FOUND; ERR_REFUSED for what is no file of this user alone. */
int seal_keys_open(int dir_fd, bool create, struct seal_keys *ret, struct err *err);
/* For the verifier: only which epochs are there; 0: none. */
int seal_keys_epochs(int dir_fd, uint64_t ret[2], struct err *err);
void seal_keys_close(struct seal_keys *keys); /* wipes */
/* NULL: that key is not there. */
const struct seal_key *seal_keys_of(const struct seal_keys *keys, uint64_t epoch);
/* A new key for that epoch, or the one that is there, on the disk when this returns. */
int seal_keys_make(struct seal_keys *keys, uint64_t epoch, struct err *err);
/* Its place is zeros, on the disk when this returns. */
int seal_keys_erase(struct seal_keys *keys, uint64_t epoch, struct err *err);

#endif

/* The strict grammar check that runs before cJSON sees a byte. Private to json*.c. */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* cJSON copies a number into a buffer of 64 bytes and reads on in the middle of a longer one. */
#define JSON_NUMBER_BYTES_MAX 63

/* A number that a double may not hold exactly: its spelling is kept beside the value. */
struct json_spelling {
	size_t index; /* among all numbers of the text, from 0 */
	size_t start, len;
};

struct json_spellings {
	struct json_spelling *items;
	size_t count;
	size_t cap;
};

/* 0 when bytes[0..len) are exactly one value as json_parse() demands it; *ret (empty at the
   start, the caller frees items) lists the numbers to keep in their own spelling. Uses no
   recursion. */
int json_scan(const char *bytes, size_t len, size_t max_depth, struct json_spellings *ret,
	struct err *err);

/* The exact value of a number in JSON's grammar: 0 when whole and within +-2^53, else -1. */
int json_number_exact(const char *spelling, int64_t *ret);
/* Whether a number in JSON's grammar is not beyond what a double holds. */
int json_number_finite(const char *bytes, size_t len);

#endif

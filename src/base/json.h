/* Strict JSON over cJSON (facts: cJSON alone accepts duplicates, escaped NUL, invalid UTF-8,
   trailing bytes). */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct json; /* an opaque value; a tree is owned by its root */

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

#define JSON_DEPTH_MAX 16

/* Parses exactly one value that fills bytes[0..len) (white space around it allowed). Refused
   with ERR_INVALID and a sentence that names the fault and the byte offset: invalid UTF-8, \u0000,
   lone surrogates, duplicate keys at any depth, nesting over max_depth, trailing bytes, a raw NUL
   or control byte in a string, non-finite numbers, numbers not in JSON's grammar or longer than 63
   bytes. A number that a double cannot hold exactly keeps its spelling: json_int() judges and
   json_print() prints exactly that. */
int json_parse(const char *bytes, size_t len, size_t max_depth, struct json **ret, struct err *err);
void json_free(struct json *v);
void json_free_ptr(struct json **v);
#define JSON_AUTO __attribute__((cleanup(json_free_ptr)))

enum json_type json_type(const struct json *v);
const char *json_type_name(enum json_type type); /* "a string" ... for messages */

/* Readers: NULL or the fallback when absent or of another type. Keys are case-sensitive. */
const struct json *json_get(const struct json *object, const char *key);
const char *json_get_str(const struct json *object, const char *key);
int64_t json_get_int(const struct json *object, const char *key, int64_t fallback);
bool json_get_bool(const struct json *object, const char *key, bool fallback);
const char *json_str(const struct json *v);       /* NULL when not a string */
int json_int(const struct json *v, int64_t *ret); /* 0 when a whole number within +-2^53, else -1 */
bool json_bool(const struct json *v);             /* true only for the literal true */
size_t json_count(const struct json *v);          /* members or elements */
const struct json *json_first(const struct json *v); /* first child, NULL when none */
const struct json *json_next(const struct json *v);  /* next sibling, NULL at the end */
const char *json_key(const struct json *v);          /* name of a member of an object */

/* Builders; the result is owned by the caller until it is set into a parent. */
struct json *json_new_object(void);
struct json *json_new_array(void);
struct json *json_new_str(const char *text); /* NULL gives null; must be UTF-8 */
/* UTF-8 that may hold NUL. With a NUL the value can only be printed: json_str() gives NULL. */
struct json *json_new_bytes(const char *bytes, size_t len);
struct json *json_new_int(int64_t value);
struct json *json_new_bool(bool value);
struct json *json_new_null(void);
struct json *json_copy(const struct json *v);
void json_set(struct json *object, const char *key, struct json *value); /* appends; owns value */
void json_push(struct json *array, struct json *value);
void json_set_str(struct json *object, const char *key, const char *text);
void json_set_int(struct json *object, const char *key, int64_t value);
void json_set_bool(struct json *object, const char *key, bool value);
/* Takes a member out of its object; the caller owns it. NULL when absent. */
struct json *json_take(struct json *object, const char *key);

/* Whether both are printed alike: the same members in the same order, the same spelling of numbers. */
bool json_equal(const struct json *a, const struct json *b);

/* One line without white space. ascii: every code point above 7E as \uXXXX (surrogate pairs);
   without it only DEL, C1 controls and the two Unicode line ends. Appends. */
void json_print(const struct json *v, bool ascii, struct str *out);

#endif

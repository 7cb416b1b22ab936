/* The names of all members of a JSON text, to find two equal ones in one object. Private to
   json*.c. */
#ifndef BASE_JSON_KEYS_H
#define BASE_JSON_KEYS_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct json_name {
	size_t object;     /* number of the object it belongs to */
	size_t start, len; /* its unescaped text inside json_keys.text */
	size_t at;         /* offset in the source, for the message */
};

struct json_keys {
	struct str text; /* all names, one behind the other */
	struct json_name *items;
	size_t count;
	size_t cap;
};

/* The name is text[from..end), appended by the caller before. */
void json_keys_add(struct json_keys *keys, size_t object, size_t from, size_t at);
/* ERR_INVALID when an object has a name twice. Sorts: no chosen names make it quadratic. */
int json_keys_check(struct json_keys *keys, struct err *err);
void json_keys_release(struct json_keys *keys);

#endif

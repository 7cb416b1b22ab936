/* What the printer must know of a value and the readers of json.h do not tell. Private to
   json*.c. */
#ifndef BASE_JSON_INTERNAL_H
#define BASE_JSON_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/str.h"

/* A number kept in its own spelling, else NULL. */
const char *json_number_spelling(const struct json *v);
/* A string kept as the JSON text that stands for it (because it holds NUL), else NULL. */
const char *json_raw_text(const struct json *v);
/* Appends bytes as a JSON string with its quotes; what is not UTF-8 becomes U+FFFD. */
void json_print_string(const char *bytes, size_t len, bool ascii, struct str *out);

#endif

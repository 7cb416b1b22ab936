/* Digests as text in JSON: 64 hex digits. Apart, so that neither json.c nor digest.c needs the other. */
#ifndef BASE_JSON_DIGEST_H
#define BASE_JSON_DIGEST_H

#include "base/digest.h"
#include "base/json.h"

void json_set_digest(struct json *object, const char *key, const struct digest *digest);

#endif

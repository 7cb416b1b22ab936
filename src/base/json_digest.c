#include "config.h"

#include "base/json_digest.h"

void json_set_digest(struct json *object, const char *key, const struct digest *digest)
{
	char hex[DIGEST_HEX_BYTES];

	digest_hex(digest, hex);
	json_set_str(object, key, hex);
}

#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/verify_seals.h"
#include "base/mem.h"

struct anchor {
	struct digest digest;
	char *name; /* where it was found; NULL: not yet */
	uint64_t line;
};

struct verify_anchors {
	struct anchor *items; /* by digest */
	size_t count;
};

static int compare(const void *a, const void *b)
{
	const struct anchor *x = a, *y = b;

	return memcmp(x->digest.bytes, y->digest.bytes, DIGEST_BYTES);
}

struct verify_anchors *verify_anchors_new(const struct digest *digests, size_t count)
{
	struct verify_anchors *anchors = mem_alloc(sizeof(*anchors));

	anchors->items = mem_array(count + 1, sizeof(*anchors->items));
	anchors->count = count;
	for (size_t i = 0; i < count; i++)
		anchors->items[i].digest = digests[i];
	qsort(anchors->items, count, sizeof(*anchors->items), compare);
	return anchors;
}

void verify_anchors_free(struct verify_anchors *anchors)
{
	if (anchors == NULL)
		return;
	for (size_t i = 0; i < anchors->count; i++)
		free(anchors->items[i].name);
	free(anchors->items);
	free(anchors);
}

void verify_anchors_line(struct verify_anchors *anchors, const struct digest *digest,
	const char *name, uint64_t line)
{
	const struct anchor wanted = {.digest = *digest};

	if (anchors == NULL || anchors->count == 0)
		return;
	struct anchor *found =
		bsearch(&wanted, anchors->items, anchors->count, sizeof(*anchors->items), compare);

	if (found == NULL || found->name != NULL)
		return;
	found->name = mem_strdup(name);
	found->line = line;
}

enum verify_status verify_anchors_say(const struct verify_anchors *anchors, struct str *out)
{
	enum verify_status status = VERIFY_WHOLE;
	char hex[DIGEST_HEX_BYTES];

	for (size_t i = 0; i < anchors->count; i++) {
		const struct anchor *anchor = &anchors->items[i];

		digest_hex(&anchor->digest, hex);
		if (anchor->name != NULL) {
			str_printf(out, "anchor %s: %s:%" PRIu64 "\n", hex, anchor->name,
				anchor->line);
			continue;
		}
		str_printf(out,
			"anchor %s: altered: no line here has it; what it stands for was taken off "
			"or written anew\n",
			hex);
		status = VERIFY_ALTERED;
	}
	return status;
}

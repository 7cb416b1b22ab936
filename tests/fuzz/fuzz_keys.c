/* Any bytes typed: the same keys however they are cut, and nothing but whole characters as characters. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tui/keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

struct keys {
	struct key *items;
	size_t count, cap;
};

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_key(const struct key *key)
{
	must(key->code > KEY_CODE_NONE && key->code < KEY_CODE_COUNT);
	if (key->code == KEY_CODE_CHAR)
		must((key->ch >= 0x20 && key->ch < 0x7F) || (key->ch >= 0xA0 && key->ch < 0xD800) ||
			(key->ch > 0xDFFF && key->ch <= 0x10FFFF));
	if (key->code == KEY_CODE_CTRL)
		must(key->ch >= 0x20 && key->ch < 0x7F);
}

static void take(struct key_parser *parser, int64_t now_ms, struct keys *ret)
{
	struct key key;

	while (key_parser_next(parser, now_ms, &key)) {
		check_key(&key);
		if (key.code == KEY_CODE_PARTIAL)
			continue;
		mem_grow(&ret->items, &ret->cap, ret->count, sizeof(*ret->items));
		ret->items[ret->count++] = key;
	}
}

/* Cuts of `step` bytes; ends with the silence that gives up what is unfinished. */
static void run(const uint8_t *bytes, size_t len, size_t step, struct keys *ret)
{
	struct key_parser *parser = key_parser_new();

	for (size_t i = 0; i < len; i += step) {
		key_parser_feed(parser, bytes + i, len - i < step ? len - i : step, 1000);
		take(parser, 1000, ret);
	}
	int64_t deadline = key_parser_deadline(parser);
	if (deadline >= 0)
		take(parser, deadline, ret);
	must(key_parser_deadline(parser) == -1);
	key_parser_free(parser);
}

static void same(const struct keys *a, const struct keys *b)
{
	must(a->count == b->count);
	for (size_t i = 0; i < a->count; i++)
		must(a->items[i].code == b->items[i].code && a->items[i].ch == b->items[i].ch &&
			a->items[i].after_sequence == b->items[i].after_sequence);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct keys whole = {0};

	run(bytes, len, len + 1, &whole);
	must(whole.count <= len);
	for (size_t step = 1; step <= 3; step++) {
		struct keys cut = {0};

		run(bytes, len, step, &cut);
		same(&whole, &cut);
		free(cut.items);
	}
	free(whole.items);
	return 0;
}

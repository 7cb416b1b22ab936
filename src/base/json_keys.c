#include "config.h"

#include "base/json_keys.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define QUOTED_BYTES 80

void json_keys_add(struct json_keys *keys, size_t object, size_t from, size_t at)
{
	mem_grow(&keys->items, &keys->cap, keys->count, sizeof(*keys->items));
	keys->items[keys->count++] = (struct json_name){
		.object = object, .start = from, .len = keys->text.len - from, .at = at};
}

static int by_size(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

/* Equal for two names of one object with the same text. */
static int compare_names(const struct json_name *a, const struct json_name *b, const char *text)
{
	if (a->object != b->object)
		return by_size(a->object, b->object);
	if (a->len != b->len)
		return by_size(a->len, b->len);
	return a->len == 0 ? 0 : memcmp(text + a->start, text + b->start, a->len);
}

static int by_name_then_place(const void *a, const void *b, void *text)
{
	const struct json_name *left = a;
	const struct json_name *right = b;
	int order = compare_names(left, right, text);

	return order != 0 ? order : by_size(left->at, right->at);
}

int json_keys_check(struct json_keys *keys, struct err *err)
{
	const struct json_name *first = NULL;
	const char *text = str_c(&keys->text);

	if (keys->count < 2)
		return 0;
	qsort_r(keys->items, keys->count, sizeof(*keys->items), by_name_then_place,
		keys->text.data);
	for (size_t i = 1; i < keys->count; i++) {
		const struct json_name *name = &keys->items[i];

		if (compare_names(name - 1, name, text) == 0 &&
			(first == NULL || name->at < first->at))
			first = name;
	}
	if (first == NULL)
		return 0;
	bool whole = first->len <= QUOTED_BYTES;
	return err_set(err, ERR_INVALID, "\"%.*s\" is there twice, at byte %zu",
		whole ? (int)first->len : QUOTED_BYTES, text + first->start, first->at);
}

void json_keys_release(struct json_keys *keys)
{
	str_release(&keys->text);
	free(keys->items);
	keys->items = NULL;
	keys->count = 0;
	keys->cap = 0;
}

#include "config.h"

#include "base/strv.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void strv_release(struct strv *v)
{
	for (size_t i = 0; i < v->count; i++)
		free(v->items[i]);
	free(v->items);
	v->items = NULL;
	v->count = 0;
	v->cap = 0;
}

void strv_add(struct strv *v, const char *text)
{
	strv_take(v, mem_strdup(text));
}

void strv_take(struct strv *v, char *text)
{
	mem_grow(&v->items, &v->cap, v->count + 1, sizeof(*v->items));
	v->items[v->count++] = text;
	v->items[v->count] = NULL;
}

void strv_printf(struct strv *v, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	strv_take(v, mem_vprintf(fmt, args));
	va_end(args);
}

void strv_copy(struct strv *v, const struct strv *from)
{
	size_t count = from->count;

	for (size_t i = 0; i < count; i++)
		strv_add(v, from->items[i]);
}

bool strv_has(const struct strv *v, const char *text)
{
	for (size_t i = 0; i < v->count; i++) {
		if (strcmp(v->items[i], text) == 0)
			return true;
	}
	return false;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void strv_sort(struct strv *v)
{
	if (v->count > 1)
		qsort(v->items, v->count, sizeof(*v->items), by_bytes);
}

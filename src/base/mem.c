#include "config.h"

#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROW_FIRST 8

static void *must(void *ptr)
{
	if (ptr == NULL)
		abort();
	return ptr;
}

void *mem_alloc(size_t bytes)
{
	return mem_array(1, bytes);
}

void *mem_array(size_t count, size_t bytes)
{
	if (count == 0 || bytes == 0)
		return must(calloc(1, 1));
	return must(calloc(count, bytes));
}

void *mem_resize(void *old, size_t count, size_t bytes)
{
	if (count == 0 || bytes == 0)
		return must(realloc(old, 1));
	return must(reallocarray(old, count, bytes));
}

char *mem_strdup(const char *text)
{
	return text == NULL ? NULL : must(strdup(text));
}

char *mem_strndup(const char *bytes, size_t len)
{
	if (len == SIZE_MAX)
		abort();
	char *copy = must(malloc(len + 1));

	if (len > 0)
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	return copy;
}

char *mem_vprintf(const char *fmt, va_list args)
{
	char *text;

	/* A copy, which most are, is made without the machine that reads formats. */
	if (strcmp(fmt, "%s") == 0) {
		const char *copied = va_arg(args, const char *);
		return mem_strdup(copied != NULL ? copied : "(null)");
	}
	if (vasprintf(&text, fmt, args) < 0)
		abort();
	return text;
}

char *mem_printf(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	char *text = mem_vprintf(fmt, args);
	va_end(args);
	return text;
}

void mem_grow(void *array, size_t *cap, size_t count, size_t bytes)
{
	void *items;

	if (count < *cap)
		return;
	size_t bigger = *cap < GROW_FIRST ? GROW_FIRST : *cap * 2;
	if (bigger <= count)
		bigger = count + 1;
	if (bigger <= *cap)
		abort();
	/* The caller's pointer has its own type: moved as bytes, not through a void **. */
	memcpy(&items, array, sizeof(items));
	items = mem_resize(items, bigger, bytes);
	memcpy(array, &items, sizeof(items));
	*cap = bigger;
}

void mem_free_ptr(void *ptr)
{
	void *owned;

	memcpy(&owned, ptr, sizeof(owned));
	free(owned);
}

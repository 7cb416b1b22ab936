#include "config.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define STR_FIRST_BYTES 64

static void reserve(struct str *s, size_t more)
{
	if (more >= SIZE_MAX / 2 - s->len)
		abort();
	size_t need = s->len + more + 1;

	if (need <= s->cap)
		return;
	size_t cap = s->cap < STR_FIRST_BYTES ? STR_FIRST_BYTES : s->cap;

	while (cap < need)
		cap = cap * 2;
	s->data = mem_resize(s->data, cap, 1);
	s->cap = cap;
}

void str_release(struct str *s)
{
	free(s->data);
	s->data = NULL;
	s->len = 0;
	s->cap = 0;
}

void str_clear(struct str *s)
{
	str_truncate(s, 0);
}

void str_add(struct str *s, const char *text)
{
	str_add_bytes(s, text, strlen(text));
}

void str_add_bytes(struct str *s, const void *bytes, size_t len)
{
	reserve(s, len);
	if (len > 0)
		memcpy(s->data + s->len, bytes, len);
	s->len += len;
	s->data[s->len] = '\0';
}

void str_add_char(struct str *s, char c)
{
	reserve(s, 1);
	s->data[s->len++] = c;
	s->data[s->len] = '\0';
}

void str_printf(struct str *s, const char *fmt, ...)
{
	va_list args, again;

	va_start(args, fmt);
	va_copy(again, args);
	/* Most fits where there is room already: then it is composed once. */
	reserve(s, STR_FIRST_BYTES);
	size_t room = s->cap - s->len;
	int len = vsnprintf(s->data + s->len, room, fmt, args);
	va_end(args);
	if (len < 0)
		abort();
	if ((size_t)len >= room) {
		reserve(s, (size_t)len);
		vsnprintf(s->data + s->len, (size_t)len + 1, fmt, again);
	}
	va_end(again);
	s->len += (size_t)len;
}

void str_truncate(struct str *s, size_t len)
{
	if (s->data == NULL || len > s->len)
		return;
	s->len = len;
	s->data[len] = '\0';
}

const char *str_c(const struct str *s)
{
	return s->data == NULL ? "" : s->data;
}

char *str_steal(struct str *s)
{
	char *data = s->data == NULL ? mem_strndup("", 0) : s->data;

	s->data = NULL;
	s->len = 0;
	s->cap = 0;
	return data;
}

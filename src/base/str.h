/* A growing byte string; always NUL-terminated behind len, may hold NUL bytes. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>

struct str {
	char *data; /* never NULL after the first append; use str_c() to read */
	size_t len;
	size_t cap;
};

#define STR_INIT                                                                                   \
	{                                                                                          \
		0                                                                                  \
	}

void str_release(struct str *s); /* frees, leaves it empty and usable */
void str_clear(struct str *s);   /* len 0, memory kept */
void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const void *bytes, size_t len);
void str_add_char(struct str *s, char c);
void str_printf(struct str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_truncate(struct str *s, size_t len);
const char *str_c(const struct str *s); /* "" when nothing was added */
char *str_steal(struct str *s);         /* the caller frees; s is empty afterwards */

#define STR_AUTO __attribute__((cleanup(str_release)))

#endif

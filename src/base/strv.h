/* A growing vector of strings, NULL-terminated (so items is an argv). */
#ifndef BASE_STRV_H
#define BASE_STRV_H

#include <stdbool.h>
#include <stddef.h>

struct strv {
	char **items; /* NULL when empty and never grown; items[count] is NULL */
	size_t count;
	size_t cap;
};

#define STRV_INIT                                                                                  \
	{                                                                                          \
		0                                                                                  \
	}

void strv_release(struct strv *v);
void strv_add(struct strv *v, const char *text); /* copies */
void strv_take(struct strv *v, char *text);      /* owns text from now on */
void strv_printf(struct strv *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strv_copy(struct strv *v, const struct strv *from); /* appends copies */
bool strv_has(const struct strv *v, const char *text);
void strv_sort(struct strv *v); /* by bytes */

#define STRV_AUTO __attribute__((cleanup(strv_release)))

#endif

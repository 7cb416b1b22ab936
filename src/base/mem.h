/* Memory that cannot fail (the program aborts) and release at the end of a scope. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

void *mem_alloc(size_t bytes);                           /* zeroed; never NULL */
void *mem_array(size_t count, size_t bytes);             /* zeroed, overflow checked; never NULL */
void *mem_resize(void *old, size_t count, size_t bytes); /* not zeroed, overflow checked */
char *mem_strdup(const char *text);                      /* NULL stays NULL */
char *mem_strndup(const char *bytes, size_t len);        /* adds the NUL; bytes may hold any byte */
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *mem_vprintf(const char *fmt, va_list args) __attribute__((format(printf, 1, 0)));

/* Grows *array (of elements of `bytes`) so that `count + 1` elements fit; amortised. */
void mem_grow(void *array, size_t *cap, size_t count, size_t bytes);

void mem_free_ptr(void *ptr); /* for MEM_AUTO: free(*(void **)ptr) */

#define MEM_AUTO __attribute__((cleanup(mem_free_ptr)))
#define CLEANUP(fn) __attribute__((cleanup(fn)))
#define STEAL(ptr)                                                                                 \
	({                                                                                         \
		__typeof__(ptr) steal_ = (ptr);                                                    \
		(ptr) = NULL;                                                                      \
		steal_;                                                                            \
	})
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif

/* Errors as values: a code for the program, a sentence for a person. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

enum err_code {
	ERR_NONE,
	ERR_INVALID,     /* input that breaks a rule */
	ERR_REFUSED,     /* valid, and not allowed */
	ERR_NOT_FOUND,   /* a file, key or program that is not there */
	ERR_UNAVAILABLE, /* a facility that does not work here */
	ERR_LIMIT,       /* larger than a named limit */
	ERR_SYSTEM,      /* a system call failed; saved_errno says how */
	ERR_CODE_COUNT
};

#define ERR_TEXT_BYTES 1024 /* longer text is cut at a whole character */

struct err {
	enum err_code code;
	int saved_errno; /* 0 when no system call was involved */
	char text[ERR_TEXT_BYTES];
};

#define ERR_INIT                                                                                   \
	{                                                                                          \
		.code = ERR_NONE                                                                   \
	}

/* Fills *err (which may be NULL) and returns -1, so that a function can `return err_set(...)`. */
int err_set(struct err *err, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with ERR_SYSTEM (ERR_NOT_FOUND for ENOENT) and ": strerror(errno)" at the end. */
int err_set_errno(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts "context: " before the text on the way out; returns -1. */
int err_context(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void err_clear(struct err *err);

#endif

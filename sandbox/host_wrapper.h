/* Wrapper programs: which one on PATH may be trusted. */
#ifndef SANDBOX_HOST_WRAPPER_H
#define SANDBOX_HOST_WRAPPER_H

#include <stddef.h>
#include <stdint.h>

#include "base/strv.h"

enum wrapper_trouble {
	WRAPPER_FOUND,
	WRAPPER_ABSENT,
	WRAPPER_NOT_TRUSTED,
	WRAPPER_NOT_SETUID,
	WRAPPER_NO_NEW_PRIVS, /* it is, but nothing that we start gains rights */
};

struct wrapper {
	char *path; /* resolved; NULL: none */
	int fd;     /* O_PATH; -1 */
	uint64_t dev, ino;
	char why[160];     /* why none */
	const char *cause; /* the same without the path: "is a script, ..."; NULL: not installed */
	enum wrapper_trouble trouble;
};

/* Looks `name` up in search_path (may be NULL), absolute entries only. It and the directories above it belong to root or
   to us and are not writable by others, and it lies outside every writable place: a command could put its own there. */
void wrapper_find(const char *name, const char *search_path, const struct strv *writable,
	struct wrapper *ret);

/* The same for a program that a person chose, which may be a script; an absolute name is taken as it is. */
void wrapper_find_chosen(const char *name, const char *search_path, const struct strv *writable,
	struct wrapper *ret);

/* One that runs as root whoever starts it: it must belong to root and be set to that, else it is let go again. */
void wrapper_needs_root(struct wrapper *wrapper);

#endif

/* The new root while it is built: everything is reached from its descriptor, without symlinks, never by a host path. */
#ifndef SANDBOX_MOUNTS_ROOT_H
#define SANDBOX_MOUNTS_ROOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strv.h"

struct root {
	int fd;
	int parent_fd; /* of the directory used last */
	char *parent;
	struct strv binds;                  /* targets of binds so far */
	const char *empty_file, *text_file; /* path, from fd, where one may be made for a moment */
};

/* An empty tmpfs, attached over / (which processes do not see before they change their root). */
int root_init(struct root *ret, struct err *err);
/* The root that a wrapper built and we live in: nothing is made in it, mounts are only added. */
int root_take(struct root *ret, struct err *err);
void root_release(struct root *root);

/* Below a bind: what lies there is not ours. */
bool root_is_the_hosts(const struct root *root, const char *path);
/* A path inside; -1 with errno. */
int root_open(const struct root *root, const char *path, int flags);
/* Makes the mount point (and directories above it) and moves the detached mount there. */
int root_attach(struct root *root, const char *target, int mount_fd, bool is_dir, struct err *err);
int root_symlink(struct root *root, const char *text, const char *target, struct err *err);
int root_directory(struct root *root, const char *target, unsigned mode, struct err *err);
/* A detached mount of one empty file. */
int root_empty_file(struct root *root, struct err *err);
void root_forget_empty_file(struct root *root); /* when the last of them is attached */
/* The same of a file with this text, and when it is attached. */
int root_text_file(struct root *root, const char *text, struct err *err);
void root_forget_text_file(struct root *root);

/* Detached mounts; attributes as of mount_setattr(2). */
struct mount_option {
	const char *key, *value;
};
int mount_new(const char *type, const struct mount_option *options, unsigned count,
	uint64_t attributes, struct err *err);
/* bytes 0: the kernel's own limit. */
int mount_tmpfs(uint64_t bytes, unsigned mode, uint64_t attributes, struct err *err);

#endif

/* File descriptors: close on exec always, whole reads and writes. */
#ifndef BASE_FD_H
#define BASE_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

void fd_close(int *fd); /* closes when >= 0, sets -1; keeps errno */
#define FD_AUTO __attribute__((cleanup(fd_close)))

/* Writes all to a blocking fd, also over interruptions. */
int fd_write_all(int fd, const void *bytes, size_t len, struct err *err);
/* Reads to the end; more than max bytes is ERR_LIMIT. Appends to *out. */
int fd_read_all(int fd, size_t max, struct str *out, struct err *err);
int fd_set_nonblock(int fd, struct err *err);
int fd_set_cloexec(int fd, bool on, struct err *err);
/* A memfd with these bytes, sealed against every change; close-on-exec. */
int fd_sealed_memfd(const char *name, const void *bytes, size_t len, int *ret_fd, struct err *err);
/* Reads a regular file without following a symlink in its last component. */
int fd_read_file(const char *path, size_t max, struct str *out, struct err *err);
/* flock, exclusive or shared. Waits a few seconds at most: a stopped process must not stop every other one. name: of the file. */
int fd_lock(int fd, bool exclusive, const char *name, struct err *err);

#endif

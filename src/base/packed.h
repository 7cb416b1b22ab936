/* Files compressed by Zstandard: one frame that says how much it holds. They are hostile when read: memory is bounded by the window,
   never by what a file claims. */
#ifndef BASE_PACKED_H
#define BASE_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct unpack; /* opaque */

/* Its first bytes are those of a compressed file. Does not move the descriptor. */
bool packed_begins(int fd);
/* From its first byte on; the descriptor is not owned. ERR_INVALID: it is no such frame, does not say how much it holds, or needs a
   window that no file of ours needs. */
int unpack_open(int fd, struct unpack **ret, struct err *err);
void unpack_close(struct unpack *unpack); /* NULL: nothing */
/* So many bytes, as the file itself says; unpack_read() gives exactly that or an error. */
uint64_t unpack_bytes(const struct unpack *unpack);
/* *ret_len 0: the end. ERR_INVALID: it was damaged, is cut off, holds more or less than it says, or something follows it. */
int unpack_read(struct unpack *unpack, char *bytes, size_t len, size_t *ret_len, struct err *err);
/* The whole of from_fd, which stands anywhere, behind what to_fd has. Both are left where they stand then. */
int pack_file(int from_fd, int to_fd, struct err *err);

#endif

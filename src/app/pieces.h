/* The files of one session read as one: piece by piece, compressed or not, as bytes at one offset. They are hostile input and are never
   opened for writing. */
#ifndef APP_PIECES_H
#define APP_PIECES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strv.h"

struct pieces; /* opaque */

/* From the file `name` (without .zst) on to the newest of its session; one that is no name of a record is read alone. By the rules of
   verify_open_record(). dir_fd is not owned and is needed until the end. */
int pieces_open(int dir_fd, const char *name, struct pieces **ret, struct err *err);
void pieces_close(struct pieces *pieces); /* NULL: nothing */
/* *ret_len 0: the end, so far: what is written later, or into a next file, comes with a later call. */
int pieces_read(struct pieces *pieces, char *bytes, size_t len, size_t *ret_len, struct err *err);
int pieces_seek(struct pieces *pieces, uint64_t offset, struct err *err);
/* Of all of them, unpacked, now. */
uint64_t pieces_bytes(struct pieces *pieces);
/* The newest one: its lock tells whether the session is being written. */
int pieces_last_fd(const struct pieces *pieces);

/* The first file that is there of each session, and what only looks like a record, in order. */
int pieces_list(int dir_fd, struct strv *ret, struct err *err);

#endif

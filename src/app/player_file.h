/* A record, read one event after the other: what a film is made of. It is hostile input and is never opened for writing. */
#ifndef APP_PLAYER_FILE_H
#define APP_PLAYER_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/event.h"

struct player_file; /* opaque */

/* What a person calls a record: a path, or in dir the id of a session, whole or its last two parts where they are unique. dir may be
   NULL: only paths. Caller frees *ret. Errors: ERR_NOT_FOUND; ERR_INVALID: several sessions end so. */
int player_file_find(const char *name, const char *dir, char **ret_path, struct err *err);
/* By the rules of `audit verify`: a plain file, no symlink. Stands before the first event. */
int player_file_open(const char *path, struct player_file **ret, struct err *err);
void player_file_close(struct player_file *file); /* NULL: nothing */
/* 1: *ret is the next event; the caller releases it. One of a type that this version does not know has the type EVENT_TYPE_COUNT.
   0: no whole line is there (any more, or yet: call again when the file has grown). -1: the line is no event of a record, or
   cannot be read; the error names its number, and nothing behind it is read. */
int player_file_next(struct player_file *file, struct event *ret, struct err *err);
/* The number of the line that came last, from 1 on; 0: none yet. In a record that was not altered it is the event's number. */
uint64_t player_file_line(const struct player_file *file);
/* The event that came last carries the digest of the line before; true when that one was not read. */
bool player_file_continues(const struct player_file *file);
/* The next one will be that of line `number`, or the end, when there are not so many. Costs the lines between it and the nearest
   place that was read before and is remembered. */
int player_file_seek(struct player_file *file, uint64_t number, struct err *err);
/* So many bytes are read, and so many the file has now: for a bar. */
uint64_t player_file_offset(const struct player_file *file);
uint64_t player_file_size(const struct player_file *file);
/* Its session is still being written: somebody holds its lock. */
bool player_file_is_open(const struct player_file *file);
/* Bytes without a newline follow the last whole line. Behind a player_file_next() that gave 0. */
bool player_file_is_torn(const struct player_file *file);
const char *player_file_name(const struct player_file *file); /* without its directory */
const char *player_file_path(const struct player_file *file);

#endif

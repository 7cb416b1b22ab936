/* The names of the files of a record. A session is SESSION.jsonl, then SESSION.2.jsonl and so on; one that is closed may be
   compressed, its name then ends in .zst. CHAIN and all who follow it know a file by its name without that. */
#ifndef APP_RECORD_NAME_H
#define APP_RECORD_NAME_H

#include <stdbool.h>
#include <stddef.h>

#define RECORD_SUFFIX ".jsonl"
#define RECORD_PACKED ".zst"

/* 1 for YYYYMMDDThhmmssZ-PID-xxxx.jsonl, N for .N.jsonl; 0: no name of a record. */
unsigned record_name_part(const char *name);
/* Of the session's part, from 1 on. Caller frees. */
char *record_name_of(const char *session, unsigned part);
/* Without .jsonl, .N.jsonl and .zst. Caller frees; NULL: no name of a record. */
char *record_name_session(const char *name);
/* `name` without .zst. Caller frees. */
char *record_name_plain(const char *name);
/* Both are of one session, and `name` is the part behind `before`. */
bool record_name_follows(const char *before, const char *name);
/* For qsort: by session, then by part; what is no name of a record by its bytes. */
int record_name_compare(const char *a, const char *b);

#endif

/* The lines of a record file, one after the other, in bounded memory. */
#ifndef APP_LINES_H
#define APP_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/linebuf.h"

struct unpack;
struct pieces;

struct lines {
	int fd; /* not owned; read from where it stands; compressed: from its first byte */
	struct unpack *unpack;
	bool looked;           /* whether it is compressed */
	struct pieces *pieces; /* not owned; read instead, when not NULL */
	struct linebuf buf;
	bool at_end;
	char *block;
};

void lines_init(struct lines *lines, int fd);
/* Of all files of a session. */
void lines_init_pieces(struct lines *lines, struct pieces *pieces);
void lines_release(struct lines *lines);
/* 1: a whole line, without its newline, valid until the next call. 0: no more whole lines. -1 with
   ERR_LIMIT (a line over EVENT_LINE_BYTES), ERR_INVALID (compressed, and damaged) or a system error. */
int lines_next(struct lines *lines, const char **ret_line, size_t *ret_len, struct err *err);
/* After lines_next() gave 0: the bytes behind the last newline, a line that was torn. */
size_t lines_rest(const struct lines *lines, const char **ret_bytes);

/* What stands at fixed places of an event line: no JSON is needed to follow the chain. */
struct line_head {
	struct digest prev;
	uint64_t number;
};
/* 0, or -1 when the line does not begin as event_print() begins one. */
int line_head(const char *line, size_t len, struct line_head *ret);
/* Its type is `name`, told without JSON from where event_print() puts it; a forged line may hide
   it. */
bool line_has_type(const char *line, size_t len, const char *name);

#endif

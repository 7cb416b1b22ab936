/* CHAIN: the one file that ties the session files of a directory together (record.md;
   exequatur-audit(5)). */
#ifndef APP_CHAIN_H
#define APP_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/str.h"
#include "base/strv.h"

#define CHAIN_NAME "CHAIN"
#define CHAIN_LINE_BYTES (1u << 20)
#define CHAIN_VERSION 1

enum chain_kind {
	CHAIN_START, /* a session began this file */
	CHAIN_END,   /* a session closed it: digest of its last line, number of its lines */
	/* it has no end line and its writer is gone: the same of its last whole line */
	CHAIN_FOUND,
	/* the session goes on in this file: closes the one before, of which it says the same */
	CHAIN_NEXT,
	/* a tombstone: it was closed and then removed on purpose */
	CHAIN_PRUNED,
	CHAIN_KIND_COUNT
};

/* {"prev":HEX,"v":1,"chain":KIND,"file":NAME[,"before":NAME][,"digest":HEX,"events":N]
   [,"calls":N,"wall":UTC,"why":TEXT][,"torn":HEX][,"fragment":HEX],"open":[NAME...]} */
struct chain_line {
	struct digest prev; /* of the line before, all zero for the first */
	enum chain_kind kind;
	char *file;
	char *before;         /* NEXT: digest and events are of this one */
	uint64_t calls;       /* PRUNED: received in it */
	char *wall, *why;     /* PRUNED: when and by which rule */
	bool missing;         /* FOUND of a file that is not there: neither digest nor events */
	struct digest digest; /* all zero when the file has no whole line */
	uint64_t
		events; /* the number of its last line: they are counted through a session's files */
	bool torn; /* FOUND: bytes without a newline follow the last whole line; their digest */
	struct digest torn_digest;
	/* The line of CHAIN just before this one was torn and does not count; its digest. */
	bool fragment;
	struct digest fragment_digest;
	/* Files without an END or FOUND line, this line included: a start reads one line. */
	struct strv open;
};

void chain_line_release(struct chain_line *line);
/* Without newline. Appends. */
void chain_print(const struct chain_line *line, struct str *out);
/* ERR_INVALID for anything that chain_print() does not write. */
int chain_parse(const char *text, size_t len, struct chain_line *ret, struct err *err);

/* YYYYMMDDThhmmssZ-PID-xxxx.jsonl, or .N.jsonl for the N-th file of that session: no other name is ever opened. */
bool chain_file_name_is_valid(const char *name);

/* The CHAIN of a directory, made when absent (0600, no symlink, ours). */
int chain_open(int dir_fd, int *ret_fd, struct err *err);
/* flock, exclusive or shared. Waits a few seconds at most: a stopped process must not stop every
   session. */
int chain_lock(int fd, bool exclusive, struct err *err);
void chain_unlock(int fd);

/* What the end of CHAIN says. Under the lock. */
struct chain_tail {
	struct digest digest; /* of the last whole line */
	struct strv open;
	bool fragment; /* a torn line behind it (power loss) */
	struct digest fragment_digest;
	bool damaged; /* the last whole line is no line of CHAIN; open is empty then */
	uint64_t size;
};
int chain_read_tail(int fd, struct chain_tail *ret, struct err *err);
void chain_tail_release(struct chain_tail *tail);

/* Under the exclusive lock: fills prev, open and fragment, appends the line, gives its digest. When
   it cannot be written whole, CHAIN is as before. */
int chain_append(int fd, struct chain_line *line, struct digest *ret_digest, struct err *err);

#endif

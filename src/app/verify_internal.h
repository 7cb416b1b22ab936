/* The verifier's inside. Private to verify*.c. */
#ifndef APP_VERIFY_INTERNAL_H
#define APP_VERIFY_INTERNAL_H

#include "app/chain.h"
#include "app/verify.h"

struct verify_seals;
struct verify_anchors;
struct verify_point;

/* What CHAIN and SEALS say of one session file. */
struct verify_entry {
	char *file;
	size_t line;         /* of CHAIN: its start */
	struct digest start; /* of that line */
	bool ended, found, missing, torn;
	struct digest digest, torn_digest;
	uint64_t events;
	/* Where it goes on from: the last line of the session's file before it; none: 0 and zero. */
	uint64_t base_events;
	struct digest base;
	/* A tombstone: it was removed on purpose. */
	char *pruned_at, *pruned_why;
	uint64_t pruned_calls;
	bool checked;
	size_t close_line;                 /* of CHAIN: its end, or where it was found; 0: none */
	const struct verify_point *points; /* what was sealed of it, in the order of its lines */
	size_t point_count;
	uint64_t sealed; /* the number of its last line that is sealed */
};

struct verify_chain {
	bool there;
	struct verify_entry *items; /* by file name once verify_chain_read() is done */
	size_t count, cap;
	/* Both are set before verify_chain_read(); NULL: nobody asks for them. */
	struct verify_seals *seals;
	struct verify_anchors *anchors;
};

/* Reads and proves CHAIN; what is wrong is said in *out. ret_names (may be NULL) gets the names of
   the record's files, taken under the same lock, so that a session that begins meanwhile is in both
   or in neither. Returns the status, or -1 when it cannot be read. */
int verify_chain_read(int dir_fd, struct verify_chain *ret, struct strv *ret_names, struct str *out,
	struct err *err);
/* All files that look like records, in order of their sessions and parts, without .zst, whatever CHAIN says: one that it does not know was put
   there. */
int verify_list_records(int dir_fd, struct strv *ret, struct err *err);
struct verify_entry *verify_chain_entry(const struct verify_chain *chain, const char *file);
void verify_chain_release(struct verify_chain *chain);

/* One session file against what CHAIN and SEALS say of it (entry may be NULL). One line is appended
   to *out;
   *ret_events counts its lines. */
int verify_file(int dir_fd, const char *name, const struct verify_entry *entry,
	struct verify_anchors *anchors, struct str *out, uint64_t *ret_events, struct err *err);

/* For reading; where there is no such file, the compressed one. A record is a plain file: whatever else has its name was put in its place (ERR_INVALID). The descriptor, or -1. */
int verify_open_record(int dir_fd, const char *name, struct err *err);

/* The worse of two. */
enum verify_status verify_worse(enum verify_status a, enum verify_status b);

#endif

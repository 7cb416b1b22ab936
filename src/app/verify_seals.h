/* SEALS proved, and what it says of the other files. Private to verify*.c. */
#ifndef APP_VERIFY_SEALS_H
#define APP_VERIFY_SEALS_H

#include "app/verify_internal.h"

struct verify_point {
	char *file;
	uint64_t line;
	struct digest digest; /* of that line */
	uint64_t epoch;
};

struct verify_seals {
	bool there;
	uint64_t epochs;             /* so many seals hold, one behind the other */
	struct digest key;           /* of the first */
	char wall[32];               /* of the last */
	struct verify_point *points; /* by file, then by line */
	size_t count, cap;
	struct digest *chain; /* what each seal says of CHAIN */
	size_t chain_count, chain_cap, chain_seen;
	size_t chain_line; /* of CHAIN, that was sealed last; 0: none */
};

/* Reads and proves SEALS, from key on when it is not NULL; what is wrong is said in *out. Returns the status, or -1 when it cannot
   be read. Before CHAIN is read, and that before the files: what is sealed is there by then. */
int verify_seals_read(int dir_fd, const struct digest *key, struct verify_seals *ret,
	struct str *out, struct err *err);
void verify_seals_release(struct verify_seals *seals);
/* Line `line` of CHAIN has this digest. */
void verify_seals_chain_line(struct verify_seals *seals, const struct digest *digest, size_t line);
/* Behind CHAIN: whether all of it that was sealed is there. */
enum verify_status verify_seals_chain_end(const struct verify_seals *seals, struct str *out);
/* Fills points and sealed of each entry. */
void verify_seals_attach(const struct verify_seals *seals, struct verify_chain *chain);
void verify_seals_say(
	const struct verify_seals *seals, bool compared, uint64_t unsealed, struct str *out);

/* Digests that somebody kept, each looked for in every line. */
struct verify_anchors; /* opaque */
struct verify_anchors *verify_anchors_new(const struct digest *digests, size_t count);
void verify_anchors_free(struct verify_anchors *anchors); /* NULL: nothing */
void verify_anchors_line(struct verify_anchors *anchors, const struct digest *digest,
	const char *name, uint64_t line); /* NULL: nothing */
/* A line for each; the status. */
enum verify_status verify_anchors_say(const struct verify_anchors *anchors, struct str *out);

#endif

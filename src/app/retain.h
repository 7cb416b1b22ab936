/* How long files of a record stay, and in which form: closed ones are compressed, the oldest are removed, each with a tombstone in CHAIN
   first. */
#ifndef APP_RETAIN_H
#define APP_RETAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/strv.h"

struct retain_rules {
	int64_t older_than_ms; /* whatever was written last before that goes; 0: nothing does for its age */
	uint64_t most_bytes; /* of all closed files, as they lie there; 0: any */
	unsigned keep;       /* so many closed files; 0: all */
	bool compress;
	bool sealed; /* the record is sealed: what is not yet stays, and what is removed is sealed in its tombstone */
	bool dry_run; /* says what would go, changes nothing */
};

struct retain_report {
	struct str words; /* a line for each file that went, would go, or had to stay */
	/* What an earlier run had begun and a crash left undone, by file, and how it was ended now. */
	struct strv finished, how;
	unsigned pruned, packed;
};
void retain_report_release(struct retain_report *report);

/* There are rules, or a crash left something undone: CHAIN of a hundred thousand sessions is not read at each start for nothing. */
bool retain_is_needed(const char *dir, const struct retain_rules *rules);
/* Finishes what was left undone, then keeps the rules; one run at a time in a directory: where another is at work nothing is done.
   What is open, is of another user, or does not prove stays. Errors: CHAIN was altered (nothing is removed then), or the disk failed;
   what was done until then is in *ret. The caller releases *ret in any case. */
int retain_run(const char *dir, const struct retain_rules *rules, int64_t wall_ms,
	struct retain_report *ret, struct err *err);

#endif

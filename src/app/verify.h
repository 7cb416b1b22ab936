/* Proves a record: the chain inside each file, CHAIN across files, missing and torn ends
   (record.md; protocol.md section 3, exit status). */
#ifndef APP_VERIFY_H
#define APP_VERIFY_H

#include "base/digest.h"
#include "base/err.h"
#include "base/str.h"

enum verify_status { VERIFY_WHOLE = 0, VERIFY_ALTERED = 1, VERIFY_ENDS_EARLY = 3 };

/* path: a session file or a directory. The report (one line a file, the first bad line named) is
   appended to *out. Returns the worst status, or -1 with err when path cannot be read (usage). */
int verify_path(const char *path, struct str *out, struct err *err);

/* What somebody kept elsewhere to compare the record with. */
struct verify_kept {
	const struct digest *key;     /* the public key that init-seals printed; NULL: none */
	const struct digest *anchors; /* digests that were given to an anchor */
	size_t anchor_count;
};
int verify_path_kept(
	const char *path, const struct verify_kept *kept, struct str *out, struct err *err);

#endif

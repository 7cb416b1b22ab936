/* A line of SEALS: what one epoch's key said before it was zeroed (record.md; exequatur-audit(5)). */
#ifndef APP_SEAL_LINE_H
#define APP_SEAL_LINE_H

#include "base/digest.h"
#include "base/err.h"
#include "base/seal.h"
#include "base/str.h"

#define SEALS_NAME "SEALS"
#define SEAL_LINE_BYTES 1024
#define SEAL_VERSION 1

/* {"prev":HEX,"v":1,"epoch":N,"wall":UTC[,"file":NAME,"events":N,"digest":HEX],"chain":HEX,"key":HEX,"next":HEX,"seal":HEX} */
struct seal_line {
	struct digest prev; /* of the line before; all zero for the first */
	uint64_t epoch;     /* from 1 */
	char wall[32];
	char *file;              /* NULL: it seals CHAIN alone */
	uint64_t events;         /* so many lines of it */
	struct digest digest;    /* of the last of those */
	struct digest chain;     /* of the last whole line of CHAIN; all zero: it has none */
	struct digest key, next; /* the public keys of this epoch and of the next one */
	uint8_t seal[SEAL_BYTES];
};

void seal_line_release(struct seal_line *line);
/* Fills key and seal, and appends the line without newline. */
void seal_line_sign(struct seal_line *line, const struct seal_key *key, struct str *out);
/* ERR_INVALID for anything that seal_line_sign() does not write, but for the seal itself. */
int seal_line_parse(const char *text, size_t len, struct seal_line *ret, struct err *err);
/* Whether the line's own key sealed exactly this text. Whose key that is, the line before says. */
bool seal_line_holds(const struct seal_line *line, const char *text, size_t len);

#endif

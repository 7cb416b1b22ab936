/* What the record keeps less of than the screen shows: `redact` masks secrets, `record_output = false` keeps of outputs the sizes and
   digests. The event that the model gets is never touched. */
#ifndef APP_MASKER_H
#define APP_MASKER_H

#include "app/audit.h"
#include "core/redact.h"

struct masked_output { /* of a running call */
	uint64_t seq;
	struct redact_stream stream;
};
struct masker {
	bool redact, no_output;
	struct strv known;
	struct masked_output **outputs; /* owned */
	size_t count, cap;
};
void masker_release(struct masker *masker);
/* audit_append() of what the record may hold of the event; sets event->number. What could be the beginning of a secret (a word,
   at most REDACT_HELD_MAX bytes) is written with the output that follows, or before the end of the call. */
int masker_append(struct masker *masker, struct audit *audit, struct event *event, struct err *err);

#endif

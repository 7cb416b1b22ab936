/* Events: facts that happened. Only model_apply() changes a model, and only by one of these. */
#ifndef CORE_EVENT_H
#define CORE_EVENT_H

#include <stdint.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#define EVENT_FORMAT_VERSION 1
#define EVENT_LINE_BYTES (8u << 20)

enum event_type {
	EVENT_SESSION_START, /* session version host user uid pid config_digest workspace backend(title word) backend_set passed[{backend,why}]
				unsandboxed root input("stdin"|"none"|"operator") chain max_running approval_timeout_s terminal */
	EVENT_PROBE,	     /* backend ok why facets{} stage */
	EVENT_PEER,	     /* peer kind("stdin"|"operator") uid pid */
	EVENT_PROFILE,	     /* profile(digest) env[] cut{group:[names]} limits{} argv[] */
	EVENT_RECEIVED,	     /* peer line id agent reason command timeout working_dir network ignored[]; a bad line: raw(escaped, <= 4096) */
	EVENT_REFUSED,	     /* reason sentence tried[{backend,why}] */
	EVENT_RULED,	     /* verdict rule */
	EVENT_CARD,	     /* card{} digest old(digest, when it changed) */
	EVENT_VIEW,	     /* ui{} */
	EVENT_SEEN,	     /* rows[[start,end,ms]..] total ui{} */
	EVENT_DECIDED,	     /* decision by text after_ms digest deadline_ms(0) */
	EVENT_REQUEUED,	     /* why */
	EVENT_LAUNCHING,     /* backend profile plan(digest) */
	EVENT_STARTED,	     /* proofs enforced{} */
	EVENT_STOPPING,	     /* by("operator"|"deadline"|"console") why */
	EVENT_EXTENDED,	     /* by_ms */
	EVENT_OUTPUT,	     /* text (valid UTF-8 without NUL) or base64 */
	EVENT_USAGE,
	EVENT_TRUNCATED,     /* cap: the output reached it; bytes so far */
	EVENT_LIMIT,	     /* name figure */
	EVENT_ENDED,	     /* reason sentence exit_code signal duration_ms output_bytes dropped notes[] kill_ms */
	EVENT_GIT_CHANGED,   /* paths[] */
	EVENT_ANSWERED,	     /* reason success delivered decision by notes[] */
	EVENT_WITHDRAWN,     /* why */
	EVENT_EXPIRED,	     /* after_ms */
	EVENT_GRANT,
	EVENT_REVOKED,
	EVENT_INTAKE,	     /* open(bool) why: "end of input" "reader gone" */
	EVENT_LOCKED,
	EVENT_GAP,	     /* why */
	EVENT_FOUND_OPEN,    /* file digest torn(bool) calls[{seq,state}] */
	EVENT_SESSION_END,   /* why ui{} */
	EVENT_TYPE_COUNT
};
const char *event_type_name(enum event_type type);
int event_type_from_name(const char *name, enum event_type *ret);

struct event {
	enum event_type type;
	uint64_t number;  /* from 1 in its file */
	int64_t at_ms;	  /* since the session's start */
	int64_t wall_ms;
	uint64_t seq;	  /* of the call; 0: none */
	struct json *fields; /* an object; owned */
};

void event_release(struct event *event);
/* One line without newline, pure ASCII: {"prev":HEX,"v":1,"event":N,"at":MS,"wall":"...Z","type":T,["seq":N,]fields...}. Appends. */
void event_print(const struct event *event, const struct digest *prev, struct str *out);
/* Hostile input. Unknown types: ERR_NOT_FOUND with the rest filled (kept, not applied). */
int event_parse(const char *line, size_t len, struct event *ret, struct digest *ret_prev, struct err *err);
/* Output bytes into an EVENT_OUTPUT's fields and back. */
struct json *event_output_fields(const char *bytes, size_t len);
int event_output_bytes(const struct json *fields, struct str *out, struct err *err);

#endif

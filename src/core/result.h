/* The answer to an agent: protocol.md section 2. */
#ifndef CORE_RESULT_H
#define CORE_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "core/reason.h"
#include "core/request.h"

enum decision {
	DECISION_NONE, /* still open; never in an answer */
	DECISION_APPROVED,
	DECISION_ALLOWED,
	DECISION_REJECTED,
	DECISION_REFUSED,
	DECISION_EXPIRED,
	DECISION_WITHDRAWN,
	DECISION_COUNT
};
enum decider {
	DECIDER_NONE,
	DECIDER_OPERATOR,
	DECIDER_GRANT,
	DECIDER_POLICY,
	DECIDER_DEADLINE,
	DECIDER_AGENT,
	DECIDER_CONSOLE,
	DECIDER_COUNT
};
const char *decision_name(enum decision d);
int decision_from_name(const char *name, enum decision *ret);
const char *decider_name(enum decider d);
int decider_from_name(const char *name, enum decider *ret);

enum note {
	NOTE_TIMEOUT_CLAMPED,
	NOTE_ARGUMENTS_IGNORED,
	NOTE_WORKING_DIR_CREATED,
	NOTE_EDITED,
	NOTE_BACKEND_CHANGED,
	NOTE_OUTPUT_TRUNCATED,
	NOTE_BACKGROUND_ENDED,
	NOTE_GIT_METADATA_CHANGED,
	NOTE_NETWORK_SHARED_WITH_HOST,
	NOTE_MEMORY_NOT_ENFORCED,
	NOTE_PROCESSES_NOT_ENFORCED,
	NOTE_CPU_NOT_ENFORCED,
	NOTE_UNSANDBOXED,
	NOTE_COUNT
};
const char *note_name(enum note note);
int note_from_name(const char *name, enum note *ret);
#define NOTE_BIT(note) (1u << (note))
struct json;
struct json *note_names(unsigned notes); /* of NOTE_BITs: an array; the caller owns it */

struct result {
	enum reason reason;    /* NONE: success */
	char *sentence;        /* what a person can do; NULL on success */
	struct str output;     /* raw bytes, at most LIMIT_OUTPUT_BYTES */
	uint64_t output_bytes; /* raw bytes written by the command */
	int exit_code;         /* -1: null */
	int signal;            /* 0: null */
	const char *backend;   /* NULL: null */
	bool network;
	enum decision decision;
	enum decider decided_by;
	int64_t waited_ms;   /* -1: null */
	int64_t duration_ms; /* -1: null */
	unsigned notes;      /* NOTE_BIT */
	char *edited_command;
};

void result_init(struct result *result);
void result_release(struct result *result);
/* The one line of the answer, with its newline: exact members and order of protocol.md, UTF-8. Cut output ends at a whole
   character, followed by the truncation note. id may be NULL (null). Appends. */
void result_print(
	const struct result *result, const struct request_id *id, uint64_t seq, struct str *out);
/* The same answer with every code point above 7E as \uXXXX: for a terminal as stdout, where bidi marks of
   the command's output would act. */
void result_print_ascii(
	const struct result *result, const struct request_id *id, uint64_t seq, struct str *out);

#endif

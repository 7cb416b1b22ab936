/* What is masked in the record: the texts of events that somebody else wrote, never what the reader of a record has to understand
   (names of states, digests, numbers). */
#ifndef CORE_REDACT_FIELDS_H
#define CORE_REDACT_FIELDS_H

#include "core/event.h"
#include "core/redact.h"

/* A copy of an event's fields with its secrets masked, and what was masked as a member of it:
     "masked":{"kinds":[...],"count":N,"digest":HEX}
   The digest is of the bytes before: of `command` where the event has one, else of all fields as one object of a line. NULL when
   there was none. Of an event's output nothing is masked here: see redact_output(). What is found is added to known, and masked
   wherever it stands alone. The caller owns the copy. */
struct json *redact_fields(const struct event *event, struct strv *known);
/* Fields of an EVENT_OUTPUT for what a stream gave out, of the same length as the bytes before. */
struct json *redact_output(
	const char *bytes, const char *masked, size_t len, const struct redact_found *found);
/* Fields of an EVENT_OUTPUT that says only how much there was: bytes(int) digest. */
struct json *redact_output_size(const char *bytes, size_t len);

#endif

/* The fields of each event, as JSON (the table in core/event.h). Every result is owned by the caller. */
#ifndef APP_BROKER_FIELDS_H
#define APP_BROKER_FIELDS_H

#include "app/broker.h"
#include "base/json.h"

struct json *fields_session_start(
	const struct broker *broker, const char *input, const struct digest *chain);
/* What a reader of the new file alone must know before its first frame: the keys go with it. */
struct json *fields_gap(const struct broker *broker, const char *why);
struct json *fields_peer(const char *kind); /* "stdin" or "operator" */
struct json *fields_found_open(const struct found_open *found);
struct json *fields_probe(const struct offer *offer, enum backend_id id, bool ok, const char *why);
struct json *fields_received(const struct call *call);
struct json *fields_bad_line(
	unsigned peer, uint64_t line_no, const struct request_id *id, const char *line, size_t len);
struct json *fields_refused(
	enum reason reason, const char *sentence, const struct passed_list *passed);
struct json *fields_card(
	const struct model *model, const struct card *card, const struct digest *old);
struct json *fields_decided(const struct call *call, enum decision decision, enum decider by,
	const char *text, int64_t after_ms);
struct json *fields_profile(const struct call *call, struct digest *ret_digest);
struct json *fields_launching(const struct call *call, const struct digest *profile);
struct json *fields_started(const struct call *call, uint64_t proofs);
struct json *fields_usage(const struct call *call, const struct message *message);
struct json *fields_limit(const struct call *call, bool memory);
struct json *fields_git_changed(const struct strv *paths);
struct json *fields_ended(const struct call *call);
struct json *fields_answered(const struct call *call, bool delivered);
struct json *fields_one(const char *key, const char *text); /* {key: text} */

#endif

/* One line of an agent, parsed once and strictly; the same value is shown, hashed, recorded and run. */
#ifndef CORE_REQUEST_H
#define CORE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/strv.h"
#include "core/reason.h"

#define REQUEST_LINE_BYTES (256u * 1024u)
#define REQUEST_COMMAND_BYTES 131071u /* what one argument of exec can hold */
#define REQUEST_ID_BYTES 256u

enum request_id_kind { REQUEST_ID_NONE, REQUEST_ID_STRING, REQUEST_ID_INTEGER };

struct request_id {
	enum request_id_kind kind;
	char *text;     /* for STRING */
	int64_t number; /* for INTEGER */
};

struct request {
	struct request_id id;
	char *tool;    /* "shell" when accepted */
	char *command; /* UTF-8 without NUL, not empty */
	bool timeout_set;
	int64_t timeout_s; /* >= 1 */
	char *working_dir; /* as asked; NULL when not asked */
	bool network;
	char *agent;         /* the agent's words; NULL when absent */
	char *reason;        /* the agent's words; NULL when absent */
	struct strv ignored; /* names of arguments and members without effect */
	uint64_t line_no;    /* of its stream, from 1; 0 for `run` */
};

void request_init(struct request *request);
void request_release(struct request *request);
void request_copy(struct request *to, const struct request *from); /* `to` is initialised */

/* Parses one line (no newline). On failure *ret_reason is REASON_INVALID_REQUEST or REASON_UNKNOWN_TOOL, err holds the
   sentence, and request->id holds the id when it could be read and is itself valid (else NONE). */
int request_parse(const char *line, size_t len, struct request *request, enum reason *ret_reason,
	struct err *err);
bool request_id_equal(
	const struct request_id *a, const struct request_id *b); /* NONE equals nothing */

#endif

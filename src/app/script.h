/* A session told as text, line by line, for exports that play. Every line of it begins with words of ours: "#3 | " stands before each
   line of call 3's output, so that nothing an agent or a command writes can pass for a decision. Foreign text goes through the
   safe-text rule. */
#ifndef APP_SCRIPT_H
#define APP_SCRIPT_H

#include <stdint.h>

#include "app/mask.h"
#include "core/model.h"

#define SCRIPT_COLUMNS 96 /* no row is wider */

enum script_kind {
	SCRIPT_SESSION,
	SCRIPT_ASKED,
	SCRIPT_DECIDED,
	SCRIPT_RUN,
	SCRIPT_OUTPUT,
	SCRIPT_KIND_COUNT
};

struct script {
	struct mask *mask; /* not owned */
	void *data;
	/* text may hold newlines and need not end in one. */
	void (*say)(void *data, int64_t at_ms, enum script_kind kind, const char *text);
	/* A decision: what a reader jumps to. Before the line that tells it. */
	void (*mark)(void *data, int64_t at_ms, const char *label);
	uint64_t open_seq; /* whose line of output has no end yet; 0: none */
	unsigned column;   /* of that line */
};
/* Behind model_apply(). */
void script_event(struct script *script, const struct event *event, const struct model *model);

#endif

/* What an export hides when it is asked to: the secrets that core/redact.h knows, in every foreign text and in output that comes in
   pieces. Off, all of it passes unchanged. */
#ifndef APP_MASK_H
#define APP_MASK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/str.h"
#include "base/strv.h"
#include "core/event.h"
#include "core/redact.h"

struct mask {
	bool on;
	struct strv known; /* secrets of the commands so far: masked where they stand alone too */
	struct redact_found found;
	struct mask_voice { /* an output that is being told */
		uint64_t seq;
		struct redact_stream stream;
		struct str rest; /* the beginning of a character */
	} * voices;              /* by seq */
	size_t count, cap;
};
void mask_release(struct mask *mask);
/* Before what the event holds is told. */
void mask_learn(struct mask *mask, const struct event *event);
/* Appends; a text of its own. NULL gives nothing. */
void mask_text(struct mask *mask, const char *text, struct str *out);
/* The next piece of a call's output, up to its last whole character and behind no unfinished secret; the rest comes with the next
   piece or with mask_output_end(). Both append. */
void mask_output(struct mask *mask, uint64_t seq, const char *bytes, size_t len, struct str *out);
void mask_output_end(struct mask *mask, uint64_t seq, struct str *out);
/* A copy with every text masked; the caller owns it. */
struct json *mask_json(struct mask *mask, const struct json *v);

#endif

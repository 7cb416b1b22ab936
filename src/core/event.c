#include "config.h"

#include "core/event.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

static const char *const names[EVENT_TYPE_COUNT] = {
	[EVENT_SESSION_START] = "session_start",
	[EVENT_PROBE] = "probe",
	[EVENT_PEER] = "peer",
	[EVENT_PEER_LEFT] = "peer_left",
	[EVENT_LISTENING] = "listening",
	[EVENT_SENDER] = "sender",
	[EVENT_PROFILE] = "profile",
	[EVENT_SEALS] = "seals",
	[EVENT_ANCHOR] = "anchor",
	[EVENT_RECEIVED] = "received",
	[EVENT_REFUSED] = "refused",
	[EVENT_RULED] = "ruled",
	[EVENT_QUEUED] = "queued",
	[EVENT_CARD] = "card",
	[EVENT_EDITED] = "edited",
	[EVENT_VIEW] = "view",
	[EVENT_SEEN] = "seen",
	[EVENT_DECIDED] = "decided",
	[EVENT_REQUEUED] = "requeued",
	[EVENT_LAUNCHING] = "launching",
	[EVENT_STARTED] = "started",
	[EVENT_STOPPING] = "stopping",
	[EVENT_EXTENDED] = "extended",
	[EVENT_OUTPUT] = "output",
	[EVENT_USAGE] = "usage",
	[EVENT_TRUNCATED] = "truncated",
	[EVENT_LIMIT] = "limit",
	[EVENT_ENDED] = "ended",
	[EVENT_GIT_CHANGED] = "git_changed",
	[EVENT_ANSWERED] = "answered",
	[EVENT_WITHDRAWN] = "withdrawn",
	[EVENT_EXPIRED] = "expired",
	[EVENT_GRANT] = "grant",
	[EVENT_REVOKED] = "revoked",
	[EVENT_INTAKE] = "intake",
	[EVENT_LOCKED] = "locked",
	[EVENT_GAP] = "gap",
	[EVENT_CONTINUED] = "continued",
	[EVENT_FOUND_OPEN] = "found_open",
	[EVENT_SESSION_END] = "session_end",
};

const char *event_type_name(enum event_type type)
{
	return names[type];
}

int event_type_from_name(const char *name, enum event_type *ret)
{
	for (int i = 0; i < EVENT_TYPE_COUNT; i++) {
		if (strcmp(names[i], name) == 0) {
			*ret = (enum event_type)i;
			return 0;
		}
	}
	return -1;
}

void event_release(struct event *event)
{
	json_free(event->fields);
	event->fields = NULL;
}

void event_print(const struct event *event, const struct digest *prev, struct str *out)
{
	char hex[DIGEST_HEX_BYTES];
	char wall[32];

	digest_hex(prev, hex);
	clock_format_utc(event->wall_ms, wall);
	str_printf(out,
		"{\"prev\":\"%s\",\"v\":%d,\"event\":%" PRIu64 ",\"at\":%" PRId64
		",\"wall\":\"%s\",\"type\":\"%s\"",
		hex, EVENT_FORMAT_VERSION, event->number, event->at_ms, wall, names[event->type]);
	if (event->seq != 0)
		str_printf(out, ",\"seq\":%" PRIu64, event->seq);
	if (json_count(event->fields) == 0) {
		str_add_char(out, '}');
		return;
	}
	/* The fields print as an object of their own; its brace becomes the comma between. */
	size_t brace = out->len;

	json_print(event->fields, true, out);
	out->data[brace] = ',';
}

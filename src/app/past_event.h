/* An event as JSON for a program that reads an export: as the record has it, without what ties its lines together. */
#ifndef APP_PAST_EVENT_H
#define APP_PAST_EVENT_H

#include "base/str.h"
#include "core/model.h"

/* The record may hold a card as what differs from another one: a copy of the fields with the whole card, as the model has it now; the
   caller owns it. NULL: they are whole as they are. */
struct json *past_event_whole(const struct event *event, const struct model *model);
/* {"event":N,"at":MS,"wall":TEXT,"type":NAME[,"seq":N],FIELDS...}, ASCII, no newline; a type that this version does not know is null.
   fields: those of the event, or a copy of them in which something is masked. Appends. */
void past_event_print(const struct event *event, const struct json *fields, struct str *out);

#endif

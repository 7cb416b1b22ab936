#include "config.h"

#include "app/past_event.h"

#include <inttypes.h>

#include "base/clock.h"

struct json *past_event_whole(const struct event *event, const struct model *model)
{
	const struct job *job = event->type == EVENT_CARD ? model_job(model, event->seq) : NULL;

	if (job == NULL || job->card == NULL)
		return NULL;
	struct json *fields = json_copy(event->fields);

	json_free(json_take(fields, "card"));
	json_set(fields, "card", card_to_json(job->card));
	return fields;
}

void past_event_print(const struct event *event, const struct json *fields, struct str *out)
{
	STR_AUTO struct str body = STR_INIT;
	char wall[32];

	clock_format_utc(event->wall_ms, wall);
	str_printf(out, "{\"event\":%" PRIu64 ",\"at\":%" PRId64 ",\"wall\":\"%s\",\"type\":",
		event->number, event->at_ms, wall);
	if (event->type == EVENT_TYPE_COUNT)
		str_add(out, "null");
	else
		str_printf(out, "\"%s\"", event_type_name(event->type));
	if (event->seq != 0)
		str_printf(out, ",\"seq\":%" PRIu64, event->seq);
	json_print(fields, true, &body);
	/* The object's members behind our own. */
	if (json_count(fields) > 0)
		str_printf(out, ",%s", str_c(&body) + 1);
	else
		str_add_char(out, '}');
}

#include "config.h"

#include "app/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/cmd_audit.h"
#include "app/past_event.h"
#include "base/json.h"
#include "base/mem.h"

/* One object: {"format":"exequatur","version":1,"session":TEXT,"record":{...},"events":[...],"calls":[...],"end":{...}}. */
static void json_begin(struct export *e)
{
	JSON_AUTO struct json *record = json_new_object();
	STR_AUTO struct str text = STR_INIT, name = STR_INIT;
	JSON_AUTO struct json *session = json_new_str(e->session);

	json_set_str(record, "status", e->record_word);
	json_set_str(record, "said", e->record_text);
	json_print(record, true, &text);
	json_print(session, true, &name);
	export_printf(e,
		"{\"format\":\"exequatur\",\"version\":1,\"session\":%s,\"record\":%s,\"masked\":%"
		"s,\"events\":[",
		str_c(&name), str_c(&text), e->mask.on ? "true" : "false");
}

static void add_event(struct export *e, const struct event *event, const struct json *fields)
{
	STR_AUTO struct str text = STR_INIT;

	past_event_print(event, fields, &text);
	export_printf(e, "%s\n%s", e->told++ > 0 ? "," : "", str_c(&text));
}

static void add_output(struct export *e, const struct event *event, const struct str *bytes)
{
	struct event output = *event;
	JSON_AUTO struct json *fields = event_output_fields(str_c(bytes), bytes->len);

	if (bytes->len == 0)
		return;
	output.type = EVENT_OUTPUT;
	add_event(e, &output, fields);
}

/* A secret may lie on the border of two pieces: what is masked of an output comes where it is known, at the latest before its end. */
static void masked_event(struct export *e, const struct event *event, const struct json *fields)
{
	STR_AUTO struct str bytes = STR_INIT, told = STR_INIT;
	JSON_AUTO struct json *masked = NULL;

	mask_learn(&e->mask, event);
	if (event->type == EVENT_OUTPUT && json_get(event->fields, "bytes") == NULL) {
		if (event_output_bytes(event->fields, &bytes, NULL) == 0)
			mask_output(&e->mask, event->seq, str_c(&bytes), bytes.len, &told);
		add_output(e, event, &told);
		return;
	}
	if (event->type == EVENT_ENDED) {
		mask_output_end(&e->mask, event->seq, &told);
		add_output(e, event, &told);
	}
	masked = mask_json(&e->mask, fields);
	add_event(e, event, masked);
}

static void json_event(struct export *e, const struct event *event, const struct model *model)
{
	JSON_AUTO struct json *whole = past_event_whole(event, model);
	const struct json *fields = whole != NULL ? whole : event->fields;

	if (e->mask.on)
		masked_event(e, event, fields);
	else
		add_event(e, event, fields);
}

static void json_call(struct export *e, const struct job *job)
{
	JSON_AUTO struct json *v = past_call_json(job, e->session);
	JSON_AUTO struct json *masked = mask_json(&e->mask, v);
	STR_AUTO struct str text = STR_INIT;

	json_print(masked, true, &text);
	past_rows_add(&e->rows, job->seq, str_steal(&text));
}

static void json_end(struct export *e, const struct past_end *end, const struct model *model)
{
	JSON_AUTO struct json *v = audit_session_json(end, model);
	JSON_AUTO struct json *masked = mask_json(&e->mask, v);
	STR_AUTO struct str text = STR_INIT;

	export_add(e, "],\"calls\":[");
	past_rows_sort(&e->rows);
	for (size_t i = 0; i < e->rows.count; i++)
		export_printf(e, "%s\n%s", i > 0 ? "," : "", e->rows.items[i].text);
	json_print(masked, true, &text);
	export_printf(e, "],\"end\":%s}\n", str_c(&text));
}

const struct export_format export_json = {.name = "json",
	.begin = json_begin,
	.event = json_event,
	.call = json_call,
	.end = json_end};

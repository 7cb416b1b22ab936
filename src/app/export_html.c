#include "config.h"

#include "app/export.h"

#include <inttypes.h>
#include <string.h>

#include "app/cmd_audit.h"
#include "app/past_call.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"

/* A page that plays by itself. All that is foreign stands in one block of JSON, as data, with `<`, `>` and `&` as escapes; its script
   makes text of it and never markup, and a policy in the page lets nothing run but that script and nothing load at all. */
extern const char export_page[]; /* made of export_page.html */
#define PLACE "@DATA@"

static void add_json(struct export *e, const struct json *v)
{
	STR_AUTO struct str text = STR_INIT;

	json_print(v, true, &text);
	export_page_json(e, str_c(&text));
}

static void add_item(struct export *e, int64_t at_ms, const char *kind, const char *text)
{
	JSON_AUTO struct json *v = json_new_str(text);

	export_printf(e, "%s\n[%" PRId64 ",%s,", e->told++ > 0 ? "," : "", at_ms, kind);
	add_json(e, v);
	export_add(e, "]");
}

static void html_say(void *data, int64_t at_ms, enum script_kind kind, const char *text)
{
	/* Of the page's list of kinds. */
	static const char *const numbers[SCRIPT_KIND_COUNT] = {[SCRIPT_SESSION] = "0",
		[SCRIPT_ASKED] = "1",
		[SCRIPT_DECIDED] = "2",
		[SCRIPT_RUN] = "3",
		[SCRIPT_OUTPUT] = "4"};

	add_item(data, at_ms, numbers[kind], text);
}

static void html_mark(void *data, int64_t at_ms, const char *label)
{
	add_item(data, at_ms, "\"m\"", label);
}

static void html_begin(struct export *e)
{
	const char *place = strstr(export_page, PLACE);
	MEM_AUTO char *before = mem_strndup(export_page, (size_t)(place - export_page));
	MEM_AUTO char *title = e->seq == 0
				       ? mem_printf("exequatur %s", e->session)
				       : mem_printf("exequatur %s#%" PRIu64, e->session, e->seq);
	JSON_AUTO struct json *name = json_new_str(title);

	export_add(e, before);
	export_add(e, "{\"title\":");
	add_json(e, name);
	export_printf(e, ",\"base\":%" PRId64 ",\"script\":[", e->base_ms);
	e->script.say = html_say;
	e->script.mark = html_mark;
}

/* Shown as text: by the rule, so that nothing in it turns the reading order around. */
static void shown_member(struct json *v, const char *key, struct mask *mask)
{
	JSON_AUTO struct json *old = json_take(v, key);
	STR_AUTO struct str masked = STR_INIT, bytes = STR_INIT, shown = STR_INIT;

	mask_text(mask, json_str(old), &masked);
	if (strcmp(key, "raw") == 0)
		past_raw(str_c(&masked), &bytes);
	else
		str_add_bytes(&bytes, str_c(&masked), masked.len);
	text_escape(str_c(&bytes), bytes.len, TEXT_LINES, &shown);
	json_set_str(v, key, json_str(old) == NULL ? NULL : str_c(&shown));
}

static void html_call(struct export *e, const struct job *job)
{
	static const char *const foreign[] = {"agent", "agent_reason", "command", "raw", "asked",
		"id", "decision_text", "sentence"};
	JSON_AUTO struct json *v = past_call_json(job, e->session);
	STR_AUTO struct str text = STR_INIT;

	for (size_t i = 0; i < ARRAY_LEN(foreign); i++)
		shown_member(v, foreign[i], &e->mask);
	json_print(v, true, &text);
	past_rows_add(&e->rows, job->seq, str_steal(&text));
}

static void html_end(struct export *e, const struct past_end *end, const struct model *model)
{
	STR_AUTO struct str said = STR_INIT;
	JSON_AUTO struct json *v = NULL;

	(void)model;
	export_add(e, "\n],\"calls\":[");
	past_rows_sort(&e->rows);
	for (size_t i = 0; i < e->rows.count; i++) {
		export_add(e, i > 0 ? ",\n" : "\n");
		export_page_json(e, e->rows.items[i].text);
	}
	if (end->broken != NULL)
		str_printf(&said, "The record is broken, and nothing behind this is here: %s. ",
			end->broken);
	str_printf(&said, "When it was exported, the record was: %s%s.", e->record_word,
		e->mask.on ? "; secrets are masked here" : "");
	v = json_new_str(str_c(&said));
	export_printf(e, "\n],\"whole\":%s,\"said\":",
		end->broken == NULL && strcmp(e->record_word, "whole") == 0 ? "true" : "false");
	add_json(e, v);
	export_add(e, "}");
	export_add(e, strstr(export_page, PLACE) + strlen(PLACE));
}

const struct export_format export_html = {
	.name = "html", .plays = true, .begin = html_begin, .call = html_call, .end = html_end};

#include "config.h"

#include "core/card.h"

#include <string.h>

#include "base/json_digest.h"
#include "base/text.h"
#include "core/card_internal.h"
#include "core/hold.h"

/* Text that is not UTF-8 (a path, a value) goes through the safe-text rule, which reads back to the
   same bytes; the object around it says so. */
struct json *card_text_to_json(const char *text)
{
	STR_AUTO struct str shown = STR_INIT;

	if (text == NULL || text_is_utf8(text, strlen(text)))
		return json_new_str(text);
	struct json *v = json_new_object();

	text_escape(text, strlen(text), 0, &shown);
	json_set_str(v, "escaped", str_c(&shown));
	return v;
}

static struct json *span_to_json(const struct span *span)
{
	struct json *pair = json_new_array();

	json_push(pair, json_new_str(span_kind_name(span->kind)));
	json_push(pair, card_text_to_json(span->text));
	return pair;
}

struct json *card_line_to_json(const struct line *line)
{
	struct json *spans = json_new_array();

	for (size_t i = 0; i < line->count; i++)
		json_push(spans, span_to_json(&line->spans[i]));
	return spans;
}

struct json *card_fact_to_json(const struct fact *fact)
{
	struct json *v = json_new_object();
	struct json *lines = json_new_array();

	json_set_str(v, "label", fact->label);
	for (size_t i = 0; i < fact->count; i++)
		json_push(lines, card_line_to_json(&fact->lines[i]));
	json_set(v, "lines", lines);
	return v;
}

static struct json *facts_to_json(const struct facts *facts)
{
	struct json *v = json_new_array();

	for (size_t i = 0; i < facts->count; i++)
		json_push(v, card_fact_to_json(&facts->items[i]));
	return v;
}

static struct json *unusual_to_json(const struct unusual *note)
{
	struct json *v = json_new_object();

	json_set_int(v, "severity", note->severity);
	json_set_int(v, "line", note->line);
	json_set_int(v, "at", note->at);
	json_set_bool(v, "line_long", note->line_long);
	json_set_int(v, "start", (int64_t)note->start);
	json_set_int(v, "len", (int64_t)note->len);
	json_set_str(v, "what", note->what);
	json_set(v, "words", card_text_to_json(note->words));
	json_set_str(v, "summary", note->summary);
	json_set_str(v, "word", note->word);
	return v;
}

static struct json *notes_to_json(const struct unusual_list *list)
{
	struct json *v = json_new_array();

	for (size_t i = 0; i < list->count; i++)
		json_push(v, unusual_to_json(&list->items[i]));
	return v;
}

struct json *card_head_to_json(const struct card *card)
{
	struct json *v = json_new_object();

	json_set_int(v, "seq", (int64_t)card->seq);
	json_set(v, "command", card_text_to_json(card->command));
	if (card->asked != NULL) {
		json_set(v, "asked", card_text_to_json(card->asked));
		json_set(v, "editor", card_text_to_json(card->editor));
	}
	json_set_str(v, "agent", card->agent);
	json_set(v, "unusual", notes_to_json(&card->unusual));
	json_set_str(v, "network", card_network_name(card->network));
	json_set_int(v, "writes", card->writes);
	json_set_str(v, "sandbox", hold_name(card->sandbox));
	json_set_int(v, "time_s", card->time_s);
	json_set_int(v, "time_asked_s", card->time_asked_s);
	json_set_int(v, "grace_s", card->grace_s);
	json_set_int(v, "env_kept", card->env_kept);
	json_set_int(v, "env_cut", card->env_cut);
	json_set_bool(v, "unsandboxed", card->unsandboxed);
	json_set_str(v, "backend", backend_id_name(card->backend));
	return v;
}

struct json *card_to_json(const struct card *card)
{
	struct json *v = card_head_to_json(card);

	json_set(v, "facts", facts_to_json(&card->facts));
	json_set(v, "details", facts_to_json(&card->details));
	json_set_digest(v, "digest", &card->digest);
	return v;
}

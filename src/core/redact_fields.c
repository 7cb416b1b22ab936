#include "config.h"

#include "core/redact_fields.h"

#include <string.h>

#include "base/json_digest.h"
#include "base/mem.h"
#include "base/text.h"

/* Members whose texts are foreign, or quote what is. All others hold names, and a password that is one must not unmake them. */
static const char *const text_keys[] = {"agent", "agent_reason", "argv", "asked", "command",
	"editor", "env", "filter", "find", "how", "id", "ignored", "message", "path", "paths",
	"program", "prompt_text", "raw", "reasons", "rule", "sentence", "text", "what", "why",
	"words", "working_dir", "workspace"};

struct masking {
	struct strv *known;
	struct redact_found *found;
	bool learned;
};

static struct json *mask_value(struct masking *m, const struct json *v);
static struct json *mask_member(struct masking *m, const struct json *v);

static bool is_text_key(const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(text_keys); i++) {
		if (strcmp(text_keys[i], key) == 0)
			return true;
	}
	return false;
}

/* Speaks in our own words alone, and a model reads them. */
static bool is_ours(enum event_type type)
{
	return type == EVENT_LOCKED || type == EVENT_INTAKE || type == EVENT_PEER_LEFT ||
	       type == EVENT_GAP;
}

static void mask_bytes(struct masking *m, char *bytes, size_t len)
{
	size_t before = m->known->count;
	MEM_AUTO char *original = mem_strndup(bytes, len);

	redact_text(bytes, len, m->known, m->found);
	if (memcmp(bytes, original, len) == 0)
		return;
	redact_learn(original, len, m->known);
	m->learned = m->learned || m->known->count > before;
}

/* The bytes of a text, or of one that is not UTF-8 (core/card.h); -1: neither. */
static int text_bytes(const struct json *v, struct str *out)
{
	const char *escaped = json_get_str(v, "escaped");
	struct err err = ERR_INIT;

	if (json_str(v) != NULL) {
		str_add(out, json_str(v));
		return 0;
	}
	return escaped == NULL || json_count(v) != 1
		       ? -1
		       : text_unescape(escaped, strlen(escaped), out, &err);
}

static struct json *bytes_text(const char *bytes, size_t len)
{
	STR_AUTO struct str shown = STR_INIT;

	if (text_is_utf8(bytes, len))
		return json_new_bytes(bytes, len);
	struct json *v = json_new_object();

	text_escape(bytes, len, 0, &shown);
	json_set_str(v, "escaped", str_c(&shown));
	return v;
}

static struct json *mask_object(struct masking *m, const struct json *v)
{
	struct json *copy = json_new_object();

	for (const struct json *member = json_first(v); member != NULL; member = json_next(member))
		json_set(copy, json_key(member), mask_member(m, member));
	return copy;
}

/* Every text in it. */
static struct json *mask_value(struct masking *m, const struct json *v)
{
	STR_AUTO struct str bytes = STR_INIT;

	if (text_bytes(v, &bytes) == 0) {
		if (bytes.len > 0)
			mask_bytes(m, bytes.data, bytes.len);
		return bytes_text(str_c(&bytes), bytes.len);
	}
	if (json_type(v) == JSON_OBJECT)
		return mask_object(m, v);
	if (json_type(v) != JSON_ARRAY)
		return json_copy(v);
	struct json *copy = json_new_array();

	for (const struct json *item = json_first(v); item != NULL; item = json_next(item))
		json_push(copy, mask_value(m, item));
	return copy;
}

/* Objects in a list, by their members. */
static struct json *mask_list(struct masking *m, const struct json *v)
{
	struct json *copy = json_new_array();

	for (const struct json *item = json_first(v); item != NULL; item = json_next(item))
		json_push(copy,
			json_type(item) == JSON_OBJECT ? mask_object(m, item) : json_copy(item));
	return copy;
}

/* A secret may lie across the spans of a line: they are masked as the one text that is drawn. Where the command stands between two
   texts (core/card_like.h), a line ends. */
static struct json *mask_line(struct masking *m, const struct json *line)
{
	STR_AUTO struct str text = STR_INIT;
	struct json *copy = json_new_array();
	size_t at = 0;

	for (const struct json *span = json_first(line); span != NULL; span = json_next(span)) {
		for (const struct json *t = json_next(json_first(span)); t != NULL;
			t = json_next(t)) {
			text_bytes(t, &text);
			if (json_next(t) != NULL)
				str_add_char(&text, '\n');
		}
	}
	if (text.len > 0)
		mask_bytes(m, text.data, text.len);
	for (const struct json *span = json_first(line); span != NULL; span = json_next(span)) {
		struct json *masked = json_new_array();

		json_push(masked, json_copy(json_first(span)));
		for (const struct json *t = json_next(json_first(span)); t != NULL;
			t = json_next(t)) {
			STR_AUTO struct str bytes = STR_INIT;

			text_bytes(t, &bytes);
			json_push(masked, bytes_text(str_c(&text) + at, bytes.len));
			at += bytes.len + (json_next(t) != NULL ? 1 : 0);
		}
		json_push(copy, masked);
	}
	return copy;
}

/* Lines, and what stands for lines of another card. */
static struct json *mask_lines(struct masking *m, const struct json *v)
{
	struct json *copy = json_new_array();

	for (const struct json *line = json_first(v); line != NULL; line = json_next(line)) {
		bool spans = json_type(json_first(line)) == JSON_ARRAY;

		json_push(copy, spans ? mask_line(m, line) : json_copy(line));
	}
	return copy;
}

static struct json *mask_facts(struct masking *m, const struct json *v)
{
	struct json *copy = json_new_array();

	for (const struct json *fact = json_first(v); fact != NULL; fact = json_next(fact)) {
		struct json *masked;

		if (json_type(fact) == JSON_ARRAY) {
			masked = mask_lines(m, fact);
		} else if (json_type(fact) == JSON_OBJECT) {
			masked = json_new_object();
			json_set(masked, "label", json_copy(json_get(fact, "label")));
			json_set(masked, "lines", mask_lines(m, json_get(fact, "lines")));
		} else {
			masked = json_copy(fact);
		}
		json_push(copy, masked);
	}
	return copy;
}

static struct json *mask_member(struct masking *m, const struct json *v)
{
	const char *key = json_key(v);

	if (is_text_key(key))
		return mask_value(m, v);
	if (strcmp(key, "facts") == 0 || strcmp(key, "details") == 0)
		return mask_facts(m, v);
	if (json_type(v) == JSON_OBJECT)
		return mask_object(m, v);
	return json_type(v) == JSON_ARRAY ? mask_list(m, v) : json_copy(v);
}

static void set_masked(
	struct json *fields, const char *bytes, size_t len, const struct redact_found *found)
{
	struct json *masked = json_new_object();
	struct json *kinds = json_new_array();
	struct digest digest;
	unsigned count = 0;

	for (int i = 0; i < REDACT_KIND_COUNT; i++) {
		count += found->count[i];
		if (found->count[i] > 0)
			json_push(kinds, json_new_str(redact_kind_name((enum redact_kind)i)));
	}
	digest_bytes(bytes, len, &digest);
	json_set(masked, "kinds", kinds);
	json_set_int(masked, "count", count);
	json_set_digest(masked, "digest", &digest);
	json_set(fields, "masked", masked);
}

struct json *redact_fields(const struct event *event, struct strv *known)
{
	struct redact_found found = {{0}};
	struct masking m = {.known = known, .found = &found};
	const char *command = json_get_str(event->fields, "command");
	STR_AUTO struct str text = STR_INIT;

	if (event->type == EVENT_OUTPUT || is_ours(event->type))
		return NULL;
	JSON_AUTO struct json *copy = mask_object(&m, event->fields);

	if (!redact_found_any(&found))
		return NULL;
	/* A text in front of the one where it was found may hold it too. */
	if (m.learned) {
		found = (struct redact_found){{0}};
		json_free(copy);
		copy = mask_object(&m, event->fields);
	}
	if (command == NULL)
		json_print(event->fields, true, &text);
	set_masked(copy, command != NULL ? command : str_c(&text),
		command != NULL ? strlen(command) : text.len, &found);
	return STEAL(copy);
}

struct json *redact_output(
	const char *bytes, const char *masked, size_t len, const struct redact_found *found)
{
	struct json *fields = event_output_fields(masked, len);

	/* Also in the middle of a long one, of which nothing new was found. */
	if (memcmp(bytes, masked, len) != 0)
		set_masked(fields, bytes, len, found);
	return fields;
}

struct json *redact_output_size(const char *bytes, size_t len)
{
	struct json *fields = json_new_object();
	struct digest digest;

	digest_bytes(bytes, len, &digest);
	json_set_int(fields, "bytes", (int64_t)len);
	json_set_digest(fields, "digest", &digest);
	return fields;
}

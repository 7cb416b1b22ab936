#include "config.h"

#include "app/mask.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

void mask_release(struct mask *mask)
{
	for (size_t i = 0; i < mask->count; i++) {
		redact_stream_release(&mask->voices[i].stream);
		str_release(&mask->voices[i].rest);
	}
	free(mask->voices);
	strv_release(&mask->known);
	*mask = (struct mask){0};
}

void mask_learn(struct mask *mask, const struct event *event)
{
	static const char *const keys[] = {"command", "raw", "agent_reason"};

	if (!mask->on || (event->type != EVENT_RECEIVED && event->type != EVENT_EDITED))
		return;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const char *text = json_get_str(event->fields, keys[i]);

		if (text != NULL)
			redact_learn(text, strlen(text), &mask->known);
	}
}

void mask_text(struct mask *mask, const char *text, struct str *out)
{
	size_t before = out->len;

	if (text == NULL)
		return;
	str_add(out, text);
	if (mask->on && out->len > before)
		redact_text(out->data + before, out->len - before, &mask->known, &mask->found);
}

/* Where the voice of seq is, or belongs. */
static size_t place_of(const struct mask *mask, uint64_t seq)
{
	size_t low = 0, high = mask->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (mask->voices[middle].seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct mask_voice *voice_of(struct mask *mask, uint64_t seq)
{
	size_t at = place_of(mask, seq);

	if (at < mask->count && mask->voices[at].seq == seq)
		return &mask->voices[at];
	mem_grow(&mask->voices, &mask->cap, mask->count, sizeof(*mask->voices));
	memmove(mask->voices + at + 1, mask->voices + at,
		(mask->count - at) * sizeof(*mask->voices));
	mask->count++;
	mask->voices[at] = (struct mask_voice){.seq = seq};
	redact_stream_init(&mask->voices[at].stream, &mask->known);
	return &mask->voices[at];
}

void mask_output(struct mask *mask, uint64_t seq, const char *bytes, size_t len, struct str *out)
{
	struct mask_voice *voice = voice_of(mask, seq);
	struct str *rest = &voice->rest;

	if (mask->on)
		redact_stream_add(&voice->stream, bytes, len, rest, &mask->found);
	else
		str_add_bytes(rest, bytes, len);
	size_t whole = text_whole(str_c(rest), rest->len);

	str_add_bytes(out, str_c(rest), whole);
	if (whole > 0) {
		memmove(rest->data, rest->data + whole, rest->len - whole);
		str_truncate(rest, rest->len - whole);
	}
}

void mask_output_end(struct mask *mask, uint64_t seq, struct str *out)
{
	size_t at = place_of(mask, seq);

	if (at == mask->count || mask->voices[at].seq != seq)
		return;
	struct mask_voice *voice = &mask->voices[at];

	if (mask->on)
		redact_stream_end(&voice->stream, &voice->rest, &mask->found);
	str_add_bytes(out, str_c(&voice->rest), voice->rest.len);
	redact_stream_release(&voice->stream);
	str_release(&voice->rest);
	mask->count--;
	memmove(voice, voice + 1, (mask->count - at) * sizeof(*voice));
}

static struct json *masked_str(struct mask *mask, const char *text)
{
	STR_AUTO struct str shown = STR_INIT;

	mask_text(mask, text, &shown);
	return json_new_str(str_c(&shown));
}

/* The parser bounds how deep a record's values nest. */
struct json *mask_json(struct mask *mask, const struct json *v)
{
	enum json_type type = json_type(v);

	if (!mask->on)
		return json_copy(v);
	if (type == JSON_STRING && json_str(v) != NULL)
		return masked_str(mask, json_str(v));
	if (type != JSON_ARRAY && type != JSON_OBJECT)
		return json_copy(v);
	struct json *copy = type == JSON_ARRAY ? json_new_array() : json_new_object();

	for (const struct json *child = json_first(v); child != NULL; child = json_next(child)) {
		if (type == JSON_ARRAY)
			json_push(copy, mask_json(mask, child));
		else
			json_set(copy, json_key(child), mask_json(mask, child));
	}
	return copy;
}

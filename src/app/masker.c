#include "config.h"

#include "app/masker.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/redact_fields.h"

static void free_output(struct masked_output *output)
{
	redact_stream_release(&output->stream);
	free(output);
}

void masker_release(struct masker *masker)
{
	for (size_t i = 0; i < masker->count; i++)
		free_output(masker->outputs[i]);
	free(masker->outputs);
	strv_release(&masker->known);
	masker->outputs = NULL;
	masker->count = masker->cap = 0;
}

static size_t find(const struct masker *masker, uint64_t seq)
{
	size_t i = 0;

	while (i < masker->count && masker->outputs[i]->seq != seq)
		i++;
	return i;
}

static struct redact_stream *stream_of(struct masker *masker, uint64_t seq)
{
	size_t i = find(masker, seq);

	if (i < masker->count)
		return &masker->outputs[i]->stream;
	struct masked_output *output = mem_alloc(sizeof(*output));

	output->seq = seq;
	redact_stream_init(&output->stream, &masker->known);
	mem_grow(&masker->outputs, &masker->cap, masker->count, sizeof(*masker->outputs));
	masker->outputs[masker->count++] = output;
	return &output->stream;
}

/* The same event, of the same moment, with other fields. */
static int append_as(struct audit *audit, struct event *event, struct json *fields, struct err *err)
{
	struct event other = *event;

	other.fields = fields;
	int status = audit_append(audit, &other, err);

	event->number = other.number;
	json_free(fields);
	return status;
}

static int append_output(
	struct masker *masker, struct audit *audit, struct event *event, struct err *err)
{
	STR_AUTO struct str bytes = STR_INIT, masked = STR_INIT;
	struct redact_stream *stream = NULL;
	struct redact_found found = {{0}};
	size_t held = 0;

	if (masker->redact && !masker->no_output) {
		stream = stream_of(masker, event->seq);
		str_add_bytes(&bytes, str_c(&stream->held), stream->held.len);
		held = bytes.len;
	}
	if (event_output_bytes(event->fields, &bytes, err) != 0)
		return -1;
	if (stream == NULL)
		return append_as(audit, event, redact_output_size(str_c(&bytes), bytes.len), err);
	redact_stream_add(stream, str_c(&bytes) + held, bytes.len - held, &masked, &found);
	if (masked.len == 0)
		return 0;
	return append_as(audit, event,
		redact_output(str_c(&bytes), str_c(&masked), masked.len, &found), err);
}

/* Nothing of the call's output follows: what was held is written. */
static int end_output(struct masker *masker, size_t i, struct audit *audit,
	const struct event *event, struct err *err)
{
	struct masked_output *output = masker->outputs[i];
	struct event rest = {.type = EVENT_OUTPUT,
		.seq = output->seq,
		.at_ms = event->at_ms,
		.wall_ms = event->wall_ms};
	STR_AUTO struct str bytes = STR_INIT, masked = STR_INIT;
	struct redact_found found = {{0}};
	int status = 0;

	str_add_bytes(&bytes, str_c(&output->stream.held), output->stream.held.len);
	redact_stream_end(&output->stream, &masked, &found);
	if (masked.len > 0)
		status = append_as(audit, &rest,
			redact_output(str_c(&bytes), str_c(&masked), masked.len, &found), err);
	free_output(output);
	masker->outputs[i] = masker->outputs[--masker->count];
	return status;
}

static bool ends_output(const struct event *event)
{
	return event->type == EVENT_ENDED || event->type == EVENT_TRUNCATED;
}

int masker_append(struct masker *masker, struct audit *audit, struct event *event, struct err *err)
{
	size_t i = ends_output(event) ? find(masker, event->seq) : masker->count;
	bool output = event->type == EVENT_OUTPUT && (masker->redact || masker->no_output);

	if (i < masker->count && end_output(masker, i, audit, event, err) != 0) {
		event->number = 0;
		return -1;
	}
	if (output)
		return append_output(masker, audit, event, err);
	struct json *masked = masker->redact ? redact_fields(event, &masker->known) : NULL;

	return masked != NULL ? append_as(audit, event, masked, err)
			      : audit_append(audit, event, err);
}

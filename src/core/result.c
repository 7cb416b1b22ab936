#include "config.h"

#include "core/result.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/limits.h"

static const char *const decisions[DECISION_COUNT] = {
	[DECISION_NONE] = "",
	[DECISION_APPROVED] = "approved",
	[DECISION_ALLOWED] = "allowed",
	[DECISION_REJECTED] = "rejected",
	[DECISION_REFUSED] = "refused",
	[DECISION_EXPIRED] = "expired",
	[DECISION_WITHDRAWN] = "withdrawn",
};

static const char *const deciders[DECIDER_COUNT] = {
	[DECIDER_NONE] = "",
	[DECIDER_OPERATOR] = "operator",
	[DECIDER_GRANT] = "grant",
	[DECIDER_POLICY] = "policy",
	[DECIDER_DEADLINE] = "deadline",
	[DECIDER_AGENT] = "agent",
	[DECIDER_CONSOLE] = "console",
};

static const char *const notes[NOTE_COUNT] = {
	[NOTE_TIMEOUT_CLAMPED] = "timeout_clamped",
	[NOTE_ARGUMENTS_IGNORED] = "arguments_ignored",
	[NOTE_WORKING_DIR_CREATED] = "working_dir_created",
	[NOTE_EDITED] = "edited",
	[NOTE_BACKEND_CHANGED] = "backend_changed",
	[NOTE_OUTPUT_TRUNCATED] = "output_truncated",
	[NOTE_BACKGROUND_ENDED] = "background_ended",
	[NOTE_GIT_METADATA_CHANGED] = "git_metadata_changed",
	[NOTE_NETWORK_SHARED_WITH_HOST] = "network_shared_with_host",
	[NOTE_MEMORY_NOT_ENFORCED] = "memory_not_enforced",
	[NOTE_PROCESSES_NOT_ENFORCED] = "processes_not_enforced",
	[NOTE_CPU_NOT_ENFORCED] = "cpu_not_enforced",
	[NOTE_UNSANDBOXED] = "unsandboxed",
};

/* The empty name of "none" is no name: nothing matches it. */
static int find_name(const char *const *names, int count, const char *name, int *ret)
{
	for (int i = 0; i < count; i++) {
		if (*names[i] && !strcmp(names[i], name)) {
			*ret = i;
			return 0;
		}
	}
	return -1;
}

const char *decision_name(enum decision d)
{
	return decisions[d];
}

const char *decider_name(enum decider d)
{
	return deciders[d];
}

const char *note_name(enum note note)
{
	return notes[note];
}

int decision_from_name(const char *name, enum decision *ret)
{
	int i;

	if (find_name(decisions, DECISION_COUNT, name, &i))
		return -1;
	*ret = (enum decision)i;
	return 0;
}

int decider_from_name(const char *name, enum decider *ret)
{
	int i;

	if (find_name(deciders, DECIDER_COUNT, name, &i))
		return -1;
	*ret = (enum decider)i;
	return 0;
}

int note_from_name(const char *name, enum note *ret)
{
	int i;

	if (find_name(notes, NOTE_COUNT, name, &i))
		return -1;
	*ret = (enum note)i;
	return 0;
}

void result_init(struct result *result)
{
	memset(result, 0, sizeof(*result));
	result->exit_code = -1;
	result->waited_ms = -1;
	result->duration_ms = -1;
}

void result_release(struct result *result)
{
	free(result->sentence);
	free(result->edited_command);
	str_release(&result->output);
	result_init(result);
}

/* Appends the shown output; returns whether something of it is missing. */
static bool shown_output(const struct result *result, struct str *out)
{
	size_t len = result->output.len;

	if (len > LIMIT_OUTPUT_BYTES)
		len = LIMIT_OUTPUT_BYTES;
	bool cut = result->output_bytes > len;
	if (cut)
		len = text_whole(str_c(&result->output), len);
	text_to_utf8(str_c(&result->output), len, out);
	unsigned long long dropped = result->output_bytes - len;
	if (cut)
		str_printf(out, "\n[exequatur: output cut here, %llu %s dropped]\n", dropped,
			dropped == 1 ? "byte" : "bytes");
	return cut;
}

/* Text of ours may quote a path or a word of any bytes; an answer is UTF-8 whatever they were. */
static struct json *utf8_text(const char *text)
{
	struct str clean STR_AUTO = STR_INIT;

	if (!text)
		return json_new_null();
	text_to_utf8(text, strlen(text), &clean);
	return json_new_str(str_c(&clean));
}

static struct json *id_value(const struct request_id *id)
{
	if (id && id->kind == REQUEST_ID_STRING)
		return utf8_text(id->text);
	if (id && id->kind == REQUEST_ID_INTEGER)
		return json_new_int(id->number);
	return json_new_null();
}

static struct json *error_value(const struct result *result)
{
	char *text MEM_AUTO = NULL;

	if (result->reason != REASON_NONE)
		text = mem_printf("%s: %s", reason_name(result->reason),
			result->sentence ? result->sentence : reason_word(result->reason));
	return utf8_text(text);
}

static struct json *name_or_null(const char *name)
{
	return json_new_str(name && *name ? name : NULL);
}

static struct json *int_or_null(int64_t value, int64_t null_value)
{
	return value == null_value ? json_new_null() : json_new_int(value);
}

struct json *note_names(unsigned bits)
{
	struct json *array = json_new_array();

	for (unsigned i = 0; i < NOTE_COUNT; i++) {
		if (bits & NOTE_BIT(i))
			json_push(array, json_new_str(notes[i]));
	}
	return array;
}

static struct json *result_json(
	const struct result *result, const struct request_id *id, uint64_t seq)
{
	struct json *v = json_new_object();
	struct str output STR_AUTO = STR_INIT;
	bool cut = shown_output(result, &output);
	unsigned bits = result->notes | (cut ? NOTE_BIT(NOTE_OUTPUT_TRUNCATED) : 0);

	json_set(v, "id", id_value(id));
	json_set_int(v, "seq", (int64_t)seq);
	json_set_bool(v, "success", result->reason == REASON_NONE);
	json_set(v, "output", json_new_bytes(str_c(&output), output.len));
	str_release(&output);
	json_set(v, "error", error_value(result));
	json_set(v, "reason", name_or_null(reason_name(result->reason)));
	json_set(v, "exit_code", int_or_null(result->exit_code, -1));
	json_set(v, "signal", int_or_null(result->signal, 0));
	json_set_bool(v, "truncated", cut);
	json_set_int(v, "output_bytes", (int64_t)result->output_bytes);
	json_set(v, "backend", name_or_null(result->backend));
	json_set_bool(v, "network", result->network);
	json_set(v, "decision", name_or_null(decision_name(result->decision)));
	json_set(v, "decided_by", name_or_null(decider_name(result->decided_by)));
	json_set(v, "waited_ms", int_or_null(result->waited_ms, -1));
	json_set(v, "duration_ms", int_or_null(result->duration_ms, -1));
	json_set(v, "notes", note_names(bits));
	if (result->edited_command)
		json_set(v, "edited_command", utf8_text(result->edited_command));
	return v;
}

static void print(const struct result *result, const struct request_id *id, uint64_t seq,
	bool ascii, struct str *out)
{
	struct json *v JSON_AUTO = result_json(result, id, seq);

	json_print(v, ascii, out);
	str_add_char(out, '\n');
}

void result_print(
	const struct result *result, const struct request_id *id, uint64_t seq, struct str *out)
{
	print(result, id, seq, false, out);
}

void result_print_ascii(
	const struct result *result, const struct request_id *id, uint64_t seq, struct str *out)
{
	print(result, id, seq, true, out);
}

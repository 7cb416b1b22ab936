/* The readers of a record, whose files anybody may have forged: each line through the parser, the
   model, and the parsers of CHAIN and SEALS. What is taken prints to a line that is taken again, and the
   model's counts stay true. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/chain.h"
#include "app/lines.h"
#include "app/past_call.h"
#include "app/past_event.h"
#include "app/script.h"
#include "app/seal_line.h"
#include "base/str.h"
#include "base/text.h"
#include "core/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_print(const struct event *event, const struct digest *prev)
{
	STR_AUTO struct str first = STR_INIT, second = STR_INIT;
	struct event again = {0};
	struct digest again_prev;
	struct line_head head;
	struct err err = ERR_INIT;

	event_print(event, prev, &first);
	for (size_t i = 0; i < first.len; i++)
		must(first.data[i] >= 0x20 && first.data[i] < 0x7F);
	if (first.len > EVENT_LINE_BYTES)
		return;
	must(event_parse(first.data, first.len, &again, &again_prev, &err) == 0);
	must(digest_equal(prev, &again_prev));
	event_print(&again, &again_prev, &second);
	must(strcmp(first.data, second.data) == 0);
	must(line_head(first.data, first.len, &head) == 0 && head.number == event->number);
	must(line_has_type(first.data, first.len, event_type_name(event->type)));
	event_release(&again);
}

static void check_counts(const struct model *model)
{
	unsigned waiting = 0, running = 0, done = 0;

	for (size_t i = 0; i < model->count; i++) {
		enum job_state state = model->jobs[i]->state;

		must(i == 0 || model->jobs[i - 1]->seq < model->jobs[i]->seq);
		must(model->jobs[i]->output.len <= LIMIT_OUTPUT_BYTES);
		waiting += state == JOB_WAITING;
		running += state >= JOB_STARTING && state <= JOB_STOPPING;
		done += job_is_over(state);
	}
	must(model->waiting == waiting && model->running == running && model->done == done);
}

/* What is told of a record begins with our words in every row, and nothing in it acts on a terminal. */
static void check_said(void *data, int64_t at_ms, enum script_kind kind, const char *text)
{
	(void)data;
	(void)at_ms;
	(void)kind;
	must(text_is_utf8(text, strlen(text)));
	for (; *text != '\0'; text++)
		must(*text == '\n' || ((unsigned char)*text >= 0x20 && *text != 0x7F));
}

static void check_marked(void *data, int64_t at_ms, const char *label)
{
	must(*label == '#' && strchr(label, '\n') == NULL);
	check_said(data, at_ms, SCRIPT_DECIDED, label);
}

static void try_telling(struct script *script, const struct event *event, const struct model *model)
{
	STR_AUTO struct str text = STR_INIT;
	JSON_AUTO struct json *whole = past_event_whole(event, model);
	const struct job *job = event->seq == 0 ? NULL : model_job(model, event->seq);

	script_event(script, event, model);
	past_event_print(event, whole != NULL ? whole : event->fields, &text);
	if (job == NULL)
		return;
	JSON_AUTO struct json *row = past_call_json(job, "fuzz");
	JSON_AUTO struct json *masked = mask_json(script->mask, row);

	json_print(masked, true, &text);
	for (size_t i = 0; i < text.len; i++)
		must(text.data[i] >= 0x20 && text.data[i] < 0x7F);
	str_clear(&text);
	past_call_row(job, 80, &text);
	must(strchr(str_c(&text), '\n') == str_c(&text) + text.len - 1);
}

static void try_event(struct model *model, struct script *script, const char *line, size_t len)
{
	struct event event = {0};
	struct digest prev;
	struct err err = ERR_INIT, apply = ERR_INIT;

	if (event_parse(line, len, &event, &prev, &err) == 0) {
		check_print(&event, &prev);
		if (model_apply(model, &event, &apply) != 0)
			must(apply.code == ERR_INVALID && apply.text[0] != '\0');
		else
			try_telling(script, &event, model);
		check_counts(model);
	} else {
		must(err.code == ERR_INVALID || err.code == ERR_NOT_FOUND || err.code == ERR_LIMIT);
		must(event.fields == NULL || err.code == ERR_NOT_FOUND);
	}
	event_release(&event);
}

static void try_chain(const char *line, size_t len)
{
	STR_AUTO struct str again = STR_INIT;
	struct chain_line parsed;
	struct err err = ERR_INIT;

	if (chain_parse(line, len, &parsed, &err) != 0)
		return;
	chain_print(&parsed, &again);
	must(again.len == len && memcmp(again.data, line, len) == 0);
	must(chain_file_name_is_valid(parsed.file) && strchr(parsed.file, '/') == NULL);
	chain_line_release(&parsed);
}

/* Its signature is tried whatever key it names. */
static void try_seal(const char *line, size_t len)
{
	struct seal_line parsed;
	struct err err = ERR_INIT;

	if (seal_line_parse(line, len, &parsed, &err) != 0)
		return;
	must(parsed.epoch > 0 && strlen(parsed.wall) < sizeof(parsed.wall));
	must(parsed.file == NULL || chain_file_name_is_valid(parsed.file));
	seal_line_holds(&parsed, line, len);
	seal_line_release(&parsed);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *at = (const char *)bytes;
	const char *end = at + len;
	struct model model;
	struct mask mask = {.on = true};
	struct script script = {.mask = &mask, .say = check_said, .mark = check_marked};

	model_init(&model);
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t line = (size_t)((newline == NULL ? end : newline) - at);

		try_event(&model, &script, at, line);
		try_chain(at, line);
		try_seal(at, line);
		at += line + 1;
	}
	model_release(&model);
	mask_release(&mask);
	return 0;
}

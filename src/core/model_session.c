#include "config.h"

#include "core/model_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/hold.h"

/* The last two parts of "20261130T140200Z-4121-9c3e". */
static void short_id(const char *session, char buf[32])
{
	const char *at = session + strlen(session);
	unsigned dashes = 0;

	while (at > session) {
		if (at[-1] == '-' && ++dashes == 2)
			break;
		at--;
	}
	text_fit(at, buf, 32);
}

static void set_session(struct model *model, const char *session, const struct event *event)
{
	model_replace(&model->session, session);
	short_id(session, model->session_short);
	if (model->start_wall_ms == 0)
		model->start_wall_ms = event->wall_ms - event->at_ms;
}

static void set_texts(struct model *model, const struct event *event)
{
	const struct {
		const char *key;
		char **field;
	} texts[] = {
		{"version", &model->version},
		{"host", &model->host},
		{"user", &model->user},
		{"workspace", &model->workspace},
		{"backend", &model->backend_title},
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		model_replace(texts[i].field, json_get_str(event->fields, texts[i].key));
}

#define KEYS_MAX 128

/* What is no text is no binding; whether a text is one, the screen sees. */
static void read_keys(struct model *model, const struct event *event)
{
	const struct json *item = json_first(json_get(event->fields, "keys"));

	if (item != NULL)
		strv_release(&model->keys); /* said again behind a gap */
	for (; item != NULL && model->keys.count < KEYS_MAX; item = json_next(item)) {
		if (json_str(item) != NULL)
			strv_add(&model->keys, json_str(item));
	}
}

static int begin_session(struct model *model, const struct event *event, struct err *err)
{
	int64_t running = model->max_running;
	int64_t timeout_s = model->approval_timeout_ms / 1000;
	struct passed_list passed;
	const char *session;

	if (model_need_str(event, "session", &session, err) != 0 ||
		model_want_int(event, "max_running", &running, err) != 0 ||
		model_want_int(event, "approval_timeout_s", &timeout_s, err) != 0 ||
		model_read_passed(event, "passed", &passed, err) != 0)
		return -1;
	if (running > 1000000 || timeout_s > INT64_C(1) << 40)
		return model_bad_field(event, "max_running", err);
	set_session(model, session, event);
	set_texts(model, event);
	read_keys(model, event);
	model->passed = passed;
	model->max_running = (unsigned)running;
	model->approval_timeout_ms = timeout_s * 1000;
	model->no_sandbox = json_get_bool(event->fields, "no_sandbox", false);
	model->unsandboxed = json_get_bool(event->fields, "unsandboxed", false);
	model->root = json_get_bool(event->fields, "root", false);
	model->terminal = json_get_bool(event->fields, "terminal", false);
	/* A backend that isolates nothing is the same standing danger as none at all. */
	model->no_sandbox = model->no_sandbox || model->unsandboxed;
	return 0;
}

int model_session_start(
	struct model *model, struct job *job, const struct event *event, struct err *err)
{
	(void)job;
	if (model->session != NULL)
		return err_set(err, ERR_INVALID, "a second session_start");
	return begin_session(model, event, err);
}

int model_continued(
	struct model *model, struct job *job, const struct event *event, struct err *err)
{
	(void)job;
	card_whole_release(&model->whole_cards);
	if (model->session != NULL)
		return 0;
	model->after_gap = true;
	model_keep_ui(model, event);
	return begin_session(model, event, err);
}

static int read_facets(const struct event *event, struct probe_fact *probe, struct err *err)
{
	const struct json *facets = json_get(event->fields, "facets");

	for (int i = 0; i < FACET_COUNT; i++) {
		const struct json *v = json_get(facets, facet_name((enum facet)i));

		if (v != NULL && hold_from_name(json_str(v), &probe->facets[i]) != 0)
			return model_bad_field(event, "facets", err);
	}
	return 0;
}

int model_probe(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	struct probe_fact probe = {.tried = true, .at_wall_ms = event->wall_ms};
	const char *name, *why = json_get_str(event->fields, "why");

	(void)job;
	if (model_need_str(event, "backend", &name, err) != 0)
		return -1;
	if (backend_id_from_name(name, &probe.backend) != 0)
		return model_bad_field(event, "backend", err);
	if (read_facets(event, &probe, err) != 0)
		return -1;
	probe.ok = json_get_bool(event->fields, "ok", false);
	if (why != NULL)
		text_fit(why, probe.why, sizeof(probe.why));
	model->probe = probe;
	return 0;
}

int model_intake(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	const struct json *open = json_get(event->fields, "open");

	(void)job;
	if (open == NULL || json_type(open) != JSON_BOOL)
		return model_bad_field(event, "open", err);
	if (model_check_stop(event, err) != 0)
		return -1;
	model_apply_stop(model, event);
	model->intake_open = json_bool(open);
	model_replace(&model->intake_why, json_get_str(event->fields, "why"));
	return 0;
}

int model_gap(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	const char *session = json_get_str(event->fields, "session");

	(void)job;
	(void)err;
	if (model->session == NULL)
		model->after_gap = true;
	if (session != NULL)
		set_session(model, session, event);
	read_keys(model, event);
	model_replace(&model->record_failed, NULL);
	card_whole_release(&model->whole_cards);
	/* This file does not hold what was granted in the one before. */
	model_end_grants(model, event, "the record broke");
	return 0;
}

int model_found_open(
	struct model *model, struct job *job, const struct event *event, struct err *err)
{
	size_t calls = json_count(json_get(event->fields, "calls"));
	const char *file;
	char id[32];

	(void)job;
	if (model_need_str(event, "file", &file, err) != 0)
		return -1;
	/* Its session had ended; what was left of it is done. */
	if (json_get_str(event->fields, "unfinished") != NULL)
		return 0;
	MEM_AUTO char *name = mem_strdup(file);
	char *dot = strrchr(name, '.');

	if (dot != NULL)
		*dot = '\0';
	short_id(name, id);
	free(model->found_open);
	if (++model->found_open_count > 1)
		model->found_open = mem_printf("%u earlier sessions did not end, the last is %s",
			model->found_open_count, id);
	else
		model->found_open = mem_printf("the earlier session %s did not end: %zu %s lost",
			id, calls, calls == 1 ? "call is" : "calls are");
	return 0;
}

int model_view(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	(void)job;
	(void)err;
	model_keep_ui(model, event);
	return 0;
}

int model_session_end(
	struct model *model, struct job *job, const struct event *event, struct err *err)
{
	(void)job;
	(void)err;
	model_keep_ui(model, event);
	model->ended = true;
	return 0;
}

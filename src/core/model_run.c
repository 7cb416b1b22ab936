#include "config.h"

#include "core/model_internal.h"

#include <string.h>

#include "base/mem.h"

int model_launching(
	struct model *model, struct job *job, const struct event *event, struct err *err)
{
	const char *name;

	(void)model;
	if (model_need_str(event, "backend", &name, err) != 0)
		return -1;
	return backend_id_from_name(name, &job->backend) == 0
		       ? 0
		       : model_bad_field(event, "backend", err);
}

struct figure {
	const char *key;
	int64_t *ret;
};

/* Figures that are not there stay as they were. */
static int read_figures(
	const struct event *event, const struct figure *figures, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (model_want_int(event, figures[i].key, figures[i].ret, err) != 0)
			return -1;
	return 0;
}

int model_started(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	struct job_usage used = job->used;
	int64_t wall_most_ms = 0;
	const struct figure figures[] = {{"memory_limit", &used.memory_limit},
		{"processes_limit", &used.processes_limit}, {"wall_most_ms", &wall_most_ms}};

	(void)model;
	if (read_figures(event, figures, ARRAY_LEN(figures), err) != 0)
		return -1;
	job->used = used;
	job->wall_most_ms = wall_most_ms;
	job->started_at_ms = event->at_ms;
	return 0;
}

int model_stopping(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	const char *by;

	(void)model;
	(void)job;
	return model_need_str(event, "by", &by, err);
}

int model_extended(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	int64_t by_ms = -1;

	(void)model;
	if (model_want_int(event, "by_ms", &by_ms, err) != 0)
		return -1;
	if (by_ms < 0)
		return model_bad_field(event, "by_ms", err);
	job->wall_limit_ms += by_ms;
	return 0;
}

int model_usage(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	struct job_usage used = job->used;
	const struct figure figures[] = {{"cpu_ms", &used.cpu_ms},
		{"cpu_percent", &used.cpu_percent}, {"memory", &used.memory},
		{"processes", &used.processes}, {"memory_peak", &used.memory_peak},
		{"processes_peak", &used.processes_peak}};

	(void)model;
	if (read_figures(event, figures, ARRAY_LEN(figures), err) != 0)
		return -1;
	job->used = used;
	return 0;
}

static size_t count_newlines(const char *bytes, size_t len)
{
	size_t count = 0;

	for (const char *at = bytes; (at = memchr(at, '\n', len - (size_t)(at - bytes))) != NULL;
		at++)
		count++;
	return count;
}

/* The record holds only how much there was. */
static int output_size(struct job *job, const struct event *event, struct err *err)
{
	int64_t bytes = 0;

	if (json_int(json_get(event->fields, "bytes"), &bytes) != 0 || bytes < 0)
		return model_bad_field(event, "bytes", err);
	job->output_bytes += (uint64_t)bytes;
	job->output_unrecorded += (uint64_t)bytes;
	return 0;
}

int model_output(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	STR_AUTO struct str bytes = STR_INIT;

	(void)model;
	if (json_get(event->fields, "bytes") != NULL)
		return output_size(job, event, err);
	if (event_output_bytes(event->fields, &bytes, err) != 0)
		return -1;
	size_t room = LIMIT_OUTPUT_BYTES - job->output.len;
	size_t take = bytes.len < room ? bytes.len : room;

	if (take > 0) {
		str_add_bytes(&job->output, bytes.data, take);
		job->output_lines += count_newlines(bytes.data, take);
	}
	job->output_bytes += bytes.len;
	job->output_dropped += bytes.len - take;
	return 0;
}

/* How a command ended, as one event tells it. */
struct ending {
	enum reason reason;
	int64_t exit_code, signal, duration_ms, output_bytes, dropped;
};

static int read_ending(const struct event *event, struct ending *ret, struct err *err)
{
	const struct {
		const char *key;
		int64_t *ret;
		int64_t most;
	} figures[] = {
		{"exit_code", &ret->exit_code, 255},
		{"signal", &ret->signal, 127},
		{"duration_ms", &ret->duration_ms, INT64_MAX},
		{"output_bytes", &ret->output_bytes, INT64_MAX},
		{"dropped", &ret->dropped, INT64_MAX},
	};

	for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
		if (model_want_int(event, figures[i].key, figures[i].ret, err) != 0)
			return -1;
		if (*figures[i].ret > figures[i].most)
			return model_bad_field(event, figures[i].key, err);
	}
	return model_read_reason(event, &ret->reason, err);
}

int model_ended(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	struct ending end = {.exit_code = -1,
		.duration_ms = -1,
		.output_bytes = (int64_t)job->output_bytes,
		.dropped = (int64_t)job->output_dropped};

	struct job_usage used = job->used;
	const struct figure figures[] = {{"cpu_ms", &used.cpu_ms},
		{"memory_peak", &used.memory_peak}, {"processes_peak", &used.processes_peak}};

	(void)model;
	if (read_ending(event, &end, err) != 0 ||
		read_figures(event, figures, ARRAY_LEN(figures), err) != 0)
		return -1;
	job->used = used;
	job->reason = end.reason;
	job->exit_code = (int)end.exit_code;
	job->signal = (int)end.signal;
	job->duration_ms = end.duration_ms;
	job->output_bytes = (uint64_t)end.output_bytes;
	job->output_dropped = (uint64_t)end.dropped;
	job->notes |= model_read_notes(event);
	model_replace(&job->sentence, json_get_str(event->fields, "sentence"));
	return 0;
}

int model_git_changed(
	struct model *model, struct job *job, const struct event *event, struct err *err)
{
	const struct json *paths = json_get(event->fields, "paths");

	(void)model;
	for (const struct json *v = json_first(paths); v != NULL; v = json_next(v)) {
		if (json_str(v) == NULL)
			return model_bad_field(event, "paths", err);
	}
	for (const struct json *v = json_first(paths); v != NULL; v = json_next(v))
		strv_add(&job->git_changed, json_str(v));
	return 0;
}

int model_answered(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	const char *decision = json_get_str(event->fields, "decision");
	enum decision decided = job->decision;
	enum decider decider;

	(void)model;
	if (job->answered)
		return err_set(err, ERR_INVALID, "answered twice");
	if (decision != NULL && decision_from_name(decision, &decided) != 0)
		return model_bad_field(event, "decision", err);
	if (model_read_decider(event, job->decided_by, &decider, err) != 0)
		return -1;
	job->answered = true;
	job->delivered = json_get_bool(event->fields, "delivered", false);
	if (job->decision == DECISION_NONE)
		job->decision = decided;
	if (job->decided_by == DECIDER_NONE)
		job->decided_by = decider;
	job->notes |= model_read_notes(event);
	return 0;
}

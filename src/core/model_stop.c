#include "config.h"

#include "core/model_internal.h"

#include <limits.h>
#include <string.h>

#include "base/mem.h"

/* The panic key and the lock. */

int model_check_stop(const struct event *event, struct err *err)
{
	const struct json *stop = json_get(event->fields, "stop_all");
	int64_t left = -1;

	if (stop != NULL && json_type(stop) != JSON_BOOL)
		return model_bad_field(event, "stop_all", err);
	return model_want_int(event, "left", &left, err);
}

static void note(uint64_t *list, unsigned *count, uint64_t seq)
{
	if (*count < MODEL_STOP_LIST)
		list[*count] = seq;
	(*count)++;
}

/* What is open now is what gets stopped: the events about each call follow. */
static void begin(struct model *model, const struct event *event)
{
	struct stop_all *stop = &model->stop;

	*stop = (struct stop_all){
		.on = true, .at_ms = event->at_ms, .wall_ms = event->wall_ms, .left = -1};
	for (size_t i = 0; i < model->count; i++) {
		const struct job *job = model->jobs[i];

		if (job->state == JOB_WAITING || job->state == JOB_APPROVED)
			note(stop->rejected, &stop->rejected_count, job->seq);
		else if (job->state != JOB_NEW && !job_is_over(job->state))
			note(stop->ended, &stop->ended_count, job->seq);
	}
	if (model->count > 0)
		stop->last_seq = model->jobs[model->count - 1]->seq;
}

void model_apply_stop(struct model *model, const struct event *event)
{
	bool on = json_get_bool(event->fields, "stop_all", model->stop.on);
	int64_t left = json_get_int(event->fields, "left", -1);

	if (on && !model->stop.on)
		begin(model, event);
	model->stop.on = on;
	if (on && left >= 0) {
		model->stop.left = left;
		model->stop.left_wall_ms = event->wall_ms;
	}
}

void model_refused_after_stop(struct model *model, const struct job *job, const struct event *event)
{
	struct stop_all *stop = &model->stop;

	if (!stop->on || job->reason != REASON_INTAKE_CLOSED || job->seq <= stop->last_seq)
		return;
	stop->refused++;
	stop->refused_last = job->seq;
	stop->refused_wall_ms = event->wall_ms;
}

const char *lock_why_name(enum lock_why why)
{
	static const char *const names[LOCK_WHY_COUNT] = {
		[LOCK_BY_PERSON] = "operator", [LOCK_IDLE] = "idle", [LOCK_AT_START] = "start"};

	return names[why];
}

static enum lock_why read_why(const struct event *event, enum lock_why fallback)
{
	const char *why = json_get_str(event->fields, "why");

	for (int i = 0; why != NULL && i < LOCK_WHY_COUNT; i++) {
		if (strcmp(lock_why_name((enum lock_why)i), why) == 0)
			return (enum lock_why)i;
	}
	return fallback;
}

/* The figures of a lock, checked. */
struct lock_figures {
	int64_t minutes, tries, wait_ms;
};

static int read_figures(const struct event *event, struct lock_figures *ret, struct err *err)
{
	const struct {
		const char *key;
		int64_t *ret, most;
	} figures[] = {
		{"minutes", &ret->minutes, UINT_MAX},
		{"tries", &ret->tries, UINT_MAX},
		{"wait_ms", &ret->wait_ms, INT64_C(1) << 40},
	};

	for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
		if (model_want_int(event, figures[i].key, figures[i].ret, err) != 0)
			return -1;
		if (*figures[i].ret > figures[i].most)
			return model_bad_field(event, figures[i].key, err);
	}
	return 0;
}

int model_locked(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	const struct json *locked = json_get(event->fields, "locked");
	struct lock_figures figures = {.minutes = model->lock.minutes};
	struct lock *lock = &model->lock;

	(void)job;
	if (locked == NULL || json_type(locked) != JSON_BOOL)
		return model_bad_field(event, "locked", err);
	if (read_figures(event, &figures, err) != 0)
		return -1;
	if (json_bool(locked) && !lock->on) {
		lock->wall_ms = event->wall_ms;
		lock->why = read_why(event, LOCK_BY_PERSON);
		lock->minutes = (unsigned)figures.minutes;
	}
	lock->on = json_bool(locked);
	lock->set = json_get_bool(event->fields, "set", lock->set);
	lock->tries = lock->on ? (unsigned)figures.tries : 0;
	lock->wait_until_ms = lock->on ? event->at_ms + figures.wait_ms : 0;
	return 0;
}

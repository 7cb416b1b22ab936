#include "config.h"

#include "core/attention.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void attention_init(struct attention *a)
{
	*a = (struct attention){.called_ms = -ATTENTION_REST_MS,
		.read_ms = -ATTENTION_LOOK_MS,
		.late_at_ms = -1,
		.title_ms = -ATTENTION_TITLE_MS};
}

void attention_changed(struct attention *a)
{
	a->stale = true;
}

static bool is_late(const struct job *job, int64_t at_ms)
{
	return job->state == JOB_WAITING && job->deadline_at_ms > at_ms &&
	       job->deadline_at_ms - at_ms <= ATTENTION_LATE_MS;
}

static bool was_late(const struct attention *a, const struct job *job)
{
	return job->received_at_ms <= a->read_ms && is_late(job, a->read_ms);
}

/* A sender whose calls run out one behind the other has called once: a flood must not ring for as long as it lasts. Nor may it
   cover up the call of another, so each sender counts for itself. */
static bool is_newly_late(const struct attention *a, const struct sender *sender, int64_t now_ms)
{
	bool newly = false;

	for (size_t i = 0; i < sender->waiting.count; i++) {
		const struct job *job = job_list_at(&sender->waiting, i);

		if (was_late(a, job))
			return false;
		newly = newly || is_late(job, now_ms);
	}
	return newly;
}

static bool somebody_is_newly_late(
	const struct attention *a, const struct model *model, int64_t now_ms)
{
	for (size_t i = 0; i < model->sender_count; i++)
		if (is_newly_late(a, model->senders[i], now_ms))
			return true;
	return false;
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static int64_t next_late(const struct model *model, int64_t now_ms)
{
	int64_t next = -1;

	for (size_t i = 0; i < model->sender_count; i++) {
		const struct job_list *waiting = &model->senders[i]->waiting;

		for (size_t j = 0; j < waiting->count; j++) {
			int64_t at_ms = job_list_at(waiting, j)->deadline_at_ms - ATTENTION_LATE_MS;

			if (at_ms > now_ms)
				next = sooner(next, at_ms);
		}
	}
	return next;
}

/* When deadlines are read next; -1: no need. */
static int64_t read_due(const struct attention *a)
{
	if (a->stale)
		return a->read_ms + ATTENTION_LOOK_MS;
	return a->late_at_ms;
}

static bool read_deadlines(struct attention *a, const struct model *model, int64_t now_ms)
{
	int64_t due = read_due(a);
	bool newly = false;

	if (due < 0 || now_ms < due)
		return false;
	if (model->waiting > 0)
		newly = somebody_is_newly_late(a, model, now_ms);
	a->late_at_ms = model->waiting > 0 ? next_late(model, now_ms) : -1;
	a->read_ms = now_ms;
	a->stale = false;
	return newly;
}

bool attention_look(struct attention *a, const struct model *model, enum focus focus,
	int64_t typed_ms, int64_t now_ms)
{
	bool first = model->waiting > 0 && a->waiting == 0;

	if (read_deadlines(a, model, now_ms) || first)
		a->owed = true;
	a->waiting = model->waiting;
	/* Who looks at the screen has seen it. */
	if (model->waiting == 0 || focus == FOCUS_HERE || now_ms - typed_ms < ATTENTION_REST_MS)
		a->owed = false;
	/* Not forgotten but put off: a call that came and went again must not make the one behind it silent. */
	if (!a->owed || now_ms - a->called_ms < ATTENTION_REST_MS)
		return false;
	a->owed = false;
	a->called_ms = now_ms;
	return true;
}

static void title_words(const struct model *model, char ret[ATTENTION_WORDS])
{
	if (model->waiting > 0)
		snprintf(ret, ATTENTION_WORDS, "Exequatur: %u waiting", model->waiting);
	else
		snprintf(ret, ATTENTION_WORDS, "Exequatur");
}

const char *attention_title(
	struct attention *a, const struct model *model, bool again, int64_t now_ms)
{
	char words[ATTENTION_WORDS];

	title_words(model, words);
	if (again && a->title[0] != '\0')
		return a->title;
	if (strcmp(words, a->title) == 0 || now_ms - a->title_ms < ATTENTION_TITLE_MS)
		return NULL;
	/* The first one says nothing new: what comes right behind it need not wait. */
	if (a->title[0] != '\0')
		a->title_ms = now_ms;
	memcpy(a->title, words, sizeof(words));
	return a->title;
}

int64_t attention_due(const struct attention *a, const struct model *model, int64_t now_ms)
{
	char words[ATTENTION_WORDS];
	int64_t due = model->waiting > 0 ? read_due(a) : -1;

	title_words(model, words);
	if (a->owed)
		due = sooner(due, a->called_ms + ATTENTION_REST_MS);
	if (strcmp(words, a->title) != 0)
		due = sooner(due, a->title_ms + ATTENTION_TITLE_MS);
	return due >= 0 && due < now_ms ? now_ms : due;
}

static void time_words(int64_t ms, char ret[24])
{
	int64_t s = ms < 0 ? 0 : ms / 1000;

	if (s < 120)
		snprintf(ret, 24, "%" PRId64 " s", s);
	else
		snprintf(ret, 24, "%" PRId64 " min", s / 60);
}

static int64_t oldest_at(const struct model *model)
{
	int64_t at_ms = -1;

	for (size_t i = 0; i < model->sender_count; i++) {
		const struct job_list *waiting = &model->senders[i]->waiting;

		if (waiting->count > 0)
			at_ms = sooner(at_ms, job_list_at(waiting, 0)->received_at_ms);
	}
	return at_ms;
}

void attention_words(const struct model *model, int64_t now_ms, char ret[ATTENTION_WORDS])
{
	char since[24];

	time_words(now_ms - oldest_at(model), since);
	if (model->waiting == 0)
		snprintf(ret, ATTENTION_WORDS, "nothing waits");
	else if (model->waiting == 1)
		snprintf(ret, ATTENTION_WORDS, "1 call waits, %s so far", since);
	else
		snprintf(ret, ATTENTION_WORDS, "%u calls wait, the oldest %s", model->waiting,
			since);
}

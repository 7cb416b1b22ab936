#include "config.h"

#include "core/model_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Whose calls they are: quotas, the order of the queue and what a person refuses go by the process that the kernel names. */

#define LABEL_BYTES 200

/* Index of the first sender whose number is at least this. */
static size_t lower_bound(const struct model *model, unsigned number)
{
	size_t low = 0, high = model->sender_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (model->senders[middle]->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct sender *model_sender(const struct model *model, unsigned number)
{
	size_t index = lower_bound(model, number);

	if (index == model->sender_count || model->senders[index]->number != number)
		return NULL;
	return model->senders[index];
}

static void free_sender(struct sender *sender)
{
	job_list_release(&sender->waiting);
	free(sender->label);
	free(sender);
}

void model_free_senders(struct model *model)
{
	for (size_t i = 0; i < model->sender_count; i++)
		free_sender(model->senders[i]);
	free(model->senders);
	job_list_release(&model->active);
	job_list_release(&model->over);
}

/* One that is gone and has nothing open. */
static void forget_one(struct model *model)
{
	for (size_t i = 0; i < model->sender_count; i++) {
		const struct sender *s = model->senders[i];

		if (s->here > 0 || s->waiting.count > 0 || s->running > 0)
			continue;
		free_sender(model->senders[i]);
		model->sender_count--;
		memmove(&model->senders[i], &model->senders[i + 1],
			(model->sender_count - i) * sizeof(model->senders[0]));
		return;
	}
}

struct sender *model_need_sender(struct model *model, unsigned number, int64_t at_ms)
{
	struct sender *sender = model_sender(model, number);
	size_t index;

	if (sender != NULL)
		return sender;
	if (model->sender_count >= MODEL_PEERS_MAX)
		forget_one(model);
	index = lower_bound(model, number);
	mem_grow(&model->senders, &model->sender_cap, model->sender_count,
		sizeof(model->senders[0]));
	memmove(&model->senders[index + 1], &model->senders[index],
		(model->sender_count - index) * sizeof(model->senders[0]));
	sender = model->senders[index] = mem_alloc(sizeof(*sender));
	model->sender_count++;
	sender->number = number;
	sender->burst_at_ms = sender->last_at_ms = at_ms;
	return sender;
}

static void keep_label(struct sender *sender, const char *label)
{
	size_t len = label == NULL ? 0 : strlen(label);

	if (len == 0)
		return;
	free(sender->label);
	sender->label = mem_strndup(label, text_cut(label, len, LABEL_BYTES));
}

void model_sender_sent(struct model *model, struct job *job)
{
	const struct peer *peer = model_peer(model, job->peer);
	int64_t at_ms = job->received_at_ms;
	struct sender *s;

	job->sender = peer != NULL ? peer->sender : job->peer;
	s = model_need_sender(model, job->sender, at_ms);
	if (at_ms - s->last_at_ms > SENDER_PAUSE_MS) {
		s->burst_at_ms = at_ms;
		s->burst_calls = 0;
	}
	s->last_at_ms = at_ms;
	s->burst_calls++;
	s->calls++;
	keep_label(s, job->agent);
}

static bool is_active(enum job_state state)
{
	return state >= JOB_APPROVED && state <= JOB_STOPPING;
}

static void leave(struct model *model, struct job *job, struct sender *s, enum job_state to)
{
	if (job->state == JOB_WAITING && job_list_remove(&s->waiting, job)) {
		/* Its turn is over: the others come first. */
		if (to == JOB_APPROVED || to == JOB_REJECTED)
			s->turn = ++model->turns;
		if (s->waiting.count <= SENDER_CALM)
			s->crowd_full = s->folded_seq = 0;
	}
	if (is_active(job->state) && !is_active(to) && job_list_remove(&model->active, job))
		s->running--;
}

static void enter(struct model *model, struct job *job, struct sender *s, enum job_state from)
{
	if (job->state == JOB_WAITING) {
		if (s->waiting.count == 0)
			s->turn = ++model->turns;
		job_list_add(&s->waiting, job);
	}
	if (is_active(job->state) && !is_active(from)) {
		job_list_add(&model->active, job);
		s->running++;
	}
	if (job_is_over(job->state) && !job_is_over(from)) {
		job_list_add(&model->over, job);
		s->done++;
	}
}

void model_list_job(struct model *model, struct job *job, enum job_state to)
{
	struct sender *s = model_need_sender(model, job->sender, job->received_at_ms);
	enum job_state from = job->state;

	if (from == to)
		return;
	leave(model, job, s, to);
	job->state = to;
	enter(model, job, s, from);
}

void model_relist(struct model *model)
{
	model_free_senders(model);
	model->senders = NULL;
	model->sender_count = model->sender_cap = 0;
	model->turns = 0;
	for (size_t i = 0; i < model->count; i++) {
		struct job *job = model->jobs[i];

		job->sender = job->peer;
		enter(model, job, model_need_sender(model, job->peer, 0), JOB_NEW);
	}
}

bool sender_floods(const struct sender *sender)
{
	return sender->crowd_full >= SENDER_FLOOD && sender->waiting.count > SENDER_CALM;
}

/* Refused because it asks for too much: only the number is kept, and the first of them stands for all. */
static bool is_crowd(const struct sender *s, const struct job *job)
{
	return job->state == JOB_REFUSED &&
	       (job->reason == REASON_QUEUE_FULL ||
		       (job->reason == REASON_INTAKE_CLOSED && s->shut));
}

bool model_fold(struct model *model, struct job *job)
{
	struct sender *s = model_need_sender(model, job->sender, job->received_at_ms);
	struct job *first;

	s->refused += job->state == JOB_REFUSED;
	if (!is_crowd(s, job))
		return false;
	s->full += job->reason == REASON_QUEUE_FULL;
	s->crowd_full += job->reason == REASON_QUEUE_FULL;
	first = model_job(model, s->folded_seq);
	if (first == NULL || first->reason != job->reason) {
		s->folded_seq = job->seq;
		return false;
	}
	first->more++;
	first->ended_at_ms = job->ended_at_ms;
	first->ended_wall_ms = job->ended_wall_ms;
	return true;
}

int model_sender_shut(
	struct model *model, struct job *job, const struct event *event, struct err *err)
{
	const struct json *refuse = json_get(event->fields, "refuse");
	int64_t number = 0;

	(void)job;
	if (model_want_int(event, "sender", &number, err) != 0)
		return -1;
	if (number < 1 || number > UINT32_MAX)
		return model_bad_field(event, "sender", err);
	if (json_type(refuse) != JSON_BOOL)
		return model_bad_field(event, "refuse", err);
	struct sender *s = model_need_sender(model, (unsigned)number, event->at_ms);

	s->shut = json_get_bool(event->fields, "refuse", false);
	s->shut_wall_ms = event->wall_ms;
	s->folded_seq = 0;
	return 0;
}

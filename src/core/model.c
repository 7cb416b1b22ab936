#include "config.h"

#include "core/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/model_internal.h"
#include "core/turns.h"

#define APPROVAL_TIMEOUT_MS 300000

void model_init(struct model *model)
{
	memset(model, 0, sizeof(*model));
	model->approval_timeout_ms = APPROVAL_TIMEOUT_MS;
	model->max_running = 4;
	model->intake_open = true;
}

void model_release(struct model *model)
{
	for (size_t i = 0; i < model->count; i++)
		model_free_job(model->jobs[i]);
	free(model->jobs != NULL ? model->jobs - model->jobs_gone : NULL);
	free(model->session);
	free(model->version);
	free(model->host);
	free(model->user);
	free(model->workspace);
	strv_release(&model->keys);
	free(model->backend_title);
	free(model->intake_why);
	free(model->record_failed);
	json_free(model->last_ui);
	card_whole_release(&model->whole_cards);
	free(model->found_open);
	free(model->listening);
	model_free_peers(model);
	model_free_senders(model);
	grants_release(&model->grants);
	model_init(model);
}

/* Index of the first call whose number is at least seq. */
static size_t lower_bound(const struct model *model, uint64_t seq)
{
	size_t low = 0, high = model->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (model->jobs[middle]->seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct job *model_job(const struct model *model, uint64_t seq)
{
	size_t index = lower_bound(model, seq);

	if (seq == 0 || index == model->count || model->jobs[index]->seq != seq)
		return NULL;
	return model->jobs[index];
}

/* Of a call that is not known any more: as if it had been the first sender's. */
static size_t row_of(const struct model *model, struct turns *turns, uint64_t seq)
{
	const struct job gone = {
		.seq = seq, .sender = turns->count > 0 ? turns->ring[0]->number : 0};
	const struct job *job = model_job(model, seq);

	if (seq == UINT64_MAX)
		return turns->total;
	return turns_find(turns, job != NULL ? job : &gone);
}

uint64_t model_next_waiting(const struct model *model, uint64_t seq, bool back)
{
	const struct job *job = model_job(model, seq), *next;
	struct turns turns;

	turns_make(model, false, &turns);
	size_t row = seq == 0 ? 0 : row_of(model, &turns, seq);

	if (back)
		row--; /* before the first there is none: SIZE_MAX */
	else if (job != NULL && job->state == JOB_WAITING)
		row++;
	next = turns_at(&turns, row, NULL);
	turns_release(&turns);
	return next != NULL ? next->seq : 0;
}

void model_set_record_failed(struct model *model, const char *why)
{
	model_replace(&model->record_failed, why);
}

static unsigned *count_of(struct model *model, enum job_state state)
{
	if (state == JOB_WAITING)
		return &model->waiting;
	if (state == JOB_STARTING || state == JOB_RUNNING || state == JOB_STOPPING)
		return &model->running;
	return job_is_over(state) ? &model->done : NULL;
}

void model_set_state(
	struct model *model, struct job *job, enum job_state state, const struct event *event)
{
	unsigned *from = count_of(model, job->state);
	unsigned *to = count_of(model, state);

	if (from != NULL)
		(*from)--;
	if (to != NULL)
		(*to)++;
	if (state != JOB_WAITING)
		job->deadline_at_ms = -1;
	if (state == JOB_STOPPING && job->stopping_at_ms < 0)
		job->stopping_at_ms = event->at_ms;
	if (job_is_over(state) && !job_is_over(job->state)) {
		job->ended_at_ms = event->at_ms;
		job->ended_wall_ms = event->wall_ms;
	}
	model_list_job(model, job, state);
}

#include "config.h"

#include "core/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/model_internal.h"

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
	free(model->jobs);
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
	free(model->found_open);
	free(model->listening);
	model_free_peers(model);
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

static bool waits(const struct model *model, size_t index)
{
	return model->jobs[index]->state == JOB_WAITING;
}

uint64_t model_next_waiting(const struct model *model, uint64_t seq, bool back)
{
	size_t index = lower_bound(model, seq);

	if (back) {
		while (index-- > 0) {
			if (waits(model, index))
				return model->jobs[index]->seq;
		}
		return 0;
	}
	if (index < model->count && model->jobs[index]->seq == seq)
		index++;
	for (; index < model->count; index++) {
		if (waits(model, index))
			return model->jobs[index]->seq;
	}
	return 0;
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
	job->state = state;
}

#include "config.h"

#include "core/model_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define TEXT_BYTES 4096 /* of each text of a forgotten call */

void model_free_card(struct card **card)
{
	if (*card != NULL)
		card_release(*card);
	free(STEAL(*card));
}

void model_free_job(struct job *job)
{
	free(job->id_text);
	free(job->agent);
	free(job->agent_reason);
	free(job->command);
	free(job->raw);
	model_free_card(&job->card);
	model_free_card(&job->old_card);
	free(job->edited_how);
	free(job->decision_text);
	free(job->sentence);
	free(job->tried);
	strv_release(&job->git_changed);
	str_release(&job->output);
	free(job->requeued_why);
	free(job);
}

static void cut(char **text)
{
	size_t len = *text == NULL ? 0 : strlen(*text);

	if (len <= TEXT_BYTES)
		return;
	char *whole = *text;

	*text = mem_strndup(whole, text_cut(whole, len, TEXT_BYTES));
	free(whole);
}

static void forget(struct job *job)
{
	char **const texts[] = {&job->agent, &job->command, &job->raw, &job->sentence};

	model_free_card(&job->card);
	model_free_card(&job->old_card);
	str_release(&job->output);
	strv_release(&job->git_changed);
	free(STEAL(job->agent_reason));
	free(STEAL(job->tried));
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		cut(texts[i]);
	job->forgotten = true;
}

static void drop(struct model *model, struct job *job)
{
	size_t low = 0, high = model->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (model->jobs[middle]->seq < job->seq)
			low = middle + 1;
		else
			high = middle;
	}
	job_list_remove(&model->over, job);
	model_free_job(job);
	model->count--;
	if (low < model->count / 2) {
		/* Mostly the oldest: of 100,000 none need be moved for it. */
		memmove(model->jobs + 1, model->jobs, low * sizeof(struct job *));
		model->jobs++;
		model->jobs_gone++;
		model->cap--;
	} else {
		memmove(&model->jobs[low], &model->jobs[low + 1],
			(model->count - low) * sizeof(struct job *));
	}
}

static void drop_oldest(struct model *model)
{
	size_t at = 0;

	while (at < model->over.count && !job_list_at(&model->over, at)->answered)
		at++;
	if (at < model->over.count)
		drop(model, job_list_at(&model->over, at));
}

static void forget_oldest(struct model *model)
{
	struct job *oldest = model_job(model, model->whole[0]);

	if (oldest != NULL)
		forget(oldest);
	model->whole_count--;
	memmove(model->whole, model->whole + 1, model->whole_count * sizeof(uint64_t));
}

static size_t output_bytes(const struct model *model)
{
	size_t bytes = 0;

	for (size_t i = 0; i < model->whole_count; i++) {
		const struct job *job = model_job(model, model->whole[i]);

		bytes += job == NULL ? 0 : job->output.len;
	}
	return bytes;
}

void model_forget(struct model *model, struct job *answered)
{
	if (model_fold(model, answered)) {
		drop(model, answered);
		return;
	}
	if (model->whole_count == MODEL_WHOLE_MAX)
		forget_oldest(model);
	model->whole[model->whole_count++] = answered->seq;
	while (model->whole_count > 1 && output_bytes(model) > MODEL_OUTPUT_BYTES)
		forget_oldest(model);
	if (model->over.count > MODEL_JOBS_MAX)
		drop_oldest(model);
}

#include "config.h"

#include "core/model_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define COMMAND_BYTES 4096 /* the whole command is on the card of its call */

static void add_fact(struct str *out, const struct fact *fact)
{
	for (size_t i = 0; i < fact->count; i++) {
		for (size_t s = 0; s < fact->lines[i].count; s++)
			str_add(out, fact->lines[i].spans[s].text);
	}
}

static char *directory_of(const struct card *card)
{
	struct str text STR_AUTO = STR_INIT;

	for (size_t i = 0; i < card->facts.count; i++) {
		if (strcmp(card->facts.items[i].label, "directory") == 0)
			add_fact(&text, &card->facts.items[i]);
	}
	return text.len > 0 ? mem_strdup(str_c(&text)) : NULL;
}

static void fill(const struct job *job, const struct event *event, struct grant *grant)
{
	const struct card *card = job->card;
	size_t len = strlen(card->command);

	grant->seq = job->seq;
	grant->peer = job->peer;
	grant->agent = mem_strdup(job->agent);
	grant->command = mem_strndup(card->command, text_cut(card->command, len, COMMAND_BYTES));
	grant->directory = directory_of(card);
	grant->network = card->network;
	grant->backend = card->backend;
	grant->time_s = card->time_s;
	grant->made_at_ms = event->at_ms;
	grant->made_wall_ms = event->wall_ms;
}

static int read_numbers(
	const struct event *event, int64_t *ret_number, struct grant *ret, struct err *err)
{
	int64_t minutes = 0, times = 0;
	const char *digest;

	if (model_need_str(event, "digest", &digest, err) != 0 ||
		model_want_int(event, "grant", ret_number, err) != 0 ||
		model_want_int(event, "minutes", &minutes, err) != 0 ||
		model_want_int(event, "times", &times, err) != 0)
		return -1;
	if (digest_from_hex(digest, &ret->digest) != 0)
		return model_bad_field(event, "digest", err);
	if (!grant_numbers_fit(minutes, times))
		return model_bad_field(event, "minutes", err);
	ret->minutes = (unsigned)minutes;
	ret->times = (unsigned)times;
	return 0;
}

int model_grant(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	struct grant grant = {0};
	int64_t number = 0;

	if (job == NULL || job->state != JOB_WAITING || job->card == NULL ||
		!grant_possible(job->card))
		return err_set(err, ERR_INVALID, "a grant for what cannot have one");
	if (read_numbers(event, &number, &grant, err) != 0)
		return -1;
	/* Those of the file before are not known: the count goes on from where it was. */
	if (model->after_gap && number > 0 && (uint64_t)number > model->grants.last)
		model->grants.last = (uint64_t)number - 1;
	if ((uint64_t)number != model->grants.last + 1)
		return model_bad_field(event, "grant", err);
	fill(job, event, &grant);
	if (grants_add(&model->grants, &grant, event->at_ms, err) != 0) {
		grant_release(&grant);
		return -1;
	}
	job->grant_given = (uint64_t)number;
	return 0;
}

int model_use_grant(
	struct model *model, struct job *job, const struct event *event, struct err *err)
{
	int64_t number = 0, use = 0;

	if (model_want_int(event, "grant", &number, err) != 0 ||
		model_want_int(event, "use", &use, err) != 0)
		return -1;
	struct grant *grant = grants_get(&model->grants, (uint64_t)number);
	/* Not whether its time is over: the decision fell a moment before its event. */
	if (grant == NULL || grant->revoked_why != NULL || use != (int64_t)grant->used + 1 ||
		use > grant->times || !grant_possible(job->card))
		return model_bad_field(event, "grant", err);
	grant->used++;
	grant->last_seq = job->seq;
	grant->last_wall_ms = event->wall_ms;
	job->grant = grant->number;
	job->grant_seq = grant->seq;
	job->grant_use = grant->used;
	job->grant_times = grant->times;
	return 0;
}

static void revoke(struct grant *grant, const struct event *event, const char *why)
{
	model_replace(&grant->revoked_why, why);
	grant->revoked_wall_ms = event->wall_ms;
}

int model_revoked(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	int64_t number = 0;
	const char *why;

	(void)job;
	if (model_need_str(event, "why", &why, err) != 0 ||
		model_want_int(event, "grant", &number, err) != 0)
		return -1;
	struct grant *grant = grants_get(&model->grants, (uint64_t)number);
	if (grant == NULL && model->after_gap)
		return 0;
	if (grant == NULL || grant->revoked_why != NULL)
		return model_bad_field(event, "grant", err);
	revoke(grant, event, why);
	return 0;
}

void model_end_grants(struct model *model, const struct event *event, const char *why)
{
	for (size_t i = 0; i < model->grants.count; i++) {
		struct grant *grant = &model->grants.items[i];

		if (grant_state(grant, event->at_ms) == GRANT_HOLDS)
			revoke(grant, event, why);
	}
}

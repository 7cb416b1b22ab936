#include "config.h"

#include "core/model_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/edit.h"

/* What the oldest left before the first is room again, once the end is reached. */
static void make_room(struct model *model)
{
	size_t gone = model->jobs_gone;

	if (model->count < model->cap)
		return;
	if (gone > 0) {
		memmove(model->jobs - gone, model->jobs, model->count * sizeof(struct job *));
		model->jobs -= gone;
		model->cap += gone;
		model->jobs_gone = 0;
	}
	/* So little room would soon be at its end again. */
	if (gone <= model->count)
		mem_grow(&model->jobs, &model->cap, model->cap, sizeof(struct job *));
}

static struct job *add_job(struct model *model, const struct event *event)
{
	struct job *job = mem_alloc(sizeof(*job));

	make_room(model);
	model->jobs[model->count++] = job;
	job->seq = event->seq;
	job->first_event = job->last_event = event->number;
	job->received_at_ms = event->at_ms;
	job->received_wall_ms = event->wall_ms;
	job->decided_at_ms = job->started_at_ms = job->stopping_at_ms = job->ended_at_ms = -1;
	job->deadline_at_ms = job->duration_ms = -1;
	job->exit_code = -1;
	job->used = (struct job_usage){-1, -1, -1, -1, -1, -1, -1, -1};
	return job;
}

static char *id_text(const struct json *id)
{
	int64_t number;

	if (json_str(id) != NULL)
		return mem_strdup(json_str(id));
	return json_int(id, &number) == 0 ? mem_printf("%lld", (long long)number) : NULL;
}

int model_received(struct model *model, const struct event *event, struct err *err)
{
	const char *command = json_get_str(event->fields, "command");
	const char *raw = json_get_str(event->fields, "raw");
	int64_t peer = 0, line = 0;

	if (event->seq == 0)
		return err_set(err, ERR_INVALID, "received without a call");
	if (model->count > 0 && event->seq <= model->jobs[model->count - 1]->seq)
		return err_set(err, ERR_INVALID, "call %llu received after call %llu",
			(unsigned long long)event->seq,
			(unsigned long long)model->jobs[model->count - 1]->seq);
	if ((command == NULL) == (raw == NULL))
		return model_bad_field(event, "command", err);
	if (model_want_int(event, "peer", &peer, err) != 0 ||
		model_want_int(event, "line", &line, err) != 0)
		return -1;
	if (peer > UINT_MAX)
		return model_bad_field(event, "peer", err);
	struct job *job = add_job(model, event);

	job->peer = (unsigned)peer;
	job->line_no = (uint64_t)line;
	job->id_text = id_text(json_get(event->fields, "id"));
	job->agent = mem_strdup(json_get_str(event->fields, "agent"));
	job->agent_reason = mem_strdup(json_get_str(event->fields, "agent_reason"));
	job->command = mem_strdup(command);
	job->raw = mem_strdup(raw);
	model_sender_sent(model, job);
	return 0;
}

int model_ruled(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	const char *verdict;

	(void)model;
	if (model_need_str(event, "verdict", &verdict, err) != 0)
		return -1;
	job->allowed = strcmp(verdict, verdict_name(VERDICT_ALLOW)) == 0;
	return 0;
}

/* Many of one sender wait: its card is made when its turn comes near, or when a person opens it. */
int model_queued(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	(void)event;
	(void)err;
	job->deadline_at_ms = job->received_at_ms + model->approval_timeout_ms;
	return 0;
}

int model_refused(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	struct passed_list tried;
	enum reason reason;
	enum decider by;
	const char *sentence;

	if (model_read_reason(event, &reason, err) != 0 ||
		model_need_str(event, "sentence", &sentence, err) != 0 ||
		model_read_passed(event, "tried", &tried, err) != 0)
		return -1;
	if (reason == REASON_NONE)
		return model_bad_field(event, "reason", err);
	bool policy = reason == REASON_DENIED_BY_POLICY;

	if (model_read_decider(event, policy ? DECIDER_POLICY : DECIDER_CONSOLE, &by, err) != 0)
		return -1;
	job->decision = DECISION_REFUSED;
	job->decided_by = by;
	job->reason = reason;
	model_refused_after_stop(model, job, event);
	free(STEAL(job->tried));
	if (tried.count > 0) {
		job->tried = mem_alloc(sizeof(tried));
		*job->tried = tried;
	}
	model_replace(&job->sentence, sentence);
	return 0;
}

int model_card(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	struct card *card = mem_alloc(sizeof(*card));
	char hex[DIGEST_HEX_BYTES];
	const char *digest;

	if (model_need_str(event, "digest", &digest, err) != 0 ||
		card_from_record(json_get(event->fields, "card"), job->seq, digest,
			job->edited_how == NULL ? job->command : NULL, &model->whole_cards,
			event->live, card, err) != 0) {
		model_free_card(&card);
		return -1;
	}
	digest_hex(&card->digest, hex);
	if (card->seq != job->seq || strcmp(hex, digest) != 0) {
		model_free_card(&card);
		return model_bad_field(event, "card", err);
	}
	if (card->asked == NULL && json_get(json_get(event->fields, "card"), "like") == NULL)
		card_whole_add(&model->whole_cards, card);
	if (job->edited_how != NULL)
		model_replace(&job->command, card->command);
	job->card_changed = job->card != NULL && json_get(event->fields, "old") != NULL;
	model_free_card(&job->old_card);
	job->old_card = job->card;
	job->card = card;
	job->wall_limit_ms = (int64_t)card->time_s * 1000;
	if (job->state == JOB_NEW)
		job->deadline_at_ms = job->received_at_ms + model->approval_timeout_ms;
	return 0;
}

/* The command of a call changes with its next card: until then what is drawn and the card are one. */
int model_edited(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	const char *how, *command, *old;
	char hex[DIGEST_HEX_BYTES];

	(void)model;
	if (model_need_str(event, "how", &how, err) != 0 ||
		model_need_str(event, "command", &command, err) != 0 ||
		model_need_str(event, "old", &old, err) != 0)
		return -1;
	if (job->card == NULL)
		return err_set(err, ERR_INVALID, "edited without a card");
	digest_hex(&job->card->digest, hex);
	if (strcmp(hex, old) != 0)
		return model_bad_field(event, "old", err);
	if (edit_check(command, strlen(command), err) != 0)
		return model_bad_field(event, "command", err);
	model_replace(&job->edited_how, how);
	job->edited_wall_ms = event->wall_ms;
	return 0;
}

struct range {
	int64_t first, end;
};

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Rows that lie in at least one of the ranges. */
static int64_t count_rows(struct range *ranges, size_t count)
{
	int64_t rows = 0, reached = 0;

	if (count > 0)
		qsort(ranges, count, sizeof(*ranges), compare_ranges);
	for (size_t i = 0; i < count; i++) {
		int64_t first = ranges[i].first > reached ? ranges[i].first : reached;

		if (ranges[i].end <= first)
			continue;
		rows += ranges[i].end - first;
		reached = ranges[i].end;
	}
	return rows;
}

static int read_range(const struct json *v, int64_t total, struct range *ret)
{
	const struct json *first = json_first(v);

	if (json_type(v) != JSON_ARRAY || json_count(v) < 2 || json_int(first, &ret->first) != 0 ||
		json_int(json_next(first), &ret->end) != 0)
		return -1;
	return ret->first >= 0 && ret->end >= ret->first && ret->end <= total ? 0 : -1;
}

int model_seen(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	const struct json *rows = json_get(event->fields, "rows");
	size_t count = json_count(rows);
	MEM_AUTO struct range *ranges = mem_array(count + 1, sizeof(*ranges));
	int64_t total = 0, lines = 0, lines_seen = 0;
	size_t i = 0;

	if (model_want_int(event, "total", &total, err) != 0)
		return -1;
	if (total > UINT_MAX)
		return model_bad_field(event, "total", err);
	for (const struct json *v = json_first(rows); v != NULL; v = json_next(v)) {
		if (read_range(v, total, &ranges[i++]) != 0)
			return model_bad_field(event, "rows", err);
	}
	if (model_want_int(event, "lines", &lines, err) != 0 ||
		model_want_int(event, "lines_seen", &lines_seen, err) != 0)
		return -1;
	if (lines > UINT_MAX || lines_seen > lines)
		return model_bad_field(event, "lines", err);
	/* The ranges are bytes of the card's text: a person counts lines. */
	job->rows_seen = (unsigned)(lines > 0 ? lines_seen : count_rows(ranges, count));
	job->rows_total = (unsigned)(lines > 0 ? lines : total);
	model_keep_ui(model, event);
	return 0;
}

static bool is_an_answer(enum decision decision)
{
	return decision == DECISION_APPROVED || decision == DECISION_ALLOWED ||
	       decision == DECISION_REJECTED;
}

int model_decided(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	const char *name;
	enum decision decision;
	enum decider by;

	(void)model;
	if (model_need_str(event, "decision", &name, err) != 0 ||
		model_read_decider(event, DECIDER_NONE, &by, err) != 0)
		return -1;
	if (decision_from_name(name, &decision) != 0 || !is_an_answer(decision))
		return model_bad_field(event, "decision", err);
	if (by == DECIDER_NONE)
		return model_bad_field(event, "by", err);
	/* A no needs none: many of one sender are refused unread. */
	if (job->card == NULL && decision != DECISION_REJECTED)
		return err_set(err, ERR_INVALID, "decided without a card");
	if (by == DECIDER_GRANT && model_use_grant(model, job, event, err) != 0)
		return -1;
	job->decision = decision;
	job->decided_by = by;
	job->decided_at_ms = event->at_ms;
	job->decided_wall_ms = event->wall_ms;
	model_replace(&job->decision_text, json_get_str(event->fields, "text"));
	if (decision == DECISION_REJECTED)
		job->reason = REASON_REJECTED;
	return 0;
}

int model_requeued(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	const char *why;

	if (model_need_str(event, "why", &why, err) != 0)
		return -1;
	model_replace(&job->requeued_why, why);
	model_replace(&job->decision_text, NULL);
	job->decision = DECISION_NONE;
	job->decided_by = DECIDER_NONE;
	job->decided_at_ms = -1;
	job->decided_wall_ms = 0;
	job->rows_seen = job->rows_total = 0;
	job->grant = 0; /* its use is gone */
	job->backend = BACKEND_AUTO;
	job->deadline_at_ms = event->at_ms + model->approval_timeout_ms;
	return 0;
}

int model_withdrawn(
	struct model *model, struct job *job, const struct event *event, struct err *err)
{
	const char *why;

	(void)model;
	if (model_need_str(event, "why", &why, err) != 0)
		return -1;
	job->decision = DECISION_WITHDRAWN;
	job->decided_by = DECIDER_AGENT;
	job->reason = REASON_WITHDRAWN;
	model_replace(&job->sentence, why);
	return 0;
}

int model_expired(struct model *model, struct job *job, const struct event *event, struct err *err)
{
	(void)model;
	(void)event;
	(void)err;
	job->decision = DECISION_EXPIRED;
	job->decided_by = DECIDER_DEADLINE;
	job->reason = REASON_APPROVAL_TIMEOUT;
	return 0;
}

#include "config.h"

#include "core/model_internal.h"

/* NULL: kept in the record, not applied. */
static model_handler *const handlers[EVENT_TYPE_COUNT] = {
	[EVENT_SESSION_START] = model_session_start,
	[EVENT_PROBE] = model_probe,
	[EVENT_PEER] = model_peer_joined,
	[EVENT_PEER_LEFT] = model_peer_left,
	[EVENT_LISTENING] = model_listening,
	[EVENT_SENDER] = model_sender_shut,
	[EVENT_REFUSED] = model_refused,
	[EVENT_RULED] = model_ruled,
	[EVENT_QUEUED] = model_queued,
	[EVENT_CARD] = model_card,
	[EVENT_EDITED] = model_edited,
	[EVENT_VIEW] = model_view,
	[EVENT_SEEN] = model_seen,
	[EVENT_DECIDED] = model_decided,
	[EVENT_REQUEUED] = model_requeued,
	[EVENT_LAUNCHING] = model_launching,
	[EVENT_STARTED] = model_started,
	[EVENT_STOPPING] = model_stopping,
	[EVENT_EXTENDED] = model_extended,
	[EVENT_OUTPUT] = model_output,
	[EVENT_USAGE] = model_usage,
	[EVENT_ENDED] = model_ended,
	[EVENT_GIT_CHANGED] = model_git_changed,
	[EVENT_ANSWERED] = model_answered,
	[EVENT_WITHDRAWN] = model_withdrawn,
	[EVENT_EXPIRED] = model_expired,
	[EVENT_GRANT] = model_grant,
	[EVENT_REVOKED] = model_revoked,
	[EVENT_INTAKE] = model_intake,
	[EVENT_LOCKED] = model_locked,
	[EVENT_GAP] = model_gap,
	[EVENT_CONTINUED] = model_continued,
	[EVENT_FOUND_OPEN] = model_found_open,
	[EVENT_SESSION_END] = model_session_end,
};

/* These mean nothing without a call; the others may speak of the session, or change no model at
   all. */
static bool needs_call(enum event_type type)
{
	return (type >= EVENT_REFUSED && type <= EVENT_EXPIRED && type != EVENT_VIEW &&
		type != EVENT_LIMIT);
}

static bool says_no(const struct event *event)
{
	const char *decision = json_get_str(event->fields, "decision");
	enum decision parsed;

	return event->type == EVENT_DECIDED && decision != NULL &&
	       decision_from_name(decision, &parsed) == 0 && parsed == DECISION_REJECTED;
}

static enum job_state next_state(const struct job *job, const struct event *event)
{
	if (says_no(event))
		return job_next_rejected(job->state);
	/* Nobody is asked: such a call is never drawn as waiting. */
	if (event->type == EVENT_CARD && job->state == JOB_NEW && job->allowed)
		return JOB_NEW;
	return job_next(job->state, event->type);
}

static int apply_to_call(
	struct model *model, struct job *job, const struct event *event, struct err *err)
{
	enum job_state state = next_state(job, event);
	model_handler *handler = handlers[event->type];

	if (state == JOB_IMPOSSIBLE)
		return err_set(err, ERR_INVALID, "call %llu is %s: %s cannot happen to it",
			(unsigned long long)job->seq, job_state_name(job->state),
			event_type_name(event->type));
	if (handler != NULL && handler(model, job, event, err) != 0)
		return err_context(err, "call %llu", (unsigned long long)job->seq);
	if (state != job->state)
		model_set_state(model, job, state, event);
	if (event->number != 0)
		job->last_event = event->number;
	/* Last: it may be this very call that goes. */
	if (event->type == EVENT_ANSWERED)
		model_forget(model, job);
	return 0;
}

static int apply_with_seq(struct model *model, const struct event *event, struct err *err)
{
	struct job *job = model_job(model, event->seq);

	if (job != NULL)
		return apply_to_call(model, job, event, err);
	if (model->after_gap)
		return 0;
	return err_set(err, ERR_INVALID, "%s of call %llu, which was never received",
		event_type_name(event->type), (unsigned long long)event->seq);
}

static int apply(struct model *model, const struct event *event, struct err *err)
{
	if (event->type == EVENT_RECEIVED)
		return model_received(model, event, err);
	if (event->seq != 0)
		return apply_with_seq(model, event, err);
	if (needs_call(event->type))
		return err_set(err, ERR_INVALID, "%s without a call", event_type_name(event->type));
	model_handler *handler = handlers[event->type];

	return handler == NULL ? 0 : handler(model, NULL, event, err);
}

int model_apply(struct model *model, const struct event *event, struct err *err)
{
	int status = event->type >= EVENT_TYPE_COUNT ? 0 : apply(model, event, err);

	model->now_at_ms = event->at_ms;
	if (event->number != 0)
		model->last_event = event->number;
	return status;
}

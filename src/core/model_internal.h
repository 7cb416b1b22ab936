/* What the parts of model_apply() share. Private to model*.c. */
#ifndef CORE_MODEL_INTERNAL_H
#define CORE_MODEL_INTERNAL_H

#include "core/model.h"

/* A handler checks every field before it changes anything. job is NULL for events of the session.
   */
typedef int model_handler(
	struct model *model, struct job *job, const struct event *event, struct err *err);

model_handler model_session_start, model_probe, model_intake, model_gap, model_continued,
	model_found_open, model_session_end, model_view;
model_handler model_ruled, model_refused, model_card, model_edited, model_seen, model_decided,
	model_requeued, model_withdrawn, model_expired, model_grant, model_revoked;
model_handler model_launching, model_started, model_stopping, model_extended, model_output,
	model_usage, model_ended, model_git_changed, model_answered;
model_handler model_locked;
model_handler model_peer_joined, model_peer_left, model_listening; /* model_peer.c */
void model_free_peers(struct model *model);
model_handler model_queued, model_sender_shut;
/* model_sender.c */
void model_free_senders(struct model *model); /* and the lists of calls */
struct sender *model_need_sender(struct model *model, unsigned number, int64_t at_ms);
void model_sender_sent(struct model *model, struct job *job);
/* The state changes, and with it the list that the call is in. */
void model_list_job(struct model *model, struct job *job, enum job_state to);
/* An answered call is one of many refusals: true when another stands for it, and it can go. */
bool model_fold(struct model *model, struct job *job);
/* model_stop.c: fields of EVENT_INTAKE about stop-all; checked first, applied by the second. */
int model_check_stop(const struct event *event, struct err *err);
void model_apply_stop(struct model *model, const struct event *event);
/* A call was refused: counts it when it came behind stop-all. */
void model_refused_after_stop(
	struct model *model, const struct job *job, const struct event *event);
int model_received(struct model *model, const struct event *event, struct err *err);

/* model_grant.c: the fields `grant` and `use` of a `decided`. */
int model_use_grant(
	struct model *model, struct job *job, const struct event *event, struct err *err);
/* None holds any more. */
void model_end_grants(struct model *model, const struct event *event, const char *why);

/* model_forget.c: a call was answered; an older one may be forgotten for it. */
void model_forget(struct model *model, struct job *answered); /* it may go itself */
void model_free_job(struct job *job);

/* A state change, with its counts and times. */
void model_set_state(
	struct model *model, struct job *job, enum job_state state, const struct event *event);

/* Fields. Each gives ERR_INVALID "TYPE: KEY is not ...". */
int model_bad_field(const struct event *event, const char *key, struct err *err);
int model_need_str(const struct event *event, const char *key, const char **ret, struct err *err);
/* ERR_INVALID for a negative number or one that is no whole number; absent, null and -1 leave *ret
   alone. */
int model_want_int(const struct event *event, const char *key, int64_t *ret, struct err *err);
void model_replace(char **field, const char *text); /* NULL empties it */
int model_read_passed(
	const struct event *event, const char *key, struct passed_list *ret, struct err *err);
unsigned model_read_notes(const struct event *event);
/* A reason's name; absent, null and "" are REASON_NONE. */
int model_read_reason(const struct event *event, enum reason *ret, struct err *err);
/* `by`; the fallback when it is absent. */
int model_read_decider(
	const struct event *event, enum decider fallback, enum decider *ret, struct err *err);
void model_free_card(struct card **card); /* may be NULL already; model_forget.c */
void model_keep_ui(struct model *model, const struct event *event);

#endif

#include "config.h"

#include "app/broker.h"

#include <stdlib.h>
#include <string.h>

#include "app/broker_fields.h"
#include "base/clock.h"
#include "base/mem.h"

int broker_record_decision(struct call *call, enum decision decision, enum decider by,
	const char *text, struct json *seen)
{
	struct broker *broker = call->broker;
	int64_t now = clock_mono_ms();
	if (seen != NULL)
		broker_emit(broker, EVENT_SEEN, call->seq, seen);
	call->decided_ms = now;
	call->result.decision = decision;
	call->result.decided_by = by;
	int written = broker_emit(broker, EVENT_DECIDED, call->seq,
		fields_decided(call, decision, by, text, now - call->received_ms));
	if (decision == DECISION_REJECTED) {
		call->result.reason = REASON_REJECTED;
		call->result.sentence = mem_printf("the operator said no: %s", text);
		broker_answer(call);
	}
	return written;
}

void broker_decide(struct call *call, enum decision decision, enum decider by, const char *text,
	struct json *seen)
{
	struct broker *broker = call->broker;
	if (broker_record_decision(call, decision, by, text, seen) == 0 &&
		decision != DECISION_REJECTED)
		broker_schedule(broker);
	/* An approval that is not in the record starts nothing: the sweep of broker_record_broke() refuses it. */
}

/* Among those that have a yes, and not among all that wait. */
static struct call *next_to_start(const struct broker *broker)
{
	const struct job_list *active = &broker->model.active;
	struct call *best = NULL;
	unsigned running = 0;
	for (size_t i = 0; i < active->count; i++) {
		struct call *call = broker_call(broker, job_list_at(active, i)->seq);
		if (call == NULL || call->decided_ms < 0)
			continue;
		running += call->launched ? 1 : 0;
		if (call->launched || call->finished || call->unheard)
			continue;
		if (best == NULL || call->decided_ms < best->decided_ms)
			best = call;
	}
	return running < broker->session->config.max_running ? best : NULL;
}

void broker_schedule(struct broker *broker)
{
	if (!broker->can_run || broker->phase != BROKER_OPEN || broker->stopped)
		return;
	for (struct call *call = next_to_start(broker); call != NULL && broker->can_run;
		call = next_to_start(broker))
		broker_launch(call);
}

static void say(char **ret_text, const char *text)
{
	free(*ret_text);
	*ret_text = mem_strdup(text);
}

bool broker_bound_to_card(const struct call *call, const struct intent *intent, char **ret_text)
{
	if (call == NULL || call->decided_ms >= 0 || call->deadline_ms < 0) {
		say(ret_text, "nothing decided: it does not wait any more");
		return false;
	}
	if (!digest_equal(&call->digest, &intent->digest)) {
		say(ret_text, "nothing decided: the card changed");
		return false;
	}
	return true;
}

bool broker_may_approve(const struct call *call, const struct intent *intent, char **ret_text)
{
	if (!broker_bound_to_card(call, intent, ret_text))
		return false;
	if (!call->broker->can_run) {
		say(ret_text, "nothing decided: the record cannot be written");
		return false;
	}
	/* The screen asked for the word already; a fault there must not be enough. */
	const struct job *job = model_job(&call->broker->model, call->seq);
	if (job == NULL || job->card == NULL || !card_words_match(job->card, intent->text)) {
		say(ret_text, "nothing decided: it asks for a word");
		return false;
	}
	return true;
}

static bool stop(struct call *call, char **ret_text)
{
	if (call == NULL || !call->launched || call->finished) {
		say(ret_text, "nothing to stop: it does not run");
		return false;
	}
	broker_stop_call(call, REASON_KILLED_BY_OPERATOR, "operator");
	return true;
}

static bool revoke_grant(struct broker *broker, uint64_t number, char **ret_text)
{
	if (broker_revoke(broker, number, "by you"))
		return true;
	say(ret_text, "nothing revoked: it does not hold any more");
	return false;
}

/* What decides no card. */
static bool carry_out(struct broker *broker, const struct intent *intent, char **ret_text)
{
	struct call *call = broker_call(broker, intent->seq);
	if (intent->kind == INTENT_REJECT_ALL)
		return broker_reject_all(broker, intent, ret_text);
	if (intent->kind == INTENT_REVOKE)
		return revoke_grant(broker, intent->seq, ret_text);
	if (intent->kind == INTENT_REFUSE_SENDER || intent->kind == INTENT_TAKE_SENDER)
		return broker_refuse_sender(
			broker, intent->seq, intent->kind == INTENT_REFUSE_SENDER, ret_text);
	if (intent->kind == INTENT_EDIT)
		return broker_edit(broker, intent, NULL, ret_text);
	if (intent->kind == INTENT_STOP)
		return stop(call, ret_text);
	if (intent->kind == INTENT_EXTEND)
		return broker_extend(call, ret_text);
	if (intent->kind == INTENT_QUIT)
		broker_shut(broker, REASON_CONSOLE_CLOSED, "you quit");
	return intent->kind == INTENT_QUIT;
}

/* `seq` is the number of a call. */
static bool is_of_call(enum intent_kind kind)
{
	return kind != INTENT_REJECT_ALL && kind != INTENT_REFUSE_SENDER &&
	       kind != INTENT_TAKE_SENDER;
}

static bool approve(struct call *call, struct json *seen, char **ret_text)
{
	struct broker *broker = call->broker; /* the call may be over behind its decision */
	call->approved_by_person = true;
	broker_decide(call, DECISION_APPROVED, DECIDER_OPERATOR, NULL, seen);
	if (!broker->can_run)
		say(ret_text, "nothing runs: the record cannot be written");
	return broker->can_run;
}

bool broker_intent(
	struct broker *broker, const struct intent *intent, struct json *seen, char **ret_text)
{
	bool of_call = is_of_call(intent->kind);
	struct call *call = of_call ? broker_call(broker, intent->seq) : NULL;
	broker_check_heard(broker, call);
	call = of_call ? broker_call(broker, intent->seq) : NULL;
	*ret_text = NULL;
	if (broker_screen_intent(broker, intent, ret_text)) {
		json_free(seen);
		return *ret_text == NULL;
	}
	if (intent->card_count > 0)
		return broker_decide_marked(broker, intent, seen, ret_text);
	if (intent->kind == INTENT_APPROVE && broker_may_approve(call, intent, ret_text))
		return approve(call, seen, ret_text);
	if (intent->kind == INTENT_REJECT && broker_bound_to_card(call, intent, ret_text)) {
		broker_decide(call, DECISION_REJECTED, DECIDER_OPERATOR, intent->text, seen);
		return true;
	}
	if (intent->kind == INTENT_GRANT && broker_may_approve(call, intent, ret_text))
		return broker_give_grant(call, intent, seen, ret_text);
	json_free(seen);
	return carry_out(broker, intent, ret_text);
}

/* Deadlines. */

void broker_expire(struct call *call)
{
	struct json *f = json_new_object();
	json_set_int(f, "after_ms", clock_mono_ms() - call->received_ms);
	broker_emit(call->broker, EVENT_EXPIRED, call->seq, f);
	call->result.decision = DECISION_EXPIRED;
	call->result.decided_by = DECIDER_DEADLINE;
	call->result.reason = REASON_APPROVAL_TIMEOUT;
	call->result.sentence = mem_printf("nobody decided within %u s; that is not a no",
		call->broker->session->config.approval_timeout_s);
	broker_answer(call);
}

void broker_requeue(struct call *call, const char *why)
{
	if (call->peer == BROKER_PEER_OPERATOR) { /* nobody sits at a queue: `run` ends here */
		broker_refuse(call, REASON_SANDBOX_FAILED, why);
		return;
	}
	call->decided_ms = -1;
	call->approved_by_person = false;
	call->grant = 0;
	call->result.decision = DECISION_NONE;
	call->result.decided_by = DECIDER_NONE;
	call->deadline_ms =
		clock_mono_ms() + (int64_t)call->broker->session->config.approval_timeout_s * 1000;
	broker_emit(call->broker, EVENT_REQUEUED, call->seq, fields_one("why", why));
	broker_arm(call->broker);
}

/* When this call needs the clock next; -1: never. */
static int64_t due_ms(const struct call *call)
{
	if (call->launched || call->finished)
		return -1;
	if (call->decided_ms < 0)
		return call->deadline_ms;
	return call->approved_by_person && call->peer != BROKER_PEER_OPERATOR
		       ? call->decided_ms + BROKER_APPROVED_WAIT_MS
		       : -1;
}

void broker_sweep(struct broker *broker)
{
	static const char why[] =
		"the record cannot be written, so nothing runs; make room, then ask again";
	broker_hold_answers(broker);
	broker_end_calls(broker, REASON_AUDIT_UNAVAILABLE, why);
	for (struct call *call = broker_unpark_first(broker, UINT64_MAX); call != NULL;
		call = broker_unpark_first(broker, UINT64_MAX))
		broker_refuse(call, REASON_AUDIT_UNAVAILABLE, why);
	broker_send_answers(broker);
}

static struct call *first_due(const struct broker *broker, int64_t now)
{
	for (size_t i = 0; i < broker->call_count; i++) {
		int64_t due = due_ms(broker->calls[i]);
		if (due >= 0 && due <= now)
			return broker->calls[i];
	}
	return NULL;
}

static void on_timer(uv_timer_t *timer)
{
	struct broker *broker = timer->data;
	if (!broker->can_run)
		broker_sweep(broker);
	int64_t now = clock_mono_ms();
	broker_hold_answers(broker);
	for (struct call *call = first_due(broker, now); call != NULL;
		call = first_due(broker, now)) {
		if (call->decided_ms < 0)
			broker_expire(call);
		else
			broker_requeue(call, "no place was free");
	}
	broker_clear_some(broker);
	broker_send_answers(broker);
	broker_prepare_some(broker);
	broker_look_for_left(broker);
	broker_arm(broker);
}

/* The record broke, and this call was not refused or told to stop for it yet. */
static bool is_to_sweep(const struct call *call)
{
	return !call->broker->can_run && !call->finished && call->stop_reason == REASON_NONE;
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

void broker_arm(struct broker *broker)
{
	int64_t best = sooner(
		broker->left_again_ms > 0 ? broker->left_again_ms : -1, broker_parked_due(broker));
	for (size_t i = 0; i < broker->call_count; i++) {
		const struct call *call = broker->calls[i];
		int64_t due = is_to_sweep(call) ? clock_mono_ms() : due_ms(call);
		best = sooner(best, due);
	}
	if (best < 0) {
		uv_timer_stop(&broker->timer);
		return;
	}
	int64_t wait = best - clock_mono_ms();
	uv_update_time(broker->loop);
	uv_timer_start(&broker->timer, on_timer, wait > 0 ? (uint64_t)wait : 0, 0);
}

void broker_record_broke(struct broker *broker, const struct err *err)
{
	broker->can_run = false;
	model_set_record_failed(&broker->model, err->text);
	/* Not from here: the caller is in the middle of a call. The timer refuses and ends everything in a moment. */
	uv_timer_start(&broker->timer, on_timer, 0, 0);
}

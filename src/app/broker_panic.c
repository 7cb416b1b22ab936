#include "config.h"

#include "app/broker.h"

#include "app/broker_fields.h"
#include "base/clock.h"
#include "base/mem.h"

#define LEFT_AGAIN_MS 1000 /* what was still alive is counted again */

/* The panic key. What waits is rejected, what runs is ended, grants go, and no call comes in until a person opens intake again. */

static struct json *fields_intake(bool open, bool stop_all, const char *why)
{
	struct json *f = fields_one("why", why);
	json_set_bool(f, "open", open);
	json_set_bool(f, "stop_all", stop_all);
	return f;
}

void broker_stop_waiting(struct call *call)
{
	if (call->decided_ms < 0 && call->deadline_ms >= 0)
		broker_decide(call, DECISION_REJECTED, DECIDER_OPERATOR, "all was stopped", NULL);
	else
		broker_refuse(call, REASON_INTAKE_CLOSED,
			"all was stopped before it started; it may be asked for again when intake "
			"is open");
}

static void stop_running(struct call *call)
{
	if (!call->finished)
		broker_stop_call(call, REASON_KILLED_BY_OPERATOR, "operator");
}

bool broker_stop_all(struct broker *broker, char **ret_text)
{
	if (broker->stopped) {
		*ret_text = mem_strdup("all is stopped already");
		return false;
	}
	/* First of all, also where it cannot be written: an answer below frees a place, and nothing may start there. */
	broker->stopped = true;
	broker_emit(broker, EVENT_INTAKE, 0, fields_intake(false, true, "all stopped"));
	broker_revoke_all(broker, "all was stopped");
	/* What runs comes before what waits: each rejection is an answer that goes to the disk. */
	for (size_t i = broker->call_count; i-- > 0;)
		if (broker->calls[i]->launched) {
			left_over_note(&broker->left, broker->calls[i]->child.pid);
			stop_running(broker->calls[i]);
		}
	broker_hold_answers(broker);
	for (size_t i = broker->call_count; i-- > 0;)
		if (!broker->calls[i]->launched && !broker->calls[i]->finished)
			broker_stop_waiting(broker->calls[i]);
	broker->stopped_until = broker->next_seq;
	broker_clear_some(broker);
	broker_send_answers(broker);
	broker_look_for_left(broker);
	return true;
}

static bool anything_launched(const struct broker *broker)
{
	for (size_t i = 0; i < broker->call_count; i++)
		if (broker->calls[i]->launched)
			return true;
	return false;
}

void broker_look_for_left(struct broker *broker)
{
	int64_t now = clock_mono_ms();
	if (!broker->stopped || broker->left_none || now < broker->left_again_ms ||
		anything_launched(broker))
		return;
	int64_t left = (int64_t)left_over_count(&broker->left);
	/* A supervisor that was killed has not seen the end of its tree: that comes a moment later. */
	broker->left_none = left == 0;
	broker->left_again_ms = left == 0 ? 0 : now + LEFT_AGAIN_MS;
	if (left != broker->model.stop.left) {
		struct json *f = fields_intake(false, true, "counted");
		json_set_int(f, "left", left);
		broker_emit(broker, EVENT_INTAKE, 0, f);
	}
	broker_arm(broker);
}

void broker_say_standing(struct broker *broker)
{
	if (broker->stopped)
		broker_emit(broker, EVENT_INTAKE, 0, fields_intake(false, true, "all stopped"));
	broker_say_lock(broker);
	broker_say_peers(broker);
}

bool broker_open_intake(struct broker *broker, char **ret_text)
{
	if (!broker->stopped) {
		*ret_text = mem_strdup("intake is open");
		return false;
	}
	/* What lets calls in must be in the record. */
	if (!broker->can_run || broker_emit(broker, EVENT_INTAKE, 0,
					fields_intake(!broker->intake_closed, false,
						"opened by the operator")) != 0) {
		if (!broker->model.stop.on)
			broker_say_standing(broker);
		*ret_text = mem_strdup("intake stays closed: the record cannot be written");
		return false;
	}
	broker->stopped = false;
	broker->left_none = false;
	broker->left_again_ms = 0;
	left_over_release(&broker->left);
	broker_schedule(broker);
	if (broker_idle(broker) && broker->hooks.idle != NULL)
		broker->hooks.idle(broker->hooks.ctx);
	return true;
}

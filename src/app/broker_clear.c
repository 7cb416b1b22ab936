#include "config.h"

#include "app/broker.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

/* Many calls that end at once. Each has its own events and its own answer; what costs is the disk, so the answers of a turn go out
   behind one fdatasync, and between two turns the keys are read and others are served. */

#define CLEAR_TURN_MS 15
#define CLEAR_AT_LEAST 32 /* in each, however slow: or the disk would be asked for each of them */

void broker_hold_answers(struct broker *broker)
{
	broker->answers.holds++;
}

static void send_all(struct broker *broker)
{
	struct answers sent = broker->answers;
	bool durable = false;
	/* An answer that goes out may end the session of its reader, and with it other calls: those are the next ones. */
	broker->answers = (struct answers){0};
	for (size_t i = 0; i < sent.count; i++)
		/* Nobody holds an answer that was not sent, and nothing ran. */
		durable = durable || sent.items[i]->delivered || sent.items[i]->launched;
	if (durable && !broker->ends_with_answer)
		broker_sync(broker);
	if (!broker->ends_with_answer) {
		broker_turn_file(broker);
		broker_seals_look(broker);
	}
	for (size_t i = 0; i < sent.count; i++)
		broker_send_answer(sent.items[i]);
	free(sent.items);
	broker_made_room(broker);
}

void broker_send_answers(struct broker *broker)
{
	if (--broker->answers.holds == 0 && broker->answers.count > 0)
		send_all(broker);
}

void broker_hold_answer(struct call *call)
{
	struct answers *answers = &call->broker->answers;
	mem_grow(&answers->items, &answers->cap, answers->count, sizeof(struct call *));
	answers->items[answers->count++] = call;
}

static bool refuse_one(struct broker *broker)
{
	struct call *call =
		broker->shut_why != NULL ? broker_unpark_first(broker, UINT64_MAX) : NULL;
	if (call != NULL)
		broker_refuse(call, broker->shut_reason, broker->shut_why);
	return call != NULL;
}

static bool stop_one(struct broker *broker)
{
	struct call *call = broker_unpark_first(broker, broker->stopped_until);
	if (call != NULL)
		broker_stop_waiting(call);
	return call != NULL;
}

static bool withdraw_one(struct broker *broker)
{
	struct call *call = broker_unpark_left(broker);
	if (call != NULL)
		broker_withdraw(call);
	return call != NULL;
}

static bool expire_one(struct broker *broker)
{
	struct call *call = broker_parked_late(broker, clock_mono_ms());
	if (call != NULL)
		broker_expire(call);
	return call != NULL;
}

static bool clear_one(struct broker *broker)
{
	static bool (*const rows[])(struct broker *) = {
		refuse_one, stop_one, withdraw_one, expire_one, broker_reject_one};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i](broker))
			return true;
	return false;
}

/* Not a timer of no time: one that is set in its own turn may run again before a key is read. */
static void on_turn(uv_idle_t *idle)
{
	broker_clear_some(idle->data);
}

void broker_clear_begin(struct broker *broker)
{
	uv_idle_init(broker->loop, &broker->clearing);
	broker->clearing.data = broker;
}

void broker_clear_some(struct broker *broker)
{
	int64_t end_ms = clock_mono_ms() + CLEAR_TURN_MS;
	unsigned count = 0;
	bool more = true;
	broker_hold_answers(broker);
	while (more && (count++ < CLEAR_AT_LEAST || clock_mono_ms() < end_ms))
		more = clear_one(broker);
	broker->clear_due = more;
	if (more)
		uv_idle_start(&broker->clearing, on_turn);
	else
		uv_idle_stop(&broker->clearing);
	broker_send_answers(broker);
	broker_arm(broker);
}

/* The end of everything. */

void broker_end_calls(struct broker *broker, enum reason reason, const char *why)
{
	for (size_t i = broker->call_count; i-- > 0;) {
		struct call *call = broker->calls[i];
		if (call->finished)
			continue;
		if (call->launched)
			broker_stop_call(call, reason, "console");
		else
			broker_refuse(call, reason, why);
	}
}

void broker_shut(struct broker *broker, enum reason reason, const char *why)
{
	if (broker->phase != BROKER_OPEN)
		return;
	broker->phase = BROKER_CLOSING;
	broker->shut_reason = reason;
	broker->shut_why = mem_strdup(why);
	broker_intake_end(broker, why);
	broker_hold_answers(broker);
	broker_end_calls(broker, reason, why);
	broker_clear_some(broker);
	broker_send_answers(broker);
	if (broker_idle(broker) && broker->hooks.idle != NULL)
		broker->hooks.idle(broker->hooks.ctx);
}

void broker_reader_gone(struct broker *broker)
{
	broker->reader_gone = true;
	broker_shut(broker, REASON_WITHDRAWN, "the agent went away: nobody reads the answers");
}

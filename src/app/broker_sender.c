#include "config.h"

#include "app/broker.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"

/* A no to all that waits of a sender: each call has its own event and its own answer. */

#define REJECT_TURN_MS                                                                             \
	15 /* each answer goes to the disk: between two turns the keys are read, and others are served */

static struct call *next_to_reject(const struct broker *broker)
{
	const struct reject_all *all = &broker->reject_all;
	const struct sender *sender = model_sender(&broker->model, all->sender);
	const struct job *job = sender != NULL ? job_list_at(&sender->waiting, 0) : NULL;
	struct call *call =
		job != NULL && job->seq <= all->until ? broker_call(broker, job->seq) : NULL;
	return call != NULL && call->decided_ms < 0 && !call->finished ? call : NULL;
}

void broker_reject_some(struct broker *broker)
{
	int64_t end_ms = clock_mono_ms() + REJECT_TURN_MS;
	if (broker->reject_all.text == NULL)
		return;
	do {
		struct call *call = next_to_reject(broker);
		if (call == NULL) {
			free(STEAL(broker->reject_all.text));
			return;
		}
		broker_decide(
			call, DECISION_REJECTED, DECIDER_OPERATOR, broker->reject_all.text, NULL);
	} while (clock_mono_ms() < end_ms);
}

bool broker_reject_all(struct broker *broker, const struct intent *intent, char **ret_text)
{
	if (broker->reject_all.text != NULL) {
		*ret_text =
			mem_strdup("nothing decided: calls of a sender are being rejected already");
		return false;
	}
	broker->reject_all = (struct reject_all){.sender = (unsigned)intent->seq,
		.until = intent->until,
		.text = mem_strdup(intent->text)};
	if (next_to_reject(broker) == NULL)
		*ret_text = mem_strdup("nothing decided: nothing of it waits any more");
	broker_reject_some(broker);
	broker_arm(broker);
	return *ret_text == NULL;
}

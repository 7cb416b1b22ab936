#include "config.h"

#include "app/broker.h"

#include <stdlib.h>

#include "base/mem.h"

/* A no to all that waits of a sender: each call has its own event and its own answer. */

static struct call *next_to_reject(struct broker *broker)
{
	const struct reject_all *all = &broker->reject_all;
	const struct sender *sender = model_sender(&broker->model, all->sender);
	const struct job *job = sender != NULL ? job_list_at(&sender->waiting, 0) : NULL;
	struct call *call =
		job != NULL && job->seq <= all->until ? broker_call(broker, job->seq) : NULL;
	if (call == NULL && job != NULL && job->seq <= all->until)
		call = broker_unpark(broker, job->seq);
	return call != NULL && call->decided_ms < 0 && !call->finished ? call : NULL;
}

bool broker_reject_one(struct broker *broker)
{
	struct call *call = broker->reject_all.text != NULL ? next_to_reject(broker) : NULL;
	if (call == NULL)
		free(STEAL(broker->reject_all.text));
	else
		broker_decide(
			call, DECISION_REJECTED, DECIDER_OPERATOR, broker->reject_all.text, NULL);
	return call != NULL;
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
	broker_clear_some(broker);
	return *ret_text == NULL;
}

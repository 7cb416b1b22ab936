#include "config.h"

#include "app/broker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Several cards decided by one key. */

static struct intent one_of(const struct intent *all, unsigned i)
{
	return (struct intent){.kind = all->kind,
		.seq = all->cards[i].seq,
		.digest = all->cards[i].digest,
		.text = all->kind == INTENT_REJECT_MARKED ? all->text : NULL};
}

static void say_which(uint64_t seq, char **ret_text)
{
	char *why MEM_AUTO = *ret_text;
	const char *colon = why != NULL ? strstr(why, ": ") : NULL;
	*ret_text = mem_printf("none of them decided, #%" PRIu64 ": %s", seq,
		colon != NULL ? colon + 2 : "it does not wait any more");
}

/* Everything is looked at before anything is recorded: a person who decided all of them did not decide some. */
static bool all_hold(struct broker *broker, const struct intent *all, char **ret_text)
{
	for (unsigned i = 0; i < all->card_count; i++)
		broker_check_heard(broker, broker_call(broker, all->cards[i].seq));
	for (unsigned i = 0; i < all->card_count; i++) {
		struct intent one = one_of(all, i);
		struct call *call = broker_call(broker, one.seq);
		bool holds = all->kind == INTENT_APPROVE_MARKED
				     ? broker_may_approve(call, &one, ret_text)
				     : broker_bound_to_card(call, &one, ret_text);
		if (!holds) {
			say_which(one.seq, ret_text);
			return false;
		}
	}
	return all->card_count > 0;
}

/* Nothing starts before all of them are in the record. */
static void decide(struct broker *broker, const struct intent *all, struct json *seen)
{
	bool approved = all->kind == INTENT_APPROVE_MARKED;
	for (unsigned i = 0; i < all->card_count; i++) {
		struct call *call = broker_call(broker, all->cards[i].seq);
		char seq[24];
		if (call == NULL || (approved && !broker->can_run))
			continue;
		snprintf(seq, sizeof(seq), "%" PRIu64, all->cards[i].seq);
		call->approved_by_person = approved;
		broker_record_decision(call, approved ? DECISION_APPROVED : DECISION_REJECTED,
			DECIDER_OPERATOR, approved ? NULL : all->text,
			seen != NULL ? json_take(seen, seq) : NULL);
	}
}

bool broker_decide_marked(
	struct broker *broker, const struct intent *intent, struct json *seen, char **ret_text)
{
	bool holds = all_hold(broker, intent, ret_text);
	if (holds)
		decide(broker, intent, seen);
	json_free(seen);
	if (!holds)
		return false;
	if (!broker->can_run && intent->kind == INTENT_APPROVE_MARKED) {
		*ret_text = mem_strdup("nothing runs: the record cannot be written");
		return false;
	}
	broker_schedule(broker);
	return true;
}

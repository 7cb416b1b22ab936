#include "config.h"

#include "app/broker.h"

#include <stdlib.h>
#include <string.h>

#include "app/broker_fields.h"
#include "base/clock.h"
#include "base/json_digest.h"
#include "base/mem.h"

/* A person's yes that holds for the identical call again. The model has the list; here it is given, used and taken back. */

#define NEUTRAL "again" /* where a name of one run would be */

static void set_private_dir(struct call *call, const char *dir)
{
	if (call->offer.private_dir[0] != '\0')
		environment_private(&call->confinement.env, dir);
}

/* Of everything that its card's digest covers, but for what tells one call of two from the other: its number, line and id, the time of
   the proof, the sender's words, and the names of a container or a directory that are made of its number. Of the plan and the
   confinement as they are on its card now; both are as before when it returns. */
static int digest_of(struct call *call, struct digest *ret)
{
	struct confinement *c = &call->confinement;
	struct offer offer = call->offer;
	struct str plan STR_AUTO = STR_INIT;
	struct err err = ERR_INIT;
	char neutral[] = NEUTRAL;
	char *name = c->run_name;
	c->run_name = neutral;
	if (offer.private_dir[0] != '\0')
		memcpy(offer.private_dir, NEUTRAL, sizeof(NEUTRAL));
	set_private_dir(call, NEUTRAL);
	int status = broker_encode_plan(call, &offer, &plan, &err);
	if (status == 0) {
		struct card card;
		broker_build_card(call, &offer, &plan, true, &card);
		*ret = card.digest;
		card_release(&card);
	}
	c->run_name = name;
	set_private_dir(call, call->offer.private_dir);
	return status;
}

static bool emit_revoked(struct broker *broker, const struct grant *grant, const char *why)
{
	uint64_t number = grant->number;
	if (grant_state(grant, broker_at_ms(broker)) != GRANT_HOLDS)
		return false;
	struct json *f = fields_one("why", why);
	json_set_int(f, "grant", (int64_t)number);
	broker_emit(broker, EVENT_REVOKED, 0, f);
	return true;
}

/* The model's clock stands while the machine sleeps; a yes for ten minutes must not wake up with it the next morning. */
static bool slept_through(const struct grant *grant)
{
	return clock_wall_ms() - grant->made_wall_ms > (int64_t)grant->minutes * 60000;
}

static const struct grant *covering(struct call *call)
{
	struct broker *broker = call->broker;
	const struct grants *grants = &broker->model.grants;
	const struct job *job = model_job(&broker->model, call->seq);
	struct digest digest;
	/* Most calls have no grant to look at, and cost nothing more. */
	if (!grants_find(grants, call->peer, NULL, broker_at_ms(broker)) || job == NULL ||
		job->card == NULL || !grant_possible(job->card) || digest_of(call, &digest) != 0)
		return NULL;
	const struct grant *grant = grants_find(grants, call->peer, &digest, broker_at_ms(broker));
	if (grant == NULL || !slept_through(grant))
		return grant;
	broker_revoke(broker, grant->number, "its time passed while the machine slept");
	return NULL;
}

bool broker_use_grant(struct call *call)
{
	const struct grant *grant = covering(call);
	if (grant == NULL)
		return false;
	call->grant = grant->number;
	call->approved_by_person = true;
	broker_decide(call, DECISION_APPROVED, DECIDER_GRANT, NULL, NULL);
	return true;
}

static const char *why_not(const struct call *call, const struct intent *intent)
{
	const struct broker *broker = call->broker;
	const struct job *job = model_job(&broker->model, call->seq);
	if (!grant_possible(job->card))
		return "nothing decided: such a card is read each time";
	if (!grant_numbers_fit(intent->minutes, intent->times))
		return "nothing decided: minutes or times are out of range";
	if (grants_holding(&broker->model.grants, broker_at_ms(broker)) >= GRANTS_MAX)
		return "nothing decided: too many grants hold: revoke one first";
	return NULL;
}

static int emit_grant(struct call *call, const struct intent *intent, const struct digest *digest)
{
	struct json *f = json_new_object();
	json_set_int(f, "grant", (int64_t)call->broker->model.grants.last + 1);
	json_set_digest(f, "digest", digest);
	json_set_int(f, "minutes", intent->minutes);
	json_set_int(f, "times", intent->times);
	return broker_emit(call->broker, EVENT_GRANT, call->seq, f);
}

bool broker_give_grant(
	struct call *call, const struct intent *intent, struct json *seen, char **ret_text)
{
	struct digest digest;
	const char *why = why_not(call, intent);
	if (why == NULL && digest_of(call, &digest) != 0)
		why = "nothing decided: its plan cannot be made any more";
	if (why != NULL) {
		json_free(seen);
		*ret_text = mem_strdup(why);
		return false;
	}
	if (seen != NULL)
		broker_emit(call->broker, EVENT_SEEN, call->seq, seen);
	if (emit_grant(call, intent, &digest) != 0) {
		/* The list must not show that it holds. */
		broker_revoke(
			call->broker, call->broker->model.grants.last, "it is not in the record");
		*ret_text = mem_strdup("nothing decided: the record cannot be written");
		return false;
	}
	call->approved_by_person = true;
	broker_decide(call, DECISION_APPROVED, DECIDER_OPERATOR, NULL, NULL);
	return true;
}

static struct call *covered(const struct broker *broker, uint64_t number)
{
	for (size_t i = 0; i < broker->call_count; i++) {
		struct call *call = broker->calls[i];
		if (call->grant == number && call->decided_ms >= 0 && !call->launched &&
			!call->finished)
			return call;
	}
	return NULL;
}

bool broker_revoke(struct broker *broker, uint64_t number, const char *why)
{
	const struct grant *grant = grants_get(&broker->model.grants, number);
	bool revoked = grant != NULL && emit_revoked(broker, grant, why);
	/* What it said yes to and what found no free place yet: also when it was its last use. */
	for (struct call *call = covered(broker, number); call != NULL && broker->can_run;
		call = covered(broker, number))
		broker_requeue(call, "its grant was revoked");
	return revoked;
}

void broker_revoke_all(struct broker *broker, const char *why)
{
	for (size_t i = 0; i < broker->model.grants.count; i++)
		broker_revoke(broker, broker->model.grants.items[i].number, why);
}

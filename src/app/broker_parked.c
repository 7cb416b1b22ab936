#include "config.h"

#include "app/broker.h"

#include <stdlib.h>
#include <string.h>

#include "app/broker_fields.h"
#include "base/clock.h"
#include "base/mem.h"

/* Calls of a sender of which many wait already. A card costs descriptors of its places and some tens of KiB; such a call has none
   until its turn comes near, or a person opens it, so that 100,000 of them need neither. Its command is in the model alone. */

#define PREPARE_AT_ONCE 8u

struct parked {
	uint64_t seq;
	int64_t received_ms, deadline_ms;
	struct request request; /* without its command */
	struct call_id id;
	struct parked_peer *peer;
	struct parked *before, *behind; /* of the same peer */
};

/* Those of one connection, so that the end of it need not look at those of all others. */
struct parked_peer {
	unsigned number;
	bool left;
	struct parked *first, *last;
};

static size_t peer_at(const struct parking *p, unsigned number)
{
	size_t at = 0;
	while (at < p->peer_count && p->peers[at]->number != number)
		at++;
	return at;
}

static struct parked_peer *need_peer(struct parking *p, unsigned number)
{
	size_t at = peer_at(p, number);
	if (at < p->peer_count)
		return p->peers[at];
	struct parked_peer *peer = mem_alloc(sizeof(*peer));
	peer->number = number;
	mem_grow(&p->peers, &p->peer_cap, p->peer_count, sizeof(struct parked_peer *));
	p->peers[p->peer_count++] = peer;
	return peer;
}

static void link_in(struct parked *parked, struct parked_peer *peer)
{
	parked->peer = peer;
	parked->before = peer->last;
	if (peer->last != NULL)
		peer->last->behind = parked;
	else
		peer->first = parked;
	peer->last = parked;
}

static void link_out(struct parking *p, struct parked *parked)
{
	struct parked_peer *peer = parked->peer;
	if (parked->before != NULL)
		parked->before->behind = parked->behind;
	else
		peer->first = parked->behind;
	if (parked->behind != NULL)
		parked->behind->before = parked->before;
	else
		peer->last = parked->before;
	if (peer->first != NULL)
		return;
	p->peers[peer_at(p, peer->number)] = p->peers[p->peer_count - 1];
	p->peer_count--;
	free(peer);
}

bool broker_parks(const struct call *call)
{
	const struct broker *broker = call->broker;
	const struct sender *sender =
		model_sender(&broker->model, broker_sender(broker, call->peer));
	return broker->parks && call->peer != BROKER_PEER_OPERATOR && sender != NULL &&
	       sender->waiting.count >= BROKER_PREPARED;
}

/* What was taken out is room again, once it is more than what is left. */
static void make_room(struct parking *p)
{
	size_t kept = 0;
	if (p->end == p->cap && p->count < p->end / 2) {
		for (size_t i = p->first; i < p->end; i++)
			if (p->slots[i].parked != NULL)
				p->slots[kept++] = p->slots[i];
		p->first = 0;
		p->end = kept;
	}
	mem_grow(&p->slots, &p->cap, p->end, sizeof(*p->slots));
}

void broker_park(struct call *call)
{
	struct broker *broker = call->broker;
	struct parking *p = &broker->parking;
	struct parked *parked = mem_alloc(sizeof(*parked));
	broker_emit(broker, EVENT_QUEUED, call->seq, NULL);
	call_ids_remove(&broker->ids, &call->id);
	*parked = (struct parked){.seq = call->seq,
		.received_ms = call->received_ms,
		.deadline_ms = call->received_ms +
			       (int64_t)broker->session->config.approval_timeout_s * 1000,
		.request = call->request};
	request_init(&call->request);
	free(STEAL(parked->request.command));
	make_room(p);
	p->slots[p->end++] = (struct parked_slot){.seq = parked->seq, .parked = parked};
	p->count++;
	link_in(parked, need_peer(p, call->peer));
	call_ids_add(&broker->ids, &parked->id, call->peer, &parked->request.id);
	broker_drop_call(call);
	broker_arm(broker);
}

static size_t slot_of(const struct parking *p, uint64_t seq)
{
	size_t low = p->first, high = p->end;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (p->slots[middle].seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct parked *find(const struct parking *p, uint64_t seq)
{
	size_t at = slot_of(p, seq);
	return at < p->end && p->slots[at].seq == seq ? p->slots[at].parked : NULL;
}

static void take_out(struct broker *broker, struct parked *parked)
{
	struct parking *p = &broker->parking;
	p->slots[slot_of(p, parked->seq)].parked = NULL;
	p->count--;
	/* The first is always one that is there. */
	while (p->first < p->end && p->slots[p->first].parked == NULL)
		p->first++;
	link_out(p, parked);
	call_ids_remove(&broker->ids, &parked->id);
}

static struct call *revive(struct broker *broker, struct parked *parked)
{
	if (parked == NULL)
		return NULL;
	const struct job *job = model_job(&broker->model, parked->seq);
	struct call *call = broker_add_call(broker, parked->peer->number, parked->seq);
	call->unheard = parked->peer->left;
	take_out(broker, parked);
	call->received_ms = parked->received_ms;
	call->deadline_ms = parked->deadline_ms;
	request_release(&call->request);
	call->request = parked->request;
	call->request.command = mem_strdup(job->command);
	call_ids_add(&broker->ids, &call->id, call->peer, &call->request.id);
	policy_judge(&call->request, &broker->session->config, &call->ruling);
	free(parked);
	return call;
}

struct call *broker_unpark(struct broker *broker, uint64_t seq)
{
	return revive(broker, find(&broker->parking, seq));
}

static struct parked *oldest(const struct parking *p)
{
	return p->count > 0 ? p->slots[p->first].parked : NULL;
}

struct call *broker_unpark_first(struct broker *broker, uint64_t until)
{
	struct parked *parked = oldest(&broker->parking);
	return parked != NULL && parked->seq <= until ? revive(broker, parked) : NULL;
}

struct call *broker_unpark_left(struct broker *broker)
{
	const struct parking *p = &broker->parking;
	for (size_t i = 0; i < p->peer_count; i++)
		if (p->peers[i]->left)
			return revive(broker, p->peers[i]->first);
	return NULL;
}

void broker_parked_leave(struct broker *broker, unsigned peer)
{
	struct parking *p = &broker->parking;
	size_t at = peer_at(p, peer);
	if (at < p->peer_count)
		p->peers[at]->left = true;
}

bool broker_has_parked(const struct broker *broker, unsigned peer)
{
	return peer_at(&broker->parking, peer) < broker->parking.peer_count;
}

/* It is to be rejected or withdrawn, and waits for its turn of that: no card is made of it, and no grant lets it run. */
static bool is_to_go(const struct broker *broker, uint64_t seq)
{
	const struct parked *parked = find(&broker->parking, seq);
	return seq <= broker->stopped_until || (parked != NULL && parked->peer->left);
}

bool broker_prepare(struct broker *broker, uint64_t seq)
{
	struct call *call = broker->can_run && !broker->stopped && broker->phase == BROKER_OPEN &&
					    !is_to_go(broker, seq)
				    ? broker_unpark(broker, seq)
				    : NULL;
	if (call == NULL || broker_card(call, false) != 0)
		return false;
	broker_use_grant(call);
	broker_arm(broker);
	return true;
}

/* The first of a sender's that has no card, if that stands among those that should have one; 0. */
static uint64_t unprepared(const struct sender *sender)
{
	for (size_t i = 0; i < BROKER_PREPARED && i < sender->waiting.count; i++) {
		const struct job *job = job_list_at(&sender->waiting, i);
		if (job->card == NULL)
			return job->seq;
	}
	return 0;
}

void broker_prepare_some(struct broker *broker)
{
	const struct model *model = &broker->model;
	unsigned made = 0;
	for (size_t i = 0; broker->parking.due && i < model->sender_count; i++) {
		uint64_t seq = unprepared(model->senders[i]);
		if (seq != 0 && broker_prepare(broker, seq) && ++made == PREPARE_AT_ONCE)
			return;
	}
	broker->parking.due = false;
}

int64_t broker_parked_due(const struct broker *broker)
{
	const struct parking *p = &broker->parking;
	/* In its turns it sees to those that are late, too. */
	if (p->count == 0 || broker->clear_due)
		return -1;
	return p->due && broker->can_run ? clock_mono_ms() : oldest(p)->deadline_ms;
}

struct call *broker_parked_late(struct broker *broker, int64_t now)
{
	struct parked *parked = oldest(&broker->parking);
	return parked != NULL && parked->deadline_ms <= now ? revive(broker, parked) : NULL;
}

void broker_parking_release(struct broker *broker)
{
	struct parking *p = &broker->parking;
	for (struct parked *parked = oldest(p); parked != NULL; parked = oldest(p)) {
		take_out(broker, parked);
		request_release(&parked->request);
		free(parked);
	}
	free(p->slots);
	free(p->peers);
	*p = (struct parking){0};
}

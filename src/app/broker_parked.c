#include "config.h"

#include "app/broker.h"

#include <stdlib.h>
#include <string.h>

#include "app/broker_fields.h"
#include "base/clock.h"
#include "base/mem.h"

/* Calls of a sender of which many wait already. A card costs descriptors of its places and some tens of KiB; such a call has none
   until its turn comes near, or a person opens it, so that 100,000 of them need neither. Its command is in the model alone. */

#define IDS_BITS                                                                                   \
	20u /* buckets of the ids in use: an arrival must not be held against each that waits */
#define IDS_FULL 255u
#define PREPARE_AT_ONCE 8u

struct parked {
	uint64_t seq;
	unsigned peer;
	int64_t received_ms, deadline_ms;
	struct request request; /* without its command */
};

static size_t bucket_of(unsigned peer, const struct request_id *id)
{
	uint64_t hash = 1469598103934665603u ^ peer;
	const char *text = id->kind == REQUEST_ID_STRING ? id->text : "";
	hash = (hash ^ (uint64_t)(id->kind == REQUEST_ID_INTEGER ? id->number : 0)) *
	       1099511628211u;
	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * 1099511628211u;
	return (size_t)(hash >> (64 - IDS_BITS));
}

/* One that is full stays so: then each call is looked at. */
static void count_id(struct broker *broker, const struct parked *parked, bool more)
{
	struct parking *p = &broker->parking;
	if (p->ids == NULL)
		p->ids = mem_array((size_t)1 << IDS_BITS, 1);
	uint8_t *count = &p->ids[bucket_of(parked->peer, &parked->request.id)];
	if (*count != IDS_FULL)
		*count = (uint8_t)(more ? *count + 1 : *count - 1);
}

bool broker_parked_has_id(const struct broker *broker, const struct call *call)
{
	const struct parking *p = &broker->parking;
	if (p->count == 0 || p->ids[bucket_of(call->peer, &call->request.id)] == 0)
		return false;
	for (size_t i = 0; i < p->count; i++) {
		const struct parked *parked = p->items[p->first + i];
		if (parked->peer == call->peer &&
			request_id_equal(&parked->request.id, &call->request.id))
			return true;
	}
	return false;
}

bool broker_parks(const struct call *call)
{
	const struct broker *broker = call->broker;
	const struct sender *sender =
		model_sender(&broker->model, broker_sender(broker, call->peer));
	return broker->parks && call->peer != BROKER_PEER_OPERATOR && sender != NULL &&
	       sender->waiting.count >= BROKER_PREPARED;
}

static void make_room(struct parking *p)
{
	if (p->first > p->count) {
		memmove(p->items, p->items + p->first, p->count * sizeof(struct parked *));
		p->first = 0;
	}
	mem_grow(&p->items, &p->cap, p->first + p->count, sizeof(struct parked *));
}

void broker_park(struct call *call)
{
	struct broker *broker = call->broker;
	struct parking *p = &broker->parking;
	struct parked *parked = mem_alloc(sizeof(*parked));
	broker_emit(broker, EVENT_QUEUED, call->seq, NULL);
	*parked = (struct parked){.seq = call->seq,
		.peer = call->peer,
		.received_ms = call->received_ms,
		.deadline_ms = call->received_ms +
			       (int64_t)broker->session->config.approval_timeout_s * 1000,
		.request = call->request};
	request_init(&call->request);
	free(STEAL(parked->request.command));
	make_room(p);
	p->items[p->first + p->count++] = parked;
	count_id(broker, parked, true);
	broker_drop_call(call);
	broker_arm(broker);
}

static size_t index_of(const struct parking *p, uint64_t seq)
{
	size_t low = 0, high = p->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (p->items[p->first + middle]->seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct parked *take_out(struct broker *broker, size_t index)
{
	struct parking *p = &broker->parking;
	struct parked **items = p->items + p->first, *parked = items[index];
	if (index < p->count / 2) {
		memmove(items + 1, items, index * sizeof(struct parked *));
		p->first++;
	} else {
		memmove(items + index, items + index + 1,
			(p->count - index - 1) * sizeof(struct parked *));
	}
	p->count--;
	count_id(broker, parked, false);
	return parked;
}

static struct call *revive(struct broker *broker, size_t index)
{
	struct parked *parked = take_out(broker, index);
	const struct job *job = model_job(&broker->model, parked->seq);
	struct call *call = broker_add_call(broker, parked->peer, parked->seq);
	call->received_ms = parked->received_ms;
	call->deadline_ms = parked->deadline_ms;
	request_release(&call->request);
	call->request = parked->request;
	call->request.command = mem_strdup(job->command);
	policy_judge(&call->request, &broker->session->config, &call->ruling);
	free(parked);
	return call;
}

struct call *broker_unpark(struct broker *broker, uint64_t seq)
{
	const struct parking *p = &broker->parking;
	size_t index = index_of(p, seq);
	if (index == p->count || p->items[p->first + index]->seq != seq)
		return NULL;
	return revive(broker, index);
}

struct call *broker_unpark_any(struct broker *broker, unsigned peer)
{
	const struct parking *p = &broker->parking;
	for (size_t i = p->count; i-- > 0;)
		if (peer == 0 || p->items[p->first + i]->peer == peer)
			return revive(broker, i);
	return NULL;
}

bool broker_has_parked(const struct broker *broker, unsigned peer)
{
	const struct parking *p = &broker->parking;
	for (size_t i = 0; i < p->count; i++)
		if (p->items[p->first + i]->peer == peer)
			return true;
	return false;
}

bool broker_prepare(struct broker *broker, uint64_t seq)
{
	struct call *call = broker->can_run && !broker->stopped && broker->phase == BROKER_OPEN
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
	if (p->count == 0)
		return -1;
	return p->due && broker->can_run ? clock_mono_ms() : p->items[p->first]->deadline_ms;
}

struct call *broker_parked_late(struct broker *broker, int64_t now)
{
	const struct parking *p = &broker->parking;
	return p->count > 0 && p->items[p->first]->deadline_ms <= now ? revive(broker, 0) : NULL;
}

void broker_parking_release(struct broker *broker)
{
	struct parking *p = &broker->parking;
	for (size_t i = 0; i < p->count; i++) {
		request_release(&p->items[p->first + i]->request);
		free(p->items[p->first + i]);
	}
	free(p->items);
	free(p->ids);
	*p = (struct parking){0};
}

#include "config.h"

#include "app/broker.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/broker_fields.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

int64_t broker_at_ms(const struct broker *broker)
{
	return clock_mono_ms() - broker->start_ms;
}

int broker_emit(struct broker *broker, enum event_type type, uint64_t seq, struct json *fields)
{
	struct event event = {.type = type,
		.seq = seq,
		.at_ms = broker_at_ms(broker),
		.wall_ms = clock_wall_ms(),
		.fields = fields != NULL ? fields : json_new_object(),
		.live = true};
	struct err err = ERR_INIT;
	int written = -1;
	if (broker->can_run) {
		written = masker_append(&broker->masker, broker->audit, &event, &err);
		if (written != 0)
			broker_record_broke(broker, &err);
	}
	/* An event that could not be written still changes the screen (number 0): what was refused or ended because of
	   the broken record must show. Nothing starts on it: can_run is false. */
	struct err apply = ERR_INIT;
	if (model_apply(&broker->model, &event, &apply) != 0)
		abort(); /* an impossible state is a bug, and must not become a wrong decision */
	event_release(&event);
	if (broker->hooks.changed != NULL)
		broker->hooks.changed(broker->hooks.ctx);
	return written;
}

int broker_sync(struct broker *broker)
{
	if (!broker->can_run)
		return -1;
	if (!audit_dirty(broker->audit))
		return 0;
	struct err err = ERR_INIT;
	if (audit_sync(broker->audit, &err) == 0)
		return 0;
	broker_record_broke(broker, &err);
	return -1;
}

/* Of the first call whose number is at least this. */
static size_t index_of(const struct broker *broker, uint64_t seq)
{
	size_t low = 0, high = broker->call_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (broker->calls[middle]->seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct call *broker_call(const struct broker *broker, uint64_t seq)
{
	size_t at = index_of(broker, seq);
	return at < broker->call_count && broker->calls[at]->seq == seq ? broker->calls[at] : NULL;
}

static void insert(struct broker *broker, struct call *call)
{
	mem_grow(&broker->calls, &broker->call_cap, broker->call_count, sizeof(struct call *));
	size_t at = index_of(broker, call->seq);
	memmove(&broker->calls[at + 1], &broker->calls[at],
		(broker->call_count - at) * sizeof(struct call *));
	broker->calls[at] = call;
	broker->call_count++;
}

struct call *broker_add_call(struct broker *broker, unsigned peer, uint64_t seq)
{
	struct call *call = mem_alloc(sizeof(*call));
	call->broker = broker;
	call->peer = peer;
	call->seq = seq != 0 ? seq : ++broker->next_seq;
	call->child = (struct child)CHILD_INIT;
	call->stdin_fd = -1;
	call->received_ms = clock_mono_ms();
	call->decided_ms = call->deadline_ms = -1;
	request_init(&call->request);
	confinement_init(&call->confinement);
	result_init(&call->result);
	insert(broker, call);
	return call;
}

static void free_call(struct call *call)
{
	broker_unwatch(call);
	child_close(&call->child);
	call_ids_remove(&call->broker->ids, &call->id);
	request_release(&call->request);
	free(call->edit.asked);
	free(call->edit.editor);
	ruling_release(&call->ruling);
	confinement_release(&call->confinement);
	pins_release(&call->pins);
	str_release(&call->plan);
	str_release(&call->plan_sent);
	git_snapshot_free(call->git_before);
	result_release(&call->result);
	free(call);
}

void broker_drop_call(struct call *call)
{
	struct broker *broker = call->broker;
	size_t at = index_of(broker, call->seq);
	broker->call_count--;
	memmove(&broker->calls[at], &broker->calls[at + 1],
		(broker->call_count - at) * sizeof(struct call *));
	free_call(call);
}

void broker_remove_call(struct call *call)
{
	struct broker *broker = call->broker;
	broker_drop_call(call);
	broker_made_room(broker);
}

void broker_made_room(struct broker *broker)
{
	broker->parking.due = broker->parking.count > 0;
	broker_look_for_left(broker);
	broker_schedule(broker);
	broker_arm(broker);
	if (broker_idle(broker) && broker->hooks.idle != NULL)
		broker->hooks.idle(broker->hooks.ctx);
}

bool broker_idle(const struct broker *broker)
{
	return broker->call_count == 0 && broker->parking.count == 0;
}

static void emit_found(struct broker *broker, const struct found_list *found)
{
	for (size_t i = 0; i < found->count; i++)
		broker_emit(broker, EVENT_FOUND_OPEN, 0, fields_found_open(&found->items[i]));
}

void broker_begin(struct broker *broker, uv_loop_t *loop, struct session *session,
	const struct broker_hooks *hooks, bool reviewer)
{
	*broker = (struct broker){.loop = loop,
		.session = session,
		.hooks = *hooks,
		.reviewer = reviewer,
		.can_run = true,
		.masker = {.redact = session->config.redact,
			.no_output = !session->config.record_output},
		.start_ms = clock_mono_ms()};
	model_init(&broker->model);
}

/* What it has been given runs nothing; its end is waited for. */
static void forget_expected(struct broker *broker)
{
	struct call *call = STEAL(broker->expected);
	if (call == NULL)
		return;
	child_end(&call->child);
	broker->call_count = 0;
	free_call(call);
}

void broker_abandon(struct broker *broker)
{
	forget_expected(broker);
	model_release(&broker->model);
	free(broker->calls);
}

int broker_open(struct broker *broker, const char *input, struct err *err)
{
	struct session *session = broker->session;
	struct digest chain;
	struct found_list found = {0};
	if (broker_seals_open(broker, err) != 0 ||
		audit_open(session->record_dir, clock_wall_ms(), &broker->audit, &chain, &found,
			err) != 0) {
		forget_expected(broker);
		return err_context(err, "audit_unavailable");
	}
	broker->input = input;
	audit_limit(broker->audit, (uint64_t)session->config.audit_max_size_mb << 20);
	audit_sync_ahead(broker->audit);
	uv_timer_init(broker->loop, &broker->timer);
	broker->timer.data = broker;
	broker_clear_begin(broker);
	int ok = broker_emit(
		broker, EVENT_SESSION_START, 0, fields_session_start(broker, input, &chain));
	if (session->host.docker != NULL)
		session->host.docker->record = mem_printf(
			"%s/%s.jsonl", session->record_dir, audit_session(broker->audit));
	if (strcmp(input, "none") != 0) {
		struct json *peer = fields_peer(input);
		json_set_int(peer, "most", broker_sender_most(broker, BROKER_PEER_STDIN));
		broker_emit(broker, EVENT_PEER, 0, peer);
	}
	emit_found(broker, &found);
	found_list_release(&found);
	broker_seals_begin(broker);
	/* The one call of `run` does not wait for it. */
	if (!broker->ends_with_answer)
		broker_keep(broker);
	if (ok == 0)
		return 0;
	forget_expected(broker);
	return err_set(err, ERR_UNAVAILABLE, "audit_unavailable: %s",
		broker->model.record_failed != NULL ? broker->model.record_failed
						    : "the record cannot be written");
}

void broker_proved(struct broker *broker, const struct offer *offer, enum backend_id id, bool ok,
	const char *why)
{
	broker_emit(broker, EVENT_PROBE, 0, fields_probe(offer, id, ok, why));
}

void broker_close(struct broker *broker, const char *why, struct json *ui)
{
	if (broker->audit != NULL) {
		struct json *fields = json_new_object();
		json_set_str(fields, "why", why);
		broker_seals_stop(broker);
		broker_keep_end(broker);
		if (ui != NULL)
			json_set(fields, "ui", ui);
		broker_emit(broker, EVENT_SESSION_END, 0, fields);
		struct err err = ERR_INIT;
		uint64_t events = broker->model.last_event;
		if (audit_close(broker->audit, &err) != 0)
			log_warn("the end of the record: %s", err.text);
		broker->audit = NULL;
		broker_seals_close(broker, events);
		uv_close((uv_handle_t *)&broker->timer, NULL);
		uv_close((uv_handle_t *)&broker->clearing, NULL);
	}
	model_release(&broker->model);
	free(broker->calls);
	free(broker->profiles);
	masker_release(&broker->masker);
	free(broker->reject_all.text);
	free(broker->shut_why);
	broker_parking_release(broker);
	call_ids_release(&broker->ids);
	left_over_release(&broker->left);
	password_wipe(broker->passphrase, sizeof(broker->passphrase));
}

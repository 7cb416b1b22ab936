#include "config.h"

#include "app/broker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app/broker_fields.h"
#include "app/outcome.h"
#include "base/clock.h"
#include "base/mem.h"
#include "sandbox/pasta.h"
#include "sandbox/private_dir.h"

void broker_output(struct call *call, const char *bytes, size_t len)
{
	struct broker *broker = call->broker;
	struct result *r = &call->result;
	uint64_t cap = call->confinement.limits.output_bytes;
	if (broker->hooks.output != NULL)
		broker->hooks.output(broker->hooks.ctx, call, bytes, len);
	bool was_within = r->output_bytes <= cap;
	r->output_bytes += len;
	if (!was_within)
		return; /* drained and counted, so that the command is never broken by the cap */
	size_t room = (size_t)cap - r->output.len;
	size_t take = len < room ? len : room;
	str_add_bytes(&r->output, bytes, take);
	if (take > 0)
		broker_emit(broker, EVENT_OUTPUT, call->seq, event_output_fields(bytes, take));
	if (r->output_bytes > cap) {
		struct json *f = json_new_object();
		json_set_int(f, "cap", (int64_t)cap);
		broker_emit(broker, EVENT_TRUNCATED, call->seq, f);
	}
}

static void on_ready(struct call *call, const struct message *message)
{
	call->proofs = message->value;
	/* The supervisor passes it on at once; before this message it did not. */
	call->go_sent = call->go_given;
}

static void on_started(struct call *call, const struct message *message)
{
	(void)message;
	struct broker *broker = call->broker;
	call->started = true;
	broker->proved_backend = call->offer.backend;
	broker->proved_wall_ms =
		broker->proved_wall_ms != 0 ? broker->proved_wall_ms : clock_wall_ms();
	broker_emit(broker, EVENT_STARTED, call->seq, fields_started(call, call->proofs));
}

static void on_stopping(struct call *call, const struct message *message)
{
	bool deadline = message->value == STOP_DEADLINE;
	if (!deadline)
		return; /* our own stop is in the record already */
	struct json *f = fields_one("by", "deadline");
	json_set_str(f, "why", "time limit");
	broker_emit(call->broker, EVENT_STOPPING, call->seq, f);
}

static void on_usage(struct call *call, const struct message *message)
{
	struct json *f = fields_usage(call, message);
	call->usage_ms = message->elapsed_ms;
	call->usage_cpu_us = message->cpu_us;
	broker_emit(call->broker, EVENT_USAGE, call->seq, f);
}

static void on_limit(struct call *call, const struct message *message)
{
	broker_emit(call->broker, EVENT_LIMIT, call->seq,
		fields_limit(call, message->value == LIMIT_HIT_MEMORY));
}

static void take_ending(struct call *call, const struct message *message)
{
	if (call->end_known && message->kind == MSG_FAILED)
		return;
	call->end_known = true;
	call->end = (struct ending){.failed = message->kind == MSG_FAILED,
		.stage = (enum stage)message->stage,
		.value = message->value,
		.wait_status = message->wait_status,
		.error_number = message->error_number,
		.cause = (enum stop_cause)message->cause,
		.flags = message->flags,
		.elapsed_ms = (int64_t)message->elapsed_ms,
		.cpu_us = message->cpu_us,
		.usage = message->usage};
	snprintf(call->end.text, sizeof(call->end.text), "%.*s", (int)sizeof(message->text) - 1,
		message->text);
}

void broker_on_message(struct call *call, const struct message *message)
{
	/* What only goes the other way has no row and is ignored. */
	static void (*const rows[MSG_KIND_COUNT])(struct call *, const struct message *) = {
		[MSG_READY] = on_ready,
		[MSG_STARTED] = on_started,
		[MSG_STOPPING] = on_stopping,
		[MSG_USAGE] = on_usage,
		[MSG_LIMIT] = on_limit,
		[MSG_FAILED] = take_ending,
		[MSG_ENDED] = take_ending,
	};
	if (message->kind < MSG_KIND_COUNT && rows[message->kind] != NULL)
		rows[message->kind](call, message);
}

/* The supervisor is gone, with or without a word. */
void broker_on_lost(struct call *call)
{
	/* Its launcher has ended with its input; what is left is a container that stands still. */
	if (!call->end_known && call->launched && call->backend->id == BACKEND_DOCKER) {
		MEM_AUTO char *name = mem_printf("exequatur-%s", call->confinement.run_name);
		docker_remove(call->broker->session->host.docker, name);
	}
	if (!call->end_known && call->launched && call->offer.flat)
		private_dir_remove(call->offer.private_dir);
	if (!call->finished)
		broker_finish(call);
}

void broker_stop_call(struct call *call, enum reason reason, const char *by)
{
	struct err err = ERR_INIT;
	if (call->stop_reason != REASON_NONE)
		return;
	call->stop_reason = reason;
	if (call->started) {
		struct json *f = fields_one("by", by);
		json_set_str(f, "why", reason_name(reason));
		broker_emit(call->broker, EVENT_STOPPING, call->seq, f);
	}
	spawn_tell(&call->child, MSG_STOP, STOP_OPERATOR, &err);
}

/* What a crowded machine refuses now it may grant again: a command that makes processes without end would else talk the console out
   of its sandboxes, one by one, for the rest of the session. */
static bool is_for_now(int error_number, const char *words)
{
	static const int numbers[] = {EAGAIN, ENOMEM, EMFILE, ENFILE};
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		/* Of a wrapper there are only its words. */
		if (error_number == numbers[i] || strstr(words, strerror(numbers[i])) != NULL)
			return true;
	return false;
}

/* What the same backend can do without, or hold in another way, which the next card says. */
static bool learn_of_machine(struct host *host, const struct call *call)
{
	const struct ending *end = &call->end;
	if (end->stage == STAGE_NAMESPACES && end->value != 0) {
		/* Also when another call learned it meanwhile: this one was built before. It comes here once at most, since
		   no plan asks for what is known to be refused. */
		host->refused_namespaces |= (unsigned)end->value;
		return true;
	}
	if (end->stage == STAGE_LIMITS && end->value != 0) {
		host->lost_limits |= (unsigned)end->value;
		return true;
	}
	if (end->stage == STAGE_NETWORK && end->value == LOST_PASTA) {
		pasta_note_lost(host, end->text);
		return true;
	}
	if (end->stage == STAGE_NETWORK && end->value == LOST_CLOSER) {
		docker_note_network_lost(host->docker, end->text);
		return true;
	}
	return host_learn_unusable(host, &call->offer, end->stage, end->error_number, end->text);
}

/* Another backend may hold where this one did not: under auto, before anything ran (design.md idea 8). */
static bool learn_from_failure(struct call *call)
{
	struct session *s = call->broker->session;
	if (call->started || call->stop_reason != REASON_NONE || !call->end_known ||
		call->go_sent || call->unheard)
		return false;
	if (call->end.stage == STAGE_PLACES)
		return false; /* a directory was swapped: no backend may run that */
	if (is_for_now(call->end.error_number, call->end.text))
		return false;
	if (learn_of_machine(&s->host, call))
		return true;
	if (s->config.backend != BACKEND_AUTO)
		return false;
	host_note_failed(&s->host, call->backend->id, call->end.text);
	return true;
}

static void try_next_backend(struct call *call)
{
	struct broker *broker = call->broker;
	broker_emit(broker, EVENT_PROBE, call->seq,
		fields_probe(&call->offer, call->backend->id, false, call->end.text));
	git_guard_unmake(&call->confinement);
	git_snapshot_free(STEAL(call->git_before));
	outcome_reset(call);
	bool person = call->approved_by_person && call->peer != BROKER_PEER_OPERATOR;
	call->launched = false;
	if (broker_card(call, true) != 0)
		return;
	call->result.notes |= NOTE_BIT(NOTE_BACKEND_CHANGED);
	if (person)
		broker_requeue(call, "the sandbox did not hold: this is the card for the next one");
	else
		broker_schedule(broker);
}

void broker_finish(struct call *call)
{
	struct broker *broker = call->broker;
	if (learn_from_failure(call)) {
		try_next_backend(call);
		return;
	}
	outcome_fill(call);
	git_guard_unmake(&call->confinement);
	struct strv changed STRV_AUTO = STRV_INIT;
	if (call->started && call->git_before != NULL)
		git_guard_compare(call->git_before, &call->confinement, &changed);
	if (changed.count > 0) {
		call->result.notes |= NOTE_BIT(NOTE_GIT_METADATA_CHANGED);
		broker_emit(broker, EVENT_GIT_CHANGED, call->seq, fields_git_changed(&changed));
	}
	broker_emit(broker, EVENT_ENDED, call->seq, fields_ended(call));
	broker_answer(call);
}

void broker_launch_failed(struct call *call, enum reason reason, const char *sentence)
{
	git_guard_unmake(&call->confinement);
	call->result.reason = reason;
	free(call->result.sentence);
	call->result.sentence = mem_strdup(sentence);
	broker_emit(call->broker, EVENT_REFUSED, call->seq, fields_refused(reason, sentence, NULL));
	broker_answer(call);
}

void broker_refuse(struct call *call, enum reason reason, const char *sentence)
{
	struct result *r = &call->result;
	bool policy = reason == REASON_DENIED_BY_POLICY;
	r->reason = reason;
	free(r->sentence);
	r->sentence = mem_strdup(sentence);
	r->decision = reason == REASON_WITHDRAWN ? DECISION_WITHDRAWN : DECISION_REFUSED;
	r->decided_by = policy                       ? DECIDER_POLICY
			: reason == REASON_WITHDRAWN ? DECIDER_AGENT
						     : DECIDER_CONSOLE;
	if (reason == REASON_WITHDRAWN)
		broker_emit(call->broker, EVENT_WITHDRAWN, call->seq, fields_one("why", sentence));
	else
		broker_emit(call->broker, EVENT_REFUSED, call->seq,
			fields_refused(reason, sentence, &call->passed));
	broker_answer(call);
}

/* What is said in every answer, also of a call that was rejected or expired: what was asked for, and the backend that would have
   run it. */
static void describe(struct call *call)
{
	struct result *r = &call->result;
	r->network = call->request.network;
	r->notes |= outcome_notes(call);
	if (r->backend == NULL && call->backend != NULL && call->plan.len > 0)
		r->backend = backend_id_name(call->backend->id);
}

static void print_answer(struct call *call, struct str *line)
{
	if (call->broker->answers_ascii && call->peer == BROKER_PEER_STDIN)
		result_print_ascii(&call->result, &call->request.id, call->seq, line);
	else
		result_print(&call->result, &call->request.id, call->seq, line);
	str_release(&call->result.output); /* the line has it, the model keeps it for the screen */
}

/* Before the answer: who holds it may count that nothing is left. */
static void let_child_go(struct call *call)
{
	struct session *s = call->broker->session;
	if (!call->end_known && call->go_given) {
		child_close(&call->child);
	} else if (call->broker->ends_with_answer && s->early.pid <= 0) {
		/* session_close() waits for it, when the record is on disk. */
		s->early = call->child;
		call->child = (struct child)CHILD_INIT;
	} else {
		child_end(&call->child);
	}
}

void broker_answer(struct call *call)
{
	struct broker *broker = call->broker;
	call->finished = true;
	describe(call);
	if (call->decided_ms >= 0 && call->started)
		call->result.waited_ms = call->decided_ms - call->received_ms;
	/* The record first: an answer that an agent holds is always one that the record knows. When the record is broken,
	   the agent still gets its answer (audit_unavailable). */
	call->delivered = broker->hooks.answer != NULL && !broker->reader_gone && !call->unheard &&
			  call->result.reason != REASON_WITHDRAWN;
	broker_emit(broker, EVENT_ANSWERED, call->seq, fields_answered(call, call->delivered));
	broker_hold_answers(broker);
	broker_hold_answer(call);
	broker_send_answers(broker);
}

void broker_send_answer(struct call *call)
{
	struct broker *broker = call->broker;
	struct str line STR_AUTO = STR_INIT;
	if (!broker->ends_with_answer)
		print_answer(call, &line);
	broker_unwatch(call);
	let_child_go(call);
	pins_release(&call->pins);
	call->answered = true;
	if (call->delivered)
		broker->hooks.answer(broker->hooks.ctx, call, &line);
	broker_drop_call(call);
}

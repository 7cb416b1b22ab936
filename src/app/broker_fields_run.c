#include "config.h"

#include "app/broker_fields.h"

#include "base/json_digest.h"
#include "base/mem.h"
#include "core/hold.h"

struct json *fields_launching(const struct call *call, const struct digest *profile)
{
	struct json *f = json_new_object();
	struct digest plan;
	digest_bytes(str_c(&call->plan), call->plan.len, &plan);
	json_set_str(f, "backend", backend_id_name(call->backend->id));
	json_set_digest(f, "profile", profile);
	json_set_digest(f, "plan", &plan);
	return f;
}

struct json *fields_started(const struct call *call, uint64_t proofs)
{
	struct json *f = json_new_object();
	json_set_int(f, "proofs", (int64_t)proofs);
	struct json *enforced = json_new_object();
	for (enum limit_id i = 0; i < LIMIT_ID_COUNT; i++)
		json_set_str(enforced, limit_name(i), call->offer.enforcers[i]);
	json_set(f, "enforced", enforced);
	json_set_int(f, "memory_limit", (int64_t)call->confinement.limits.memory_mb << 20);
	json_set_int(f, "processes_limit", call->confinement.limits.processes);
	json_set_int(f, "wall_most_ms", (int64_t)call->confinement.limits.wall_ceiling_s * 1000);
	return f;
}

/* What was not measured is left out. */
static void set_usage(struct json *f, const struct message_usage *usage)
{
	if (usage->measured & MEASURED_MEMORY)
		json_set_int(f, "memory_peak", (int64_t)usage->memory_peak_bytes);
	if (usage->measured & MEASURED_PROCESSES)
		json_set_int(f, "processes_peak", usage->processes_peak);
}

/* Of all CPUs, since the last word about it. */
static int64_t cpu_percent(const struct call *call, const struct message *message)
{
	uint64_t passed_us = (message->elapsed_ms - call->usage_ms) * 1000;
	uint64_t spent_us = message->cpu_us - call->usage_cpu_us;
	unsigned cpus = call->broker->session->host.cpus;
	if (message->elapsed_ms <= call->usage_ms || message->cpu_us < call->usage_cpu_us)
		return -1;
	return (int64_t)(spent_us * 100 / passed_us / (cpus ? cpus : 1));
}

struct json *fields_usage(const struct call *call, const struct message *message)
{
	const struct message_usage *usage = &message->usage;
	struct json *f = json_new_object();
	int64_t percent = cpu_percent(call, message);
	if (percent >= 0)
		json_set_int(f, "cpu_percent", percent);
	json_set_int(f, "ms", (int64_t)message->elapsed_ms);
	json_set_int(f, "cpu_ms", (int64_t)(message->cpu_us / 1000));
	if (usage->measured & MEASURED_MEMORY)
		json_set_int(f, "memory", (int64_t)usage->memory_bytes);
	if (usage->measured & MEASURED_PROCESSES)
		json_set_int(f, "processes", usage->processes);
	set_usage(f, usage);
	return f;
}

struct json *fields_limit(const struct call *call, bool memory)
{
	const struct limits *l = &call->confinement.limits;
	struct json *f = json_new_object();
	json_set_str(f, "name", memory ? "memory" : "processes");
	json_set_int(f, "figure", memory ? (int64_t)l->memory_mb << 20 : (int64_t)l->processes);
	return f;
}

struct json *fields_ended(const struct call *call)
{
	const struct result *r = &call->result;
	struct json *f = json_new_object();
	json_set_str(f, "reason", reason_name(r->reason));
	if (r->sentence != NULL)
		json_set_str(f, "sentence", r->sentence);
	if (r->exit_code >= 0)
		json_set_int(f, "exit_code", r->exit_code);
	if (r->signal > 0)
		json_set_int(f, "signal", r->signal);
	json_set_int(f, "duration_ms", r->duration_ms);
	json_set_int(f, "output_bytes", (int64_t)r->output_bytes);
	if (r->output_bytes > r->output.len)
		json_set_int(f, "dropped", (int64_t)(r->output_bytes - r->output.len));
	if (call->end_known && !call->end.failed) {
		json_set_int(f, "cpu_ms", (int64_t)(call->end.cpu_us / 1000));
		set_usage(f, &call->end.usage);
	}
	json_set(f, "notes", note_names(r->notes));
	return f;
}

struct json *fields_answered(const struct call *call, bool delivered)
{
	const struct result *r = &call->result;
	struct json *f = json_new_object();
	json_set_str(f, "reason", reason_name(r->reason));
	json_set_bool(f, "success", r->reason == REASON_NONE);
	json_set_bool(f, "delivered", delivered);
	json_set_str(f, "decision", decision_name(r->decision));
	json_set_str(f, "by", decider_name(r->decided_by));
	json_set(f, "notes", note_names(r->notes));
	return f;
}

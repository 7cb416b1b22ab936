#include "config.h"

#include "app/broker.h"

#include <inttypes.h>

#include "base/mem.h"

/* More time for a command that runs. The ceiling is the operator's own, from the configuration; a request cannot move it. */

static bool refuse(const struct call *call, const char *why, char **ret_text)
{
	*ret_text = call == NULL ? mem_printf("no more time: %s", why)
				 : mem_printf("no more time for #%" PRIu64 ": %s", call->seq, why);
	return false;
}

static bool is_running(const struct call *call)
{
	const struct job *job = call == NULL ? NULL : model_job(&call->broker->model, call->seq);
	return job != NULL && job->state == JOB_RUNNING && !call->finished &&
	       call->stop_reason == REASON_NONE;
}

bool broker_extend(struct call *call, char **ret_text)
{
	struct err err = ERR_INIT;
	if (!is_running(call))
		return refuse(call, "it does not run", ret_text);
	const struct limits *l = &call->confinement.limits;
	int64_t step_ms = (int64_t)l->wall_s * 1000, most_ms = (int64_t)l->wall_ceiling_s * 1000;
	int64_t has_ms = step_ms + call->extended_ms;
	int64_t by_ms = step_ms < most_ms - has_ms ? step_ms : most_ms - has_ms;
	if (by_ms <= 0)
		return refuse(call, "it has all that max_cpu_time_seconds allows", ret_text);
	struct json *f = json_new_object();
	json_set_int(f, "by_ms", by_ms);
	if (broker_emit(call->broker, EVENT_EXTENDED, call->seq, f) != 0)
		return refuse(call, "the record cannot be written", ret_text);
	call->extended_ms += by_ms;
	/* A supervisor that has hung up is about to tell the end. */
	spawn_tell(&call->child, MSG_EXTEND, (uint64_t)by_ms, &err);
	*ret_text = mem_printf("#%" PRIu64 " now has %" PRId64 " s of at most %u s", call->seq,
		(has_ms + by_ms) / 1000, l->wall_ceiling_s);
	return true;
}

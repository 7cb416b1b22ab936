#include "config.h"

#include "app/broker.h"

#include "app/broker_fields.h"
#include "base/mem.h"

/* The files of one session: when one is full, the next. */

static struct json *open_calls(const struct model *model)
{
	struct json *calls = json_new_array();
	for (size_t i = 0; i < model->count; i++) {
		const struct job *job = model->jobs[i];
		if (job->answered)
			continue;
		struct json *one = json_new_object();
		json_set_int(one, "seq", (int64_t)job->seq);
		json_set_str(one, "state", job_state_name(job->state));
		json_push(calls, one);
	}
	return calls;
}

/* Whoever has this file alone learns what stood when it began. */
static struct json *fields_continued(const struct broker *broker)
{
	struct json *f = fields_session_start(broker, broker->input, audit_chain(broker->audit));
	json_set(f, "calls", open_calls(&broker->model));
	if (broker->model.last_ui != NULL)
		json_set(f, "ui", json_copy(broker->model.last_ui));
	return f;
}

void broker_turn_file(struct broker *broker)
{
	struct err err = ERR_INIT;
	/* Where no next file can be made the record is whole all the same: this one grows on, and it is tried again. */
	if (!broker->can_run || !audit_wants_next(broker->audit) ||
		audit_next(broker->audit, &err) != 0)
		return;
	audit_sync_ahead(broker->audit);
	broker->profile_count = 0;
	broker_emit(broker, EVENT_CONTINUED, 0, fields_continued(broker));
	broker_say_standing(broker);
}

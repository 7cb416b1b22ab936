#include "config.h"

#include "app/broker.h"

#include "app/broker_fields.h"
#include "app/keeper.h"
#include "base/clock.h"
#include "base/log.h"
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
	if (broker->keeper != NULL && keeper_is_done(broker->keeper))
		broker_keep_end(broker);
	/* Where no next file can be made the record is whole all the same: this one grows on, and it is tried again. */
	if (!broker->can_run || !audit_wants_next(broker->audit) ||
		audit_next(broker->audit, &err) != 0)
		return;
	audit_sync_ahead(broker->audit);
	broker->profile_count = 0;
	broker_emit(broker, EVENT_CONTINUED, 0, fields_continued(broker));
	broker_say_standing(broker);
	broker_keep(broker);
}

static void tell_finished(struct broker *broker, const struct retain_report *report)
{
	for (size_t i = 0; i < report->finished.count; i++) {
		struct json *f = fields_one("file", report->finished.items[i]);
		json_set_str(f, "unfinished", report->how.items[i]);
		broker_emit(broker, EVENT_FOUND_OPEN, 0, f);
	}
}

void broker_keep(struct broker *broker)
{
	const struct config *config = &broker->session->config;
	const struct retain_rules rules = {.keep = config->audit_max_files,
		.compress = config->audit_compress,
		.sealed = config->sign_events};
	if (broker->keeper == NULL && retain_is_needed(broker->session->record_dir, &rules))
		broker->keeper = keeper_start(broker->session->record_dir, &rules, clock_wall_ms());
}

void broker_keep_end(struct broker *broker)
{
	struct retain_report report;
	struct err err = ERR_INIT;
	if (broker->keeper == NULL)
		return;
	if (keeper_end(STEAL(broker->keeper), &report, &err) != 0 && broker->hooks.told != NULL)
		broker->hooks.told(broker->hooks.ctx, err.text);
	else if (err.code != ERR_NONE)
		log_warn("the record's closed files: %s", err.text);
	tell_finished(broker, &report);
	retain_report_release(&report);
}

#include "config.h"

#include "tui/action.h"
#include "tui/view.h"
#include "tui/view_parts.h"

/* Whether a key of the key row can do something now: what does nothing is absent. */

static const struct job *job_of(const struct screen *s)
{
	return ui_open_job(s->ui, s->model);
}

static bool can_open(const struct screen *s)
{
	if (s->model->lock.on)
		return true;
	if (s->ui->view == VIEW_AGENTS)
		return ui_agent(s->ui, s->model) != NULL;
	if (s->ui->view == VIEW_QUEUE || s->ui->view == VIEW_HISTORY)
		return job_of(s) != NULL;
	return s->model->waiting > 0;
}

static bool has_output(const struct screen *s)
{
	return job_of(s) != NULL && job_of(s)->started_at_ms >= 0;
}

static bool can_stop(const struct screen *s)
{
	return ui_can_stop(ui_stop_job(s->ui, s->model));
}

/* A list of nothing has no filter. */
static bool can_find(const struct screen *s)
{
	return s->ui->view != VIEW_HISTORY || s->model->done > 0;
}

/* The keys of a list keep their places from row to row. */
static bool can_save(const struct screen *s)
{
	if (s->ui->view == VIEW_HISTORY)
		return can_find(s);
	return ui_can_save(job_of(s));
}

static bool can_extend(const struct screen *s)
{
	return ui_can_extend(job_of(s));
}

static bool can_stop_all(const struct screen *s)
{
	return !s->model->stop.on;
}

static bool can_follow(const struct screen *s)
{
	return !s->ui->following;
}

/* Of calls that wait, and not of one that needs a word: `m` says why. */
static bool can_mark(const struct screen *s)
{
	return job_of(s) != NULL && job_of(s)->state == JOB_WAITING;
}

static bool can_reject(const struct screen *s)
{
	const struct sender *agent = ui_agent(s->ui, s->model);

	if (s->ui->view == VIEW_AGENTS && (agent == NULL || agent->waiting.count == 0))
		return false;
	return s->model->record_failed == NULL;
}

static bool can_edit(const struct screen *s)
{
	return can_reject(s) && ui_can_edit(job_of(s));
}

static bool can_refuse_sender(const struct screen *s)
{
	return s->ui->view != VIEW_AGENTS || ui_agent(s->ui, s->model) != NULL;
}

static bool can_revoke(const struct screen *s)
{
	return ui_grant_holds(s->model, s->ui->grant_number, s->now_ms);
}

static bool has_details(const struct screen *s)
{
	return job_of(s) != NULL && job_of(s)->card != NULL;
}

static bool can_go_on(const struct screen *s)
{
	bool open = s->ui->view == VIEW_CARD && s->job != NULL && s->job->state == JOB_WAITING;

	return s->model->waiting > (open ? 1u : 0u);
}

static bool has_parts(const struct screen *s)
{
	return s->ui->view != VIEW_HELP ||
	       view_help_rows(s->ui) > view_rows_of(s->ui, s->model, VIEW_HELP);
}

bool key_is_useful(const struct screen *s, enum action action)
{
	static bool (*const tests[ACTION_COUNT])(const struct screen *s) = {
		[ACTION_OPEN] = can_open,
		[ACTION_VIEW_OUTPUT] = has_output,
		[ACTION_STOP] = can_stop,
		[ACTION_MARK] = can_mark,
		[ACTION_STOP_ALL] = can_stop_all,
		[ACTION_EXTEND] = can_extend,
		[ACTION_SAVE] = can_save,
		[ACTION_LAST] = can_follow,
		[ACTION_REJECT] = can_reject,
		[ACTION_REVOKE] = can_revoke,
		[ACTION_REFUSE_SENDER] = can_refuse_sender,
		[ACTION_EDIT] = can_edit,
		[ACTION_DETAILS] = has_details,
		[ACTION_NEXT_WAITING] = can_go_on,
		[ACTION_PART_NEXT] = has_parts,
		[ACTION_FIND] = can_find,
		[ACTION_MATCH_NEXT] = can_find,
	};

	return tests[action] == NULL || tests[action](s);
}

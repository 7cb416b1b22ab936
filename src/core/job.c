#include "config.h"

#include "core/job.h"

#include "base/mem.h"

#define ROWS (EVENT_TYPE_COUNT + 1)
#define ROW_REJECTED EVENT_TYPE_COUNT /* the row of a `decided` that says no */

static const char *const names[JOB_STATE_COUNT] = {
	[JOB_NEW] = "new",
	[JOB_WAITING] = "waiting",
	[JOB_APPROVED] = "approved",
	[JOB_STARTING] = "starting",
	[JOB_RUNNING] = "running",
	[JOB_STOPPING] = "stopping",
	[JOB_ENDED] = "ended",
	[JOB_REJECTED] = "rejected",
	[JOB_REFUSED] = "refused",
	[JOB_WITHDRAWN] = "withdrawn",
	[JOB_EXPIRED] = "expired",
	[JOB_LOST] = "lost",
};

/* A state plus one, so that a pair that is not here is 0: impossible. */
#define TO(state) (JOB_##state + 1)
#define STAYS(state) [JOB_##state] = TO(state)

/* By event, then by state: what the state becomes. - new -> card stays new under `allow`
   (model_apply() sees the ruling); drawn cards wait. - A card may change while it waits, while an
   approval waits for a place, and when the next backend is tried. - starting -> output: the pipe
   may be read before the supervisor's word that the command started. */
static const unsigned char next[ROWS][JOB_STATE_COUNT] = {
	[EVENT_PROBE] = {STAYS(STARTING), STAYS(WAITING), STAYS(APPROVED), STAYS(NEW)},
	[EVENT_RECEIVED] = {STAYS(NEW)},
	[EVENT_RULED] = {STAYS(NEW)},
	[EVENT_QUEUED] = {[JOB_NEW] = TO(WAITING)},
	[EVENT_REFUSED] = {[JOB_NEW] = TO(REFUSED),
		[JOB_WAITING] = TO(REFUSED),
		[JOB_APPROVED] = TO(REFUSED),
		[JOB_STARTING] = TO(REFUSED)},
	[EVENT_CARD] = {[JOB_NEW] = TO(WAITING), STAYS(WAITING), STAYS(APPROVED), STAYS(STARTING)},
	[EVENT_EDITED] = {STAYS(WAITING)},
	[EVENT_SEEN] = {STAYS(WAITING)},
	[EVENT_DECIDED] = {[JOB_NEW] = TO(APPROVED), [JOB_WAITING] = TO(APPROVED)},
	[ROW_REJECTED] = {[JOB_WAITING] = TO(REJECTED)},
	[EVENT_REQUEUED] =
		{STAYS(WAITING), [JOB_APPROVED] = TO(WAITING), [JOB_STARTING] = TO(WAITING)},
	[EVENT_LAUNCHING] = {[JOB_APPROVED] = TO(STARTING), STAYS(STARTING)},
	[EVENT_STARTED] = {[JOB_STARTING] = TO(RUNNING), STAYS(STOPPING)},
	[EVENT_STOPPING] = {[JOB_APPROVED] = TO(STOPPING),
		[JOB_STARTING] = TO(STOPPING),
		[JOB_RUNNING] = TO(STOPPING),
		STAYS(STOPPING)},
	[EVENT_EXTENDED] = {STAYS(STARTING), STAYS(RUNNING), STAYS(STOPPING)},
	[EVENT_OUTPUT] = {STAYS(STARTING), STAYS(RUNNING), STAYS(STOPPING)},
	[EVENT_USAGE] = {STAYS(STARTING), STAYS(RUNNING), STAYS(STOPPING)},
	[EVENT_TRUNCATED] = {STAYS(STARTING), STAYS(RUNNING), STAYS(STOPPING)},
	[EVENT_LIMIT] = {STAYS(STARTING), STAYS(RUNNING), STAYS(STOPPING)},
	[EVENT_ENDED] = {[JOB_APPROVED] = TO(ENDED),
		[JOB_STARTING] = TO(ENDED),
		[JOB_RUNNING] = TO(ENDED),
		[JOB_STOPPING] = TO(ENDED)},
	[EVENT_GIT_CHANGED] = {STAYS(RUNNING), STAYS(STOPPING), STAYS(ENDED)},
	[EVENT_ANSWERED] = {STAYS(ENDED), STAYS(REJECTED), STAYS(REFUSED), STAYS(WITHDRAWN),
		STAYS(EXPIRED), STAYS(LOST)},
	[EVENT_WITHDRAWN] = {[JOB_NEW] = TO(WITHDRAWN),
		[JOB_WAITING] = TO(WITHDRAWN),
		[JOB_APPROVED] = TO(WITHDRAWN),
		[JOB_STARTING] = TO(WITHDRAWN)},
	[EVENT_EXPIRED] = {[JOB_WAITING] = TO(EXPIRED)},
};

const char *job_state_name(enum job_state state)
{
	return names[state];
}

bool job_is_over(enum job_state state)
{
	return state >= JOB_ENDED;
}

static enum job_state look_up(enum job_state state, int row)
{
	unsigned to = next[row][state];

	return to == 0 ? JOB_IMPOSSIBLE : (enum job_state)(to - 1);
}

/* What speaks of the session and not of a call changes no state. */
static bool concerns_a_call(enum event_type type)
{
	static const bool session[EVENT_TYPE_COUNT] = {
		[EVENT_SESSION_START] = true,
		[EVENT_PEER] = true,
		[EVENT_PEER_LEFT] = true,
		[EVENT_LISTENING] = true,
		[EVENT_SENDER] = true,
		[EVENT_PROFILE] = true,
		[EVENT_SEALS] = true,
		[EVENT_ANCHOR] = true,
		[EVENT_VIEW] = true,
		[EVENT_GRANT] = true,
		[EVENT_REVOKED] = true,
		[EVENT_INTAKE] = true,
		[EVENT_LOCKED] = true,
		[EVENT_GAP] = true,
		[EVENT_CONTINUED] = true,
		[EVENT_FOUND_OPEN] = true,
		[EVENT_SESSION_END] = true,
	};

	return !session[type];
}

enum job_state job_next(enum job_state state, enum event_type type)
{
	return concerns_a_call(type) ? look_up(state, (int)type) : state;
}

enum job_state job_next_rejected(enum job_state state)
{
	return look_up(state, ROW_REJECTED);
}

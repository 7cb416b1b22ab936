/* States of a call: one table next[state][event]. */
#ifndef CORE_JOB_H
#define CORE_JOB_H

#include "core/event.h"

enum job_state {
	JOB_NEW, /* never drawn */
	JOB_WAITING,
	JOB_APPROVED,
	JOB_STARTING,
	JOB_RUNNING,
	JOB_STOPPING,
	JOB_ENDED,
	JOB_REJECTED,
	JOB_REFUSED,
	JOB_WITHDRAWN,
	JOB_EXPIRED,
	JOB_LOST,
	JOB_STATE_COUNT,
	JOB_IMPOSSIBLE = JOB_STATE_COUNT
};
const char *job_state_name(enum job_state state);
/* JOB_IMPOSSIBLE: a bug when live, a corrupt file when replayed. Events that do not concern the state give it back. */
enum job_state job_next(enum job_state state, enum event_type type);

#endif

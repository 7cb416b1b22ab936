/* States of a call: one table next[state][event]. */
#ifndef CORE_JOB_H
#define CORE_JOB_H

#include <stdbool.h>

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
bool job_is_over(enum job_state state); /* ended, rejected, refused, withdrawn, expired, lost */
/* JOB_IMPOSSIBLE: a bug when live, a corrupt file when replayed. Events that do not concern the
   state give it back. A `decided` is taken for a yes here. */
enum job_state job_next(enum job_state state, enum event_type type);
/* The same for a `decided` that says no. */
enum job_state job_next_rejected(enum job_state state);

#endif

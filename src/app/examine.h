/* Tries each backend for `exequatur doctor`. */
#ifndef APP_EXAMINE_H
#define APP_EXAMINE_H

#include "app/session.h"
#include "core/doctor.h"

/* Proves one backend, twice where the first failure tells what to leave out; what is learned stays in session->host. Blocking. */
void examine_backend(struct session *session, enum backend_id id, struct examined *ret);
/* Everything: the machine, each backend, the one that a run takes. ret points into the session, and is over with it. */
void examine_all(struct session *session, struct doctor *ret);
void examine_release(struct doctor *doctor);

#endif

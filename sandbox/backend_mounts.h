/* What a command sees: one list of mounts for every backend that has a mount namespace. */
#ifndef SANDBOX_BACKEND_MOUNTS_H
#define SANDBOX_BACKEND_MOUNTS_H

#include "sandbox/backend.h"

/* Parents before children: a /tmp mounted after a workspace below it would hide it. Fills plan->mounts.
   ERR_LIMIT when more places would have to be compared than the launcher reports. */
/* It begins with those of backend_base_mounts(), unless a place holds one of them. */
int backend_mounts(
	const struct host *host, const struct confinement *c, struct plan *plan, struct err *err);
/* What no request changes; own_home may be NULL. Fills plan->mounts. */
void backend_base_mounts(const struct host *host, const char *own_home, struct plan *plan);
/* The Landlock rules for the same view. */
void backend_rules(const struct host *host, const struct confinement *c, struct plan *plan);

/* HOME gets a read-only tmpfs of its own, unless it is a place that is shown or private anyway. */
bool backend_has_own_home(const struct confinement *c);
/* The same while the places are not known. */
bool backend_home_may_be_own(const char *home);

#endif

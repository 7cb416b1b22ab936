/* landlock without namespaces, for machines that refuse them and operators who accept what then stays open. */
#ifndef SANDBOX_BACKEND_FLAT_H
#define SANDBOX_BACKEND_FLAT_H

#include "sandbox/backend.h"

/* As the functions of struct backend. The confinement of the plan went through backend_adapt(). */
int flat_offer(
	const struct host *host, const struct confinement *c, struct offer *ret, struct err *err);
int flat_plan(const struct host *host, const struct confinement *c, const struct offer *offered,
	struct plan *ret, struct err *err);

#endif

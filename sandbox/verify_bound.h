/* Which paths are mounts of their own here, for proofs about what somebody else mounted. */
#ifndef SANDBOX_VERIFY_BOUND_H
#define SANDBOX_VERIFY_BOUND_H

#include <stdbool.h>

#include "base/err.h"
#include "base/strv.h"
#include "sandbox/plan.h"

/* Appends the targets of all mounts of ours. */
int bound_read(struct strv *ret, struct err *err);
bool bound_is_readonly(const char *path); /* its mount is */
/* ERR_REFUSED unless a mount is on this path, read-only if it must be. */
int bound_verify(const struct strv *mounts, const char *path, bool readonly, struct err *err);
/* Everything that the plan compares inside is a mount of its own, read-only where the plan says so. */
int verify_bound(const struct plan *plan, struct err *err);

#endif

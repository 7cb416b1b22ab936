/* The file system of a command: an empty root, and on it what the plan names. */
#ifndef SANDBOX_MOUNTS_H
#define SANDBOX_MOUNTS_H

#include "base/err.h"
#include "sandbox/plan.h"
#include "sandbox/protocol.h"

/* Builds the plan's mounts on a tmpfs, makes that the root of our (own) mount namespace and lets the host's go.
   ret_stage: STAGE_PLACES when a source is not the directory of the card, else STAGE_MOUNTS. */
int mounts_build(const struct plan *plan, enum stage *ret_stage, struct err *err);

/* Below a wrapper that kept CAP_SYS_ADMIN for it: makes every PLAN_REMOUNT_RO target read-only. bwrap itself would take
   the use of a device away with it. */
int mounts_seal(const struct plan *plan, struct err *err);

/* Device and inode of every target with PLAN_CHECK (mounts, then checks) as a path finds it now. ret has room for
   PLAN_CHECKS_MAX. */
int mounts_measure(
	const struct plan *plan, struct message_check *ret, uint32_t *ret_count, struct err *err);

#endif

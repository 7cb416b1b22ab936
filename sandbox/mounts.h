/* The file system of a command: an empty root, and on it what the plan names. */
#ifndef SANDBOX_MOUNTS_H
#define SANDBOX_MOUNTS_H

#include "base/err.h"
#include "sandbox/plan.h"
#include "sandbox/mounts_root.h"
#include "sandbox/protocol.h"

/* A root that is being built. */
struct mounts_begun {
	struct root root;
	size_t count; /* of the plan's mounts that are in it; 0: it was not begun */
};

/* Builds the plan's mounts on a tmpfs, makes that the root of our (own) mount namespace and lets the host's go.
   ret_stage: STAGE_PLACES when a source is not the directory of the card, else STAGE_MOUNTS. Goes on where mounts_begin()
   ended; begun is released. */
int mounts_build(const struct plan *plan, struct mounts_begun *begun, enum stage *ret_stage,
	struct err *err);
/* Before the plan is known: all mounts of this one, with which it then has to begin. begun is all 0 before. */
int mounts_begin(const struct plan *base, struct mounts_begun *begun, enum stage *ret_stage,
	struct err *err);

/* Below a wrapper that kept CAP_SYS_ADMIN for it: adds the plan's mounts to the root that the wrapper made. Nothing of them
   is left to bwrap: it follows symlinks, which a command of the same work directory may have put there, and would make
   mount points behind them on the host; and its --remount-ro takes the use of a device away. */
int mounts_add(const struct plan *plan, enum stage *ret_stage, struct err *err);

/* Device and inode of every target with PLAN_CHECK (mounts, then checks) as a path finds it now. ret has room for
   PLAN_CHECKS_MAX. */
int mounts_measure(
	const struct plan *plan, struct message_check *ret, uint32_t *ret_count, struct err *err);

#endif

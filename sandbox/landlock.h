/* Landlock by ABI (Documentation/userspace-api/landlock.rst). */
#ifndef SANDBOX_LANDLOCK_H
#define SANDBOX_LANDLOCK_H

#include <stdbool.h>

#include "base/err.h"
#include "sandbox/plan.h"

/* 0: none, *ret_errno (may be NULL) says why. */
int landlock_abi(int *ret_errno);
/* Allows what the plan's rules name, denies every other file access; needs no_new_privs. cut_is_held: a read-only mount
   namespace or a filter covers what ABI 1 and 2 do not. Rules for paths that are not there are passed over; one for a place
   that the plan pins (its checks) is made for that very inode, ERR_REFUSED otherwise. ERR_UNAVAILABLE below ABI 3 where
   nothing covers it, and below the ABI of the plan. */
int landlock_restrict(const struct plan *plan, bool cut_is_held, struct err *err);
/* A ruleset that keeps signals of whoever enters it from those who did not; -1 where this kernel has none (ABI below 6). The
   caller closes it. */
int landlock_signal_scope(void);

#endif

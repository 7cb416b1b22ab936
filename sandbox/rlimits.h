/* Per-process limits that the kernel keeps by itself. */
#ifndef SANDBOX_RLIMITS_H
#define SANDBOX_RLIMITS_H

#include "base/err.h"
#include "sandbox/plan.h"

/* Open files, file size and CPU time as the plan says (0: as it is, never above the hard limit), no core files. Never
   an address space limit: node, java and Go die of it. */
int rlimits_set(const struct plan *plan, struct err *err);

#endif

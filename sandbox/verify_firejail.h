/* Proves what firejail was asked to show: it passes over what it cannot do, and says nothing. */
#ifndef SANDBOX_VERIFY_FIREJAIL_H
#define SANDBOX_VERIFY_FIREJAIL_H

#include "base/err.h"
#include "sandbox/plan.h"

/* Each place is a mount of its own, read-only where the plan says so; each emptied directory holds nothing but what the plan
   has there; the rest of the root directory is closed; no other mount can be written. ERR_REFUSED names the first path. */
int verify_firejail(const struct plan *plan, struct err *err);

#endif

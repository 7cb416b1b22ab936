/* Proves the isolation from inside: by trying, not by asking what was set up. */
#ifndef SANDBOX_VERIFY_H
#define SANDBOX_VERIFY_H

#include "base/err.h"
#include "sandbox/plan.h"

/* Every proof that the plan requires. ret_held: the mask of what holds (all of plan->proofs). ERR_REFUSED names the first
   that does not. */
int verify_all(const struct plan *plan, unsigned *ret_held, struct err *err);

#endif

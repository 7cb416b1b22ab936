/* Proofs of a command without namespaces: everything outside is there, and none of it may be reached. */
#ifndef SANDBOX_VERIFY_FLAT_H
#define SANDBOX_VERIFY_FLAT_H

#include "base/err.h"
#include "sandbox/plan.h"
#include "sandbox/start_child.h"

/* Before Landlock, without capabilities: starts a process that stays outside, for verify_flat() to try its hand at. */
int verify_flat_begin(struct err *err);
/* PLAN_PROOF_FLAT. The process outside has ended afterwards. */
int verify_flat(const struct plan *plan, struct err *err);
/* The last of all, when the supervisor answers already: a child that is confined as the command will be tries to reach the
   launcher and the supervisor. */
int verify_flat_child(const struct start_child *what, struct err *err);

#endif

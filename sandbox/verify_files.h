/* Proofs about files and /proc. */
#ifndef SANDBOX_VERIFY_FILES_H
#define SANDBOX_VERIFY_FILES_H

#include "base/err.h"
#include "sandbox/plan.h"

/* No write outside of the places; the home directory shows nothing of the host's. */
int verify_files(const struct plan *plan, struct err *err);
/* A right that no rule grants is refused in a place that is writable otherwise. */
int verify_landlock(const struct plan *plan, struct err *err);
/* /proc shows no process but ourselves, and the two around us below firejail. */
int verify_proc(const struct plan *plan, struct err *err);

#endif

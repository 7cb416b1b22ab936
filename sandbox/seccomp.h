/* The system call filters, compiled when the program was built (seccomp_gen.c). */
#ifndef SANDBOX_SECCOMP_H
#define SANDBOX_SECCOMP_H

#include <linux/filter.h>

#include "base/err.h"
#include "sandbox/plan.h"

#define SECCOMP_FIRST_UNKNOWN_CALL 463u /* after mseal: from here on every call is ENOSYS */

/* Loads the ceiling and the filter; needs no_new_privs. PLAN_FILTER_NONE does nothing. */
int seccomp_restrict(enum plan_filter filter, struct err *err);
/* On top of that, for a command without namespaces alone: no process is opened or signalled by a descriptor. Other
   architectures are the ceiling's. */
extern const struct sock_fprog seccomp_no_pidfds;

#endif

/* The system call filters, compiled when the program was built (seccomp_gen.c). */
#ifndef SANDBOX_SECCOMP_H
#define SANDBOX_SECCOMP_H

#include "base/err.h"
#include "sandbox/plan.h"

/* Loads the ceiling and the filter; needs no_new_privs. PLAN_FILTER_NONE does nothing. */
int seccomp_restrict(enum plan_filter filter, struct err *err);

#endif

/* A plan out of the sealed memfd in which it travels. */
#ifndef SANDBOX_PLAN_FD_H
#define SANDBOX_PLAN_FD_H

#include "base/err.h"
#include "sandbox/plan.h"

/* Does not move the offset, which is shared with every other holder of the descriptor. */
int plan_read_fd(int fd, struct plan *ret, struct err *err);

#endif

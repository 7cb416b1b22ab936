/* What the launcher does differently below firejail. */
#ifndef SANDBOX_FIREJAIL_INNER_H
#define SANDBOX_FIREJAIL_INNER_H

#include "base/err.h"
#include "sandbox/plan.h"

/* firejail's own processes, and a shell between them and us, keep every descriptor that they were given for as long as they
   live: neither the supervisor nor the reader of the output would ever see a hang-up. So both come by a message, and take
   the numbers that the launcher expects. */
int firejail_take_over(struct err *err);
/* The two writable directories of an emptied home. Touches nothing where firejail isolated nothing. */
void firejail_make_home(const struct plan *plan);

#endif

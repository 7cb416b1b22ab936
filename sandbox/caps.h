/* Capabilities: kept for the launcher's own set-up, then none for ever. */
#ifndef SANDBOX_CAPS_H
#define SANDBOX_CAPS_H

#include "base/err.h"

/* In a fresh user namespace, for a uid other than 0: the exec that follows keeps what the set-up needs. */
int caps_keep_over_exec(struct err *err);
/* Empties the bounding set: from then on no program that is executed gains anything; what is held now stays. One that may not be
   changed stays as it is; caps_none tells. */
void caps_drop_bounding(void);
/* Empties every other set. */
int caps_drop(struct err *err);
/* 0 when every set is empty, the bounding and the ambient set too; else ERR_REFUSED with the set. */
int caps_none(struct err *err);
/* The same but for the bounding set, which who has no capability cannot change: with no_new_privs nothing is gained by it. */
int caps_none_held(struct err *err);

#endif

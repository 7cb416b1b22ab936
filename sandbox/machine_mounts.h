/* What the table of mounts says of this machine. */
#ifndef SANDBOX_MACHINE_MOUNTS_H
#define SANDBOX_MACHINE_MOUNTS_H

#include "core/machine.h"

/* mountinfo: the text of /proc/self/mountinfo; "": nothing is known. */
void machine_mounts(const char *mountinfo, struct machine *ret);

#endif

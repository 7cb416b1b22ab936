/* What a container's own first process sees of its tree: nobody outside can count there. */
#ifndef SANDBOX_LAUNCHER_WATCH_H
#define SANDBOX_LAUNCHER_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "sandbox/plan.h"
#include "sandbox/protocol.h"

/* From the start of the shell on. */
void watch_begin(const struct plan *plan, pid_t shell);
/* Until watch_look() has something to do; -1: it was never begun. */
int watch_wait_ms(void);
/* Looks, and tells the supervisor once a second what is used. True when more processes are alive than may be: that was told
   too, and the tree is to be ended. */
bool watch_look(void);
void watch_shell_ended(void);
/* CPU time and usage of the tree until now, the dead included. */
void watch_fill(struct message *message);

#endif

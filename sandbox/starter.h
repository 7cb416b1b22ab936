/* Between the program that is called, `exequatur`, and the console that it becomes. */
#ifndef SANDBOX_STARTER_H
#define SANDBOX_STARTER_H

#include <sched.h>
#include <stdbool.h>

#include "sandbox/spawn.h"

/* What a plan of the default configuration asks for. */
#define STARTER_NAMESPACES                                                                         \
	((unsigned)CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |      \
		CLONE_NEWUTS)
#define CONSOLE_NAME "exequatur-console"
/* The console's first argument: NATIVE,PID,PIDFD,CONTROL,SUPERVISOR_DEV,SUPERVISOR_INO,LAUNCHER_DEV,LAUNCHER_INO of a supervisor that
   was started, and told to prepare if NATIVE is 1; or nothing more. Its argument 0 is the path of `exequatur`. */
#define STARTER_EARLY "--early="

/* Takes it over: its descriptors are close-on-exec from now on. 0, or -1: there is none, or it is not of these helpers and was
   ended. helpers NULL: it is ended in any case. */
int starter_take(
	const char *argument, const struct helpers *helpers, struct child *ret, bool *ret_native);

#endif

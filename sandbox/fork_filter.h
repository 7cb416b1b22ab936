/* Asks the supervisor before each new process: the launcher's part. */
#ifndef SANDBOX_FORK_FILTER_H
#define SANDBOX_FORK_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Loads a filter that holds each fork, vfork and clone of a process (not of a thread) of ours and of all that come from us,
   until whoever has *ret_fd answers; seccomp_unotify(2). So does it each new handler of SIGCHLD (see fork_mend.h), and with
   signals each call that sends one (see signal_answer.h): a process has one listener, which hears both. clone3, whose flags no
   filter can see, is ENOSYS. Needs no_new_privs. Fails where a filter of that kind is above us already (EBUSY), or the kernel has none. */
int fork_filter_load(bool signals, uint64_t word, int *ret_fd, struct err *err);
/* A word for it that nobody can guess; 0: there is none. A clone whose fifth argument it is (the kernel ignores that one without
   CLONE_SETTLS) does not ask: by it the launcher, which has not told the supervisor of the listener yet, starts the command.
   Nothing of the command ever sees our memory. */
uint64_t fork_filter_word(void);

/* Whether that would work here, without doing it to ourselves. Cheap where nobody filters us. */
bool fork_filter_works(void);

#endif

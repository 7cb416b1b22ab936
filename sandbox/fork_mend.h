/* What waiting for an answer would break in programs that fork. */
#ifndef SANDBOX_FORK_MEND_H
#define SANDBOX_FORK_MEND_H

struct seccomp_notif;

/* A fork never fails with EINTR, so nobody tries it again. One that waits for us does, when a signal comes before we have
   seen the question and its handler was set without SA_RESTART: and what comes while a shell forks is SIGCHLD (dash then
   says "Cannot fork"). So each handler of SIGCHLD is set with SA_RESTART: the notice is that of a rt_sigaction, which is let
   go afterwards. What could not be mended stays as it was. */
void fork_mend_action(int listener_fd, const struct seccomp_notif *notice);

#endif

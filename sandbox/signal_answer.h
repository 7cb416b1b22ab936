/* Answers for each signal that a command without namespaces sends, where Landlock does not keep them from others: the
   supervisor's part. */
#ifndef SANDBOX_SIGNAL_ANSWER_H
#define SANDBOX_SIGNAL_ANSWER_H

#include <stdbool.h>

#include "sandbox/census.h"

struct seccomp_notif;

bool signal_is_asked(int number); /* of a system call: this is one of ours */
/* Lets a signal to the caller's own process go on; sends one to another process of the command itself, by a descriptor of that
   very process, so that no number can become a stranger's on the way; refuses it to everybody else, our launcher included. What
   the call names are values: nothing of it can change while we look. */
void signal_answer(int listener_fd, const struct seccomp_notif *notice, struct census *census);

#endif

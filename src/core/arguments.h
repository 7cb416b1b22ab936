/* Arguments that an operator adds to firejail's and docker's own: which of them leave the box as closed as it is. */
#ifndef CORE_ARGUMENTS_H
#define CORE_ARGUMENTS_H

#include "base/err.h"
#include "base/strv.h"

/* ERR_REFUSED names the first argument that would open something, and why: "--net=eth0 is refused: ...". What is not
   known is refused too: a later version of the program may know it. */
int arguments_check_firejail(const struct strv *args, struct err *err);
int arguments_check_docker(const struct strv *args, struct err *err);

/* Of arguments that passed the check, those that go into the argv: what each call gets from us anyway is left out, so that
   "--net=none" does not contradict a network that a person granted. Appends. */
void arguments_firejail(const struct strv *args, struct strv *ret);
void arguments_docker(const struct strv *args, struct strv *ret);

#endif

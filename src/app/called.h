/* How this console was called: what the starter has left for it. */
#ifndef APP_CALLED_H
#define APP_CALLED_H

#include <stdbool.h>

#include "sandbox/spawn.h"

/* Reads it from the arguments, at the very start; returns how many are not the user's own, argument 0 included. */
int called_as(int argc, char **argv);
/* The path of the program `exequatur`; NULL: not known. */
const char *called_program(void);
/* The supervisor that waits already, once; native: with a launcher in STARTER_NAMESPACES. 0, or -1: there is none of these
   helpers. */
int called_take_early(const struct helpers *helpers, struct child *ret, bool *ret_native);
/* Ends it when nobody took it. */
void called_end(void);

#endif

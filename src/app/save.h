/* Writes the output of a call into a file, for the person. */
#ifndef APP_SAVE_H
#define APP_SAVE_H

#include <stdbool.h>

#include "core/job.h"
#include "core/model.h"

/* name: as typed; "~/x" is below HOME, anything else that is not absolute below the working directory. The file is made, 0600, or
   nothing is: what is there already is never written over, and no symbolic link is followed on the way. It holds the bytes as
   they came, up to the cap. job may be NULL. *ret_text (caller frees): what happened, on one line. */
bool save_output(const struct job *job, const char *name, char **ret_text);

#endif

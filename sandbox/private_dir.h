/* The directory that a command without namespaces has for itself: HOME and TMPDIR lie in it. */
#ifndef SANDBOX_PRIVATE_DIR_H
#define SANDBOX_PRIVATE_DIR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Where one can be made: /tmp or /var/tmp, the first that lies on a disk if one does, since what is written to memory is in no
   sum of the command's. ret_memory: it lies in memory. NULL: neither will do, err says why. */
const char *private_dir_base(bool *ret_memory, struct err *err);
/* Its path for the run of this name. false: it does not fit. */
bool private_dir_name(const char *base, const char *run_name, char *ret, size_t size);

/* Makes it with all that belongs into it, for our user alone; another one of the name is refused. As long as ret_fd is open
   nobody takes it for left over. */
int private_dir_make(const char *path, int *ret_fd, struct err *err);
/* Takes it away with all that is in it, whatever the command made of that. Only one that we made. */
void private_dir_remove(const char *path);
/* Removes those beside this one, and of our user, that nobody holds any more. */
void private_dirs_tidy(const char *path);

#endif

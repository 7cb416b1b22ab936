/* The empty mount points that a run makes inside a repository. */
#ifndef SANDBOX_GIT_GUARD_MADE_H
#define SANDBOX_GIT_GUARD_MADE_H

#include <stdbool.h>
#include <sys/stat.h>

/* Whether this empty directory or file was made by us: for a run that still goes on, or for one that was killed. */
bool git_made_is_ours(int dir_fd, const char *name, const struct stat *st);

#endif

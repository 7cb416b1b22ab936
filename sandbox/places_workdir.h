/* The directory a command starts in. */
#ifndef SANDBOX_PLACES_WORKDIR_H
#define SANDBOX_PLACES_WORKDIR_H

#include "base/err.h"
#include "core/confine.h"

/* asked: absolute, or relative to the workspace; NULL: the workspace. Fills c->cwd and c->cwd_made. -1 with a
   sentence that names the resolved path when it is outside the allowed places, also through a symlink. */
int places_workdir(struct confinement *c, const char *asked, struct err *err);

#endif

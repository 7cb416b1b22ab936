/* Whether the engine may be asked to mount something inside what commands may write. */
#ifndef SANDBOX_DOCKER_WAY_H
#define SANDBOX_DOCKER_WAY_H

#include <stdbool.h>

#include "base/err.h"
#include "core/confine.h"

/* Nobody but us and root can put another directory into the way to this path, which is absolute and has no symlink. The
   engine mounts with root's rights: led astray by a symlink it would do so, and make files, anywhere. */
bool docker_way_is_ours(const char *path);
/* The same for all guards: docker can hold them. */
bool docker_holds_guards(const struct confinement *c);
/* Before a launch: makes our own empty file at `path`, if the guards need it to cover names that must stay absent. */
int docker_guards_make(const struct confinement *c, const char *path, struct err *err);

#endif

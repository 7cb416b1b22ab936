/* One place: opened without following a symlink, held by descriptor. */
#ifndef SANDBOX_PLACES_PIN_H
#define SANDBOX_PLACES_PIN_H

#include <sys/stat.h>

#include "base/err.h"
#include "core/confine.h"
#include "sandbox/places.h"

/* Opens `path` (absolute) with O_PATH and no symlink in any component. Returns the descriptor or -1 with errno. */
int place_open(const char *path);
/* The same below a directory: never leaves it. flags as for open. */
int place_open_below(int dir_fd, const char *name, int flags);
/* Owns fd from now on. */
void pins_take(struct pins *pins, int fd);
/* Opens, compares with the place's device and inode, keeps the descriptor in pins. pins may be NULL. */
int place_pin(const struct place *place, struct pins *pins, struct err *err);

#endif

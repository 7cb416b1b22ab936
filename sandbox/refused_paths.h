/* The directories that may never be handed to a command, as tables, compared by device and inode (sandbox.md section 3). */
#ifndef SANDBOX_REFUSED_PATHS_H
#define SANDBOX_REFUSED_PATHS_H

#include "base/err.h"
#include "base/strv.h"

/* Directories that must never be writable because the product itself depends on them. All absolute. */
struct own_places {
	struct strv
		private_dirs; /* configuration, record, socket: equal, above or below is refused */
	struct strv program_dirs; /* our programs and the wrappers: equal or above is refused */
	char *home;               /* $HOME */
	char *passwd_home;        /* of passwd */
};
void own_places_release(struct own_places *own);

enum refused_use { REFUSED_AS_WRITABLE = 1 << 0, REFUSED_AS_READONLY = 1 << 1 };

struct refused_paths; /* every refused path of this host, looked at once */
struct refused_paths *refused_paths_new(const struct own_places *own);
void refused_paths_free_ptr(struct refused_paths **refused);

/* Judges the object behind an O_PATH descriptor. "Below" walks `..` from it, so bind mounts and symlinked homes
   do not hide what it is. path: for the text alone. 0, or ERR_REFUSED: "PATH may not be writable: it is below /usr". */
int refused_paths_check(const struct refused_paths *refused, enum refused_use use, int fd,
	const char *path, struct err *err);

#endif

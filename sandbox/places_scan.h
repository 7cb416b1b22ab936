/* One bounded look through the writable places: repositories, sockets, FIFOs. */
#ifndef SANDBOX_PLACES_SCAN_H
#define SANDBOX_PLACES_SCAN_H

#include <stdbool.h>

#include "base/strv.h"
#include "core/confine.h"

#define SCAN_DEPTH 3        /* levels below a writable place in which a repository is looked for */
#define SCAN_SOCKET_DEPTH 2 /* the top levels whose sockets and FIFOs are named */
#define SCAN_ENTRIES                                                                               \
	10000 /* a command could leave a million files to keep the next card from being drawn */
#define SCAN_SOCKETS 64 /* names kept for the card */

struct scan_found {
	struct strv repositories; /* paths of `.git` entries and of bare repositories, sorted */
	struct strv sockets;
	bool depth_reached;
};
void scan_found_release(struct scan_found *found);

/* Level by level, so that a large directory does not hide its neighbours; symlinks are never followed. */
void scan_writable(const struct places *writable, struct scan_found *ret);

/* Only the sockets and FIFOs of the top levels, of read-only places: a read-only mount does not stop a connect. */
void scan_readonly(const struct places *readonly, struct strv *ret_sockets);

#endif

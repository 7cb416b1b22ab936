/* The confinement: all that one command may touch, as data. Descriptors of its places are held elsewhere (sandbox/places.h). */
#ifndef CORE_CONFINE_H
#define CORE_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strv.h"
#include "core/environment.h"
#include "core/limits.h"

struct place {
	char *path; /* absolute, normalised, without symlinks */
	uint64_t dev, ino;
	bool is_dir;
};
struct places {
	struct place *items;
	size_t count, cap;
};

/* Protection of version control inside a writable place. */
enum guard_kind {
	GUARD_SELF,     /* bound on itself, writable: it cannot be renamed away */
	GUARD_READONLY, /* an existing hooks, config, config.worktree */
	GUARD_MADE,     /* absent: an empty mount point is created for the run, read-only */
};
struct guard {
	enum guard_kind kind;
	struct place place; /* dev and ino are 0 for MADE until it is created */
};

struct confinement {
	char *workspace;
	struct places writable;      /* the workspace first; merged: none below another */
	struct places readonly;      /* readonly_paths that exist, beyond the base set */
	struct places readonly_base; /* those of the base set: an image may not have them */
	struct guard *guards;
	size_t guard_count, guard_cap;
	bool git_depth_reached; /* looked for 3 levels deep, at most 10,000 entries, and stopped there */
	struct strv repositories; /* paths of .git found, and of bare repositories */
	struct strv
		git_outside; /* "LINK -> DIR": a worktree's or submodule's metadata outside the writable places */
	struct strv missing;     /* listed places that do not exist: not bound, never created */
	struct strv private_tmp; /* listed and answered by the private /tmp */
	struct strv
		sockets; /* sockets and FIFOs in the top two levels of writable and read-only places */
	char *cwd;       /* absolute, resolved */
	bool cwd_made; /* does not exist yet; the launcher makes it */
	bool network;
	struct environment env;
	struct limits limits;
	char *command;
	unsigned uid, gid;
	char *run_name; /* of this one command among all of the user's: names its container; NULL: a trial */
};

void confinement_init(struct confinement *c);
void confinement_release(struct confinement *c);
void places_add(struct places *places, const char *path, uint64_t dev, uint64_t ino, bool is_dir);
void places_release(struct places *places);
void guards_drop(struct confinement *c); /* for a backend that cannot hold them */
/* The first place that is at or above this normalised path; NULL. */
const struct place *places_holding(const struct places *places, const char *path);
/* One of the places lies strictly below the directory. */
bool places_any_below(const struct places *places, const char *dir);
/* Something of the directory is shown: a place strictly below it, or a read-only one at or above it. */
bool confinement_shows(const struct confinement *c, const char *dir);
void guard_add(struct confinement *c, enum guard_kind kind, const struct place *place); /* copies */

#endif

/* git inside writable places: prevention for existing hooks and config, detection for the rest (sandbox.md section 3). */
#ifndef SANDBOX_GIT_GUARD_H
#define SANDBOX_GIT_GUARD_H

#include "base/err.h"
#include "base/strv.h"
#include "core/confine.h"

/* The guards for c->repositories as they are. */
void git_guard_protect(struct confinement *c);

/* GUARD_SELF for every directory between a writable place and `path` inside it, both left out. */
void git_guard_way_down(struct confinement *c, const struct place *root, const char *path);

struct git_snapshot; /* what can start programs, before a run */
struct git_snapshot *git_guard_snapshot(const struct confinement *c);
/* Creates the mount points of GUARD_MADE (fills dev, ino). Runs that share one keep it until the last has ended.
   ERR_REFUSED when something else lies there by now: the card is out of date. */
int git_guard_make(struct confinement *c, struct err *err);
/* Removes those that are still empty and ours by inode. */
void git_guard_unmake(struct confinement *c);
/* Takes GUARD_MADE out of the guards: a trial launch runs no command and makes nothing in the workspace. */
void git_guard_drop_made(struct confinement *c);
/* Paths that changed since the snapshot, new repositories included. */
void git_guard_compare(
	const struct git_snapshot *before, const struct confinement *c, struct strv *ret_changed);
void git_snapshot_free(struct git_snapshot *snapshot);

#endif

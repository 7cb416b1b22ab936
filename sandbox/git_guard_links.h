/* Worktrees and submodules whose metadata lies outside the writable places. */
#ifndef SANDBOX_GIT_GUARD_LINKS_H
#define SANDBOX_GIT_GUARD_LINKS_H

#include "core/confine.h"
#include "sandbox/places.h"

/* For each `.git` that is a file: names where it leads in c->git_outside. The metadata of a linked worktree is added
   to c->readonly, so that git can read and says itself that it may not write, but only where the metadata points back
   at this very link: a command can write the link, it cannot write what the link would have to be confirmed by. */
void git_links_outside(struct confinement *c, struct pins *pins);

#endif

/* The paths by which a git configuration pulls in other files that can start programs. */
#ifndef SANDBOX_GIT_CONFIG_PATHS_H
#define SANDBOX_GIT_CONFIG_PATHS_H

#include <stddef.h>

#include "base/strv.h"

/* include.path and includeIf.*.path go to ret_includes, core.hooksPath to ret_hooks, as written (git-config(1)). Reads
   what git would read of simple values; what it cannot read it leaves out. Appends. */
void git_config_paths(
	const char *text, size_t len, struct strv *ret_includes, struct strv *ret_hooks);

#endif

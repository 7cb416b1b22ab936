/* From configured paths to places that are pinned by descriptor (sandbox.md section 3). */
#ifndef SANDBOX_PLACES_H
#define SANDBOX_PLACES_H

#include "base/err.h"
#include "core/config.h"
#include "core/confine.h"
#include "core/reason.h"
#include "core/request.h"
#include "sandbox/refused_paths.h"

/* O_PATH descriptors of every bound directory, held from card to exec. */
struct pins {
	int *fds;
	size_t count, cap;
};
void pins_release(struct pins *pins);

/* Resolves and checks all writable and read-only places once at start: ERR_REFUSED with the path, the rule
   and the option that helps. own NULL: only resolves, for a plan that runs nothing before it is done again with own. ret: workspace, writable, readonly, missing, private_tmp. */
int places_resolve(const struct config *config, const char *workspace, const struct own_places *own,
	struct confinement *ret, struct pins *pins, struct err *err);

/* For one request: copies the resolved places, opens fresh pins, resolves working_dir (outside, also through a symlink:
   REASON_WORKING_DIR_NOT_ALLOWED), looks for repositories, sockets, builds the environment and limits.
   ret is initialised by the call. Errors name the path. */
int places_confine(const struct confinement *base, const struct config *config,
	const struct request *request, char *const *envp, unsigned cpus, struct confinement *ret,
	struct pins *pins, enum reason *ret_reason, struct err *err);

/* The pinned places are still where their paths say (device and inode): checked again before the launch. */
int places_unchanged(const struct confinement *c, struct err *err);

#endif

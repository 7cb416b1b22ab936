#include "config.h"

#include "sandbox/backend_flat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "sandbox/backend_common.h"
#include "sandbox/private_dir.h"

#define ABI_TRUNCATE 3
#define ABI_NET 4
#define ABI_SCOPE 6
#define ABI_USED ABI_SCOPE /* nothing of what is newer is asked for */

static const char *const devices[] = {
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
static const char *const home_dirs[] = {".cache", ".npm"};

static unsigned abi_of(const struct host *host)
{
	unsigned abi = (unsigned)host->landlock_abi;
	return abi < ABI_USED ? abi : ABI_USED;
}

static int check_nested(const struct confinement *c, struct err *err)
{
	for (size_t i = 0; i < c->readonly.count; i++)
		if (places_holding(&c->writable, c->readonly.items[i].path))
			return err_set(err, ERR_UNAVAILABLE,
				"%s is in readonly_paths and lies inside a writable place, which "
				"Landlock alone cannot hold",
				c->readonly.items[i].path);
	return 0;
}

/* What has to be asked of this machine. */
static int check_machine(const struct host *host, const struct confinement *c, struct err *err)
{
	if (c->network)
		return err_set(err, ERR_UNAVAILABLE,
			"with the network granted, every socket of the host would be in reach");
	/* The supervisor could not kill whom it does not see, and a process may hide itself (PR_SET_DUMPABLE). */
	if (host->processes_hidden)
		return err_set(err, ERR_UNAVAILABLE,
			"processes of the command could hide and outlive it (hidepid= of /proc)");
	if (abi_of(host) < ABI_SCOPE && !common_forks_are_asked(host))
		return err_set(err, ERR_UNAVAILABLE,
			"processes outside could be signalled (Landlock ABI 6, Linux 6.12, is the "
			"first that forbids it, and the supervisor cannot answer for them here)");
	return check_nested(c, err);
}

static int name_private_dir(const struct confinement *c, struct offer *ret, struct err *err)
{
	bool memory;
	char trial[48];
	const char *base = private_dir_base(&memory, err);
	if (base == NULL)
		return -1;
	/* Another console may have our number, in another container with the same directory. */
	snprintf(trial, sizeof(trial), "trial-%d-%lld", (int)getpid(), (long long)clock_wall_ms());
	if (places_holding(&c->writable, base) ||
		!private_dir_name(base, c->run_name ? c->run_name : trial, ret->private_dir,
			sizeof(ret->private_dir)))
		return err_set(err, ERR_UNAVAILABLE,
			"%s is writable as a whole, so nothing in it would be private", base);
	/* A control group counts it. */
	if (memory && ret->may_pass[LIMIT_MEMORY])
		ret->may_pass[LIMIT_MEMORY] = "may pass by 40 MB and TMPDIR";
	return 0;
}

static void say_open(const struct confinement *c, struct offer *ret)
{
	ret->open[0] = c->uid == 0
			       ? "!open: modes, owners, times, xattrs of root's files: the system"
			       : "!open: modes, owners, times, xattrs of the user's files outside";
	ret->open[1] = "!seen: which files there are outside, not what is in them";
	ret->open[2] = "!seen: all processes with their arguments, all connections";
}

int flat_offer(
	const struct host *host, const struct confinement *c, struct offer *ret, struct err *err)
{
	common_offer(BACKEND_LANDLOCK, c, ret);
	common_offer_limits(host, c, ret);
	common_offer_unseen(host, false, ret);
	if (check_machine(host, c, err) || name_private_dir(c, ret, err))
		return -1;
	ret->flat = true;
	ret->guards_lost = true;
	ret->facets[FACET_FILES] = HOLD_PART;
	ret->facets[FACET_PROCESSES] = HOLD_PART;
	ret->facets[FACET_NETWORK] = HOLD_PART;
	ret->facets[FACET_HOSTNAME] = HOLD_PART;
	ret->facets[FACET_MEMORY] = HOLD_FULL; /* the filter denies it */
	ret->facets[FACET_SOCKETS] = c->sockets.count > 0 ? HOLD_PART : HOLD_FULL;
	ret->facets[FACET_END] = HOLD_FULL;
	say_open(c, ret);
	return 0;
}

/* File by file, and no list of what is beside: there is no empty root that hides the rest. */
static void add_base_rules(const struct host *host, struct plan *plan)
{
	for (size_t i = 0; i < host->base_set.count; i++) {
		const struct base_entry *entry = &host->base_set.items[i];
		if (entry->source && !entry->network_only)
			plan_add_rule(plan, PLAN_ACCESS_READ, entry->source);
	}
	plan_add_rule(plan, PLAN_ACCESS_READ, "/proc");
	for (size_t i = 0; i < ARRAY_LEN(devices); i++)
		plan_add_rule(plan, PLAN_ACCESS_DEVICE, devices[i]);
}

static void add_private_rules(struct plan *plan)
{
	MEM_AUTO char *tmp = path_join(plan->private_dir, PRIVATE_TMP);
	plan_add_rule(plan, PLAN_ACCESS_WRITE, tmp);
	plan_add_rule(plan, PLAN_ACCESS_READ, plan->home);
	for (size_t i = 0; i < ARRAY_LEN(home_dirs); i++) {
		MEM_AUTO char *path = path_join(plan->home, home_dirs[i]);
		plan_add_rule(plan, PLAN_ACCESS_WRITE, path);
	}
}

static void add_places(const struct places *places, enum plan_access access, struct plan *plan)
{
	for (size_t i = 0; i < places->count; i++) {
		const struct place *place = &places->items[i];
		plan_add_rule(plan, access, place->path);
		struct plan_mount *check =
			plan_add_check(plan, place->path, place->dev, place->ino);
		if (access == PLAN_ACCESS_READ)
			check->flags |= PLAN_RO;
	}
}

int flat_plan(const struct host *host, const struct confinement *c, const struct offer *offered,
	struct plan *ret, struct err *err)
{
	common_plan(host, c, "landlock", ret);
	common_plan_limits(host, c, ret);
	ret->private_dir = mem_strdup(offered->private_dir);
	ret->home = path_join(ret->private_dir, PRIVATE_HOME);
	ret->landlock = true;
	ret->landlock_abi = abi_of(host);
	ret->landlock_net = ret->landlock_abi >= ABI_NET;
	ret->signals_asked = ret->landlock_abi < ABI_SCOPE;
	ret->filter = ret->landlock_abi < ABI_TRUNCATE ? PLAN_FILTER_FLAT_WHOLE : PLAN_FILTER_FLAT;
	ret->proofs = PLAN_PROOF_FILES | PLAN_PROOF_SECCOMP | PLAN_PROOF_NNP | PLAN_PROOF_LANDLOCK |
		      PLAN_PROOF_NO_TTY | PLAN_PROOF_FLAT;
	add_base_rules(host, ret);
	add_private_rules(ret);
	add_places(&c->readonly, PLAN_ACCESS_READ, ret);
	add_places(&c->writable, PLAN_ACCESS_WRITE, ret);
	if (ret->check_count <= PLAN_CHECKS_MAX)
		return 0;
	err_set(err, ERR_LIMIT, "%zu places would have to be compared, %d can be; list fewer",
		ret->check_count, PLAN_CHECKS_MAX);
	plan_release(ret);
	return -1;
}

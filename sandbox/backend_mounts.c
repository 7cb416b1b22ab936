#include "config.h"

#include "sandbox/backend_mounts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"

#define ROOT_BYTES (1u << 20) /* holds mount points alone */
#define EMPTY_BYTES 4096u
#define RESOLV_CONF "/etc/resolv.conf"

/* Beside these a home directory cannot get a mount of its own: they are shown as they are. */
static const char *const no_home_below[] = {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64",
	"/libx32", "/etc", "/dev", "/proc", "/sys"};
static const char *const private_dirs[] = {"/tmp", "/var/tmp", "/run"};
static const char *const home_dirs[] = {".cache", ".npm"};
static const char *const devices[] = {
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
static const struct {
	const char *name, *text;
} device_links[] = {{"/dev/fd", "/proc/self/fd"}, {"/dev/stdin", "/proc/self/fd/0"},
	{"/dev/stdout", "/proc/self/fd/1"}, {"/dev/stderr", "/proc/self/fd/2"}};

static struct plan_mount *add_tmpfs(
	struct plan *plan, unsigned flags, const char *target, uint64_t bytes, uint32_t mode)
{
	struct plan_mount *mount = plan_add_mount(plan, PLAN_TMPFS, flags, NULL, target);
	mount->size = bytes;
	mount->mode = mode;
	return mount;
}

static bool below_any(const char *path, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (path_is_equal_or_below(path, list[i]))
			return true;
	return false;
}

bool backend_home_may_be_own(const char *home)
{
	if (home == NULL || below_any(home, no_home_below, ARRAY_LEN(no_home_below)))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(private_dirs); i++)
		if (strcmp(home, private_dirs[i]) == 0)
			return false;
	return true;
}

bool backend_has_own_home(const struct confinement *c)
{
	return backend_home_may_be_own(c->env.home) &&
	       places_holding(&c->writable, c->env.home) == NULL;
}

/* Where the machine's resolvers are out of reach of a network of its own, pasta stands in for one. */
static void add_base_set(const struct host *host, bool network, struct plan *plan)
{
	const char *resolv_conf = plan->pasta.count > 0 ? host->way_out.resolv_conf : NULL;
	for (size_t i = 0; i < host->base_set.count; i++) {
		const struct base_entry *entry = &host->base_set.items[i];
		if (entry->network_only != network)
			continue;
		if (resolv_conf && strcmp(entry->target, RESOLV_CONF) == 0) {
			plan_add_mount(plan, PLAN_FILE, PLAN_RO, resolv_conf, RESOLV_CONF);
			continue;
		}
		if (entry->source == NULL)
			plan_add_mount(plan, PLAN_SYMLINK, 0, entry->link, entry->target);
		else
			plan_add_mount(plan, PLAN_BIND,
				PLAN_RO | PLAN_OPTIONAL | (entry->is_dir ? PLAN_REC : 0u),
				entry->source, entry->target);
	}
}

/* A root console without capabilities may still write there: core_pattern and sysrq-trigger ask for the uid alone.
   Landlock closes all of /proc; /proc/sys has a second lock. */
static void add_proc(const struct host *host, struct plan *plan)
{
	static const char *const without_landlock[] = {
		"/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/acpi", "/proc/scsi"};
	plan_add_mount(plan, PLAN_PROC, 0, NULL, "/proc");
	plan_add_mount(plan, PLAN_BIND, PLAN_RO | PLAN_REC, "/proc/sys", "/proc/sys");
	for (size_t i = 0; host->landlock_abi == 0 && i < ARRAY_LEN(without_landlock); i++)
		plan_add_mount(plan, PLAN_BIND, PLAN_RO | PLAN_OPTIONAL, without_landlock[i],
			without_landlock[i]);
}

static void add_system(struct plan *plan)
{
	/* read-only, which writing to a device does not mind, but chmod by its owner root does */
	for (size_t i = 0; i < ARRAY_LEN(devices); i++)
		plan_add_mount(plan, PLAN_DEVICE, PLAN_RO, devices[i], devices[i]);
	for (size_t i = 0; i < ARRAY_LEN(device_links); i++)
		plan_add_mount(plan, PLAN_SYMLINK, 0, device_links[i].text, device_links[i].name);
	add_tmpfs(plan, 0, "/dev/shm", LIMIT_SMALL_TMPFS_BYTES, 01777);
	add_tmpfs(plan, 0, "/tmp", LIMIT_TMP_BYTES, 01777);
	add_tmpfs(plan, 0, "/var/tmp", LIMIT_SMALL_TMPFS_BYTES, 01777);
	add_tmpfs(plan, 0, "/run", LIMIT_SMALL_TMPFS_BYTES, 0755);
}

static void add_home(const char *home, struct plan *plan)
{
	add_tmpfs(plan, 0, home, ROOT_BYTES, 0755);
	for (size_t i = 0; i < ARRAY_LEN(home_dirs); i++) {
		MEM_AUTO char *path = path_join(home, home_dirs[i]);
		add_tmpfs(plan, 0, path, LIMIT_SMALL_TMPFS_BYTES, 0700);
	}
}

static void add_bind(struct plan *plan, unsigned flags, const struct place *place)
{
	struct plan_mount *mount = plan_add_mount(plan, PLAN_BIND,
		flags | PLAN_CHECK | (place->is_dir ? PLAN_REC : 0u), place->path, place->path);
	mount->dev = place->dev;
	mount->ino = place->ino;
}

/* The mount point of an absent hooks or config is covered by something empty of our own. Its name is not bound on
   itself: a command of another run could make it a link to a file outside, which would then be shown inside. */
static void add_made(struct plan *plan, const struct place *place)
{
	if (place->is_dir)
		add_tmpfs(plan, PLAN_RO, place->path, EMPTY_BYTES, 0555);
	else
		plan_add_mount(plan, PLAN_EMPTY_FILE, PLAN_RO, NULL, place->path);
}

static void add_places(const struct confinement *c, struct plan *plan)
{
	for (size_t i = 0; i < c->readonly.count; i++)
		add_bind(plan, PLAN_RO, &c->readonly.items[i]);
	for (size_t i = 0; i < c->writable.count; i++)
		add_bind(plan, 0, &c->writable.items[i]);
	for (size_t i = 0; i < c->guard_count; i++) {
		const struct guard *guard = &c->guards[i];
		if (guard->kind == GUARD_MADE)
			add_made(plan, &guard->place);
		else
			add_bind(plan, guard->kind == GUARD_READONLY ? PLAN_RO : 0, &guard->place);
	}
}

/* A parent is a prefix of its child and sorts before it. */
static int by_target(const void *a, const void *b)
{
	return strcmp(
		((const struct plan_mount *)a)->target, ((const struct plan_mount *)b)->target);
}

/* Of two mounts on one target the pinned place wins: a listed ~/.cache replaces the private one. */
static void drop_covered(struct plan *plan)
{
	size_t kept = 0;
	for (size_t i = 0; i < plan->mount_count; i++) {
		struct plan_mount *m = &plan->mounts[i];
		struct plan_mount *last = kept > 0 ? &plan->mounts[kept - 1] : NULL;
		if (last == NULL || strcmp(last->target, m->target) != 0) {
			plan->mounts[kept++] = *m;
			continue;
		}
		struct plan_mount *loser = (m->flags & PLAN_CHECK) ? last : m;
		struct plan_mount winner = loser == last ? *m : *last;
		free(loser->source);
		free(loser->target);
		plan->mounts[kept - 1] = winner;
	}
	plan->mount_count = kept;
}

static int count_checks(const struct plan *plan, struct err *err)
{
	size_t checks = 0;
	for (size_t i = 0; i < plan->mount_count; i++)
		checks += (plan->mounts[i].flags & PLAN_CHECK) != 0;
	if (checks <= PLAN_CHECKS_MAX)
		return 0;
	return err_set(err, ERR_LIMIT, "%zu places would have to be bound, %d can be; list fewer",
		checks, PLAN_CHECKS_MAX);
}

void backend_base_mounts(const struct host *host, const char *own_home, struct plan *plan)
{
	add_tmpfs(plan, 0, "/", ROOT_BYTES, 0755);
	add_base_set(host, false, plan);
	add_proc(host, plan);
	add_system(plan);
	if (own_home)
		add_home(own_home, plan);
	qsort(plan->mounts, plan->mount_count, sizeof(*plan->mounts), by_target);
}

/* None of the others is at or above one of the first. */
static bool are_apart(const struct plan *plan, size_t first)
{
	for (size_t i = first; i < plan->mount_count; i++)
		for (size_t k = 0; k < first; k++)
			if (path_is_equal_or_below(plan->mounts[k].target, plan->mounts[i].target))
				return false;
	return true;
}

int backend_mounts(
	const struct host *host, const struct confinement *c, struct plan *plan, struct err *err)
{
	bool own_home = backend_has_own_home(c);
	backend_base_mounts(host, own_home ? c->env.home : NULL, plan);
	size_t base = plan->mount_count;
	if (c->network)
		add_base_set(host, true, plan);
	add_places(c, plan);
	size_t sorted = are_apart(plan, base) ? base : 0;
	qsort(plan->mounts + sorted, plan->mount_count - sorted, sizeof(*plan->mounts), by_target);
	drop_covered(plan);
	/* last: until here mount points are still made in them */
	if (own_home)
		plan_add_mount(plan, PLAN_REMOUNT_RO, 0, NULL, c->env.home);
	plan_add_mount(plan, PLAN_REMOUNT_RO, 0, NULL, "/");
	return count_checks(plan, err);
}

static void rules_for_home(const struct confinement *c, struct plan *plan)
{
	plan_add_rule(plan, PLAN_ACCESS_READ, c->env.home);
	for (size_t i = 0; i < ARRAY_LEN(home_dirs); i++) {
		MEM_AUTO char *path = path_join(c->env.home, home_dirs[i]);
		plan_add_rule(plan, PLAN_ACCESS_WRITE, path);
	}
}

static void rules_for_base_set(const struct host *host, struct plan *plan)
{
	bool etc = false;
	for (size_t i = 0; i < host->base_set.count; i++) {
		const struct base_entry *entry = &host->base_set.items[i];
		if (path_is_equal_or_below(entry->target, "/etc"))
			etc = true;
		else if (entry->source)
			plan_add_rule(plan, PLAN_ACCESS_READ, entry->target);
	}
	if (etc)
		plan_add_rule(plan, PLAN_ACCESS_READ, "/etc");
}

void backend_rules(const struct host *host, const struct confinement *c, struct plan *plan)
{
	plan_add_rule(plan, PLAN_ACCESS_LIST, "/");
	rules_for_base_set(host, plan);
	plan_add_rule(plan, PLAN_ACCESS_READ, "/proc");
	plan_add_rule(plan, PLAN_ACCESS_READ, "/dev");
	for (size_t i = 0; i < ARRAY_LEN(devices); i++)
		plan_add_rule(plan, PLAN_ACCESS_DEVICE, devices[i]);
	plan_add_rule(plan, PLAN_ACCESS_WRITE, "/dev/shm");
	for (size_t i = 0; i < ARRAY_LEN(private_dirs); i++)
		plan_add_rule(plan, PLAN_ACCESS_WRITE, private_dirs[i]);
	if (backend_has_own_home(c))
		rules_for_home(c, plan);
	for (size_t i = 0; i < c->readonly.count; i++)
		plan_add_rule(plan, PLAN_ACCESS_READ, c->readonly.items[i].path);
	for (size_t i = 0; i < c->writable.count; i++)
		plan_add_rule(plan, PLAN_ACCESS_WRITE, c->writable.items[i].path);
	plan->landlock = true;
}

#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "sandbox/firejail_view.h"

/* Not there, so that the directory around it becomes an empty one; the launcher refuses one in which it is. */
#define NOTHING ".exequatur-nothing"

static void option(struct str *profile, const char *name, const char *path)
{
	str_printf(profile, "%s %s\n", name, path);
}

static void option_in(struct str *profile, const char *name, const char *dir, const char *entry)
{
	MEM_AUTO char *path = path_join(dir, entry);
	option(profile, name, path);
}

/* A link is taken only where firejail knows it, and what lies outside /etc only through such a link. */
static bool is_taken(const struct base_entry *entry)
{
	static const char *const known_links[] = {"/etc/localtime", "/etc/os-release"};
	for (size_t i = 0; i < ARRAY_LEN(known_links); i++)
		if (strcmp(entry->target, known_links[i]) == 0)
			return true;
	return entry->source && path_is_equal_or_below(entry->target, "/etc") &&
	       strcmp(entry->source, entry->target) == 0;
}

static bool is_wanted(const struct base_entry *entry, const struct confinement *c)
{
	return is_taken(entry) && (c->network || !entry->network_only);
}

static void show_places(
	const struct firejail_view *view, const struct places *places, struct str *profile)
{
	for (size_t i = 0; i < places->count; i++)
		if (firejail_view_empties(view, places->items[i].path))
			option(profile, "whitelist", places->items[i].path);
}

static void empty_and_close(const struct firejail_view *view, struct str *profile)
{
	for (size_t i = 0; i < view->top_count; i++) {
		const struct top *top = &view->tops[i];
		bool home = view->home && strcmp(top->path, view->home) == 0;
		if (top->kind == TOP_EMPTIED && !home)
			option_in(profile, "whitelist", top->path, NOTHING);
		else if (top->kind == TOP_CLOSED)
			option(profile, "blacklist", top->path);
	}
	if (view->home) {
		option_in(profile, "whitelist", view->home, NOTHING);
		/* which it copies into the empty one */
		option_in(profile, "blacklist", view->home, ".Xauthority");
		option_in(profile, "blacklist", view->home, ".asoundrc");
	}
	option(profile, "blacklist", "/dev/log");
}

/* For root alone: an ordinary user can write to nothing there, since all of it belongs to root. */
static void seal(const struct firejail_view *view, struct str *profile)
{
	option(profile, "read-only", "/");
	for (size_t i = 0; i < view->top_count; i++)
		if (view->tops[i].kind == TOP_EMPTIED && strcmp(view->tops[i].path, "/tmp") != 0)
			option(profile, "read-only", view->tops[i].path);
	/* firejail itself still writes here */
	option(profile, "read-write", "/run/firejail/mnt");
	option(profile, "read-only", "/run/firejail/mnt/dev");
	if (view->private_var_tmp)
		option(profile, "read-write", "/var/tmp");
	option(profile, "read-only", "/dev");
	option(profile, "read-write", "/dev/shm");
	if (view->home)
		option(profile, "read-write", view->home);
}

struct step {
	const char *path;
	bool readonly;
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct step *)a)->path, ((const struct step *)b)->path);
}

static bool is_mine(const struct firejail_view *view, const struct confinement *c, const char *path)
{
	if (geteuid() == 0 || !firejail_view_empties(view, path))
		return true;
	/* shown by a mount of its own, unless one around it is shown already */
	for (size_t i = 0; i < c->readonly.count; i++)
		if (path_is_equal_or_below(path, c->readonly.items[i].path))
			return true;
	return false;
}

/* A place that is made read-only and then writable again is a mount of its own, which cannot be renamed away. Both work on
   what is mounted below as well, so a parent comes before its children. */
static void fix_places(
	const struct firejail_view *view, const struct confinement *c, struct str *profile)
{
	size_t count = 0;
	struct step *steps = mem_alloc(
		(c->readonly.count + c->writable.count + c->guard_count + 1) * sizeof(*steps));
	for (size_t i = 0; i < c->readonly.count; i++)
		steps[count++] = (struct step){c->readonly.items[i].path, true};
	for (size_t i = 0; i < c->writable.count; i++)
		if (is_mine(view, c, c->writable.items[i].path))
			steps[count++] = (struct step){c->writable.items[i].path, false};
	for (size_t i = 0; i < c->guard_count; i++)
		steps[count++] =
			(struct step){c->guards[i].place.path, c->guards[i].kind != GUARD_SELF};
	qsort(steps, count, sizeof(*steps), by_path);
	for (size_t i = 0; i < count; i++) {
		option(profile, "read-only", steps[i].path);
		if (!steps[i].readonly)
			option(profile, "read-write", steps[i].path);
	}
	free(steps);
}

void firejail_view_profile(const struct firejail_view *view, const struct host *host,
	const struct confinement *c, struct str *profile)
{
	for (size_t i = 0; i < host->base_set.count; i++)
		if (is_wanted(&host->base_set.items[i], c))
			option(profile, "whitelist", host->base_set.items[i].target);
	if (!view->shows_var_tmp)
		option(profile, "whitelist", "/var/tmp");
	show_places(view, &c->readonly, profile);
	show_places(view, &c->writable, profile);
	empty_and_close(view, profile);
	if (geteuid() == 0)
		seal(view, profile);
	fix_places(view, c, profile);
}

static unsigned sealed_flag(const struct firejail_view *view, const char *path)
{
	bool own = strcmp(path, "/tmp") == 0 || (view->home && strcmp(path, view->home) == 0);
	return own ? 0 : PLAN_RO;
}

static void expect(struct plan *plan, unsigned flags, const struct place *place)
{
	plan_add_check(plan, place->path, place->dev, place->ino)->flags |= flags;
}

static void expect_places(struct plan *plan, const struct confinement *c)
{
	for (size_t i = 0; i < c->readonly.count; i++)
		expect(plan, PLAN_RO, &c->readonly.items[i]);
	for (size_t i = 0; i < c->writable.count; i++)
		expect(plan, 0, &c->writable.items[i]);
	for (size_t i = 0; i < c->guard_count; i++) {
		const struct guard *guard = &c->guards[i];
		if (guard->kind == GUARD_MADE)
			plan_add_mount(plan, PLAN_REMOUNT_RO, 0, NULL, guard->place.path);
		else
			expect(plan, guard->kind == GUARD_READONLY ? PLAN_RO : 0, &guard->place);
	}
}

void firejail_view_expect(const struct firejail_view *view, const struct host *host,
	const struct confinement *c, struct plan *plan)
{
	for (size_t i = 0; i < view->top_count; i++)
		if (view->tops[i].kind == TOP_EMPTIED)
			plan_add_mount(plan, PLAN_TMPFS, sealed_flag(view, view->tops[i].path),
				NULL, view->tops[i].path);
	if (view->home && firejail_view_empties(view, view->home))
		plan_add_mount(plan, PLAN_TMPFS, 0, NULL, view->home);
	if (view->private_var_tmp)
		plan_add_mount(plan, PLAN_TMPFS, 0, NULL, "/var/tmp");
	for (size_t i = 0; i < host->base_set.count; i++)
		if (is_wanted(&host->base_set.items[i], c))
			plan_add_mount(plan, PLAN_DIR, PLAN_OPTIONAL, NULL,
				host->base_set.items[i].target);
	expect_places(plan, c);
}

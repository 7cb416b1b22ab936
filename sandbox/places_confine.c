#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "sandbox/base_set.h"
#include "sandbox/git_guard.h"
#include "sandbox/git_guard_links.h"
#include "sandbox/places.h"
#include "sandbox/places_pin.h"
#include "sandbox/places_scan.h"
#include "sandbox/places_workdir.h"

static bool is_gone(const struct place *place)
{
	struct stat st;
	return lstat(place->path, &st) < 0;
}

/* A listed place that vanished since the start is missing for this run; one that was replaced is refused: its
   replacement was never checked. */
static int copy_places(struct confinement *c, const struct places *from, struct places *to,
	struct pins *pins, struct err *err)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct place *place = &from->items[i];
		bool holds_workspace = path_is_equal_or_below(c->workspace, place->path);
		if (!holds_workspace && is_gone(place)) {
			strv_add(&c->missing, place->path);
			continue;
		}
		if (place_pin(place, pins, err) < 0)
			return err_context(err, "a place of this session changed");
		places_add(to, place->path, place->dev, place->ino, place->is_dir);
	}
	return 0;
}

static int copy_base(
	struct confinement *c, const struct confinement *base, struct pins *pins, struct err *err)
{
	c->workspace = mem_strdup(base->workspace);
	c->uid = base->uid;
	c->gid = base->gid;
	strv_copy(&c->missing, &base->missing);
	strv_copy(&c->private_tmp, &base->private_tmp);
	if (copy_places(c, &base->writable, &c->writable, pins, err) < 0)
		return -1;
	if (copy_places(c, &base->readonly_base, &c->readonly_base, pins, err) < 0)
		return -1;
	return copy_places(c, &base->readonly, &c->readonly, pins, err);
}

static void look_inside(struct confinement *c, bool protect_git, struct pins *pins)
{
	struct scan_found found;
	scan_writable(&c->writable, &found);
	strv_copy(&c->repositories, &found.repositories);
	strv_copy(&c->sockets, &found.sockets);
	scan_readonly(&c->readonly, &c->sockets);
	c->git_depth_reached = found.depth_reached;
	scan_found_release(&found);
	if (protect_git)
		git_guard_protect(c);
	git_links_outside(c, pins);
}

/* A read-only place inside a writable one: a rename of a directory between them would leave its name free. */
static void hold_nested(struct confinement *c)
{
	for (size_t i = 0; i < c->readonly.count; i++) {
		MEM_AUTO char *up = path_dirname(c->readonly.items[i].path);
		for (size_t k = 0; k < c->writable.count; k++) {
			const struct place *w = &c->writable.items[k];
			if (path_is_equal_or_below(up, w->path))
				git_guard_way_down(c, w, c->readonly.items[i].path);
		}
	}
}

static void build_environment(struct confinement *c, char *const *envp)
{
	struct strv writable CLEANUP(strv_release) = STRV_INIT;
	struct strv visible CLEANUP(strv_release) = STRV_INIT;
	for (size_t i = 0; i < c->writable.count; i++)
		strv_add(&writable, c->writable.items[i].path);
	strv_copy(&writable, &c->private_tmp);
	base_set_visible(&visible);
	for (size_t i = 0; i < c->readonly.count; i++)
		strv_add(&visible, c->readonly.items[i].path);
	environment_scrub(envp, &writable, &visible, &c->env);
}

int places_confine(const struct confinement *base, const struct config *config,
	const struct request *request, char *const *envp, unsigned cpus, struct confinement *ret,
	struct pins *pins, enum reason *ret_reason, struct err *err)
{
	confinement_init(ret);
	*pins = (struct pins){0};
	*ret_reason = REASON_SANDBOX_UNAVAILABLE;
	int failed = copy_base(ret, base, pins, err);
	if (failed == 0) {
		*ret_reason = REASON_WORKING_DIR_NOT_ALLOWED;
		failed = places_workdir(ret, request->working_dir, err);
	}
	if (failed) {
		confinement_release(ret);
		pins_release(pins);
		return -1;
	}
	*ret_reason = REASON_NONE;
	ret->network = request->network;
	ret->command = mem_strdup(request->command);
	look_inside(ret, config->protect_git, pins);
	hold_nested(ret);
	build_environment(ret, envp);
	limits_for(config, request, cpus, &ret->limits);
	return 0;
}

static int unchanged(const struct places *places, struct err *err)
{
	for (size_t i = 0; i < places->count; i++)
		if (place_pin(&places->items[i], NULL, err) < 0)
			return -1;
	return 0;
}

int places_unchanged(const struct confinement *c, struct err *err)
{
	if (unchanged(&c->writable, err) < 0 || unchanged(&c->readonly, err) < 0)
		return -1;
	for (size_t i = 0; i < c->guard_count; i++)
		if (c->guards[i].place.ino != 0 && place_pin(&c->guards[i].place, NULL, err) < 0)
			return -1;
	return 0;
}

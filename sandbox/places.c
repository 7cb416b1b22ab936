#include "config.h"

#include "sandbox/places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "sandbox/base_set.h"
#include "sandbox/places_pin.h"

/* The host keeps sockets of agents, screens and sessions in these: the command gets private ones instead. */
static const char *const private_tmps[] = {"/tmp", "/var/tmp"};

struct resolver {
	const struct refused_paths *refused;
	struct confinement *c;
	struct pins *pins;
};

static bool is_private_tmp(const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(private_tmps); i++) {
		MEM_AUTO char *resolved = realpath(private_tmps[i], NULL);
		if (strcmp(path, private_tmps[i]) == 0 || (resolved && strcmp(path, resolved) == 0))
			return true;
	}
	return false;
}

/* Sockets, devices and FIFOs are doors to other programs: a read-only mount does not close them. */
static int check_kind(const struct stat *st, const char *path, struct err *err)
{
	if (S_ISDIR(st->st_mode) || S_ISREG(st->st_mode))
		return 0;
	return err_set(err, ERR_REFUSED, "%s is neither a directory nor a plain file", path);
}

/* resolved: without symlinks (realpath). On success the descriptor is in the pins. */
static int add_place(struct resolver *r, enum refused_use use, const char *resolved,
	struct places *places, struct stat *ret_st, struct err *err)
{
	FD_AUTO int fd = place_open(resolved);
	if (fd < 0 && (errno == ENOSYS || errno == EPERM)) /* no word about the place */
		return err_set_errno(err, "openat2 of %s", resolved);
	if (fd < 0 || fstat(fd, ret_st) < 0)
		return err_set_errno(err, "%s", resolved);
	if (check_kind(ret_st, resolved, err) < 0 ||
		(r->refused && refused_paths_check(r->refused, use, fd, resolved, err) < 0))
		return -1;
	places_add(places, resolved, ret_st->st_dev, ret_st->st_ino, S_ISDIR(ret_st->st_mode));
	pins_take(r->pins, fd);
	fd = -1;
	return 0;
}

/* 1: *ret is the path without symlinks; 0: it is not there and was noted as missing; -1. */
static int resolve(struct resolver *r, const char *path, char **ret, struct err *err)
{
	*ret = realpath(path, NULL);
	if (*ret)
		return 1;
	if (errno != ENOENT && errno != ENOTDIR)
		return err_set_errno(err, "%s", path);
	strv_add(&r->c->missing, path);
	return 0;
}

static int resolve_writable(struct resolver *r, const char *path, struct err *err)
{
	MEM_AUTO char *resolved = NULL;
	int found = resolve(r, path, &resolved, err);
	if (found <= 0)
		return found;
	if (is_private_tmp(resolved)) {
		if (!strv_has(&r->c->private_tmp, resolved))
			strv_add(&r->c->private_tmp, resolved);
		return 0;
	}
	struct stat st;
	if (add_place(r, REFUSED_AS_WRITABLE, resolved, &r->c->writable, &st, err) == 0)
		return 0;
	return err_context(err, "[security.sandbox.bubblewrap] writable_paths");
}

static int resolve_readonly(struct resolver *r, const char *path, struct err *err)
{
	MEM_AUTO char *resolved = NULL;
	int found = resolve(r, path, &resolved, err);
	if (found <= 0)
		return found;
	struct places *places = base_set_holds(resolved) ? &r->c->readonly_base : &r->c->readonly;
	struct stat st;
	if (add_place(r, REFUSED_AS_READONLY, resolved, places, &st, err) == 0)
		return 0;
	return err_context(err, "[security.sandbox.bubblewrap] readonly_paths");
}

static int workspace_help(struct err *err)
{
	struct err cause = *err;
	if (cause.saved_errno == ENOSYS || cause.saved_errno == EPERM)
		return err_context(err, "workspace");
	return err_set(err, cause.code, "workspace: %s; -C DIR names another", cause.text);
}

static int resolve_workspace(struct resolver *r, const char *path, struct err *err)
{
	MEM_AUTO char *resolved = realpath(path, NULL);
	if (resolved == NULL) {
		err_set_errno(err, "%s", path);
		return workspace_help(err);
	}
	struct stat st;
	if (add_place(r, REFUSED_AS_WRITABLE, resolved, &r->c->writable, &st, err) < 0)
		return workspace_help(err);
	if (!S_ISDIR(st.st_mode)) {
		err_set(err, ERR_REFUSED, "%s is not a directory", resolved);
		return workspace_help(err);
	}
	if (st.st_uid != geteuid()) {
		err_set(err, ERR_REFUSED, "%s belongs to uid %u, not to you (uid %u)", resolved,
			(unsigned)st.st_uid, (unsigned)geteuid());
		return workspace_help(err);
	}
	r->c->workspace = mem_strdup(resolved);
	return 0;
}

static bool covered(const struct place *place, const struct places *by, size_t self)
{
	for (size_t i = 0; i < by->count; i++) {
		const struct place *other = &by->items[i];
		if (i == self || !path_is_equal_or_below(place->path, other->path))
			continue;
		/* of two equal ones the first stays */
		if (strcmp(place->path, other->path) != 0 || i < self)
			return true;
	}
	return false;
}

/* Takes out what lies below another of the list. */
static void merge(struct places *places)
{
	struct places kept = {0};
	for (size_t i = 0; i < places->count; i++) {
		const struct place *p = &places->items[i];
		if (!covered(p, places, i))
			places_add(&kept, p->path, p->dev, p->ino, p->is_dir);
	}
	places_release(places);
	*places = kept;
}

/* One place in both lists is a contradiction: either reading would surprise somebody. */
static int check_disjoint(const struct confinement *c, struct err *err)
{
	for (size_t i = 0; i < c->readonly.count; i++)
		for (size_t k = 0; k < c->writable.count; k++)
			if (strcmp(c->readonly.items[i].path, c->writable.items[k].path) == 0)
				return err_set(err, ERR_REFUSED,
					"%s is writable and in readonly_paths: take it out of one",
					c->readonly.items[i].path);
	return 0;
}

/* The workspace stays the first, also when a listed place holds it: then the wider one is writable as a whole. */
static void merge_writable(struct confinement *c)
{
	merge(&c->writable);
	for (size_t i = 1; i < c->writable.count; i++) {
		if (!path_is_equal_or_below(c->workspace, c->writable.items[i].path))
			continue;
		struct place widest = c->writable.items[i];
		memmove(&c->writable.items[1], &c->writable.items[0], i * sizeof(widest));
		c->writable.items[0] = widest;
		return;
	}
}

int places_resolve(const struct config *config, const char *workspace, const struct own_places *own,
	struct confinement *ret, struct pins *pins, struct err *err)
{
	struct refused_paths *refused CLEANUP(refused_paths_free_ptr) =
		own ? refused_paths_new(own) : NULL;
	struct resolver r = {.refused = refused, .c = ret, .pins = pins};
	confinement_init(ret);
	*pins = (struct pins){0};
	int failed = resolve_workspace(&r, workspace, err);
	for (size_t i = 0; failed == 0 && i < config->writable_paths.count; i++)
		failed = resolve_writable(&r, config->writable_paths.items[i], err);
	for (size_t i = 0; failed == 0 && i < config->readonly_paths.count; i++)
		failed = resolve_readonly(&r, config->readonly_paths.items[i], err);
	if (failed == 0)
		failed = check_disjoint(ret, err);
	if (failed) {
		confinement_release(ret);
		pins_release(pins);
		return -1;
	}
	merge_writable(ret);
	merge(&ret->readonly);
	merge(&ret->readonly_base);
	ret->uid = geteuid();
	ret->gid = getegid();
	return 0;
}

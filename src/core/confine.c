#include "config.h"

#include "core/confine.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"

void confinement_init(struct confinement *c)
{
	memset(c, 0, sizeof(*c));
	environment_init(&c->env);
}

static void guards_release(struct confinement *c)
{
	for (size_t i = 0; i < c->guard_count; i++)
		free(c->guards[i].place.path);
	free(c->guards);
}

void guards_drop(struct confinement *c)
{
	guards_release(c);
	c->guards = NULL;
	c->guard_count = c->guard_cap = 0;
}

void confinement_release(struct confinement *c)
{
	free(c->workspace);
	places_release(&c->writable);
	places_release(&c->readonly);
	places_release(&c->readonly_base);
	guards_release(c);
	strv_release(&c->repositories);
	strv_release(&c->git_outside);
	strv_release(&c->missing);
	strv_release(&c->private_tmp);
	strv_release(&c->sockets);
	free(c->cwd);
	environment_release(&c->env);
	free(c->command);
	free(c->run_name);
	memset(c, 0, sizeof(*c));
}

void places_add(struct places *places, const char *path, uint64_t dev, uint64_t ino, bool is_dir)
{
	mem_grow(&places->items, &places->cap, places->count, sizeof(*places->items));
	places->items[places->count++] =
		(struct place){.path = mem_strdup(path), .dev = dev, .ino = ino, .is_dir = is_dir};
}

void places_release(struct places *places)
{
	for (size_t i = 0; i < places->count; i++)
		free(places->items[i].path);
	free(places->items);
	memset(places, 0, sizeof(*places));
}

bool places_any_below(const struct places *places, const char *dir)
{
	for (size_t i = 0; i < places->count; i++)
		if (strcmp(places->items[i].path, dir) != 0 &&
			path_is_equal_or_below(places->items[i].path, dir))
			return true;
	return false;
}

const struct place *places_holding(const struct places *places, const char *path)
{
	for (size_t i = 0; i < places->count; i++) {
		if (path_is_equal_or_below(path, places->items[i].path))
			return &places->items[i];
	}
	return NULL;
}

bool confinement_shows(const struct confinement *c, const char *dir)
{
	return places_any_below(&c->writable, dir) || places_any_below(&c->readonly, dir) ||
	       places_holding(&c->readonly, dir) != NULL;
}

void guard_add(struct confinement *c, enum guard_kind kind, const struct place *place)
{
	mem_grow(&c->guards, &c->guard_cap, c->guard_count, sizeof(*c->guards));
	struct guard *guard = &c->guards[c->guard_count++];
	guard->kind = kind;
	guard->place = *place;
	guard->place.path = mem_strdup(place->path);
}

#include "config.h"

#include "core/card_internal.h"

#include <string.h>

#include "base/path.h"

/* A tree of many repositories has more guards than a person reads; the details list all. */
#define GUARDS_NAMED 8

static bool is_guard_of(const struct guard *guard, const struct place *place, enum guard_kind kind)
{
	return guard->kind == kind && path_is_equal_or_below(guard->place.path, place->path);
}

/* The guards of one kind inside a place, relative to it. */
static void add_guards(struct line *line, const struct confinement *c, const struct place *place,
	enum guard_kind kind, const char *words)
{
	size_t count = 0;

	for (size_t i = 0; i < c->guard_count; i++) {
		if (!is_guard_of(&c->guards[i], place, kind))
			continue;
		if (++count > GUARDS_NAMED)
			continue;
		line_add(line, SPAN_OURS, "%s", count == 1 ? words : " ");
		line_add(line, SPAN_FOREIGN, "%s",
			path_inside(c->guards[i].place.path, place->path));
	}
	if (count > GUARDS_NAMED)
		line_add(line, SPAN_OURS, " and %zu more (details)", count - GUARDS_NAMED);
}

static bool has_guards(const struct confinement *c, const struct place *place, enum guard_kind kind)
{
	for (size_t i = 0; i < c->guard_count; i++) {
		if (is_guard_of(&c->guards[i], place, kind))
			return true;
	}
	return false;
}

static void add_place(struct fact *fact, const struct confinement *c, const struct place *place)
{
	struct line *line = fact_line(fact);

	line_add(line, SPAN_FOREIGN, "%s", place->path);
	line_add(line, SPAN_OURS, ", any size");
	add_guards(line, c, place, GUARD_READONLY, "; read-only inside: ");
	if (!has_guards(c, place, GUARD_MADE))
		return;
	line = fact_line(fact);
	add_guards(line, c, place, GUARD_MADE, "made empty and read-only for the run: ");
}

static void add_sockets(struct fact *fact, const struct confinement *c)
{
	if (c->sockets.count == 0)
		return;
	struct line *line = fact_line(fact);

	line_words(line, c->sockets.count == 1 ? "!socket inside: " : "!sockets inside: ");
	for (size_t i = 0; i < c->sockets.count; i++) {
		if (i > 0)
			line_add(line, SPAN_OURS, ", ");
		line_add(line, SPAN_FOREIGN, "%s", path_inside(c->sockets.items[i], c->workspace));
	}
}

static void add_git(struct fact *fact, const struct confinement *c)
{
	if (c->repositories.count > 0 && c->guard_count == 0)
		line_words(fact_line(fact), "!git hooks writable");
	if (c->git_depth_reached)
		line_add(fact_line(fact), SPAN_OURS, "git looked for 3 levels deep");
	fact_foreign_list(fact, "git keeps its data outside, not writable: ", &c->git_outside);
}

void card_add_places(struct card *card, const struct card_inputs *in)
{
	const struct confinement *c = in->confinement;
	struct line *line = fact_line(facts_add(&card->facts, "directory"));

	line_add(line, SPAN_FOREIGN, "%s", c->cwd);
	if (c->cwd_made)
		line_add(line, SPAN_OURS, " (will be made)");
	card->writes = (unsigned)c->writable.count;
	struct fact *fact = facts_add(&card->facts, "may write");

	if (card->unsandboxed) {
		line_words(fact_line(fact), "!FILES OPEN");
		line_add(&fact->lines[0], SPAN_OURS,
			": every file of this user, not only these places");
	}
	for (size_t i = 0; i < c->writable.count; i++)
		add_place(fact, c, &c->writable.items[i]);
	add_git(fact, c);
	fact_foreign_list(fact, "not there, so not bound: ", &c->missing);
	fact_foreign_list(fact, "answered by the private /tmp: ", &c->private_tmp);
	add_sockets(fact, c);
}

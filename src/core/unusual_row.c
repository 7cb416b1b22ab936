#include "config.h"

#include "core/card.h"

#include <string.h>

#include "base/mem.h"
#include "base/words.h"

#define LINES_NAMED 6

/* All notes with one summary, as one part of the row. */
struct group {
	const char *summary;
	enum severity severity;
	unsigned lines[LINES_NAMED];
	size_t named, total;
	unsigned last_line;
};

struct groups {
	struct group *items;
	size_t count, cap;
};

static struct group *group_of(struct groups *groups, const struct unusual *note)
{
	for (size_t i = 0; i < groups->count; i++) {
		if (strcmp(groups->items[i].summary, note->summary) == 0)
			return &groups->items[i];
	}
	mem_grow(&groups->items, &groups->cap, groups->count, sizeof(*groups->items));
	struct group *group = &groups->items[groups->count++];

	*group = (struct group){.summary = note->summary, .severity = note->severity};
	return group;
}

static void take_note(struct groups *groups, const struct unusual *note)
{
	struct group *group = group_of(groups, note);

	if (note->severity > group->severity)
		group->severity = note->severity;
	if (group->last_line == note->line)
		return;
	group->last_line = note->line;
	group->total++;
	if (group->named < LINES_NAMED)
		group->lines[group->named++] = note->line;
}

/* "hides characters" of one line, "hide characters" of several. */
static void add_plural(struct str *out, const char *summary)
{
	size_t verb = strcspn(summary, " ");
	size_t keep = verb;

	if (verb > 2 && summary[verb - 1] == 's') {
		keep = verb - 1;
		if (summary[verb - 2] == 'e' && strchr("xh", summary[verb - 3]) != NULL)
			keep = verb - 2;
	}
	str_add_bytes(out, summary, keep);
	str_add(out, summary + verb);
}

static void add_lines(struct str *out, const struct group *group)
{
	str_printf(out, _("lines %u"), group->lines[0]);
	for (size_t i = 1; i < group->named; i++)
		str_printf(out, ", %u", group->lines[i]);
	if (group->total > group->named)
		str_printf(out, _(" and %zu more"), group->total - group->named);
	str_add_char(out, ' ');
	/* "deletes" is "delete" of several lines; only English needs that. */
	if (words_are_english())
		add_plural(out, group->summary);
	else
		str_add(out, _(group->summary));
}

/* The line is named once when the part before was about the same. */
static void add_group(struct str *out, const struct group *group, const struct group *before)
{
	if (group->total > 1) {
		add_lines(out, group);
		return;
	}
	bool same = before != NULL && before->total == 1 && before->lines[0] == group->lines[0];

	if (!same)
		str_printf(out, _("line %u "), group->lines[0]);
	str_add(out, _(group->summary));
}

static void add_groups(struct str *out, const struct groups *groups)
{
	static const enum severity order[] = {SEVERITY_DANGER, SEVERITY_NOTE};
	const struct group *before = NULL;

	for (size_t o = 0; o < ARRAY_LEN(order); o++) {
		for (size_t i = 0; i < groups->count; i++) {
			const struct group *group = &groups->items[i];

			if (group->severity != order[o])
				continue;
			str_add(out, before == NULL ? " " : "; ");
			add_group(out, group, before);
			before = group;
		}
	}
}

bool unusual_has_danger(const struct unusual_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].severity == SEVERITY_DANGER)
			return true;
	}
	return false;
}

void unusual_row(const struct unusual_list *list, struct str *out)
{
	struct groups groups = {0};

	if (list->count == 0)
		return;
	for (size_t i = 0; i < list->count; i++)
		take_note(&groups, &list->items[i]);
	str_printf(out, _("%s %zu unusual:"), unusual_has_danger(list) ? "!!" : "!", list->count);
	add_groups(out, &groups);
	mem_free_ptr(&groups.items);
}

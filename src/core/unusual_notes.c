#include "config.h"

#include "core/unusual_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* A command of many lines could hold a finding in each: the rest is one note. Each class has its own share, so that many
   harmless ones cannot push a danger off the card. */
#define NOTES_OF_A_CLASS 48
#define QUOTE_BYTES 160

static const struct {
	enum severity severity;
	const char *what, *summary, *word;
} kinds[NOTE_KIND_COUNT] = {
	[NOTE_ROOT] = {SEVERITY_DANGER, "asks for root", NULL, "root"},
	[NOTE_SETUID] = {SEVERITY_DANGER, "makes a program run as its owner", NULL, "root"},
	[NOTE_DELETES_OUTSIDE] = {SEVERITY_DANGER, "deletes outside the workspace", NULL, "delete"},
	[NOTE_DELETES_HISTORY] = {SEVERITY_DANGER, "deletes version control", NULL, "delete"},
	[NOTE_DELETES_WORKSPACE] = {SEVERITY_DANGER, "deletes the whole workspace", NULL, "delete"},
	[NOTE_PUSHES_OVER] = {SEVERITY_DANGER, "rewrites history elsewhere", NULL, "overwrite"},
	[NOTE_WRITES_OUTSIDE] = {SEVERITY_DANGER, "writes outside the workspace", NULL,
		"overwrite"},
	[NOTE_REMOTE] = {SEVERITY_DANGER, "runs what it fetches", NULL, "remote"},
	[NOTE_DECODED] = {SEVERITY_DANGER, "decodes text and runs it", NULL, "decoded"},
	[NOTE_STARTUP] = {SEVERITY_NOTE, "changes a startup file", NULL, NULL},
	[NOTE_HOOK] = {SEVERITY_NOTE, "changes a git hook", NULL, NULL},
	[NOTE_CI] = {SEVERITY_NOTE, "changes a CI file", NULL, NULL},
	[NOTE_SCRIPT] = {SEVERITY_NOTE, "changes a package script", NULL, NULL},
	[NOTE_CREDENTIAL] = {SEVERITY_NOTE, "names a credential", NULL, NULL},
	[NOTE_OUTLIVES] = {SEVERITY_NOTE, UNUSUAL_OUTLIVES, NULL, NULL},
	[NOTE_BUILT] = {SEVERITY_NOTE, "builds a command from text", NULL, NULL},
	[NOTE_CODED] = {SEVERITY_NOTE, "spells a word in codes", NULL, NULL},
	[NOTE_PIECES] = {SEVERITY_NOTE, "spells a word in pieces", NULL, NULL},
	[NOTE_BLANK] = {SEVERITY_NOTE, "spells a blank as a variable", NULL, NULL},
	[NOTE_LONG] = {SEVERITY_NOTE, "long encoded text", "long text", NULL},
	[NOTE_BEHIND_LONG] = {SEVERITY_NOTE, "goes on after long text", "goes on after it", NULL},
	[NOTE_FILE] = {SEVERITY_NOTE,
		"runs a file from a place it may write, its text is not on this card",
		"runs a file not shown", NULL},
	[NOTE_UNREAD] = {SEVERITY_NOTE, "cannot be read as shell from here on: look yourself",
		"not read to its end", NULL},
	[NOTE_TOO_MANY] = {SEVERITY_NOTE,
		"too many to follow: what this holds is not looked for from here on",
		"too many to follow", NULL},
};

static char *quote(const char *bytes, size_t len)
{
	size_t keep = len > QUOTE_BYTES ? text_cut(bytes, len, QUOTE_BYTES) : len;

	return keep < len ? mem_printf("%.*s…", (int)keep, bytes) : mem_strndup(bytes, len);
}

static bool has_room(struct reading *r, enum severity severity, size_t at)
{
	size_t *count = severity == SEVERITY_DANGER ? &r->dangers : &r->notes;

	if ((*count)++ < NOTES_OF_A_CLASS)
		return true;
	if (r->more_count == 0 || at < r->more_at)
		r->more_at = at;
	r->more_count++;
	r->more_danger |= severity == SEVERITY_DANGER;
	return false;
}

/* The same thing found twice: a text inside of a word is read by itself and as part of its word. */
static bool is_there(const struct reading *r, const char *what, size_t start, size_t end)
{
	size_t first = r->list->count > 8 ? r->list->count - 8 : 0;

	for (size_t i = first; i < r->list->count; i++) {
		const struct unusual *note = &r->list->items[i];

		if (strcmp(note->what, what) == 0 && note->start < end &&
			start < note->start + note->len)
			return true;
	}
	return false;
}

void note_add(struct reading *r, enum note_kind kind, size_t start, size_t end, char *words)
{
	size_t at = r->pinned ? r->pin_start : r->base + start;
	size_t to = r->pinned ? r->pin_end : r->base + end;

	if (is_there(r, kinds[kind].what, at, to) || !has_room(r, kinds[kind].severity, at)) {
		free(words);
		return;
	}
	struct unusual_list *list = r->list;

	mem_grow(&list->items, &list->cap, list->count, sizeof(*list->items));
	struct unusual *note = &list->items[list->count++];

	*note = (struct unusual){
		.severity = kinds[kind].severity,
		.start = at,
		.len = to - at,
		.what = mem_strdup(kinds[kind].what),
		.summary = mem_strdup(
			kinds[kind].summary != NULL ? kinds[kind].summary : kinds[kind].what),
		.word = kinds[kind].word,
	};
	note->words =
		words != NULL ? quote(words, strlen(words)) : quote(r->bytes + start, end - start);
	free(words);
}

void note_simple(struct reading *r, enum note_kind kind, const struct simple *simple)
{
	note_add(r, kind, simple->words[0]->start, simple->words[simple->count - 1]->end, NULL);
}

void note_word(struct reading *r, enum note_kind kind, const struct shell_word *word)
{
	note_add(r, kind, word->start, word->end, NULL);
}

void note_too_many(struct reading *r, const struct shell_word *word)
{
	if (!r->too_many)
		note_word(r, NOTE_TOO_MANY, word);
	r->too_many = true;
}

static int compare(const void *left, const void *right)
{
	const struct unusual *a = left, *b = right;

	if (a->severity != b->severity)
		return (int)b->severity - (int)a->severity;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return strcmp(a->what, b->what);
}

void note_sort(struct unusual_list *list)
{
	if (list->count > 1)
		qsort(list->items, list->count, sizeof(*list->items), compare);
}

void note_more(struct reading *r, const char *command, size_t len)
{
	struct unusual_list *list = r->list;

	if (r->more_count == 0)
		return;
	mem_grow(&list->items, &list->cap, list->count, sizeof(*list->items));
	list->items[list->count++] = (struct unusual){
		.severity = r->more_danger ? SEVERITY_DANGER : SEVERITY_NOTE,
		.start = r->more_at,
		.what = mem_printf("and on: %zu more notes like these", r->more_count),
		.summary = mem_strdup("more like these"),
		.word = r->more_danger ? "hidden" : NULL,
	};
	note_place(&list->items[list->count - 1], command, len);
}

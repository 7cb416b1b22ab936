#include "config.h"

#include "core/unusual_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* A command of many lines could hold a finding in each: the rest is one note, so that a card stays
   readable and its event short enough for the record. */
#define NOTES_MAX 64
#define QUOTES_MAX 8
#define LINE_LONG_CHARACTERS 72
/* A run that an ordinary row of the card could not hold beside its text. Shorter ones are only
   folded. */
#define BLANKS_NOTED 72

static const struct {
	enum severity severity;
	bool first_alone; /* quotes the first place of a line, not all */
	const char *what, *what_many, *summary, *word;
} kinds[TEXT_FINDING_COUNT] = {
	[TEXT_FINDS_ORDER] = {SEVERITY_DANGER, true, "turns the reading order around",
		"turns the reading order around", "hides characters", "hidden"},
	[TEXT_FINDS_HIDDEN] = {SEVERITY_DANGER, false, "hides a character in a word",
		"hides characters in words", "hides characters", "hidden"},
	[TEXT_FINDS_CONTROL] = {SEVERITY_DANGER, false, "controls a terminal",
		"controls a terminal", "hides characters", "hidden"},
	[TEXT_FINDS_INVALID] = {SEVERITY_NOTE, false, "holds bytes that are not UTF-8",
		"holds bytes that are not UTF-8", "invalid bytes", NULL},
	[TEXT_FINDS_MIXED] = {SEVERITY_NOTE, false, NULL, NULL, "mixes scripts", NULL},
	[TEXT_FINDS_EMPTY_LINES] = {SEVERITY_NOTE, true, NULL, NULL, "empty lines", NULL},
	[TEXT_FINDS_BLANKS] = {SEVERITY_NOTE, true, NULL, NULL, "long blanks", NULL},
};

/* One note while it is made: all findings of one kind in one line. */
struct draft {
	const struct text_finding *first;
	unsigned places, characters;
	struct str words;
};

struct drafts {
	const char *command;
	struct draft items[NOTES_MAX];
	size_t count;
	size_t more_lines; /* lines behind the last draft that hold findings too */
	const struct text_finding *more, *more_last;
	bool more_danger;
};

static bool is_quiet(const struct text_finding *f)
{
	return f->kind == TEXT_FINDS_BLANKS && f->amount <= BLANKS_NOTED;
}

static bool belongs(const struct draft *draft, const struct text_finding *f)
{
	return draft->first->line == f->line && draft->first->kind == f->kind &&
	       strcmp(draft->first->scripts[0], f->scripts[0]) == 0 &&
	       strcmp(draft->first->scripts[1], f->scripts[1]) == 0;
}

/* Findings come by position, so the drafts of their line are the last ones. */
static struct draft *draft_of(struct drafts *drafts, const struct text_finding *f)
{
	for (size_t i = drafts->count; i > 0; i--) {
		struct draft *draft = &drafts->items[i - 1];

		if (draft->first->line != f->line)
			break;
		if (belongs(draft, f))
			return draft;
	}
	return NULL;
}

static void count_more(struct drafts *drafts, const struct text_finding *f)
{
	if (drafts->more == NULL)
		drafts->more = f;
	if (drafts->more_last == NULL || drafts->more_last->line != f->line)
		drafts->more_lines++;
	drafts->more_last = f;
	if (kinds[f->kind].severity == SEVERITY_DANGER)
		drafts->more_danger = true;
}

static void quote(struct drafts *drafts, struct draft *draft, const struct text_finding *f)
{
	draft->places++;
	draft->characters += f->amount;
	if (draft->places > QUOTES_MAX || f->kind >= TEXT_FINDS_EMPTY_LINES)
		return;
	if (draft->places > 1 && kinds[f->kind].first_alone)
		return;
	if (draft->places > 1)
		str_add_char(&draft->words, ' ');
	str_add_bytes(&draft->words, drafts->command + f->word_start, f->word_len);
}

static void take_finding(struct drafts *drafts, const struct text_finding *f)
{
	struct draft *draft = draft_of(drafts, f);

	if (draft == NULL && drafts->count == NOTES_MAX) {
		count_more(drafts, f);
		return;
	}
	if (draft == NULL) {
		draft = &drafts->items[drafts->count++];
		draft->first = f;
	}
	quote(drafts, draft, f);
}

static char *what_mixed(const struct draft *draft)
{
	const char *rare = draft->first->scripts[0];
	const char *other = draft->first->scripts[1];

	if (draft->places == 1)
		return mem_printf("mixes %s into a %s word", rare, other);
	if (draft->places > QUOTES_MAX)
		return mem_printf("mixes %s into many %s words", rare, other);
	return mem_printf("mixes %s into %u %s words", rare, draft->places, other);
}

static char *what_of(const struct draft *draft)
{
	const struct text_finding *f = draft->first;

	if (f->kind == TEXT_FINDS_MIXED)
		return what_mixed(draft);
	if (f->kind == TEXT_FINDS_EMPTY_LINES)
		return mem_printf("hides text far below: %u empty lines", f->amount);
	if (f->kind == TEXT_FINDS_BLANKS)
		return mem_printf("hides text far to the right: %u blanks", f->amount);
	if (f->kind == TEXT_FINDS_HIDDEN && draft->places == 1 && f->word_len == f->len)
		return mem_strdup("hides a character");
	const char *what = draft->places > 1 ? kinds[f->kind].what_many : kinds[f->kind].what;

	if (draft->places > QUOTES_MAX)
		return mem_printf("%s, %u characters in all", what, draft->characters);
	return mem_strdup(what);
}

static size_t characters(const char *bytes, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += ((unsigned char)bytes[i] & 0xC0) != 0x80;
	return count;
}

void note_place(struct unusual *note, const char *command, size_t len)
{
	size_t start = note->start;
	const char *end;

	if (note->line == 0) {
		note->line = 1;
		for (size_t i = 0; i < start; i++)
			note->line += command[i] == '\n';
	}

	while (start > 0 && command[start - 1] != '\n')
		start--;
	end = memchr(command + note->start, '\n', len - note->start);
	size_t line_len = (end == NULL ? len : (size_t)(end - command)) - start;

	note->at = (unsigned)characters(command + start, note->start - start);
	note->line_long = characters(command + start, line_len) > LINE_LONG_CHARACTERS;
}

static struct unusual *add_note(struct unusual_list *list, const struct text_finding *f)
{
	mem_grow(&list->items, &list->cap, list->count, sizeof(*list->items));
	struct unusual *note = &list->items[list->count++];

	*note = (struct unusual){
		.severity = kinds[f->kind].severity,
		.line = f->line,
		.start = f->start,
		.len = f->len,
		.word = kinds[f->kind].word,
	};
	return note;
}

static void add_more(struct unusual_list *list, const struct drafts *drafts)
{
	struct unusual *note = add_note(list, drafts->more);

	note->severity = drafts->more_danger ? SEVERITY_DANGER : SEVERITY_NOTE;
	note->word = drafts->more_danger ? "hidden" : NULL;
	note->what = mem_printf("and on: %zu more %s with notes like these", drafts->more_lines,
		drafts->more_lines == 1 ? "line" : "lines");
	note->summary = mem_strdup("more like these");
}

static void finish(
	struct drafts *drafts, const char *command, size_t len, struct unusual_list *list)
{
	for (size_t i = 0; i < drafts->count; i++) {
		struct draft *draft = &drafts->items[i];
		struct unusual *note = add_note(list, draft->first);

		note->what = what_of(draft);
		note->words = draft->words.len > 0 ? str_steal(&draft->words) : NULL;
		note->summary = mem_strdup(kinds[draft->first->kind].summary);
		note_place(note, command, len);
	}
	if (drafts->more != NULL)
		add_more(list, drafts);
}

void unusual_find(
	const char *command, size_t len, const struct confinement *place, struct unusual_list *ret)
{
	struct text_findings found = {0};
	struct drafts *drafts = mem_alloc(sizeof(*drafts));

	drafts->command = command;
	text_find(command, len, &found);
	for (size_t i = 0; i < found.count; i++) {
		if (!is_quiet(&found.items[i]))
			take_finding(drafts, &found.items[i]);
	}
	finish(drafts, command, len, ret);
	free(drafts);
	text_findings_release(&found);
	unusual_read_shell(command, len, place, ret);
}

void unusual_release(struct unusual_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].what);
		free(list->items[i].words);
		free(list->items[i].summary);
	}
	free(list->items);
	memset(list, 0, sizeof(*list));
}

#include "config.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text_class.h"
#include "base/text_form.h"
#include "base/text_word.h"

#define QUOTE_CHARACTERS_MAX 32
#define SEQUENCE_BYTES_MAX 64
/* A line of nothing but controls must not cost a hundred times its size. */
#define FINDINGS_PER_LINE_MAX 16

struct finder {
	const char *bytes;
	size_t len;
	size_t at;
	unsigned line;
	struct text_findings *found;
	/* A character of this kind before this offset belongs to the finding at that index. */
	size_t covered_end[TEXT_FINDING_COUNT];
	size_t covered_by[TEXT_FINDING_COUNT];
	/* How many findings of the kind the line has, counted for the line of the last one. */
	unsigned on_line[TEXT_FINDING_COUNT];
	unsigned last_line[TEXT_FINDING_COUNT];
};

static struct text_finding *add(
	struct finder *f, enum text_finding_kind kind, size_t start, size_t len)
{
	struct text_findings *found = f->found;

	mem_grow(&found->items, &found->cap, found->count, sizeof(*found->items));
	struct text_finding *item = &found->items[found->count++];
	*item = (struct text_finding){.kind = kind,
		.start = start,
		.len = len,
		.word_start = start,
		.word_len = len,
		.line = f->line,
		.amount = 1};
	return item;
}

static size_t run_end(const struct finder *f, size_t at, const char *set)
{
	while (at < f->len && f->bytes[at] != '\0' && strchr(set, f->bytes[at]) != NULL)
		at++;
	return at;
}

static bool is_line_start(const struct finder *f)
{
	return f->at == 0 || f->bytes[f->at - 1] == '\n';
}

/* Lines without a visible character; those of blanks hide what is below as well as empty ones. */
static size_t find_empty_lines(struct finder *f)
{
	unsigned lines = 0;
	size_t end = f->at;

	if (!is_line_start(f))
		return 0;
	for (;;) {
		size_t stop = run_end(f, end, " \t");

		if (stop == f->len || f->bytes[stop] != '\n')
			break;
		end = stop + 1;
		lines++;
	}
	bool text_behind = run_end(f, end, " \t\n") < f->len;
	if (lines > TEXT_EMPTY_LINES_SHOWN_MAX && text_behind)
		add(f, TEXT_FINDS_EMPTY_LINES, f->at, end - f->at)->amount = lines;
	f->line += lines;
	return end - f->at;
}

static size_t find_newline(struct finder *f)
{
	if (f->bytes[f->at] != '\n')
		return 0;
	f->line++;
	return 1;
}

static size_t find_blanks(struct finder *f)
{
	size_t end = run_end(f, f->at, " ");
	size_t blanks = end - f->at;
	bool text_behind = end < f->len && f->bytes[end] != '\n';

	if (blanks > TEXT_BLANKS_SHOWN_MAX && text_behind)
		add(f, TEXT_FINDS_BLANKS, f->at, blanks)->amount = (unsigned)blanks;
	return blanks;
}

/* The place of a script with the most letters among those kept, or among those not kept. */
static const char *leading_script(const struct text_word *word, bool kept)
{
	const struct text_word_script *best = NULL;

	for (size_t i = 0; i < word->count; i++) {
		const struct text_word_script *script = &word->scripts[i];

		if (script->kept == kept && (best == NULL || script->letters > best->letters))
			best = script;
	}
	return best == NULL ? "another" : best->script->name;
}

static void add_mixed(struct finder *f, const struct text_word *word)
{
	struct text_finding *item = NULL;

	for (size_t at = f->at; at < word->end;) {
		enum text_class class;
		ucs4_t uc;
		size_t used = text_classify_at(f->bytes + at, f->len - at, &uc, &class);

		if (text_word_escapes(word, uc)) {
			if (item == NULL)
				item = add(f, TEXT_FINDS_MIXED, at, used);
			else
				item->amount++;
		}
		at += used;
	}
	if (item == NULL)
		return;
	item->word_start = f->at;
	item->word_len = word->end - f->at;
	snprintf(item->scripts[0], sizeof(item->scripts[0]), "%s", leading_script(word, false));
	snprintf(item->scripts[1], sizeof(item->scripts[1]), "%s", leading_script(word, true));
}

static size_t find_mixed(struct finder *f)
{
	enum text_class class;
	struct text_word word;
	ucs4_t uc;

	text_classify_at(f->bytes + f->at, f->len - f->at, &uc, &class);
	if (class > TEXT_CLASS_MARK || !text_in_word(uc))
		return 0;
	text_word_read(f->bytes, f->len, f->at, &word);
	if (word.mixed)
		add_mixed(f, &word);
	return word.end - f->at;
}

/* Whether the character at bytes[at] may be quoted as part of a word around a hidden one. */
static size_t quotable(const struct finder *f, size_t at)
{
	enum text_class class;
	ucs4_t uc;
	size_t used = text_classify_at(f->bytes + at, f->len - at, &uc, &class);
	bool visible = class <= TEXT_CLASS_MARK && text_in_word(uc);

	return visible || class == TEXT_CLASS_HIDDEN || class == TEXT_CLASS_INVALID ? used : 0;
}

static void widen_to_word(const struct finder *f, struct text_finding *item)
{
	size_t start = item->start;
	size_t end = item->start + item->len;
	size_t used;

	for (unsigned i = 0; i < QUOTE_CHARACTERS_MAX && start > 0; i++) {
		size_t before = start - 1;

		while (before > 0 && start - before < 4 &&
			((unsigned char)f->bytes[before] & 0xC0) == 0x80)
			before--;
		if (quotable(f, before) != start - before)
			break;
		start = before;
	}
	for (unsigned i = 0; i < QUOTE_CHARACTERS_MAX && end < f->len; i++) {
		used = quotable(f, end);
		if (used == 0)
			break;
		end += used;
	}
	item->word_start = start;
	item->word_len = end - start;
}

static size_t csi_end(const char *at, const char *stop)
{
	const char *start = at;

	while (at < stop && *at >= 0x20 && *at < 0x40)
		at++;
	return (size_t)(at - start) + (at < stop && *at >= 0x40 && *at < 0x7F);
}

/* OSC, DCS and the like go on to BEL or to ESC \; without either only their beginning is quoted. */
static size_t string_end(const char *at, const char *stop)
{
	for (const char *end = at; end < stop && *end != '\n'; end++) {
		if (*end == '\a')
			return (size_t)(end - at) + 1;
		if (*end == '\033')
			return (size_t)(end - at) + (end + 1 < stop && end[1] == '\\' ? 2 : 0);
	}
	return 0;
}

/* A control sequence (ECMA-48) that begins at item->start is quoted whole. */
static void widen_to_sequence(const struct finder *f, struct text_finding *item)
{
	const char *at = f->bytes + item->start + item->len;
	size_t room = f->len - (item->start + item->len);
	const char *stop = at + (room < SEQUENCE_BYTES_MAX ? room : SEQUENCE_BYTES_MAX);
	bool c1 = item->len == 2;
	unsigned char kind = (unsigned char)f->bytes[item->start + item->len - 1];

	if (!c1 && kind != 0x1B)
		return;
	if (!c1) {
		if (at == stop || *at < 0x20 || *at >= 0x7F)
			return;
		/* ESC and a byte from 40 to 5F are the C1 control 40 higher. */
		kind = (unsigned char)(*at + 0x40);
		at++;
		item->word_len++;
	}
	if (kind == 0x9B)
		item->word_len += csi_end(at, stop);
	else if (kind != 0 && memchr("\x90\x98\x9D\x9E\x9F", kind, 5) != NULL)
		item->word_len += string_end(at, stop);
}

static const struct {
	enum text_finding_kind kind;
	void (*widen)(const struct finder *f, struct text_finding *item);
} class_findings[] = {
	[TEXT_CLASS_GRAPHIC] = {TEXT_FINDING_COUNT, NULL},
	[TEXT_CLASS_MARK] = {TEXT_FINDING_COUNT, NULL},
	[TEXT_CLASS_CONTROL] = {TEXT_FINDS_CONTROL, widen_to_sequence},
	[TEXT_CLASS_BIDI] = {TEXT_FINDS_ORDER, NULL},
	[TEXT_CLASS_HIDDEN] = {TEXT_FINDS_HIDDEN, widen_to_word},
	[TEXT_CLASS_UNSURE] = {TEXT_FINDING_COUNT, NULL},
	[TEXT_CLASS_INVALID] = {TEXT_FINDS_INVALID, widen_to_word},
};

static bool is_covered(const struct finder *f, enum text_finding_kind kind)
{
	bool line_full = f->on_line[kind] >= FINDINGS_PER_LINE_MAX;

	return f->at < f->covered_end[kind] || (line_full && f->last_line[kind] == f->line);
}

static void cover(struct finder *f, const struct text_finding *item)
{
	enum text_finding_kind kind = item->kind;

	f->on_line[kind] = f->last_line[kind] == f->line ? f->on_line[kind] + 1 : 1;
	f->last_line[kind] = f->line;
	f->covered_end[kind] = item->word_start + item->word_len;
	f->covered_by[kind] = f->found->count - 1;
}

static size_t find_class(struct finder *f)
{
	enum text_class class;
	ucs4_t uc;
	size_t used = text_classify_at(f->bytes + f->at, f->len - f->at, &uc, &class);
	enum text_finding_kind kind = class_findings[class].kind;

	if (kind == TEXT_FINDING_COUNT || uc == '\t')
		return used;
	if (is_covered(f, kind)) {
		f->found->items[f->covered_by[kind]].amount++;
		return used;
	}
	struct text_finding *item = add(f, kind, f->at, used);
	if (class_findings[class].widen != NULL)
		class_findings[class].widen(f, item);
	cover(f, item);
	return used;
}

/* Tried in this order at each place; the first that takes bytes decides where the next place is. */
static size_t (*const detectors[])(struct finder *f) = {
	find_empty_lines,
	find_newline,
	find_blanks,
	find_mixed,
	find_class,
};

void text_find(const char *bytes, size_t len, struct text_findings *ret)
{
	struct finder f = {.bytes = bytes, .len = len, .line = 1, .found = ret};

	while (f.at < f.len) {
		size_t used = 0;

		for (size_t i = 0; used == 0 && i < ARRAY_LEN(detectors); i++)
			used = detectors[i](&f);
		f.at += used;
	}
}

void text_findings_release(struct text_findings *f)
{
	free(f->items);
	f->items = NULL;
	f->count = 0;
	f->cap = 0;
}

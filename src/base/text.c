#include "config.h"

#include "base/text.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text_class.h"
#include "base/text_form.h"
#include "base/text_word.h"

#define MARKS_MAX 2

struct text_iter {
	const char *bytes;
	size_t len;
	unsigned flags;
	size_t at;
	size_t blanks_end;     /* blanks before this offset are shown one by one */
	struct text_word word; /* the word around `at`, when at < word.end */
	bool after_graphic;    /* the piece before was a graphic character */
};

struct text_iter *text_begin(const char *bytes, size_t len, unsigned flags)
{
	struct text_iter *it = mem_alloc(sizeof(*it));

	it->bytes = bytes;
	it->len = len;
	it->flags = flags;
	return it;
}

void text_end(struct text_iter *it)
{
	free(it);
}

/* Fills all of *ret but `shown`, and steps over the source. */
static void take(struct text_iter *it, enum text_kind kind, size_t len, size_t columns,
	struct text_piece *ret)
{
	ret->kind = kind;
	ret->start = it->at;
	ret->len = len;
	ret->columns = (unsigned)columns;
	it->at += len;
	it->after_graphic = kind == TEXT_PLAIN;
}

static void take_escape(
	struct text_iter *it, size_t len, const char *fmt, unsigned value, struct text_piece *ret)
{
	int columns = snprintf(ret->shown, sizeof(ret->shown), fmt, value);

	take(it, TEXT_ESCAPE, len, (size_t)columns, ret);
}

static void take_named(struct text_iter *it, const char *name, struct text_piece *ret)
{
	int columns = snprintf(ret->shown, sizeof(ret->shown), "<%s>", name);

	take(it, TEXT_ESCAPE, 1, (size_t)columns, ret);
}

static void take_fold(
	struct text_iter *it, size_t len, size_t count, const char *what, struct text_piece *ret)
{
	int columns = snprintf(ret->shown, sizeof(ret->shown), "<%zu %s>", count, what);

	take(it, TEXT_FOLD, len, (size_t)columns, ret);
}

static void take_plain(struct text_iter *it, size_t len, size_t columns, struct text_piece *ret)
{
	memcpy(ret->shown, it->bytes + it->at, len);
	ret->shown[len] = '\0';
	take(it, TEXT_PLAIN, len, columns, ret);
}

/* How often c stands from here on; counts no further than one fold can tell. */
static size_t run_length(const struct text_iter *it, char c)
{
	size_t end = it->at;

	while (end < it->len && it->bytes[end] == c && end - it->at < TEXT_FOLD_MAX)
		end++;
	return end - it->at;
}

static void next_newline(struct text_iter *it, struct text_piece *ret)
{
	bool line_start = it->at == 0 || it->bytes[it->at - 1] == '\n';

	if (!(it->flags & TEXT_LINES)) {
		take_named(it, "LF", ret);
		return;
	}
	if (line_start && !(it->flags & TEXT_OUTPUT)) {
		size_t lines = run_length(it, '\n');

		if (lines > TEXT_EMPTY_LINES_SHOWN_MAX) {
			/* The last newline stays, so that what follows begins a row. */
			take_fold(it, lines - 1, lines, "EMPTY LINES", ret);
			return;
		}
	}
	ret->shown[0] = '\0';
	take(it, TEXT_NEWLINE, 1, 0, ret);
}

static void next_blank(struct text_iter *it, struct text_piece *ret)
{
	if (!(it->flags & TEXT_OUTPUT) && it->at >= it->blanks_end) {
		size_t blanks = run_length(it, ' ');
		size_t end = it->at + blanks;

		if (blanks > TEXT_BLANKS_SHOWN_MAX || end == it->len || it->bytes[end] == '\n') {
			take_fold(it, blanks, blanks, "SP", ret);
			return;
		}
		it->blanks_end = end;
	}
	take_plain(it, 1, 1, ret);
}

/* A letter that is not of the script which its word is written in. */
static bool is_foreign_letter(struct text_iter *it, ucs4_t uc)
{
	if (it->flags & (TEXT_OUTPUT | TEXT_ASCII_ONLY))
		return false;
	if (it->at >= it->word.end) {
		if (!text_in_word(uc))
			return false;
		text_word_read(it->bytes, it->len, it->at, &it->word);
	}
	return text_word_escapes(&it->word, uc);
}

/* Length of a graphic character with the marks that are drawn onto it. */
static size_t with_marks(const struct text_iter *it, ucs4_t base, size_t len)
{
	ucs4_t before = base;

	if (it->flags & TEXT_ASCII_ONLY)
		return len;
	for (unsigned marks = 0; marks < MARKS_MAX; marks++) {
		size_t at = it->at + len;
		enum text_class class;
		ucs4_t uc;

		if (at >= it->len || (unsigned char)it->bytes[at] < 0x80)
			break;
		size_t used = text_classify_at(it->bytes + at, it->len - at, &uc, &class);
		if (class != TEXT_CLASS_MARK || !text_joins(base, before, uc))
			break;
		/* Some marks have a script of their own. */
		if (at < it->word.end && text_word_escapes(&it->word, uc))
			break;
		before = uc;
		len += used;
	}
	return len;
}

static void next_graphic(
	struct text_iter *it, ucs4_t uc, size_t len, bool foreign, struct text_piece *ret)
{
	bool merges = it->after_graphic && text_is_emoji_modifier(uc);
	bool unwritable = uc > 0x7E && (it->flags & TEXT_ASCII_ONLY);

	if (foreign || merges || unwritable)
		take_escape(it, len, "<U+%04X>", uc, ret);
	else
		take_plain(it, with_marks(it, uc, len), text_width(uc), ret);
}

static void next_bracket(struct text_iter *it, struct text_piece *ret)
{
	struct text_form form;

	/* Foreign text must not forge a form: then the shown text could not be read back. */
	if (text_form_read(it->bytes + it->at, it->len - it->at, &form))
		take_escape(it, 1, "<U+%04X>", '<', ret);
	else
		take_plain(it, 1, 1, ret);
}

static void next_other(struct text_iter *it, struct text_piece *ret)
{
	enum text_class class;
	ucs4_t uc;
	size_t len = text_classify_at(it->bytes + it->at, it->len - it->at, &uc, &class);
	bool foreign = class <= TEXT_CLASS_MARK && is_foreign_letter(it, uc);

	if (class == TEXT_CLASS_GRAPHIC)
		next_graphic(it, uc, len, foreign, ret);
	else if (class == TEXT_CLASS_INVALID)
		take_escape(it, 1, "<x%02X>", uc, ret);
	else if (text_control_name(uc) != NULL)
		take_named(it, text_control_name(uc), ret);
	else
		take_escape(it, len, "<U+%04X>", uc, ret);
}

bool text_next(struct text_iter *it, struct text_piece *ret)
{
	if (it->at >= it->len)
		return false;
	switch (it->bytes[it->at]) {
	case '\n':
		next_newline(it, ret);
		break;
	case ' ':
		next_blank(it, ret);
		break;
	case '<':
		next_bracket(it, ret);
		break;
	default:
		next_other(it, ret);
		break;
	}
	return true;
}

static bool is_border(char c)
{
	return c == ' ' || c == '\n';
}

/* Bytes from here on that are shown as they are, without a look at each: whole words of ASCII. 0: none, or a word that goes on
   with something else, where a letter may be of the rarer script. */
static size_t plain_words(const struct text_iter *it)
{
	size_t end = it->at;

	if (it->at > 0 && !is_border(it->bytes[it->at - 1]))
		return 0;
	while (end < it->len && it->bytes[end] > ' ' && it->bytes[end] < 0x7F &&
		it->bytes[end] != '<')
		end++;
	return end == it->len || is_border(it->bytes[end]) ? end - it->at : 0;
}

void text_escape(const char *bytes, size_t len, unsigned flags, struct str *out)
{
	struct text_iter it = {.bytes = bytes, .len = len, .flags = flags};
	struct text_piece piece;

	while (it.at < len) {
		size_t plain = plain_words(&it);

		if (plain > 0) {
			str_add_bytes(out, bytes + it.at, plain);
			it.at += plain;
			it.after_graphic = true;
			continue;
		}
		if (!text_next(&it, &piece))
			break;
		if (piece.kind == TEXT_NEWLINE)
			str_add_char(out, '\n');
		else
			str_add(out, piece.shown);
	}
}

char *text_escaped(const char *text)
{
	struct str out = STR_INIT;

	text_escape(text, strlen(text), 0, &out);
	return str_steal(&out);
}

unsigned text_locale_flags(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? 0 : TEXT_ASCII_ONLY;
}

unsigned text_columns(const char *shown)
{
	size_t len = strlen(shown);
	unsigned columns = 0;

	for (size_t at = 0; at < len;) {
		enum text_class class;
		ucs4_t uc;

		at += text_classify_at(shown + at, len - at, &uc, &class);
		if (class == TEXT_CLASS_GRAPHIC)
			columns += text_width(uc);
	}
	return columns;
}

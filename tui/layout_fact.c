#include "config.h"

#include "tui/layout_fact.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/words.h"
#include "tui/edge.h"
#include "tui/view_words.h"

#define LABEL_LEAST                                                                                \
	10u /* the longest label of the deciding part: it keeps its columns on every card */
#define LABEL_MOST 14u
#define CUT_TAIL_COLUMNS 4u
#define CUT_LEAST_COLUMNS 16u /* with less room a quote is wrapped */

/* One visible piece of a line. */
struct atom {
	enum style style;
	unsigned columns;
	size_t source; /* bytes of the line that it stands for */
	size_t len;    /* of its text */
};
/* The word that is being read: it goes to a row as a whole, or, when no row can hold it, atom by atom. */
struct word {
	struct atom *atoms;
	size_t count, cap;
	struct str text;
	unsigned columns;
};
struct wrap {
	struct row_writer *w;
	unsigned flags;
	unsigned right;  /* first column that is not for text */
	unsigned column; /* where a text starts */
	unsigned indent; /* where the next row of it starts */
	size_t position; /* behind what stands in rows */
	/* A translated line stands for as many bytes as the line itself, so that what was seen of it is the same. */
	size_t begun, read, bytes, shown;
	bool translate; /* the texts are those of a card, in English */
	bool row_open;
	unsigned blanks; /* read behind the last word, not written yet */
	enum style blank_style;
	struct word word;
};

static const struct text_piece cut_sign = {.kind = TEXT_FOLD, .columns = 1, .shown = "…"};

static const enum style span_styles[SPAN_KIND_COUNT] = {
	[SPAN_OURS] = STYLE_PLAIN,
	[SPAN_RISK] = STYLE_NOTE,
	[SPAN_DANGER] = STYLE_DANGER,
	[SPAN_FOREIGN] = STYLE_PLAIN,
	[SPAN_AGENT] = STYLE_AGENT,
};

static void wrap_open(struct wrap *wrap)
{
	if (!wrap->row_open)
		row_pad(wrap->w, wrap->indent);
	wrap->row_open = true;
}

static void wrap_break(struct wrap *wrap)
{
	row_end(wrap->w, wrap->position);
	wrap->row_open = false;
}

static void wrap_advance(struct wrap *wrap, size_t bytes)
{
	wrap->read += bytes;
	wrap->position =
		wrap->begun +
		(wrap->shown == wrap->bytes ? wrap->read : wrap->read * wrap->bytes / wrap->shown);
}

/* A blank at the end of a row is not written, and counts as shown by that row. */
static void wrap_blanks(struct wrap *wrap, bool write)
{
	for (unsigned i = 0; write && i < wrap->blanks; i++)
		row_put(wrap->w, wrap->blank_style, " ", 1, 1);
	wrap_advance(wrap, wrap->blanks);
	wrap->blanks = 0;
}

static void wrap_atoms(struct wrap *wrap)
{
	struct word *word = &wrap->word;
	size_t at = 0;

	for (size_t i = 0; i < word->count; i++) {
		const struct atom *atom = &word->atoms[i];

		if (wrap->row_open && wrap->w->columns + atom->columns > wrap->right)
			wrap_break(wrap);
		wrap_open(wrap);
		row_put(wrap->w, atom->style, str_c(&word->text) + at, atom->len, atom->columns);
		wrap_advance(wrap, atom->source);
		at += atom->len;
	}
	word->count = 0;
	word->columns = 0;
	str_clear(&word->text);
}

/* Without blanks before it the word goes on with what stands in the row already. */
static void wrap_flush(struct wrap *wrap)
{
	unsigned columns = wrap->word.columns;

	if (wrap->word.count == 0)
		return;
	wrap_open(wrap);
	if (columns > wrap->right - wrap->indent)
		columns = 1; /* no row holds it: it starts here and is broken */
	if (wrap->w->columns + wrap->blanks + columns <= wrap->right) {
		wrap_blanks(wrap, true);
	} else if (wrap->blanks > 0) {
		wrap_blanks(wrap, false);
		wrap_break(wrap);
	}
	wrap_atoms(wrap);
}

static void wrap_piece(struct wrap *wrap, enum style style, const struct text_piece *piece)
{
	struct word *word = &wrap->word;
	size_t len = strlen(piece->shown);

	mem_grow(&word->atoms, &word->cap, word->count, sizeof(*word->atoms));
	if (piece->kind == TEXT_ESCAPE)
		style = STYLE_ESCAPE;
	else if (piece->kind == TEXT_FOLD)
		style = STYLE_FOLD;
	word->atoms[word->count++] = (struct atom){style, piece->columns, piece->len, len};
	str_add_bytes(&word->text, piece->shown, len);
	word->columns += piece->columns;
	/* No row can hold it: what is known of it can go, so that a huge one costs no memory. */
	if (word->columns > 2 * wrap->right)
		wrap_flush(wrap);
}

/* A name of a file may hold blanks, and where it is broken must not look like its end: only prose breaks at them. */
static bool breaks_at_blanks(enum span_kind kind)
{
	return kind != SPAN_FOREIGN;
}

static void piece_is_plain(struct text_piece *piece, const char *sign)
{
	piece->kind = TEXT_PLAIN;
	piece->columns = 1;
	strcpy(piece->shown, sign);
}

static void wrap_span(struct wrap *wrap, const struct span *span)
{
	bool ours = span->kind != SPAN_FOREIGN && span->kind != SPAN_AGENT;
	enum style style = span_styles[span->kind];
	/* Our own lines are set in columns with blanks, which do not fold, and quote what is safe already. */
	struct text_iter *it =
		text_begin(span->text, strlen(span->text), ours ? TEXT_OUTPUT : wrap->flags);
	struct text_piece piece;

	while (text_next(it, &piece)) {
		if (ours && span->text[piece.start] == '<')
			piece_is_plain(&piece, "<");
		if (piece.kind == TEXT_PLAIN && piece.shown[0] == ' ' &&
			breaks_at_blanks(span->kind)) {
			wrap_flush(wrap);
			wrap->blanks++;
			wrap->blank_style = style;
		} else {
			wrap_piece(wrap, style, &piece);
		}
	}
	text_end(it);
}

static unsigned span_columns(const struct wrap *wrap, const struct span *span)
{
	struct text_iter *it = text_begin(span->text, strlen(span->text), wrap->flags);
	struct text_piece piece;
	unsigned columns = 0;

	while (text_next(it, &piece))
		columns += piece.columns;
	text_end(it);
	return columns;
}

/* The words that a note points to stand in full in the command: the quote keeps to one row, cut in its middle, so that
   both what they begin with and what they end in (a pipe into a shell) can be read. */
static void wrap_quote(struct wrap *wrap, const struct span *span)
{
	unsigned columns = span_columns(wrap, span), used = 0;
	unsigned taken = wrap->w->columns + wrap->blanks;
	unsigned room = wrap->right > taken ? wrap->right - taken : 0;
	struct text_piece piece;
	bool cut = false;

	if (columns <= room || room < CUT_LEAST_COLUMNS) {
		wrap_span(wrap, span);
		return;
	}
	struct text_iter *it = text_begin(span->text, strlen(span->text), wrap->flags);
	for (; text_next(it, &piece); used += piece.columns) {
		if (used + piece.columns <= room - 1 - CUT_TAIL_COLUMNS ||
			used + CUT_TAIL_COLUMNS >= columns) {
			wrap_piece(wrap, STYLE_PLAIN, &piece);
		} else if (!cut) {
			wrap_piece(wrap, STYLE_FOLD, &cut_sign);
			cut = true;
		}
	}
	text_end(it);
}

size_t fact_line_length(const struct line *line)
{
	size_t len = 0;

	for (size_t i = 0; i < line->count; i++)
		len += strlen(line->spans[i].text);
	return len > 0 ? len : 1;
}

static bool has_agent(const struct line *line)
{
	for (size_t i = 0; i < line->count; i++) {
		if (line->spans[i].kind == SPAN_AGENT)
			return true;
	}
	return false;
}

static void put_spans(struct wrap *wrap, const struct line *line, bool quotes)
{
	wrap->indent = wrap->column;
	wrap_open(wrap);
	/* Later rows of an agent's words stand under its first word: nothing of theirs stands where ours begins. */
	wrap->indent = wrap->column + has_agent(line);
	for (size_t i = 0; i < line->count; i++) {
		if (quotes && line->spans[i].kind == SPAN_FOREIGN)
			wrap_quote(wrap, &line->spans[i]);
		else
			wrap_span(wrap, &line->spans[i]);
	}
	wrap_flush(wrap);
	wrap->blanks = 0;
}

static void put_line(struct wrap *wrap, const struct line *line, bool quotes)
{
	size_t end = wrap->position + fact_line_length(line);

	wrap->begun = wrap->position;
	wrap->read = 0;
	wrap->bytes = wrap->shown = fact_line_length(line);
	if (wrap->translate && !words_are_english()) {
		struct facts shown = {0};
		struct line *other = fact_line(facts_add(&shown, ""));

		edge_line(line, other);
		wrap->shown = fact_line_length(other);
		put_spans(wrap, other, quotes);
		facts_release(&shown);
	} else {
		put_spans(wrap, line, quotes);
	}
	wrap->position = end;
	wrap_break(wrap);
}

static void line_text(const struct line *line, struct str *out)
{
	for (size_t i = 0; line != NULL && i < line->count; i++)
		str_add(out, line->spans[i].text);
}

static const struct fact *fact_find(const struct facts *facts, const char *label)
{
	for (size_t i = 0; i < facts->count; i++) {
		if (strcmp(facts->items[i].label, label) == 0)
			return &facts->items[i];
	}
	return NULL;
}

/* The row of the digest always changes and says nothing; the others change with a person's edit alone, which is drawn already. */
static bool goes_without_old(const char *label)
{
	static const char *const labels[] = {"card", "unusual", "agent says", "came from"};

	for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
		if (strcmp(label, labels[i]) == 0)
			return true;
	}
	return false;
}

bool fact_line_changed(
	const struct fact *fact, size_t n, const struct facts *old, struct str *ret_was)
{
	const struct fact *was = old != NULL ? fact_find(old, fact->label) : NULL;
	STR_AUTO struct str is = STR_INIT;

	if (old == NULL || goes_without_old(fact->label))
		return false;
	line_text(&fact->lines[n], &is);
	line_text(was != NULL && n < was->count ? &was->lines[n] : NULL, ret_was);
	return strcmp(str_c(&is), str_c(ret_was)) != 0;
}

static void put_was(struct wrap *wrap, const char *was, bool ascii)
{
	STR_AUTO struct str shown = STR_INIT;

	words_field(
		was[0] != '\0' ? was : _("nothing"), wrap->right - wrap->column - 5, ascii, &shown);
	row_put_ours(wrap->w, STYLE_NOTE, "*");
	row_pad(wrap->w, wrap->column);
	row_put_ours(wrap->w, STYLE_QUIET, _("was: "));
	row_put(wrap->w, STYLE_QUIET, str_c(&shown), shown.len, text_columns(str_c(&shown)));
	row_end(wrap->w, wrap->position);
}

static void put_fact(struct wrap *wrap, const struct fact *fact, const struct facts *old)
{
	bool quotes = strcmp(fact->label, "unusual") == 0;

	for (size_t i = 0; i < fact->count; i++) {
		STR_AUTO struct str was = STR_INIT;
		bool changed = fact_line_changed(fact, i, old, &was);

		if (changed)
			row_put_ours(wrap->w, STYLE_NOTE, "*");
		if (i == 0 && fact->label[0] != '\0') {
			row_pad(wrap->w, 1);
			row_put_ours(wrap->w, STYLE_RULE, _(fact->label));
		}
		if (wrap->w->columns >= wrap->column)
			row_put_ours(wrap->w, STYLE_RULE, " ");
		put_line(wrap, &fact->lines[i], quotes);
		if (changed)
			put_was(wrap, str_c(&was), (wrap->flags & TEXT_ASCII_ONLY) != 0);
	}
}

static unsigned text_column(const struct facts *facts)
{
	size_t longest = LABEL_LEAST;

	for (size_t i = 0; i < facts->count; i++) {
		size_t len = text_columns(_(facts->items[i].label));

		if (len > longest && len <= LABEL_MOST)
			longest = len;
	}
	return (unsigned)longest + 2;
}

static size_t put_facts(struct wrap *wrap, const struct facts *facts, const struct facts *old)
{
	wrap->column = text_column(facts);
	for (size_t i = 0; i < facts->count; i++)
		put_fact(wrap, &facts->items[i], old);
	str_release(&wrap->word.text);
	free(wrap->word.atoms);
	return wrap->position;
}

size_t layout_facts(struct row_writer *w, const struct facts *facts, const struct facts *old,
	unsigned width, bool ascii, size_t base)
{
	struct wrap wrap = {.w = w, .right = width - 1, .position = base};

	wrap.flags = ascii ? TEXT_ASCII_ONLY : 0;
	return put_facts(&wrap, facts, old);
}

size_t layout_card_facts(struct row_writer *w, const struct facts *facts, const struct facts *old,
	unsigned width, bool ascii, size_t base)
{
	struct wrap wrap = {.w = w, .right = width - 1, .position = base, .translate = true};

	wrap.flags = ascii ? TEXT_ASCII_ONLY : 0;
	return put_facts(&wrap, facts, old);
}

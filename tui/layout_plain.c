#include "config.h"

#include "tui/layout_plain.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/words.h"
#include "tui/edge.h"
#include "tui/layout_fact.h"
#include "tui/layout_rows.h"

#define INDENT 2u
/* No label and no number makes a row without room for a character: an escape is at most so wide. */
#define LEAST_COLUMNS 40u

struct plain_layout {
	struct row_writer w;
	unsigned width, flags;
	const struct facts *old; /* before the card changed; NULL */
};

void plain_code(const struct card *card, char buf[PLAIN_CODE_BYTES])
{
	char shorted[12];
	size_t len = 0;

	card_short_digest(card, shorted);
	for (const char *at = shorted; *at != '\0' && len < PLAIN_CODE_BYTES - 1; at++) {
		if (*at != ' ')
			buf[len++] = *at;
	}
	buf[len] = '\0';
}

static void begin(struct plain_layout *p, unsigned width, bool ascii, struct rows *rows)
{
	memset(rows, 0, sizeof(*rows));
	*p = (struct plain_layout){.width = width < LEAST_COLUMNS ? LEAST_COLUMNS : width,
		.flags = ascii ? TEXT_ASCII_ONLY : 0};
	row_begin(&p->w, rows);
}

static void say(struct plain_layout *p, const char *text)
{
	row_put_ours(&p->w, STYLE_PLAIN, text);
}

/* The command: each line by its number, also where it goes on, so that no text can be taken for a line of ours. */
static void say_line_number(struct plain_layout *p, size_t line, bool goes_on)
{
	STR_AUTO struct str text = STR_INIT;

	str_printf(&text, goes_on ? _("Line %zu goes on: ") : _("Line %zu: "), line);
	say(p, str_c(&text));
}

static void put_command(struct plain_layout *p, const char *command, size_t len)
{
	struct text_iter *it = text_begin(command, len, p->flags | TEXT_LINES);
	struct text_piece piece;
	size_t line = 1;

	say_line_number(p, line, false);
	while (text_next(it, &piece)) {
		if (piece.kind == TEXT_NEWLINE) {
			row_end(&p->w, piece.start + piece.len);
			say_line_number(p, ++line, false);
			continue;
		}
		if (p->w.columns + piece.columns > p->width) {
			row_end(&p->w, piece.start);
			say_line_number(p, line, true);
		}
		row_put(&p->w, STYLE_PLAIN, piece.shown, strlen(piece.shown), piece.columns);
		for (size_t i = 0; i < piece.len; i++)
			line += command[piece.start + i] == '\n';
	}
	text_end(it);
	row_end(&p->w, len);
}

static void put_count(struct plain_layout *p, const char *command)
{
	STR_AUTO struct str text = STR_INIT;
	size_t lines = 1;

	for (const char *at = command; *at != '\0'; at++)
		lines += *at == '\n';
	str_printf(&text, P_("Command, %zu line.", "Command, %zu lines.", lines), lines);
	say(p, str_c(&text));
	row_end(&p->w, p->w.start);
}

/* The facts. */

/* narrow: what is set in columns for the eye becomes words with one blank between them. */
static void text_of_ours(const struct span *span, bool narrow, struct str *out)
{
	struct text_iter *it = text_begin(span->text, strlen(span->text), TEXT_OUTPUT);
	struct text_piece piece;

	/* Ours may quote what went through the rule already: its `<` stays. */
	while (text_next(it, &piece)) {
		bool blank = span->text[piece.start] == ' ';

		if (narrow && blank && out->len > 0 && out->data[out->len - 1] == ' ')
			continue;
		str_add(out, span->text[piece.start] == '<' ? "<" : piece.shown);
	}
	text_end(it);
}

/* "!" and "!!" are read as words. */
static void text_of_risk(const struct span *span, bool unusual, bool narrow, struct str *out)
{
	size_t signs = strspn(span->text, "!");
	struct span rest = {span->kind, span->text + signs};

	if (signs > 0)
		str_add(out, signs > 1 ? _("Danger: ") : unusual ? _("Note: ") : _("Risk: "));
	rest.text += strspn(rest.text, " ");
	text_of_ours(&rest, narrow, out);
}

static void text_of_line(
	const struct line *line, const char *label, unsigned flags, struct str *out)
{
	bool unusual = strcmp(label, "unusual") == 0;
	bool narrow = unusual || strcmp(label, "limits") == 0;

	for (size_t i = 0; i < line->count; i++) {
		const struct span *span = &line->spans[i];

		if (span->kind == SPAN_FOREIGN || span->kind == SPAN_AGENT)
			text_escape(span->text, strlen(span->text), flags, out);
		else if (span->kind == SPAN_OURS && span->text[0] != '!')
			text_of_ours(span, narrow, out);
		else
			text_of_risk(span, unusual, narrow, out);
	}
}

static void add_line(const struct line *line, const char *label, unsigned flags, struct str *out)
{
	struct facts shown = {0};
	struct line *other = fact_line(facts_add(&shown, label));

	edge_line(line, other);
	text_of_line(other, label, flags, out);
	facts_release(&shown);
}

/* A character of text that went through the rule: one code point, which may be a mark of the one before. */
static size_t character_at(const char *text, unsigned *ret_columns)
{
	char one[8] = "";
	size_t len = 1;

	while (((unsigned char)text[len] & 0xC0) == 0x80 && len < sizeof(one) - 1)
		len++;
	memcpy(one, text, len);
	*ret_columns = text_columns(one);
	return len;
}

static void next_row(struct plain_layout *p, size_t end)
{
	row_end(&p->w, end);
	row_pad(&p->w, INDENT);
}

/* One word; broken only where no row holds it. */
static void put_word(struct plain_layout *p, const char *word, size_t len, size_t end)
{
	for (size_t at = 0; at < len;) {
		unsigned columns = 0;
		size_t n = character_at(word + at, &columns);

		if (p->w.columns + columns > p->width)
			next_row(p, end);
		row_put(&p->w, STYLE_PLAIN, word + at, n, columns);
		at += n;
	}
}

/* All rows of a text but its last show nothing of it yet: what was printed counts when its end was. */
static void put_wrapped(struct plain_layout *p, const char *text, size_t end)
{
	size_t start = p->w.start;

	while (*text != '\0') {
		size_t blanks = strspn(text, " "), len = strcspn(text + blanks, " ");
		STR_AUTO struct str word = STR_INIT;

		str_add_bytes(&word, text + blanks, len);
		unsigned columns = text_columns(str_c(&word));
		bool whole = columns <= p->width - INDENT;

		if (whole && p->w.columns + blanks + columns > p->width)
			next_row(p, start);
		else
			put_word(p, text, blanks, start);
		put_word(p, str_c(&word), word.len, start);
		text += blanks + len;
	}
	row_end(&p->w, end);
}

static size_t fact_length(const struct fact *fact)
{
	size_t len = 0;

	for (size_t i = 0; i < fact->count; i++)
		len += fact_line_length(&fact->lines[i]);
	return len;
}

static void put_was(struct plain_layout *p, const struct fact *fact, size_t n)
{
	STR_AUTO struct str text = STR_INIT;
	STR_AUTO struct str was = STR_INIT;

	if (!fact_line_changed(fact, n, p->old, &was))
		return;
	str_add(&text, _("  That changed. It was: "));
	if (was.len == 0)
		str_add(&text, _("nothing"));
	text_escape(str_c(&was), was.len, p->flags, &text);
	put_wrapped(p, str_c(&text), p->w.start);
}

static void put_fact(struct plain_layout *p, const struct fact *fact)
{
	bool unusual = strcmp(fact->label, "unusual") == 0;

	for (size_t i = 0; i < fact->count; i++) {
		STR_AUTO struct str text = STR_INIT;

		if (i == 0 && fact->label[0] != '\0' && !unusual) {
			str_printf(&text, "%s: ", _(fact->label));
			text.data[0] = (char)toupper((unsigned char)text.data[0]);
		} else if (!unusual) {
			str_add(&text, "  ");
		}
		add_line(&fact->lines[i], fact->label, p->flags, &text);
		put_wrapped(p, str_c(&text), p->w.start + fact_line_length(&fact->lines[i]));
		put_was(p, fact, i);
	}
}

enum which { NOTES, FACTS, DETAILS };

static enum which which_of(const struct fact *fact)
{
	return strcmp(fact->label, "unusual") == 0 ? NOTES : FACTS;
}

/* Notes are read before the command; their place in the card's own text stays behind it. The digest has a row of its own. */
static void put_facts(struct plain_layout *p, const struct facts *facts, size_t base, enum which w)
{
	for (size_t i = 0; i < facts->count; i++) {
		const struct fact *fact = &facts->items[i];

		p->w.start = base;
		base += fact_length(fact);
		if (w == DETAILS)
			put_fact(p, fact);
		else if (which_of(fact) == w && strcmp(fact->label, "card") != 0)
			put_fact(p, fact);
	}
	p->w.start = base;
}

/* Where the row of the digest stands among the facts: the last rows show it. What to type is not broken where it fits in a row. */
static void put_answers(struct plain_layout *p, const struct card *card, size_t total)
{
	STR_AUTO struct str words = STR_INIT;
	STR_AUTO struct str head = STR_INIT;
	STR_AUTO struct str text = STR_INIT;
	const struct facts *facts = &card->facts;
	const struct fact *last = facts->count > 0 ? &facts->items[facts->count - 1] : NULL;
	char digest[12], code[PLAIN_CODE_BYTES];

	card_short_digest(card, digest);
	plain_code(card, code);
	card_words(card, &words);
	str_printf(&head, _("End of card %" PRIu64 ", digest %s."), card->seq, digest);
	str_printf(&text, _("Answers: approve %" PRIu64 " %s%s%s, "), card->seq, code,
		words.len > 0 ? " " : "", str_c(&words));
	str_printf(
		&text, _("reject %" PRIu64 ", details %" PRIu64 ", help."), card->seq, card->seq);
	if (last != NULL && strcmp(last->label, "card") == 0)
		p->w.start = total - fact_length(last);
	if (head.len + text.len < p->width) {
		str_printf(&head, " %s", str_c(&text));
		str_clear(&text);
	}
	put_wrapped(p, str_c(&head), total);
	if (text.len > 0)
		put_wrapped(p, str_c(&text), total);
}

static void end(struct plain_layout *p, size_t total)
{
	p->w.rows->total = total;
	p->w.rows->deciding = p->w.rows->count;
	row_release(&p->w);
}

void layout_plain_card(const struct job *job, unsigned width, bool ascii, struct rows *ret)
{
	const struct facts *facts = &job->card->facts;
	size_t len = strlen(job->command), total = len;
	struct plain_layout p;

	for (size_t i = 0; i < facts->count; i++)
		total += fact_length(&facts->items[i]);
	begin(&p, width, ascii, ret);
	p.old = job->old_card != NULL ? &job->old_card->facts : NULL;
	put_facts(&p, facts, len, NOTES);
	p.w.start = 0;
	put_count(&p, job->command);
	put_command(&p, job->command, len);
	say(&p, _("End of command."));
	row_end(&p.w, len);
	put_facts(&p, facts, len, FACTS);
	put_answers(&p, job->card, total);
	end(&p, total);
}

void layout_plain_details(const struct job *job, unsigned width, bool ascii, struct rows *ret)
{
	struct plain_layout p;

	begin(&p, width, ascii, ret);
	put_facts(&p, &job->card->details, 0, DETAILS);
	end(&p, 0);
}

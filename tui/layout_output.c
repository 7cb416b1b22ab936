#include "config.h"

#include "tui/layout.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "tui/layout_rows.h"

#define INDENT_COLUMNS 1u
#define MARGIN_COLUMNS 1u

/* One line of an output: what is shown of it. A line that was written over with CR shows its last state and how many
   CRs it took; all other bytes are there. */
struct output_line {
	const char *text;
	size_t len;
	char overwritten[32]; /* "<31 CR>", or "" */
};

/* Rows at which lines start, now and then: where a window can be built from without counting all rows again. */
#define CHECKPOINT_ROWS 256u

struct checkpoint {
	size_t row, offset;
};
struct checkpoints {
	struct checkpoint *items;
	size_t count, cap;
};

/* The row that is being filled; it is built only while the window is there. */
struct output_rows {
	struct row_writer w;
	size_t first, end; /* of the window */
	size_t at;         /* number of the row that is filled */
	unsigned columns;  /* for text */
	unsigned used;     /* of it */
	unsigned flags;
	size_t line_start, line_end; /* bytes of the line: the position of its rows */
	const char *quiet_end;       /* of the colour sequence that is being read */
	struct checkpoints *checkpoints;
};

static bool in_window(const struct output_rows *o)
{
	return o->at >= o->first && o->at < o->end;
}

static void next_row(struct output_rows *o)
{
	if (in_window(o)) {
		o->w.start = o->line_start;
		row_end(&o->w, o->line_end);
	}
	o->at++;
	o->used = 0;
}

static void put(
	struct output_rows *o, enum style style, const char *text, size_t len, unsigned columns)
{
	if (o->used + columns > o->columns)
		next_row(o);
	if (in_window(o)) {
		if (o->w.open_count == 0)
			row_pad(&o->w, INDENT_COLUMNS);
		row_put(&o->w, style, text, len, columns);
	}
	o->used += columns;
}

/* Length of a colour sequence at text[0..len), or 0. Those are frequent and harmless here: quiet. */
static size_t colour_length(const char *text, size_t len)
{
	size_t at = 2;

	if (len < 3 || text[0] != '\033' || text[1] != '[')
		return 0;
	while (at < len && (isdigit((unsigned char)text[at]) || text[at] == ';' || text[at] == ':'))
		at++;
	return at < len && text[at] == 'm' ? at + 1 : 0;
}

/* Whether a '<' can begin what reads as an escape of ours. */
static bool may_be_form(const char *text, size_t len)
{
	unsigned char next = len > 1 ? (unsigned char)text[1] : 0;

	return isupper(next) || isdigit(next) || next == 'x';
}

/* Columns of the first byte, where they need no look around: 0 says that they do. */
static unsigned byte_columns(const char *text, size_t len)
{
	/* NUL SOH STX ... US as <NUL> ... <US> */
	static const unsigned char controls[32] = {5, 5, 5, 5, 5, 5, 5, 5, 4, 5, 4, 4, 4, 4, 4, 4,
		5, 5, 5, 5, 5, 5, 5, 5, 5, 4, 5, 5, 4, 4, 4, 4};

	unsigned char byte = (unsigned char)text[0];

	if (byte < 32)
		return controls[byte];
	if (byte > 0x7F || (byte == '<' && may_be_form(text, len)))
		return 0;
	return byte == 0x7F ? 5 : 1;
}

/* A byte that needs no look around: neither is it part of a character, nor can what follows be a mark on it. */
static bool can_skip(const char *text, size_t len)
{
	return byte_columns(text, len) > 0 && (len == 1 || (unsigned char)text[1] < 0x80);
}

static void note_colour(struct output_rows *o, const char *text, size_t len)
{
	if (*text == '\033' && text >= o->quiet_end)
		o->quiet_end = text + colour_length(text, len);
}

/* Counts the rows of bytes outside the window without building them. Returns how far it came. */
static size_t skip_bytes(struct output_rows *o, const char *text, size_t len)
{
	size_t at = 0;

	while (at < len && !in_window(o) && can_skip(text + at, len - at)) {
		unsigned columns = byte_columns(text + at, len - at);

		/* The byte may begin the first row of the window: then it is to be built. */
		if (o->used + columns > o->columns) {
			next_row(o);
			continue;
		}
		note_colour(o, text + at, len - at);
		o->used += columns;
		at++;
	}
	return at;
}

/* Looks at each character, until the next ones can be skipped. Returns how far it came. */
static size_t put_by_rule(struct output_rows *o, const char *text, size_t len)
{
	struct text_iter *it = text_begin(text, len, o->flags);
	struct text_piece piece;
	size_t at = 0;

	while ((in_window(o) || !can_skip(text + at, len - at)) && text_next(it, &piece)) {
		enum style style = piece.kind == TEXT_ESCAPE ? STYLE_ESCAPE : STYLE_PLAIN;

		note_colour(o, text + at, len - at);
		if (text + at < o->quiet_end || text[at] == '\t')
			style = STYLE_QUIET;
		put(o, style, piece.shown, strlen(piece.shown), piece.columns);
		at += piece.len;
		if (at == len)
			break;
	}
	text_end(it);
	return at;
}

static void put_line(struct output_rows *o, const struct output_line *line)
{
	size_t at = 0;

	o->quiet_end = line->text;
	while (at < line->len) {
		at += skip_bytes(o, line->text + at, line->len - at);
		if (at < line->len)
			at += put_by_rule(o, line->text + at, line->len - at);
	}
	if (line->overwritten[0] != '\0')
		put(o, STYLE_FOLD, line->overwritten, strlen(line->overwritten),
			(unsigned)strlen(line->overwritten));
	next_row(o);
}

/* The last state that holds anything, of a line that CRs divide into states. */
static void read_line(const char *text, size_t len, struct output_line *ret)
{
	size_t crs = 0, start = 0, end = len;

	*ret = (struct output_line){.text = text, .len = len};
	for (const char *cr = memchr(text, '\r', len); cr != NULL;
		cr = memchr(cr + 1, '\r', len - (size_t)(cr + 1 - text)))
		crs++;
	/* One at the end is a line end of another system, and is shown as what it is. */
	if (crs == 0 || (crs == 1 && text[len - 1] == '\r'))
		return;
	while (end > 0 && text[end - 1] == '\r')
		end--;
	for (start = end; start > 0 && text[start - 1] != '\r';)
		start--;
	ret->text = text + start;
	ret->len = end - start;
	snprintf(ret->overwritten, sizeof(ret->overwritten), "<%zu CR>", crs);
}

static void add_checkpoint(struct output_rows *o, size_t offset)
{
	struct checkpoints *c = o->checkpoints;

	if (c == NULL || (c->count > 0 && o->at - c->items[c->count - 1].row < CHECKPOINT_ROWS))
		return;
	mem_grow(&c->items, &c->cap, c->count, sizeof(*c->items));
	c->items[c->count++] = (struct checkpoint){o->at, offset};
}

static void put_output(struct output_rows *o, const char *bytes, size_t len, size_t from)
{
	for (size_t at = from; at < len && o->at < o->end;) {
		const char *lf = memchr(bytes + at, '\n', len - at);
		size_t line_len = (lf == NULL ? len : (size_t)(lf - bytes)) - at;
		struct output_line line;

		add_checkpoint(o, at);
		o->line_start = at;
		o->line_end = lf == NULL ? len : at + line_len + 1;
		read_line(bytes + at, line_len, &line);
		put_line(o, &line);
		at += line_len + 1;
	}
}

static void output_begin(struct output_rows *o, unsigned width, bool ascii, size_t first,
	size_t count, struct rows *ret)
{
	*o = (struct output_rows){.first = first};
	memset(ret, 0, sizeof(*ret));
	row_begin(&o->w, ret);
	o->end = count < SIZE_MAX - first ? first + count : SIZE_MAX;
	o->columns = width - INDENT_COLUMNS - MARGIN_COLUMNS;
	o->flags = TEXT_OUTPUT | (ascii ? TEXT_ASCII_ONLY : 0);
}

void layout_output(const struct job *job, unsigned width, bool ascii, struct rows *ret)
{
	layout_output_part(job, width, ascii, 0, SIZE_MAX, ret);
}

static void put_part(const struct job *job, unsigned width, bool ascii, size_t first, size_t count,
	const struct checkpoint *from, struct rows *ret)
{
	struct output_rows o;

	output_begin(&o, width, ascii, first, count, ret);
	o.at = from->row;
	if (job->output.len > 0)
		put_output(&o, job->output.data, job->output.len, from->offset);
	row_release(&o.w);
}

void layout_output_part(const struct job *job, unsigned width, bool ascii, size_t first,
	size_t count, struct rows *ret)
{
	put_part(job, width, ascii, first, count, &(struct checkpoint){0}, ret);
}

static size_t count_rows(
	const struct job *job, unsigned width, bool ascii, struct checkpoints *checkpoints)
{
	struct output_rows o;
	struct rows none;

	output_begin(&o, width, ascii, SIZE_MAX, 0, &none);
	o.checkpoints = checkpoints;
	if (job->output.len > 0)
		put_output(&o, job->output.data, job->output.len, 0);
	row_release(&o.w);
	rows_release(&none);
	return o.at;
}

size_t layout_output_rows(const struct job *job, unsigned width, bool ascii)
{
	return count_rows(job, width, ascii, NULL);
}

size_t layout_output_window(const struct job *job, unsigned width, bool ascii, bool following,
	size_t count, size_t *top, struct rows *ret)
{
	struct checkpoints checkpoints = {0};
	size_t total = count_rows(job, width, ascii, &checkpoints);
	size_t last = total > count ? total - count : 0, from = checkpoints.count;

	if (following || *top > last)
		*top = last;
	while (from > 1 && checkpoints.items[from - 1].row > *top)
		from--;
	put_part(job, width, ascii, *top, count,
		from > 0 ? &checkpoints.items[from - 1] : &(struct checkpoint){0}, ret);
	free(checkpoints.items);
	return total;
}

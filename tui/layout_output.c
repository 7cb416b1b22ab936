#include "config.h"

#include "tui/layout.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
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

/* The row that is being filled; it is built only while the window is there. */
struct output_rows {
	struct row_writer w;
	size_t first, end; /* of the window */
	size_t at;         /* number of the row that is filled */
	unsigned columns;  /* for text */
	unsigned used;     /* of it */
	unsigned flags;
	size_t line_start,
		line_end; /* bytes of the line, which is what its rows say of their position */
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

static void put_by_rule(struct output_rows *o, const char *text, size_t len)
{
	struct text_iter *it = text_begin(text, len, o->flags);
	struct text_piece piece;
	size_t quiet_end = 0;

	while (text_next(it, &piece)) {
		enum style style = piece.kind == TEXT_ESCAPE ? STYLE_ESCAPE : STYLE_PLAIN;

		if (text[piece.start] == '\033' && piece.start >= quiet_end)
			quiet_end =
				piece.start + colour_length(text + piece.start, len - piece.start);
		if (piece.start < quiet_end || text[piece.start] == '\t')
			style = STYLE_QUIET;
		put(o, style, piece.shown, strlen(piece.shown), piece.columns);
	}
	text_end(it);
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

/* Counts the rows of a line without building them. False: its characters have to be looked at one by one. */
static bool skip_by_bytes(struct output_rows *o, const char *text, size_t len)
{
	struct output_rows trial = *o;

	for (size_t i = 0; i < len; i++) {
		unsigned columns = byte_columns(text + i, len - i);

		if (columns == 0)
			return false;
		if (trial.used + columns > trial.columns) {
			trial.at++;
			trial.used = 0;
		}
		trial.used += columns;
	}
	o->at = trial.at;
	o->used = trial.used;
	return true;
}

static bool is_before_window(const struct output_rows *o, const struct output_line *line)
{
	/* A byte needs five columns at most, or is looked at one by one anyway. */
	size_t most = line->len * 5 / o->columns + 2;

	return o->at + most < o->first || o->at >= o->end;
}

static void put_line(struct output_rows *o, const struct output_line *line)
{
	if (!is_before_window(o, line) || !skip_by_bytes(o, line->text, line->len))
		put_by_rule(o, line->text, line->len);
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

static void put_output(struct output_rows *o, const char *bytes, size_t len)
{
	for (size_t at = 0; at < len;) {
		const char *lf = memchr(bytes + at, '\n', len - at);
		size_t line_len = (lf == NULL ? len : (size_t)(lf - bytes)) - at;
		struct output_line line;

		o->line_start = at;
		o->line_end = lf == NULL ? len : at + line_len + 1;
		read_line(bytes + at, line_len, &line);
		put_line(o, &line);
		at += line_len + 1;
	}
}

static size_t layout(const struct job *job, unsigned width, bool ascii, size_t first, size_t count,
	struct rows *ret)
{
	struct output_rows o = {.first = first};

	memset(ret, 0, sizeof(*ret));
	row_begin(&o.w, ret);
	o.end = count < SIZE_MAX - first ? first + count : SIZE_MAX;
	o.columns = width - INDENT_COLUMNS - MARGIN_COLUMNS;
	o.flags = TEXT_OUTPUT | (ascii ? TEXT_ASCII_ONLY : 0);
	if (job->output.len > 0)
		put_output(&o, job->output.data, job->output.len);
	row_release(&o.w);
	return o.at;
}

void layout_output(const struct job *job, unsigned width, bool ascii, struct rows *ret)
{
	layout(job, width, ascii, 0, SIZE_MAX, ret);
}

void layout_output_part(const struct job *job, unsigned width, bool ascii, size_t first,
	size_t count, struct rows *ret)
{
	layout(job, width, ascii, first, count, ret);
}

size_t layout_output_rows(const struct job *job, unsigned width, bool ascii)
{
	struct rows none;
	size_t count = layout(job, width, ascii, SIZE_MAX, 0, &none);

	rows_release(&none);
	return count;
}

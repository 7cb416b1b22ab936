#include "config.h"

#include "tui/layout.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "tui/layout_output_line.h"
#include "tui/layout_output_rows.h"
#include "tui/layout_rows.h"
#include "tui/seek.h"

#define INDENT_COLUMNS 1u
#define MARGIN_COLUMNS 1u
#define CUT_SIGN "…"

/* Rows between two checkpoints. */
#define CHECKPOINT_ROWS 32u

/* The row that is being filled; it is built only while the window is there. */
struct output_rows {
	struct row_writer w;
	size_t first, end; /* of the window */
	size_t at;         /* number of the row that is filled */
	unsigned columns;  /* for text */
	size_t used;       /* of it; unfolded, of the whole line */
	bool unfold;
	size_t pan;
	unsigned flags;
	size_t line_start, line_end; /* bytes of the line: the position of its rows */
	const char *quiet_end;       /* of the colour sequence that is being read */
	bool colours;                /* they are not shown but taken */
	enum style tint;             /* of what follows in the line */
	const struct seek *seek;     /* NULL: nothing is sought */
	const char *match;           /* the next one in the line; NULL: none */
	struct checkpoints *checkpoints;
	struct checkpoint last_line; /* where it begins */
	bool whole;                  /* it has its LF, or there is none */
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

/* The column of our own before the text: blank, or the sign that the line began before. */
static void put_indent(struct output_rows *o, bool cut)
{
	if (o->w.open_count == 0 && cut)
		row_put(&o->w, STYLE_FOLD, CUT_SIGN, strlen(CUT_SIGN), INDENT_COLUMNS);
	else if (o->w.open_count == 0)
		row_pad(&o->w, INDENT_COLUMNS);
}

static size_t pan_end(const struct output_rows *o)
{
	return o->pan + o->columns;
}

/* What of an unfolded line lies between the columns that are shown. A character that lies on one of their ends is not cut in two:
   at the left there are blanks for it. */
static void put_panned(
	struct output_rows *o, enum style style, const char *text, size_t len, unsigned columns)
{
	size_t end = o->used + columns;

	if (columns > 0 && end <= o->pan)
		return;
	put_indent(o, o->pan > 0);
	if (end > pan_end(o))
		return;
	if (o->used < o->pan)
		row_pad(&o->w, (unsigned)(INDENT_COLUMNS + end - o->pan));
	else
		row_put(&o->w, style, text, len, columns);
}

static void put(
	struct output_rows *o, enum style style, const char *text, size_t len, unsigned columns)
{
	if (!o->unfold && o->used + columns > o->columns)
		next_row(o);
	if (in_window(o) && o->unfold) {
		put_panned(o, style, text, len, columns);
	} else if (in_window(o)) {
		put_indent(o, false);
		row_put(&o->w, style, text, len, columns);
	}
	o->used += columns;
}

/* The signs where an unfolded line goes on. */
static void end_panned(struct output_rows *o)
{
	if (o->pan > 0 && o->used > 0)
		put_indent(o, true);
	if (o->used <= pan_end(o))
		return;
	row_pad(&o->w, INDENT_COLUMNS + o->columns);
	row_put(&o->w, STYLE_FOLD, CUT_SIGN, strlen(CUT_SIGN), MARGIN_COLUMNS);
}

/* Bytes that need no look around: what follows cannot be a mark on them. How many they are, 0: look; and their columns. */
static size_t skippable(
	const struct output_rows *o, const char *text, size_t len, unsigned *ret_columns)
{
	bool ascii = (o->flags & TEXT_ASCII_ONLY) != 0;
	unsigned next;

	if ((unsigned char)text[0] >= 0x80)
		return ascii ? 0 : text_letter(text, len, ret_columns);
	*ret_columns = output_byte_columns(text, len);
	if (*ret_columns == 0)
		return 0;
	return len == 1 || (unsigned char)text[1] < 0x80 ||
	       text_letter(text + 1, len - 1, &next) > 0;
}

static void note_colour(struct output_rows *o, const char *text, size_t len)
{
	if (*text != '\033' || text < o->quiet_end)
		return;
	size_t sequence = output_colour_length(text, len);
	o->quiet_end = text + sequence;
	if (o->colours && sequence > 0)
		o->tint = output_colour_style(text, sequence, o->tint);
}

/* The byte belongs to a colour sequence that is not shown. */
static bool is_taken(const struct output_rows *o, const char *byte)
{
	return o->colours && byte < o->quiet_end;
}

/* Outside the window: bytes of one column each, many at a time, as this is what a key on a long output waits for. Returns how
   many they are; at the first row of the window it stops, since the next byte is to be built. */
static size_t skip_plain(struct output_rows *o, const char *text, size_t len)
{
	size_t plain = is_taken(o, text) ? 0 : output_plain_length(text, len), left = plain;

	while (left > 0 && !in_window(o)) {
		size_t room = o->used < o->columns ? o->columns - o->used : 0;
		size_t step = left < room ? left : room;

		o->used += step;
		left -= step;
		if (left > 0)
			next_row(o);
	}
	return plain - left;
}

/* Counts the rows of bytes outside the window without building them. Returns how far it came. */
static size_t skip_bytes(struct output_rows *o, const char *text, size_t len)
{
	size_t at = 0, step;
	unsigned columns;

	while (at < len && !in_window(o) &&
		(step = skippable(o, text + at, len - at, &columns)) > 0) {
		size_t plain = skip_plain(o, text + at, len - at);

		at += plain;
		if (plain > 0 || in_window(o))
			continue;
		note_colour(o, text + at, len - at);
		if (is_taken(o, text + at)) {
			at += step;
			continue;
		}
		/* It may begin the first row of the window: then it is to be built. */
		if (o->used + columns > o->columns) {
			next_row(o);
			continue;
		}
		o->used += columns;
		at += step;
	}
	return at;
}

static void find_match(struct output_rows *o, const char *from, const char *end)
{
	o->match = o->seek == NULL ? NULL : seek_next(o->seek, from, (size_t)(end - from));
}

/* The piece is part of what is sought. Matches never overlap: each begins behind the one before. */
static bool is_in_match(struct output_rows *o, const char *piece, size_t len, const char *end)
{
	while (o->match != NULL && o->match + o->seek->bytes.len <= piece)
		find_match(o, o->match + o->seek->bytes.len, end);
	return o->match != NULL && o->match < piece + len;
}

/* Looks at each character, until the next ones can be skipped. Returns how far it came. */
static size_t put_by_rule(struct output_rows *o, const char *text, size_t len)
{
	struct text_iter *it = text_begin(text, len, o->flags);
	struct text_piece piece;
	unsigned columns;
	size_t at = 0;

	while ((in_window(o) || skippable(o, text + at, len - at, &columns) == 0) &&
		text_next(it, &piece)) {
		note_colour(o, text + at, len - at);
		enum style style = piece.kind == TEXT_ESCAPE ? STYLE_ESCAPE : o->tint;
		if (text + at < o->quiet_end || text[at] == '\t')
			style = STYLE_QUIET;
		if (is_in_match(o, text + at, piece.len, text + len))
			style = STYLE_MATCH;
		if (!is_taken(o, text + at))
			put(o, style, piece.shown, strlen(piece.shown), piece.columns);
		at += piece.len;
		if (at == len || (o->unfold && o->used > pan_end(o)))
			break;
	}
	text_end(it);
	return at;
}

static void put_line(struct output_rows *o, const struct output_line *line)
{
	size_t at = 0;

	/* Unfolded it is one row, whatever it holds. */
	if (o->unfold && !in_window(o)) {
		next_row(o);
		return;
	}
	o->quiet_end = line->text;
	o->tint = STYLE_PLAIN;
	find_match(o, line->text, line->text + line->len);
	while (at < line->len && !(o->unfold && o->used > pan_end(o))) {
		at += skip_bytes(o, line->text + at, line->len - at);
		if (at < line->len)
			at += put_by_rule(o, line->text + at, line->len - at);
	}
	if (line->overwritten[0] != '\0')
		put(o, STYLE_FOLD, line->overwritten, strlen(line->overwritten),
			(unsigned)strlen(line->overwritten));
	if (o->unfold)
		end_panned(o);
	next_row(o);
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
		o->last_line = (struct checkpoint){o->at, at};
		o->whole = lf != NULL;
		o->line_start = at;
		o->line_end = lf == NULL ? len : at + line_len + 1;
		output_line_read(bytes + at, line_len, &line);
		put_line(o, &line);
		at += line_len + 1;
	}
}

static void output_begin(struct output_rows *o, const struct output_look *look, size_t first,
	size_t count, struct rows *ret)
{
	*o = (struct output_rows){.first = first,
		.whole = true,
		.unfold = look->unfold,
		.pan = look->pan,
		.seek = look->seek,
		.colours = look->colours};
	memset(ret, 0, sizeof(*ret));
	row_begin(&o->w, ret);
	o->end = count < SIZE_MAX - first ? first + count : SIZE_MAX;
	o->columns = look->width - INDENT_COLUMNS - MARGIN_COLUMNS;
	o->flags = TEXT_OUTPUT | (look->ascii ? TEXT_ASCII_ONLY : 0);
}

void output_rows_put(const struct job *job, const struct output_look *look, size_t first,
	size_t count, const struct checkpoint *from, struct rows *ret)
{
	struct output_rows o;

	output_begin(&o, look, first, count, ret);
	o.at = from->row;
	if (job->output.len > 0)
		put_output(&o, job->output.data, job->output.len, from->offset);
	row_release(&o.w);
}

size_t output_rows_count(const struct job *job, const struct output_look *look,
	struct checkpoints *checkpoints, struct checkpoint *at)
{
	struct output_rows o;
	struct rows none;

	output_begin(&o, look, SIZE_MAX, 0, &none);
	o.at = at->row;
	o.checkpoints = checkpoints;
	if (job->output.len > 0)
		put_output(&o, job->output.data, job->output.len, at->offset);
	*at = o.whole ? (struct checkpoint){o.at, job->output.len} : o.last_line;
	row_release(&o.w);
	rows_release(&none);
	return o.at;
}

bool layout_output_goes_on(const struct row *row)
{
	const struct segment *last = row->count > 1 ? &row->segments[row->count - 1] : NULL;
	size_t len = last != NULL ? strlen(last->text) : 0, sign = strlen(CUT_SIGN);

	/* Foreign text is plain there, whatever it shows. */
	return len >= sign && last->style == STYLE_FOLD &&
	       strcmp(last->text + len - sign, CUT_SIGN) == 0;
}

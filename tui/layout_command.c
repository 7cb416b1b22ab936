#include "config.h"

#include "tui/layout_command.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define GUTTER_COLUMNS 6u
#define MARGIN_COLUMNS 1u   /* between the text and the bar */
#define BLANKS_UNFOLDED 24u /* of text.h: more in a row are for the rule */

/* Bytes of the command that a note points to, by position and apart. */
struct mark {
	size_t start, end;
};
struct sign { /* of a line */
	unsigned line;
	enum severity severity;
};

struct command {
	struct row_writer *w;
	const char *bytes;
	size_t len;
	unsigned flags;
	unsigned gutter, columns; /* columns: for text */
	struct mark *marks;
	struct sign *signs; /* by line, the worst of a line first */
	size_t mark_count, sign_count;
	size_t mark_at, sign_at; /* the first that is not behind us */
	unsigned line;           /* number of the line that is written */
	size_t characters;       /* of it, in the rows before */
	size_t row_characters;
	bool row_open;
	size_t base;           /* position of the first byte */
	const char *edit_sign; /* "-" or "+" before each line of a difference; NULL */
	enum style edit_style; /* of that, and of the bytes it is about */
	struct tint *tint;     /* NULL: no command, or none that a shell would read */
	size_t offset;         /* of our first byte in it */
	size_t line_start;     /* of the line that is written */
};

static int mark_compare(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static int sign_compare(const void *left, const void *right)
{
	const struct sign *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (int)b->severity - (int)a->severity;
}

/* offset: where in the command our bytes begin. */
static void command_notes(struct command *c, const struct unusual_list *unusual, size_t offset)
{
	c->marks = mem_array(unusual->count + 1, sizeof(*c->marks));
	c->signs = mem_array(unusual->count + 1, sizeof(*c->signs));
	for (size_t i = 0; i < unusual->count; i++) {
		const struct unusual *note = &unusual->items[i];
		size_t end = note->start + note->len;

		c->signs[i] = (struct sign){note->line, note->severity};
		c->marks[i] = (struct mark){note->start > offset ? note->start - offset : 0,
			end > offset ? end - offset : 0};
	}
	c->sign_count = c->mark_count = unusual->count;
	qsort(c->marks, c->mark_count, sizeof(*c->marks), mark_compare);
	qsort(c->signs, c->sign_count, sizeof(*c->signs), sign_compare);
}

static unsigned digits(size_t n)
{
	unsigned count = 1;

	for (; n >= 10; n /= 10)
		count++;
	return count;
}

/* Six columns, or what the largest line number and the largest count of characters need. */
unsigned command_gutter(const char *bytes, size_t len, unsigned sign_columns)
{
	size_t lines = 1, longest = 0;
	unsigned number, characters;

	for (size_t at = 0; at < len;) {
		const char *lf = memchr(bytes + at, '\n', len - at);
		size_t line_len = lf == NULL ? len - at : (size_t)(lf - bytes) - at;

		if (line_len > longest)
			longest = line_len;
		lines += lf != NULL;
		at += line_len + 1;
	}
	number = sign_columns + digits(lines) + 1;
	characters = 1 + digits(longest) + 1;
	if (number < GUTTER_COLUMNS)
		number = GUTTER_COLUMNS;
	return number > characters ? number : characters;
}

static void put_sign(struct command *c)
{
	enum severity severity = 0;

	if (c->edit_sign != NULL)
		row_put_ours(c->w, c->edit_style, c->edit_sign);
	while (c->sign_at < c->sign_count && c->signs[c->sign_at].line < c->line)
		c->sign_at++;
	if (c->sign_at < c->sign_count && c->signs[c->sign_at].line == c->line)
		severity = c->signs[c->sign_at].severity;
	if (severity == SEVERITY_DANGER)
		row_put_ours(c->w, STYLE_DANGER, "!!");
	else if (severity == SEVERITY_NOTE)
		row_put_ours(c->w, STYLE_NOTE, "!");
}

/* Tens of thousands of rows have a number, so that it is not left to printf. Returns where it starts in buf. */
static char *number_text(size_t n, char buf[24])
{
	char *at = buf + 23;

	*at = '\0';
	do {
		*--at = (char)('0' + n % 10);
		n /= 10;
	} while (n > 0);
	return at;
}

static void put_gutter(struct command *c)
{
	bool goes_on = c->characters > 0;
	char buf[24], *number = number_text(goes_on ? c->characters : c->line, buf);

	if (goes_on)
		*--number = '+';
	else
		put_sign(c);
	row_pad(c->w, c->gutter - 1 - (unsigned)(buf + 23 - number));
	row_put_ours(c->w, STYLE_QUIET, number);
	if (goes_on)
		row_put_ours(c->w, STYLE_RULE, ":");
	else if (c->tint != NULL && tint_is_body(c->tint, c->offset + c->line_start))
		row_put(c->w, STYLE_RULE, "║", strlen("║"), 1);
	else
		row_put(c->w, STYLE_RULE, "│", strlen("│"), 1);
	c->row_open = true;
}

static void close_row(struct command *c, size_t end)
{
	if (!c->row_open)
		put_gutter(c);
	row_end(c->w, c->base + end);
	c->row_open = false;
	c->characters += c->row_characters;
	c->row_characters = 0;
}

static void close_line(struct command *c, size_t end)
{
	close_row(c, end);
	c->characters = 0;
	c->line_start = end;
	c->line++;
}

/* Makes room for something so wide at position `at`. */
static void want_columns(struct command *c, unsigned columns, size_t at)
{
	if (c->row_open && c->w->columns + columns > c->gutter + c->columns)
		close_row(c, at);
	if (!c->row_open)
		put_gutter(c);
}

/* How far from `at` the words under a note reach, or do not; at most to `end`. */
static size_t same_mark(struct command *c, size_t at, size_t end, bool *ret_marked)
{
	const struct mark *mark;

	while (c->mark_at < c->mark_count && c->marks[c->mark_at].end <= at)
		c->mark_at++;
	*ret_marked = false;
	if (c->mark_at == c->mark_count)
		return end;
	mark = &c->marks[c->mark_at];
	*ret_marked = mark->start <= at;
	if (*ret_marked)
		return mark->end < end ? mark->end : end;
	return mark->start < end ? mark->start : end;
}

/* The style of a byte that is shown as it is, and how far it reaches; at most to `end`. A mark goes before a colour. */
static size_t same_style(struct command *c, size_t at, size_t end, enum style *ret_style)
{
	bool marked;
	size_t same = same_mark(c, at, end, &marked), reach;

	*ret_style = marked ? STYLE_MARK : STYLE_PLAIN;
	if (marked || c->tint == NULL)
		return same;
	*ret_style = tint_style(c->tint, c->offset + at, &reach);
	reach -= c->offset;
	return reach < same ? reach : same;
}

static unsigned min_columns(size_t left, unsigned room)
{
	return left < room ? (unsigned)left : room;
}

/* Bytes start..end are characters that the rule leaves alone, one column each. */
static void put_boring(struct command *c, size_t start, size_t end)
{
	while (start < end) {
		unsigned room, take;
		enum style style;

		want_columns(c, 1, start);
		room = c->gutter + c->columns - c->w->columns;
		size_t same = same_style(c, start, end, &style);
		take = min_columns(same - start, room);
		row_put(c->w, style, c->bytes + start, take, take);
		c->row_characters += take;
		start += take;
	}
}

static enum style piece_style(struct command *c, const struct text_piece *piece, size_t at)
{
	enum style style;

	if (piece->kind == TEXT_FOLD)
		return STYLE_FOLD;
	if (piece->kind == TEXT_ESCAPE)
		return strcmp(piece->shown, "<TAB>") == 0 ? STYLE_QUIET : STYLE_ESCAPE;
	same_style(c, at, at + 1, &style);
	return style;
}

static void put_piece(struct command *c, const struct text_piece *piece, size_t base)
{
	size_t at = base + piece->start;

	if (piece->kind == TEXT_NEWLINE) {
		close_line(c, at + 1);
		return;
	}
	want_columns(c, piece->columns, at);
	row_put(c->w, piece_style(c, piece, at), piece->shown, strlen(piece->shown),
		piece->columns);
	c->row_characters += count_characters(c->bytes + at, piece->len);
	/* Folded empty lines end but for the last, whose newline follows. */
	for (size_t i = 0; i < piece->len; i++)
		c->line += c->bytes[at + i] == '\n';
}

static void put_by_rule(struct command *c, size_t start, size_t end)
{
	struct text_iter *it = text_begin(c->bytes + start, end - start, c->flags);
	struct text_piece piece;

	while (text_next(it, &piece))
		put_piece(c, &piece, start);
	text_end(it);
}

/* Whether the rule leaves each byte of a line alone, so that a long card needs no look at each character. */
static bool is_boring(const char *line, size_t len)
{
	size_t blanks = 0;

	if (len == 0 || line[len - 1] == ' ')
		return false;
	for (size_t i = 0; i < len; i++) {
		if (line[i] < ' ' || line[i] > '~' || line[i] == '<')
			return false;
		blanks = line[i] == ' ' ? blanks + 1 : 0;
		if (blanks > BLANKS_UNFOLDED)
			return false;
	}
	return true;
}

static size_t line_end(const struct command *c, size_t at)
{
	const char *lf = memchr(c->bytes + at, '\n', c->len - at);

	return lf == NULL ? c->len : (size_t)(lf - c->bytes);
}

/* Lines that need the rule are given to it together: it folds empty ones across their ends. */
static void put_lines(struct command *c)
{
	size_t pending = 0, at = 0;

	while (at < c->len) {
		size_t end = line_end(c, at);

		if (is_boring(c->bytes + at, end - at)) {
			if (pending < at)
				put_by_rule(c, pending, at);
			put_boring(c, at, end);
			if (end < c->len)
				close_line(c, end + 1);
			pending = end < c->len ? end + 1 : end;
		}
		at = end < c->len ? end + 1 : end;
	}
	if (pending < c->len)
		put_by_rule(c, pending, c->len);
}

static void command_begin(struct command *c, struct row_writer *w, const char *bytes, size_t len,
	unsigned gutter, unsigned width, bool ascii)
{
	*c = (struct command){.w = w, .bytes = bytes, .len = len, .line = 1, .base = w->start};
	c->flags = TEXT_LINES | (ascii ? TEXT_ASCII_ONLY : 0);
	c->gutter = gutter;
	assert(width > c->gutter + MARGIN_COLUMNS + TEXT_SHOWN_BYTES / 2);
	c->columns = width - MARGIN_COLUMNS - c->gutter;
}

static void command_end(struct command *c)
{
	free(c->marks);
	free(c->signs);
}

void layout_command(struct row_writer *w, const char *command, size_t len,
	const struct unusual_list *unusual, unsigned width, bool ascii)
{
	static const struct unusual_list nothing;
	struct command c;
	struct tint tint;

	command_begin(&c, w, command, len, command_gutter(command, len, COMMAND_SIGN_COLUMNS),
		width, ascii);
	command_notes(&c, unusual != NULL ? unusual : &nothing, 0);
	if (unusual != NULL) {
		tint_init(&tint, command, len);
		c.tint = &tint;
	}
	put_lines(&c);
	/* What stands behind the last newline, be it nothing: only so is that newline to be seen. */
	close_row(&c, c.len);
	command_end(&c);
	if (unusual != NULL)
		tint_release(&tint);
}

void layout_command_part(struct row_writer *w, const struct command_part *part)
{
	static const struct unusual_list nothing;
	struct command c;

	command_begin(&c, w, part->command + part->start, part->len, part->gutter, part->width,
		part->ascii);
	c.line = part->line;
	c.edit_sign = part->sign;
	c.edit_style = part->style;
	c.tint = part->tint;
	c.offset = part->start;
	command_notes(&c, part->unusual != NULL ? part->unusual : &nothing, part->start);
	put_lines(&c);
	/* One position more than bytes: an empty line that was taken out must be seen, too. */
	close_row(&c, c.len + 1);
	command_end(&c);
}

#include "config.h"

#include "tui/layout.h"

#include <string.h>

#include "base/text.h"
#include "tui/layout_output_line.h"
#include "tui/seek.h"

/* Where what is sought stands in an output. States of a line that were written over are not shown, so nothing is found in them. */

struct hunt {
	const struct seek *seek;
	int64_t from;
	bool back;
	size_t count;               /* matches so far */
	size_t best, best_number;   /* of those in the direction; 0: none yet */
	size_t other, other_number; /* where it goes on when there is none */
};

static void take(struct hunt *h, size_t byte)
{
	bool behind = (int64_t)byte > h->from;

	h->count++;
	/* Forward the first one counts, backward the last one. */
	if (h->back ? (int64_t)byte < h->from : behind && h->best_number == 0) {
		h->best = byte;
		h->best_number = h->count;
	}
	if (h->back || h->other_number == 0) {
		h->other = byte;
		h->other_number = h->count;
	}
}

static void hunt_line(struct hunt *h, const char *bytes, size_t start, size_t len)
{
	struct output_line line;
	const char *match, *end;

	output_line_read(bytes + start, len, &line);
	end = line.text + line.len;
	for (const char *at = line.text;
		(match = seek_next(h->seek, at, (size_t)(end - at))) != NULL;
		at = match + h->seek->bytes.len)
		take(h, (size_t)(match - bytes));
}

static size_t line_start(const struct job *job, size_t byte)
{
	const char *data = job->output.data;
	const char *lf = byte == 0 ? NULL : memrchr(data, '\n', byte);

	return lf == NULL ? 0 : (size_t)(lf + 1 - data);
}

/* Of the character at that byte: behind the lines before, the last row of a line that ends with it. */
static size_t row_of(const struct job *job, const struct output_look *look, size_t byte)
{
	size_t start = line_start(job, byte), end = byte + 1;
	struct output_look alone = *look;
	struct job part = *job;
	struct output_line line;

	alone.index = NULL; /* of the whole output it knows, not of a part */

	while (end < job->output.len && ((unsigned char)job->output.data[end] & 0xC0) == 0x80)
		end++;
	output_line_read(job->output.data + start, end - start, &line);
	part.output.len = start;
	size_t rows = layout_output_rows(&part, &alone);
	part.output.data += line.text - job->output.data;
	part.output.len = line.len;
	return rows + layout_output_rows(&part, &alone) - 1;
}

static size_t column_of(const struct job *job, const struct output_look *look, size_t byte)
{
	size_t start = line_start(job, byte), columns = 0;
	struct text_piece piece;
	struct output_line line;

	output_line_read(job->output.data + start, byte - start, &line);
	struct text_iter *it =
		text_begin(line.text, line.len, TEXT_OUTPUT | (look->ascii ? TEXT_ASCII_ONLY : 0));
	const char *at = line.text, *end = line.text + line.len, *taken = at;
	while (text_next(it, &piece)) {
		if (look->colours && at >= taken)
			taken = at + output_colour_length(at, (size_t)(end - at));
		columns += at < taken ? 0 : piece.columns;
		at += piece.len;
	}
	text_end(it);
	return columns;
}

bool layout_output_match(const struct job *job, const struct output_look *look, int64_t from,
	bool back, struct output_match *ret)
{
	const char *bytes = job->output.data;
	struct hunt h = {.seek = look->seek, .from = from, .back = back};

	for (size_t at = 0; at < job->output.len;) {
		const char *lf = memchr(bytes + at, '\n', job->output.len - at);
		size_t len = (lf == NULL ? job->output.len : (size_t)(lf - bytes)) - at;

		hunt_line(&h, bytes, at, len);
		at += len + 1;
	}
	if (h.count == 0)
		return false;
	bool around = h.best_number == 0;
	size_t byte = around ? h.other : h.best;
	*ret = (struct output_match){.byte = byte,
		.number = around ? h.other_number : h.best_number,
		.count = h.count,
		.around = around,
		.row = row_of(job, look, byte),
		.column = column_of(job, look, byte)};
	return true;
}

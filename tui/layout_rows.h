/* Builds rows one after another. Private to layout*.c. */
#ifndef TUI_LAYOUT_ROWS_H
#define TUI_LAYOUT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "base/text.h"
#include "tui/layout.h"

struct open_segment {
	enum style style;
	size_t at; /* offset of its text */
};
struct row_writer {
	struct rows *rows;
	size_t start;     /* position where the next row starts */
	unsigned columns; /* used by the row so far */
	struct str text;  /* of the row so far, segments apart by NUL */
	struct open_segment *open;
	size_t open_count, open_cap;
};

void row_begin(struct row_writer *w, struct rows *rows);
void row_release(struct row_writer *w);
/* Text that is safe already, `columns` wide. */
void row_put(
	struct row_writer *w, enum style style, const char *text, size_t len, unsigned columns);
void row_put_ours(struct row_writer *w, enum style style, const char *text);
void row_pad(struct row_writer *w, unsigned column); /* blanks up to a column */
/* The row is complete and shows the positions up to `end`. */
void row_end(struct row_writer *w, size_t end);

/* Code points that some bytes are; a byte that belongs to none counts as one. */
size_t count_characters(const char *bytes, size_t len);

#endif

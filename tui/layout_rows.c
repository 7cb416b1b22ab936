#include "config.h"

#include "tui/layout_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define CHUNK_BYTES ((size_t)64 << 10)

/* Rows come in tens of thousands and die together: their memory is cut from chunks. */
struct rows_chunk {
	struct rows_chunk *next;
	size_t used, size;
	max_align_t bytes[];
};

static void *chunk_take(struct rows *rows, size_t bytes)
{
	struct rows_chunk *chunk = rows->chunks;
	size_t want = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);

	if (chunk == NULL || chunk->size - chunk->used < want) {
		size_t size = want > CHUNK_BYTES ? want : CHUNK_BYTES;

		chunk = mem_resize(NULL, 1, sizeof(*chunk) + size);
		chunk->next = rows->chunks;
		chunk->used = 0;
		chunk->size = size;
		rows->chunks = chunk;
	}
	chunk->used += want;
	return (char *)chunk->bytes + chunk->used - want;
}

void rows_release(struct rows *rows)
{
	while (rows->chunks != NULL) {
		struct rows_chunk *chunk = rows->chunks;

		rows->chunks = chunk->next;
		free(chunk);
	}
	free(rows->items);
	memset(rows, 0, sizeof(*rows));
}

size_t rows_first(const struct rows *rows, size_t top, size_t count)
{
	size_t last = rows->count > count ? rows->count - count : 0;

	return top < last ? top : last;
}

void row_begin(struct row_writer *w, struct rows *rows)
{
	memset(w, 0, sizeof(*w));
	w->rows = rows;
}

void row_release(struct row_writer *w)
{
	str_release(&w->text);
	free(w->open);
}

void row_put(struct row_writer *w, enum style style, const char *text, size_t len, unsigned columns)
{
	if (w->open_count == 0 || w->open[w->open_count - 1].style != style) {
		if (w->open_count > 0)
			str_add_char(&w->text, '\0');
		mem_grow(&w->open, &w->open_cap, w->open_count, sizeof(*w->open));
		w->open[w->open_count++] = (struct open_segment){style, w->text.len};
	}
	str_add_bytes(&w->text, text, len);
	w->columns += columns;
}

void row_put_ours(struct row_writer *w, enum style style, const char *text)
{
	row_put(w, style, text, strlen(text), text_columns(text));
}

void row_pad(struct row_writer *w, unsigned column)
{
	static const char blanks[] = "                                ";

	while (w->columns < column) {
		unsigned n = column - w->columns;

		if (n > sizeof(blanks) - 1)
			n = sizeof(blanks) - 1;
		row_put(w, STYLE_PLAIN, blanks, n, n);
	}
}

void row_end(struct row_writer *w, size_t end)
{
	struct rows *rows = w->rows;
	struct row *row;
	char *text;

	mem_grow(&rows->items, &rows->cap, rows->count, sizeof(*rows->items));
	row = &rows->items[rows->count++];
	*row = (struct row){.count = w->open_count, .start = w->start, .end = end};
	if (w->open_count > 0) {
		row->segments = chunk_take(rows, w->open_count * sizeof(*row->segments));
		text = chunk_take(rows, w->text.len + 1);
		memcpy(text, str_c(&w->text), w->text.len + 1);
		for (size_t i = 0; i < w->open_count; i++)
			row->segments[i] = (struct segment){w->open[i].style, text + w->open[i].at};
	}
	str_clear(&w->text);
	w->open_count = 0;
	w->columns = 0;
	w->start = end;
}

size_t count_characters(const char *bytes, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += ((unsigned char)bytes[i] & 0xC0) != 0x80;
	return count == 0 && len > 0 ? 1 : count;
}

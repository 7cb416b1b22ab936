#include "config.h"

#include "tui/layout_marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text.h"

/* A row's part of the text: rows behind one another, without their gutters. */
struct part {
	size_t row, start, end;
	unsigned col; /* where it begins on the screen */
};
struct parts {
	struct part *items;
	size_t count, cap;
	struct str text;
};

#define GUTTER_LEAST 5u

/* Bytes of the gutter at the start of a row, 0: none. *ret_sign: the sign at its end. */
static size_t gutter_of(const char *row, const char **ret_sign)
{
	static const char *const signs[] = {"│", "║", ":"};
	size_t len = strspn(row, " !-+0123456789");

	for (size_t i = 0; len >= GUTTER_LEAST && i < ARRAY_LEN(signs); i++) {
		if (strncmp(row + len, signs[i], strlen(signs[i])) != 0)
			continue;
		*ret_sign = signs[i];
		return len + strlen(signs[i]);
	}
	return 0;
}

static unsigned columns_of(const struct str *text, size_t start, size_t end)
{
	MEM_AUTO char *part = mem_strndup(str_c(text) + start, end - start);

	return text_columns(part);
}

static void add_part(struct parts *p, const struct row *row, size_t index)
{
	STR_AUTO struct str shown = STR_INIT;
	const char *sign = "";

	for (size_t i = 0; i < row->count; i++)
		str_add(&shown, row->segments[i].text);
	size_t gutter = gutter_of(str_c(&shown), &sign);
	if (p->count > 0 && strcmp(sign, ":") != 0)
		str_add_char(&p->text, '\n');
	mem_grow(&p->items, &p->cap, p->count, sizeof(*p->items));
	p->items[p->count++] = (struct part){.row = index,
		.start = p->text.len,
		.end = p->text.len + shown.len - gutter,
		.col = columns_of(&shown, 0, gutter)};
	str_add(&p->text, str_c(&shown) + gutter);
}

static void add_marks(const struct parts *p, size_t from, size_t to, struct row_marks *ret)
{
	for (size_t i = 0; i < p->count && p->items[i].start < to; i++) {
		const struct part *part = &p->items[i];
		size_t start = part->start > from ? part->start : from;
		size_t end = part->end < to ? part->end : to;

		if (start >= end)
			continue;
		mem_grow(&ret->items, &ret->cap, ret->count, sizeof(*ret->items));
		ret->items[ret->count++] = (struct row_mark){.match = ret->matches,
			.row = part->row,
			.col = part->col + columns_of(&p->text, part->start, start),
			.columns = columns_of(&p->text, start, end)};
	}
	ret->matches++;
}

void layout_marks(const struct rows *rows, const struct seek *seek, struct row_marks *ret)
{
	struct parts p = {.text = STR_INIT};
	const char *text, *match;

	*ret = (struct row_marks){0};
	if (seek->bytes.len == 0)
		return;
	for (size_t i = 0; i < rows->count; i++)
		add_part(&p, &rows->items[i], i);
	text = str_c(&p.text);
	for (size_t at = 0; (match = seek_next(seek, text + at, p.text.len - at)) != NULL;) {
		add_marks(
			&p, (size_t)(match - text), (size_t)(match - text) + seek->bytes.len, ret);
		at = (size_t)(match - text) + seek->bytes.len;
	}
	str_release(&p.text);
	free(p.items);
}

void row_marks_release(struct row_marks *marks)
{
	free(marks->items);
	*marks = (struct row_marks){0};
}

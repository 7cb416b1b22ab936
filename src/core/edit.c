#include "config.h"

#include "core/edit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/request.h"

/* Cells of the table that finds equal lines in the middle: an agent's text of 131,071 empty lines would ask for all memory. */
#define TABLE_CELLS ((size_t)1 << 20)

int edit_check(const char *bytes, size_t len, struct err *err)
{
	if (len == 0)
		return err_set(err, ERR_INVALID, "the command is empty");
	if (len > REQUEST_COMMAND_BYTES)
		return err_set(err, ERR_LIMIT, "it has %zu bytes, and at most %u can be started",
			len, REQUEST_COMMAND_BYTES);
	if (memchr(bytes, '\0', len) != NULL)
		return err_set(err, ERR_INVALID, "it holds a NUL byte");
	if (!text_is_utf8(bytes, len))
		return err_set(err, ERR_INVALID, "it is not UTF-8");
	return 0;
}

/* The lines of a text, newlines apart. */
struct edit_lines {
	const char *text;
	size_t *starts; /* one more than lines: behind the last newline that could follow */
	size_t count, cap;
};

static void lines_read(struct edit_lines *lines, const char *text)
{
	size_t len = strlen(text);

	*lines = (struct edit_lines){.text = text};
	for (size_t at = 0;;) {
		const char *lf = memchr(text + at, '\n', len - at);

		mem_grow(&lines->starts, &lines->cap, lines->count + 1, sizeof(size_t));
		lines->starts[lines->count++] = at;
		at = lf == NULL ? len + 1 : (size_t)(lf - text) + 1;
		lines->starts[lines->count] = at;
		if (lf == NULL)
			return;
	}
}

static size_t line_len(const struct edit_lines *lines, size_t i)
{
	return lines->starts[i + 1] - lines->starts[i] - 1;
}

static bool lines_equal(const struct edit_lines *a, size_t i, const struct edit_lines *b, size_t j)
{
	return line_len(a, i) == line_len(b, j) &&
	       memcmp(a->text + a->starts[i], b->text + b->starts[j], line_len(a, i)) == 0;
}

static void add_hunk(struct edit_diff *diff, enum edit_kind kind, const struct edit_lines *lines,
	size_t from, size_t to)
{
	if (from == to)
		return;
	mem_grow(&diff->items, &diff->cap, diff->count, sizeof(*diff->items));
	diff->items[diff->count++] = (struct edit_hunk){.kind = kind,
		.start = lines->starts[from],
		.len = lines->starts[to] - lines->starts[from] - 1,
		.line = (unsigned)from + 1,
		.lines = (unsigned)(to - from)};
}

/* Lines old_from.. and now_from.. up to their ends, which begin and end with a difference. */
struct middle {
	const struct edit_lines *old, *now;
	size_t old_from, old_end, now_from, now_end;
	uint32_t *table; /* [i][j]: how many lines are common behind old i and new j */
	size_t width;
};

static void table_fill(struct middle *m)
{
	for (size_t i = m->old_end - m->old_from; i-- > 0;) {
		for (size_t j = m->now_end - m->now_from; j-- > 0;) {
			const uint32_t *here = m->table + i * m->width + j;
			uint32_t down = here[m->width], right = here[1];

			m->table[i * m->width + j] =
				lines_equal(m->old, m->old_from + i, m->now, m->now_from + j)
					? here[m->width + 1] + 1
				: down > right ? down
					       : right;
		}
	}
}

static bool keeps(const struct middle *m, size_t i, size_t j)
{
	return i < m->old_end && j < m->now_end && lines_equal(m->old, i, m->now, j);
}

/* Whether the next step along the longest common part takes an old line out. */
static bool takes_out(const struct middle *m, size_t i, size_t j)
{
	if (i == m->old_end || j == m->now_end)
		return i < m->old_end;
	const uint32_t *here = m->table + (i - m->old_from) * m->width + (j - m->now_from);

	return here[m->width] >= here[1];
}

static void walk(struct middle *m, struct edit_diff *ret)
{
	size_t i = m->old_from, j = m->now_from;

	while (i < m->old_end || j < m->now_end) {
		size_t same = j, taken = i, added = j;

		for (; keeps(m, i, j); i++)
			j++;
		add_hunk(ret, EDIT_SAME, m->now, same, j);
		taken = i;
		added = j;
		while ((i < m->old_end || j < m->now_end) && !keeps(m, i, j)) {
			if (takes_out(m, i, j))
				i++;
			else
				j++;
		}
		add_hunk(ret, EDIT_TAKEN, m->old, taken, i);
		add_hunk(ret, EDIT_ADDED, m->now, added, j);
	}
}

static void middle_diff(struct middle *m, struct edit_diff *ret)
{
	size_t old = m->old_end - m->old_from, now = m->now_end - m->now_from;

	m->width = now + 1;
	if (old == 0 || now == 0 || (old + 1) > TABLE_CELLS / m->width) {
		add_hunk(ret, EDIT_TAKEN, m->old, m->old_from, m->old_end);
		add_hunk(ret, EDIT_ADDED, m->now, m->now_from, m->now_end);
		return;
	}
	m->table = mem_array((old + 1) * m->width, sizeof(*m->table));
	table_fill(m);
	walk(m, ret);
	free(m->table);
}

void edit_diff(const char *old, const char *now, struct edit_diff *ret)
{
	struct edit_lines a, b;
	size_t head = 0, tail = 0;

	*ret = (struct edit_diff){0};
	lines_read(&a, old);
	lines_read(&b, now);
	while (head < a.count && head < b.count && lines_equal(&a, head, &b, head))
		head++;
	while (tail < a.count - head && tail < b.count - head &&
		lines_equal(&a, a.count - 1 - tail, &b, b.count - 1 - tail))
		tail++;
	struct middle m = {.old = &a,
		.now = &b,
		.old_from = head,
		.old_end = a.count - tail,
		.now_from = head,
		.now_end = b.count - tail};
	add_hunk(ret, EDIT_SAME, &b, 0, head);
	middle_diff(&m, ret);
	add_hunk(ret, EDIT_SAME, &b, b.count - tail, b.count);
	free(a.starts);
	free(b.starts);
}

void edit_diff_release(struct edit_diff *diff)
{
	free(diff->items);
	*diff = (struct edit_diff){0};
}

static bool inside_character(char byte)
{
	return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Blanks beside the words are left out, unless nothing else differs. */
static void trim(const char *line, struct edit_span *span)
{
	struct edit_span words = *span;

	while (words.start < words.end && line[words.start] == ' ')
		words.start++;
	while (words.end > words.start && line[words.end - 1] == ' ')
		words.end--;
	if (words.start < words.end)
		*span = words;
}

/* Two lines that are compared. */
struct line_pair {
	const char *old, *now;
	size_t old_len, now_len;
};

/* At a whole character of both. */
static size_t common_head(const struct line_pair *p)
{
	size_t least = p->old_len < p->now_len ? p->old_len : p->now_len, n = 0;

	while (n < least && p->old[n] == p->now[n])
		n++;
	while (n > 0 && ((n < p->old_len && inside_character(p->old[n])) ||
				(n < p->now_len && inside_character(p->now[n]))))
		n--;
	return n;
}

static size_t common_tail(const struct line_pair *p, size_t head)
{
	size_t least = p->old_len < p->now_len ? p->old_len : p->now_len, n = 0;

	while (n < least - head && p->old[p->old_len - 1 - n] == p->now[p->now_len - 1 - n])
		n++;
	while (n > 0 && inside_character(p->old[p->old_len - n]))
		n--;
	return n;
}

void edit_spans(const char *old, size_t old_len, const char *now, size_t now_len,
	struct edit_span *ret_taken, struct edit_span *ret_added)
{
	const struct line_pair pair = {old, now, old_len, now_len};
	size_t head = common_head(&pair), tail = common_tail(&pair, head);

	*ret_taken = (struct edit_span){head, old_len - tail};
	*ret_added = (struct edit_span){head, now_len - tail};
	trim(old, ret_taken);
	trim(now, ret_added);
}

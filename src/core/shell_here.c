#include "config.h"

#include "core/shell_internal.h"

#include <string.h>

/* Here-documents. */

size_t shell_line_end(const struct shell_scan *s, size_t at)
{
	const char *lf = memchr(s->bytes + at, '\n', s->limit - at);

	return lf == NULL ? s->limit : (size_t)(lf - s->bytes);
}

/* A newline behind an odd number of backslashes does not end the line. */
static bool goes_on(const struct shell_scan *s, size_t start, size_t end)
{
	size_t n = 0;

	while (end - n > start && s->bytes[end - n - 1] == '\\')
		n++;
	return n % 2 == 1;
}

/* The delimiter is compared as it is written, without its quotes: only its value tells. */
static bool is_delimiter(const struct shell_scan *s, const struct shell_word *word,
	const struct str *value, size_t start, size_t end)
{
	if (word->op[2] == '-') {
		while (start < end && s->bytes[start] == '\t')
			start++;
	}
	return end - start == value->len && memcmp(s->bytes + start, str_c(value), value->len) == 0;
}

/* Only quotes and backslashes are taken out, as the shell does. */
static void delimiter_of(const struct shell_scan *s, const struct shell_word *word, struct str *out)
{
	char quote = '\0';

	for (size_t i = word->start; i < word->end; i++) {
		char c = s->bytes[i];

		if (quote == '\0' && (c == '\'' || c == '"'))
			quote = c;
		else if (quote != '\0' && c == quote)
			quote = '\0';
		else if (quote == '\0' && c == '\\' && i + 1 < word->end)
			str_add_char(out, s->bytes[++i]);
		else
			str_add_char(out, c);
	}
}

/* Finds the line that ends the body; false when there is none. */
static bool find_end(struct shell_scan *s, const struct shell_word *word, size_t *ret_end)
{
	STR_AUTO struct str delimiter = STR_INIT;
	bool joined = false;

	delimiter_of(s, word, &delimiter);
	for (size_t at = s->at; at < s->limit;) {
		size_t end = shell_line_end(s, at);

		if (!joined && is_delimiter(s, word, &delimiter, at, end)) {
			*ret_end = at;
			return true;
		}
		joined = !(word->flags & SHELL_LITERAL_QUOTES) && goes_on(s, at, end);
		at = end + 1;
	}
	return false;
}

static void begin_body(struct shell_scan *s)
{
	size_t index = s->pending[s->base];
	struct shell_word *word = &s->out->words[index];
	size_t end;

	s->pending_count--;
	memmove(s->pending + s->base, s->pending + s->base + 1,
		(s->pending_count - s->base) * sizeof(s->pending[0]));
	if (word->flags & SHELL_EXPANDS || !find_end(s, word, &end)) {
		shell_fail(s, word->op_start);
		return;
	}
	word->body_start = s->at;
	word->body_end = end;
	if (!shell_push(s, SHELL_BODY, '\0'))
		return;
	shell_top(s)->parent = index;
	shell_top(s)->limit = s->limit;
	shell_top(s)->base = s->base;
	/* Bodies that a command inside of this one asks for come before those that wait outside. */
	s->base = s->pending_count;
	s->limit = end;
	if (word->flags & SHELL_LITERAL_QUOTES)
		shell_paint(s, end - s->at, SHELL_STRING);
}

void shell_bodies(struct shell_scan *s)
{
	if (!s->failed && s->pending_count > s->base)
		begin_body(s);
}

void shell_body_end(struct shell_scan *s)
{
	struct shell_frame *top = shell_top(s);

	if (top->mode != SHELL_BODY || s->pending_count > s->base) {
		shell_fail(s, top->opened);
		return;
	}
	s->limit = top->limit;
	s->base = top->base;
	shell_pop(s);
	shell_paint(s, shell_line_end(s, s->at) - s->at, SHELL_STRING);
	if (s->at < s->limit)
		shell_paint(s, 1, SHELL_PLAIN);
	shell_bodies(s);
}

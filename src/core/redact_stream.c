#include "config.h"

#include "core/redact_internal.h"

#include <string.h>

#define DASHES 5 /* before END of a private key */

static size_t rest_class(
	struct redact_stream *s, const char *text, size_t len, bool more, bool *ret_over)
{
	size_t i = 0;

	(void)more;
	while (i < len && redact_is_body(text[i], s->body))
		i++;
	*ret_over = i < len;
	return i;
}

static bool ends_word(const struct redact_stream *s, char c)
{
	(void)s;
	return (unsigned char)c <= ' ' || strchr("'\"`;&|<>()", c) != NULL;
}

static bool ends_quoted(const struct redact_stream *s, char c)
{
	return c == s->quote || c == '\n';
}

static bool ends_line(const struct redact_stream *s, char c)
{
	return c == '\n' || c == '\r' || c == '\'' || c == '"' || c == s->quote;
}

/* What stands behind a backslash ends nothing, but for the end of the line. */
static size_t rest_until(struct redact_stream *s, const char *text, size_t len,
	bool (*ends)(const struct redact_stream *s, char c), bool *ret_over)
{
	size_t i = 0;

	for (; i < len; i++) {
		if (text[i] == '\n' || (!s->skip && ends(s, text[i]))) {
			*ret_over = true;
			break;
		}
		s->skip = !s->skip && text[i] == '\\';
	}
	return i;
}

static size_t rest_word(
	struct redact_stream *s, const char *text, size_t len, bool more, bool *ret_over)
{
	(void)more;
	return rest_until(s, text, len, ends_word, ret_over);
}

static size_t rest_quote(
	struct redact_stream *s, const char *text, size_t len, bool more, bool *ret_over)
{
	(void)more;
	return rest_until(s, text, len, ends_quoted, ret_over);
}

static size_t rest_line(
	struct redact_stream *s, const char *text, size_t len, bool more, bool *ret_over)
{
	size_t i = 0;

	(void)more;
	while (i < len && !ends_line(s, text[i]))
		i++;
	*ret_over = i < len;
	return i;
}

/* Until \" or the end of the line; \\ is no end. */
static size_t rest_escaped_quote(
	struct redact_stream *s, const char *text, size_t len, bool more, bool *ret_over)
{
	size_t i = 0;

	while (i < len && text[i] != '\n') {
		if (text[i] != '\\') {
			i++;
			continue;
		}
		if (i + 1 == len && more)
			return i;
		if (i + 1 < len && text[i + 1] == s->quote)
			break;
		i += i + 1 < len && text[i + 1] == '\\' ? 2 : 1;
	}
	*ret_over = i < len;
	return i;
}

static size_t rest_dashes(
	struct redact_stream *s, const char *text, size_t len, bool more, bool *ret_over)
{
	size_t dashes = 0;

	(void)s;
	for (size_t i = 0; i < len; i++) {
		dashes = text[i] == '-' ? dashes + 1 : 0;
		if (dashes == DASHES) {
			*ret_over = true;
			return i + 1 - DASHES;
		}
	}
	return more ? len - dashes : len;
}

size_t redact_rest(
	struct redact_stream *stream, const char *text, size_t len, bool more, bool *ret_over)
{
	static size_t (*const rows[REDACT_UNTIL_COUNT])(
		struct redact_stream *, const char *, size_t, bool, bool *) = {
		[REDACT_UNTIL_CLASS] = rest_class,
		[REDACT_UNTIL_WORD] = rest_word,
		[REDACT_UNTIL_QUOTE] = rest_quote,
		[REDACT_UNTIL_ESCAPED_QUOTE] = rest_escaped_quote,
		[REDACT_UNTIL_LINE] = rest_line,
		[REDACT_UNTIL_DASHES] = rest_dashes,
	};

	*ret_over = false;
	return rows[stream->until](stream, text, len, more, ret_over);
}

void redact_stream_init(struct redact_stream *stream, const struct strv *known)
{
	*stream = (struct redact_stream){.known = known};
}

void redact_stream_release(struct redact_stream *stream)
{
	str_release(&stream->held);
}

/* Bytes that are given out; a word that begins with dashes is an option. */
static void pass(struct redact_stream *s, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool begins = s->before == '\0' || strchr(" \t\n'\"", s->before) != NULL;

		s->option = text[i] == '-' && (begins || s->option);
		s->before = text[i];
	}
}

/* Lines and columns stay where they were. */
static void mask(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)text[i] >= ' ')
			text[i] = REDACT_CHAR;
	}
}

static size_t step_in_secret(struct redact_stream *s, char *text, size_t len, bool more)
{
	bool is_over = false;
	size_t done = redact_rest(s, text, len, more, &is_over);

	pass(s, text, done);
	mask(text, done);
	if (is_over) {
		s->until = REDACT_UNTIL_NOW;
		s->skip = false;
	}
	return done;
}

static size_t step_outside(struct redact_stream *s, char *text, size_t len, bool more,
	struct redact_found *found, bool *ret_unsure)
{
	size_t seen = len < REDACT_HELD_MAX ? len : REDACT_HELD_MAX;
	struct redact_window window = {.text = text,
		.len = seen,
		.more = more && seen < REDACT_HELD_MAX,
		.before = s->before,
		.option = s->option,
		.known = s->known};
	struct redact_match match = {.keep = 0};
	enum redact_answer answer = redact_find(&window, &match);

	*ret_unsure = answer == REDACT_UNSURE;
	if (answer != REDACT_HERE) {
		pass(s, text, answer == REDACT_NONE);
		return answer == REDACT_NONE;
	}
	found->count[match.kind]++;
	s->until = match.until;
	s->body = match.body;
	s->quote = match.quote;
	pass(s, text, match.keep + match.mask);
	mask(text + match.keep, match.mask);
	return match.keep + match.mask;
}

/* Masks in place what can be told; how much that is. */
static size_t work(
	struct redact_stream *s, char *text, size_t len, bool more, struct redact_found *found)
{
	size_t done = 0;
	bool waits = false;

	while (done < len && !waits) {
		if (s->until == REDACT_UNTIL_NOW) {
			done += step_outside(s, text + done, len - done, more, found, &waits);
		} else {
			done += step_in_secret(s, text + done, len - done, more);
			waits = s->until != REDACT_UNTIL_NOW;
		}
	}
	return done;
}

static void give(struct redact_stream *s, bool more, struct str *out, struct redact_found *found)
{
	size_t len = s->held.len;

	if (len == 0)
		return;
	size_t done = work(s, s->held.data, len, more, found);

	str_add_bytes(out, s->held.data, done);
	memmove(s->held.data, s->held.data + done, len - done);
	str_truncate(&s->held, len - done);
}

void redact_stream_add(struct redact_stream *stream, const char *bytes, size_t len, struct str *out,
	struct redact_found *found)
{
	str_add_bytes(&stream->held, bytes, len);
	give(stream, true, out, found);
}

void redact_stream_end(struct redact_stream *stream, struct str *out, struct redact_found *found)
{
	give(stream, false, out, found);
	str_release(&stream->held);
	redact_stream_init(stream, stream->known);
}

void redact_text(char *text, size_t len, const struct strv *known, struct redact_found *found)
{
	struct redact_stream stream;

	redact_stream_init(&stream, known);
	work(&stream, text, len, false, found);
}

#include "config.h"

#include "core/redact_internal.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"

#define NAME_MOST_BYTES 64
#define BLANKS_MOST 8
#define BEARER_LEAST_BYTES 16
#define BEARER_BODY "_-.~+/="

/* A name says secret when one of these ends it, or stands in front of what is no letter: not max_tokens. */
static const char *const words[] = {"password", "passwd", "passphrase", "pass", "secret", "token",
	"apikey", "api_key", "api-key", "access_key", "access-key", "private_key", "private-key",
	"secret_key", "encryption_key", "signing_key", "credential", "credentials"};

/* Of a header everything to the end of its line is the secret. */
static const char *const headers[] = {
	"authorization", "proxy-authorization", "cookie", "set-cookie"};

/* Where in the window somebody reads, and whether the answer hung on what stands behind its end. */
struct cursor {
	const struct redact_window *w;
	size_t at;
	bool touched;
};

static bool is_letter(char c)
{
	return redact_is_body(c, "") && (c < '0' || c > '9');
}

static char peek(struct cursor *c, size_t ahead)
{
	if (c->at + ahead < c->w->len)
		return c->w->text[c->at + ahead];
	c->touched = true;
	return '\0';
}

static size_t skip_blanks(struct cursor *c)
{
	size_t start = c->at;

	while (c->at - start < BLANKS_MOST && redact_is_blank(peek(c, 0)))
		c->at++;
	return c->at - start;
}

/* A quote, alone or behind a backslash; NUL: none. */
static char skip_quote(struct cursor *c, bool *ret_escaped)
{
	bool escaped = peek(c, 0) == '\\';
	char quote = peek(c, escaped ? 1 : 0);

	if (quote != '"' && quote != '\'')
		return '\0';
	c->at += escaped ? 2 : 1;
	*ret_escaped = escaped;
	return quote;
}

static bool has_word(const char *name, size_t len, const char *word)
{
	size_t size = strlen(word);

	for (size_t i = 0; i + size <= len; i++) {
		/* "pass" is short: it counts as a whole part of a name only, not in "compass". */
		bool whole = size > 4 || i == 0 || !is_letter(name[i - 1]);

		if (whole && strncasecmp(name + i, word, size) == 0 &&
			(i + size == len || !is_letter(name[i + size])))
			return true;
	}
	return false;
}

static bool says_secret(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (has_word(name, len, words[i]))
			return true;
	}
	/* SSH_KEY, but not sort_key. */
	return len > 4 && memcmp(name + len - 4, "_KEY", 4) == 0;
}

static bool is_one_of(const char *name, size_t len, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strlen(list[i]) == len && strncasecmp(name, list[i], len) == 0)
			return true;
	}
	return false;
}

/* What stands between a name and its value: = or : with blanks, or of an option blanks alone. */
static bool skip_separator(struct cursor *c)
{
	bool escaped = false;

	skip_quote(c, &escaped);
	size_t blanks = skip_blanks(c);
	char separator = peek(c, 0);

	if (separator != '=' && separator != ':')
		return blanks > 0 && c->w->option && separator != '-';
	c->at++;
	char next = peek(c, 0);

	if (separator == ':' && (next == ':' || next == '/'))
		return false;
	if (next == '=' || next == '>')
		c->at++;
	/* NAME= with a blank behind it is a name without a value, in a shell. */
	if (separator == ':' || blanks > 0)
		skip_blanks(c);
	return true;
}

static bool ends_value(char c)
{
	return (unsigned char)c <= ' ' || strchr("'\"`;&|<>()", c) != NULL;
}

static enum redact_answer find_value(struct cursor *c, struct redact_match *ret)
{
	bool escaped = false;
	char quote = skip_quote(c, &escaped);
	char first = peek(c, 0);

	if (quote == '\0' ? ends_value(first) : first == quote || first == '\n')
		return REDACT_NONE;
	if (quote != '\0')
		ret->until = escaped ? REDACT_UNTIL_ESCAPED_QUOTE : REDACT_UNTIL_QUOTE;
	ret->quote = quote;
	ret->keep = c->at;
	return REDACT_HERE;
}

/* The scheme, "Bearer " or another word with something behind it, is no secret. */
static enum redact_answer find_header(struct cursor *c, struct redact_match *ret)
{
	if (find_value(c, ret) != REDACT_HERE)
		return REDACT_NONE;
	while (is_letter(peek(c, 0)))
		c->at++;
	if (c->at > ret->keep && skip_blanks(c) > 0 && !ends_value(peek(c, 0)))
		ret->keep = c->at;
	return REDACT_HERE;
}

static enum redact_answer find_bearer(struct cursor *c, struct redact_match *ret)
{
	size_t blanks = skip_blanks(c);

	for (size_t i = 0; i < BEARER_LEAST_BYTES; i++) {
		if (!redact_is_body(peek(c, i), BEARER_BODY))
			return REDACT_NONE;
	}
	ret->keep = c->at;
	return blanks > 0 ? REDACT_HERE : REDACT_NONE;
}

static enum redact_answer find_behind_name(struct cursor *c, struct redact_match *ret)
{
	const char *name = c->w->text;
	size_t len = c->at;

	if (is_one_of(name, len, headers, ARRAY_LEN(headers))) {
		*ret = (struct redact_match){
			.kind = REDACT_AUTHORIZATION, .until = REDACT_UNTIL_LINE};
		return skip_separator(c) ? find_header(c, ret) : REDACT_NONE;
	}
	if (says_secret(name, len)) {
		*ret = (struct redact_match){.kind = REDACT_NAMED, .until = REDACT_UNTIL_WORD};
		return skip_separator(c) ? find_value(c, ret) : REDACT_NONE;
	}
	*ret = (struct redact_match){
		.kind = REDACT_AUTHORIZATION, .until = REDACT_UNTIL_CLASS, .body = BEARER_BODY};
	return len == 6 && strncasecmp(name, "bearer", len) == 0 ? find_bearer(c, ret)
								 : REDACT_NONE;
}

enum redact_answer redact_find_named(const struct redact_window *w, struct redact_match *ret)
{
	struct cursor c = {.w = w};

	if (!is_letter(w->text[0]) && w->text[0] != '_')
		return REDACT_NONE;
	while (c.at < NAME_MOST_BYTES && redact_is_body(peek(&c, 0), "_-"))
		c.at++;
	enum redact_answer answer = c.touched ? REDACT_NONE : find_behind_name(&c, ret);

	return c.touched && w->more ? REDACT_UNSURE : answer;
}

#include "config.h"

#include "core/redact.h"

#include <string.h>

#include "base/mem.h"
#include "core/redact_internal.h"

#define KNOWN_LEAST_BYTES 8 /* a shorter one would mask parts of other words */
#define KNOWN_MOST_BYTES 256

static const char *const names[REDACT_KIND_COUNT] = {
	[REDACT_AUTHORIZATION] = "authorization",
	[REDACT_AWS] = "aws",
	[REDACT_GITHUB] = "github",
	[REDACT_GITLAB] = "gitlab",
	[REDACT_SLACK] = "slack",
	[REDACT_API_KEY] = "api_key",
	[REDACT_JWT] = "jwt",
	[REDACT_PRIVATE_KEY] = "private_key",
	[REDACT_NAMED] = "named",
	[REDACT_URL] = "url",
	[REDACT_REPEATED] = "repeated",
};

/* Tokens that say by their beginning what they are. It stays, so that a reader knows what was there. */
static const struct {
	enum redact_kind kind;
	const char *start;
	size_t least; /* bytes behind it; fewer are a word like others */
	const char *body;
} tokens[] = {
	{REDACT_AWS, "AKIA", 16, ""},
	{REDACT_AWS, "ASIA", 16, ""},
	{REDACT_GITHUB, "ghp_", 20, ""},
	{REDACT_GITHUB, "gho_", 20, ""},
	{REDACT_GITHUB, "ghu_", 20, ""},
	{REDACT_GITHUB, "ghs_", 20, ""},
	{REDACT_GITHUB, "ghr_", 20, ""},
	{REDACT_GITHUB, "github_pat_", 20, "_"},
	{REDACT_GITLAB, "glpat-", 20, "_-"},
	{REDACT_GITLAB, "glptt-", 20, "_-"},
	{REDACT_GITLAB, "gldt-", 20, "_-"},
	{REDACT_GITLAB, "glrt-", 20, "_-"},
	{REDACT_SLACK, "xoxa-", 10, "-"},
	{REDACT_SLACK, "xoxb-", 10, "-"},
	{REDACT_SLACK, "xoxe-", 10, "-"},
	{REDACT_SLACK, "xoxp-", 10, "-"},
	{REDACT_SLACK, "xoxr-", 10, "-"},
	{REDACT_SLACK, "xoxs-", 10, "-"},
	{REDACT_SLACK, "xapp-", 10, "-"},
	{REDACT_API_KEY, "sk-", 12, "_-"},
	{REDACT_API_KEY, "sk_live_", 10, ""},
	{REDACT_API_KEY, "sk_test_", 10, ""},
	{REDACT_API_KEY, "rk_live_", 10, ""},
	{REDACT_API_KEY, "AIza", 30, "_-"},
	{REDACT_API_KEY, "ya29.", 20, "_-."},
	{REDACT_API_KEY, "npm_", 20, ""},
	{REDACT_API_KEY, "pypi-", 20, "_-"},
	{REDACT_API_KEY, "hf_", 20, ""},
	{REDACT_API_KEY, "dop_v1_", 20, ""},
	{REDACT_API_KEY, "SG.", 20, "_-."},
	{REDACT_JWT, "eyJ", 20, "_-."},
};

const char *redact_kind_name(enum redact_kind kind)
{
	return names[kind];
}

bool redact_found_any(const struct redact_found *found)
{
	for (size_t i = 0; i < REDACT_KIND_COUNT; i++) {
		if (found->count[i] > 0)
			return true;
	}
	return false;
}

bool redact_is_body(char c, const char *punctuation)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr(punctuation, c) != NULL);
}

bool redact_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

enum redact_answer redact_at_end(const struct redact_window *w)
{
	return w->more ? REDACT_UNSURE : REDACT_NONE;
}

/* The window begins with these words, or with as much of them as there is of it. */
static enum redact_answer begins(const struct redact_window *w, const char *words)
{
	size_t len = strlen(words);
	size_t seen = w->len < len ? w->len : len;

	if (memcmp(w->text, words, seen) != 0)
		return REDACT_NONE;
	return seen == len ? REDACT_HERE : redact_at_end(w);
}

static enum redact_answer find_token(
	const struct redact_window *w, size_t row, struct redact_match *ret)
{
	size_t start = strlen(tokens[row].start);
	size_t most = start + tokens[row].least;
	enum redact_answer answer = begins(w, tokens[row].start);

	if (answer != REDACT_HERE)
		return answer;
	for (size_t i = start; i < most; i++) {
		if (i == w->len)
			return redact_at_end(w);
		if (!redact_is_body(w->text[i], tokens[row].body))
			return REDACT_NONE;
	}
	*ret = (struct redact_match){.kind = tokens[row].kind,
		.keep = start,
		.until = REDACT_UNTIL_CLASS,
		.body = tokens[row].body};
	return REDACT_HERE;
}

static enum redact_answer find_word(const struct redact_window *w, struct redact_match *ret)
{
	if (redact_is_body(w->before, "_"))
		return REDACT_NONE;
	for (size_t i = 0; i < ARRAY_LEN(tokens); i++) {
		enum redact_answer answer = find_token(w, i, ret);

		if (answer != REDACT_NONE)
			return answer;
	}
	return redact_find_named(w, ret);
}

/* ://user:password@ ; a password may hold @ itself, so the last one counts. */
static enum redact_answer find_url(const struct redact_window *w, struct redact_match *ret)
{
	size_t colon = 0, at = 0, i = 3;
	enum redact_answer answer = begins(w, "://");

	if (answer != REDACT_HERE)
		return answer;
	for (; i < w->len && (unsigned char)w->text[i] > ' ' &&
		strchr("/?#'\"<>", w->text[i]) == NULL;
		i++) {
		if (w->text[i] == ':' && colon == 0)
			colon = i;
		else if (w->text[i] == '@')
			at = i;
	}
	if (i == w->len && w->more)
		return REDACT_UNSURE;
	if (colon == 0 || at <= colon + 1)
		return REDACT_NONE;
	*ret = (struct redact_match){.kind = REDACT_URL, .keep = colon + 1, .mask = at - colon - 1};
	return REDACT_HERE;
}

/* -----BEGIN RSA PRIVATE KEY----- */
static enum redact_answer find_private_key(const struct redact_window *w, struct redact_match *ret)
{
	static const char begin[] = "-----BEGIN ", key[] = "PRIVATE KEY", rest[] = "-----";
	const size_t label_most = 40;
	size_t start = sizeof(begin) - 1, i = start;
	enum redact_answer answer = begins(w, begin);

	if (answer != REDACT_HERE)
		return answer;
	while (i < w->len && i < start + label_most && redact_is_body(w->text[i], " "))
		i++;
	if (i == w->len)
		return redact_at_end(w);
	struct redact_window behind = {.text = w->text + i, .len = w->len - i, .more = w->more};

	answer = begins(&behind, rest);
	if (answer != REDACT_HERE)
		return answer;
	if (memmem(w->text + start, i - start, key, sizeof(key) - 1) == NULL)
		return REDACT_NONE;
	*ret = (struct redact_match){.kind = REDACT_PRIVATE_KEY,
		.keep = i + sizeof(rest) - 1,
		.until = REDACT_UNTIL_DASHES};
	return REDACT_HERE;
}

static enum redact_answer find_known(const struct redact_window *w, struct redact_match *ret)
{
	for (size_t i = 0; w->known != NULL && i < w->known->count; i++) {
		enum redact_answer answer = REDACT_NONE;

		if (w->known->items[i][0] == w->text[0])
			answer = begins(w, w->known->items[i]);
		if (answer == REDACT_NONE)
			continue;
		*ret = (struct redact_match){
			.kind = REDACT_REPEATED, .mask = strlen(w->known->items[i])};
		return answer;
	}
	return REDACT_NONE;
}

enum redact_answer redact_find(const struct redact_window *w, struct redact_match *ret)
{
	enum redact_answer answer = find_known(w, ret);

	if (answer != REDACT_NONE)
		return answer;
	if (w->text[0] == ':')
		return find_url(w, ret);
	if (w->text[0] == '-')
		return find_private_key(w, ret);
	return redact_is_body(w->text[0], "_") ? find_word(w, ret) : REDACT_NONE;
}

static void learn(const char *secret, size_t len, struct strv *known)
{
	if (len < KNOWN_LEAST_BYTES || len > KNOWN_MOST_BYTES || known->count >= REDACT_KNOWN_MAX)
		return;
	char *value = mem_strndup(secret, len);

	if (strlen(value) == len && !strv_has(known, value))
		strv_add(known, value);
	mem_free_ptr(&value);
}

void redact_learn(const char *text, size_t len, struct strv *known)
{
	MEM_AUTO char *masked = mem_strndup(text, len);
	struct redact_found found = {{0}};

	redact_text(masked, len, NULL, &found);
	for (size_t i = 0; i < len;) {
		size_t end = i;

		if (masked[i] != text[i]) {
			while (end < len && masked[end] == REDACT_CHAR)
				end++;
			learn(text + i, end - i, known);
		}
		i = end > i ? end : i + 1;
	}
}

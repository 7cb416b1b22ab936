#include "config.h"

#include "base/json_scan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistr.h>

#include "base/json_keys.h"
#include "base/mem.h"
#include "base/str.h"

struct frame {
	char closer;   /* ']' or '}' */
	size_t object; /* number of this container, for its keys */
};

struct scan {
	const char *bytes;
	size_t len;
	size_t at;
	size_t max_depth;
	struct frame *frames;
	size_t depth;
	size_t frames_cap;
	size_t containers; /* opened so far */
	size_t numbers;    /* seen so far */
	struct json_keys keys;
	struct json_spellings *spellings;
	struct err *err;
};

static int fault(struct scan *s, size_t at, const char *what)
{
	return err_set(s->err, ERR_INVALID, "%s at byte %zu", what, at);
}

/* The byte at the current place; -1 at the end. */
static int peek(const struct scan *s)
{
	return s->at < s->len ? (unsigned char)s->bytes[s->at] : -1;
}

static void skip_blanks(struct scan *s)
{
	while (s->at < s->len && memchr(" \t\n\r", s->bytes[s->at], 4) != NULL)
		s->at++;
}

static int hex_digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Reads the four digits behind \u; -1 when they are not. */
static long read_hex4(struct scan *s)
{
	long value = 0;

	for (unsigned i = 0; i < 4; i++) {
		int digit = hex_digit(peek(s));

		if (digit < 0)
			return -1;
		value = value * 16 + digit;
		s->at++;
	}
	return value;
}

static void add_code_point(struct str *out, ucs4_t uc)
{
	uint8_t raw[6];
	int len = u8_uctomb(raw, uc, sizeof(raw));

	if (out != NULL && len > 0)
		str_add_bytes(out, raw, (size_t)len);
}

/* At the u of \uXXXX; `start` is the place of the backslash. */
static int scan_unicode_escape(struct scan *s, size_t start, struct str *out)
{
	s->at++;
	long value = read_hex4(s);

	if (value < 0)
		return fault(s, start, "a \\u escape without four hexadecimal digits");
	if (value == 0)
		return fault(s, start, "\\u0000, which a command cannot hold,");
	if (value >= 0xDC00 && value <= 0xDFFF)
		return fault(s, start, "a lone surrogate");
	if (value >= 0xD800 && value <= 0xDBFF) {
		if (s->len - s->at < 2 || memcmp(s->bytes + s->at, "\\u", 2) != 0)
			return fault(s, start, "a lone surrogate");
		s->at += 2;
		long low = read_hex4(s);
		if (low < 0xDC00 || low > 0xDFFF)
			return fault(s, start, "a lone surrogate");
		value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00);
	}
	add_code_point(out, (ucs4_t)value);
	return 0;
}

static int scan_escape(struct scan *s, struct str *out)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	size_t start = s->at++;
	int c = peek(s);

	if (c == 'u')
		return scan_unicode_escape(s, start, out);
	const char *letter = c > 0 ? strchr(letters, c) : NULL;
	if (letter == NULL)
		return fault(s, start, "an unknown escape");
	if (out != NULL)
		str_add_char(out, meanings[letter - letters]);
	s->at++;
	return 0;
}

/* At the opening quote. The text without escapes goes to *out, which may be NULL. */
static int scan_string(struct scan *s, struct str *out)
{
	size_t start = s->at++;

	for (;;) {
		int c = peek(s);

		if (c < 0)
			return fault(s, start, "a string without an end");
		if (c < 0x20)
			return fault(s, s->at, "a raw control character in a string");
		if (c == '"')
			break;
		if (c == '\\') {
			if (scan_escape(s, out) < 0)
				return -1;
			continue;
		}
		if (out != NULL)
			str_add_char(out, (char)c);
		s->at++;
	}
	s->at++;
	return 0;
}

static size_t skip_digits(struct scan *s)
{
	size_t start = s->at;

	while (peek(s) >= '0' && peek(s) <= '9')
		s->at++;
	return s->at - start;
}

/* The part behind the first digits: a fraction and an exponent, each with at least one digit. */
static bool skip_fraction_and_exponent(struct scan *s)
{
	if (peek(s) == '.') {
		s->at++;
		if (skip_digits(s) == 0)
			return false;
	}
	if (peek(s) == 'e' || peek(s) == 'E') {
		s->at++;
		if (peek(s) == '+' || peek(s) == '-')
			s->at++;
		return skip_digits(s) > 0;
	}
	return true;
}

static void keep_spelling(struct scan *s, size_t start)
{
	struct json_spellings *list = s->spellings;

	mem_grow(&list->items, &list->cap, list->count, sizeof(*list->items));
	list->items[list->count++] =
		(struct json_spelling){.index = s->numbers, .start = start, .len = s->at - start};
}

static int scan_number(struct scan *s)
{
	size_t start = s->at;

	if (peek(s) == '-')
		s->at++;
	size_t digits_at = s->at;
	size_t digits = skip_digits(s);
	if (digits == 0 || (digits > 1 && s->bytes[digits_at] == '0'))
		return fault(s, start, "a number that JSON does not know");
	size_t whole_end = s->at;
	if (!skip_fraction_and_exponent(s))
		return fault(s, start, "a number that JSON does not know");
	if (s->at - start > JSON_NUMBER_BYTES_MAX)
		return fault(s, start, "a number of more than 63 bytes");
	if (json_number_finite(s->bytes + start, s->at - start) < 0)
		return fault(s, start, "a number too large for any computer word");
	if (s->at != whole_end || digits > 15)
		keep_spelling(s, start);
	s->numbers++;
	return 0;
}

static int scan_word(struct scan *s)
{
	static const char *const words[] = {"true", "false", "null"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t len = strlen(words[i]);

		if (s->len - s->at >= len && memcmp(s->bytes + s->at, words[i], len) == 0) {
			s->at += len;
			return 0;
		}
	}
	return fault(s, s->at, s->at == s->len ? "the end instead of a value" : "no value");
}

/* A member's name and its colon. */
static int scan_key(struct scan *s)
{
	skip_blanks(s);
	size_t start = s->at;
	size_t from = s->keys.text.len;

	if (peek(s) != '"')
		return fault(s, s->at, "no name of a member");
	if (scan_string(s, &s->keys.text) < 0)
		return -1;
	json_keys_add(&s->keys, s->frames[s->depth - 1].object, from, start);
	skip_blanks(s);
	if (peek(s) != ':')
		return fault(s, s->at, "no colon after a name");
	s->at++;
	return 0;
}

/* At [ or {. *ret_need: whether a value must follow. */
static int scan_open(struct scan *s, bool *ret_need)
{
	bool object = peek(s) == '{';

	if (s->depth == s->max_depth)
		return err_set(
			s->err, ERR_INVALID, "nesting over %zu at byte %zu", s->max_depth, s->at);
	mem_grow(&s->frames, &s->frames_cap, s->depth, sizeof(*s->frames));
	s->frames[s->depth++] = (struct frame){object ? '}' : ']', s->containers++};
	s->at++;
	skip_blanks(s);
	if (peek(s) == s->frames[s->depth - 1].closer) {
		s->at++;
		s->depth--;
		*ret_need = false;
		return 0;
	}
	*ret_need = true;
	return object ? scan_key(s) : 0;
}

static int scan_value(struct scan *s, bool *ret_need)
{
	skip_blanks(s);
	int c = peek(s);

	if (c == '[' || c == '{')
		return scan_open(s, ret_need);
	*ret_need = false;
	if (c == '"')
		return scan_string(s, NULL);
	if (c == '-' || (c >= '0' && c <= '9'))
		return scan_number(s);
	return scan_word(s);
}

/* Behind a value inside a container. */
static int scan_separator(struct scan *s, bool *ret_need)
{
	char closer = s->frames[s->depth - 1].closer;

	skip_blanks(s);
	int c = peek(s);
	*ret_need = c == ',';
	if (c != ',' && c != closer)
		return fault(s, s->at, c < 0 ? "the end inside a value" : "no comma and no end");
	s->at++;
	if (c == closer) {
		s->depth--;
		return 0;
	}
	return closer == '}' ? scan_key(s) : 0;
}

static int scan_text(struct scan *s)
{
	bool need = true;
	const uint8_t *invalid = u8_check((const uint8_t *)s->bytes, s->len);

	if (invalid != NULL)
		return fault(s, (size_t)(invalid - (const uint8_t *)s->bytes), "invalid UTF-8");
	do {
		int status = need ? scan_value(s, &need) : scan_separator(s, &need);

		if (status < 0)
			return -1;
	} while (need || s->depth > 0);
	skip_blanks(s);
	if (s->at != s->len)
		return fault(s, s->at, "something after the value");
	return json_keys_check(&s->keys, s->err);
}

int json_scan(const char *bytes, size_t len, size_t max_depth, struct json_spellings *ret,
	struct err *err)
{
	struct scan s = {
		.bytes = bytes, .len = len, .max_depth = max_depth, .spellings = ret, .err = err};
	int status = scan_text(&s);

	free(s.frames);
	json_keys_release(&s.keys);
	return status;
}

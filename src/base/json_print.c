#include "config.h"

#include "base/json_internal.h"

#include <inttypes.h>
#include <string.h>
#include <unistr.h>

static void add_unit(struct str *out, unsigned unit)
{
	static const char digits[] = "0123456789abcdef";
	char text[6] = {'\\', 'u'};

	for (unsigned i = 0; i < 4; i++)
		text[2 + i] = digits[(unit >> (12 - 4 * i)) & 0xF];
	str_add_bytes(out, text, sizeof(text));
}

static void add_escaped(struct str *out, ucs4_t uc)
{
	if (uc < 0x10000) {
		add_unit(out, uc);
		return;
	}
	add_unit(out, 0xD800 + ((uc - 0x10000) >> 10));
	add_unit(out, 0xDC00 + ((uc - 0x10000) & 0x3FF));
}

static bool is_plain_ascii(unsigned char c)
{
	return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

static void add_ascii_special(struct str *out, unsigned char c)
{
	static const char from[] = "\"\\\b\f\n\r\t";
	static const char to[] = "\"\\bfnrt";
	const char *special = c == '\0' ? NULL : strchr(from, c);

	if (special == NULL) {
		add_escaped(out, c);
		return;
	}
	str_add_char(out, '\\');
	str_add_char(out, to[special - from]);
}

/* Adds the character at bytes[0..len), which is not ASCII; returns its length. */
static size_t add_wide(struct str *out, const char *bytes, size_t len, bool ascii)
{
	ucs4_t uc;
	int used = u8_mbtoucr(&uc, (const uint8_t *)bytes, len);

	if (used < 0) {
		used = 1;
		uc = 0xFFFD;
		if (!ascii)
			str_add(out, "\xEF\xBF\xBD");
	} else if (!ascii && uc >= 0xA0 && uc != 0x2028 && uc != 0x2029) {
		/* C1 controls are written as escapes: somebody may look at the line in a
		   terminal. */
		str_add_bytes(out, bytes, (size_t)used);
		return (size_t)used;
	}
	if (ascii || uc != 0xFFFD)
		add_escaped(out, uc);
	return (size_t)used;
}

void json_print_string(const char *bytes, size_t len, bool ascii, struct str *out)
{
	size_t at = 0;

	str_add_char(out, '"');
	while (at < len) {
		size_t run = at;

		while (run < len && is_plain_ascii((unsigned char)bytes[run]))
			run++;
		str_add_bytes(out, bytes + at, run - at);
		at = run;
		if (at == len)
			break;
		if ((unsigned char)bytes[at] < 0x80)
			add_ascii_special(out, (unsigned char)bytes[at++]);
		else
			at += add_wide(out, bytes + at, len - at, ascii);
	}
	str_add_char(out, '"');
}

/* Text that is JSON already: only what is above ASCII may still need escapes. */
static void print_raw(const char *text, bool ascii, struct str *out)
{
	size_t len = strlen(text);
	size_t at = 0;

	while (at < len) {
		if ((unsigned char)text[at] < 0x80)
			str_add_char(out, text[at++]);
		else
			at += add_wide(out, text + at, len - at, ascii);
	}
}

static void print_number(const struct json *v, struct str *out)
{
	const char *spelling = json_number_spelling(v);
	int64_t value = 0;

	if (spelling != NULL) {
		str_add(out, spelling);
		return;
	}
	json_int(v, &value);
	str_printf(out, "%" PRId64, value);
}

static void print_children(const struct json *v, bool ascii, struct str *out)
{
	bool object = json_type(v) == JSON_OBJECT;

	str_add_char(out, object ? '{' : '[');
	for (const struct json *child = json_first(v); child != NULL; child = json_next(child)) {
		if (child != json_first(v))
			str_add_char(out, ',');
		if (object) {
			json_print_string(json_key(child), strlen(json_key(child)), ascii, out);
			str_add_char(out, ':');
		}
		json_print(child, ascii, out);
	}
	str_add_char(out, object ? '}' : ']');
}

static bool numbers_equal(const struct json *a, const struct json *b)
{
	STR_AUTO struct str one = STR_INIT, other = STR_INIT;

	print_number(a, &one);
	print_number(b, &other);
	return strcmp(str_c(&one), str_c(&other)) == 0;
}

static bool strings_equal(const struct json *a, const struct json *b)
{
	const char *raw_a = json_raw_text(a), *raw_b = json_raw_text(b);

	if (raw_a != NULL || raw_b != NULL)
		return raw_a != NULL && raw_b != NULL && strcmp(raw_a, raw_b) == 0;
	return strcmp(json_str(a), json_str(b)) == 0;
}

static bool children_equal(const struct json *a, const struct json *b)
{
	bool object = json_type(a) == JSON_OBJECT;
	const struct json *x = json_first(a), *y = json_first(b);

	for (; x != NULL && y != NULL; x = json_next(x), y = json_next(y)) {
		if ((object && strcmp(json_key(x), json_key(y)) != 0) || !json_equal(x, y))
			return false;
	}
	return x == NULL && y == NULL;
}

bool json_equal(const struct json *a, const struct json *b)
{
	if (json_type(a) != json_type(b))
		return false;
	switch (json_type(a)) {
	case JSON_NULL:
		return true;
	case JSON_BOOL:
		return json_bool(a) == json_bool(b);
	case JSON_NUMBER:
		return numbers_equal(a, b);
	case JSON_STRING:
		return strings_equal(a, b);
	case JSON_ARRAY:
	case JSON_OBJECT:
		return children_equal(a, b);
	}
	return false;
}

void json_print(const struct json *v, bool ascii, struct str *out)
{
	switch (json_type(v)) {
	case JSON_NULL:
		str_add(out, "null");
		break;
	case JSON_BOOL:
		str_add(out, json_bool(v) ? "true" : "false");
		break;
	case JSON_NUMBER:
		print_number(v, out);
		break;
	case JSON_STRING:
		if (json_raw_text(v) != NULL)
			print_raw(json_raw_text(v), ascii, out);
		else
			json_print_string(json_str(v), strlen(json_str(v)), ascii, out);
		break;
	case JSON_ARRAY:
	case JSON_OBJECT:
		print_children(v, ascii, out);
		break;
	}
}

#include "config.h"

#include "base/text.h"

#include <stdint.h>
#include <string.h>
#include <unistr.h>

#define REPLACEMENT "\xEF\xBF\xBD"
#define CHARACTER_BYTES_MAX 4
#define INCOMPLETE (-2) /* of u8_mbtoucr(): more bytes could make it a character */

bool text_is_utf8(const char *bytes, size_t len)
{
	return len == 0 || u8_check((const uint8_t *)bytes, len) == NULL;
}

static int decode(const char *bytes, size_t len)
{
	ucs4_t uc;

	return u8_mbtoucr(&uc, (const uint8_t *)bytes, len);
}

/* Length of the maximal subpart (Unicode 14, section 3.9) at an invalid place: the longest
   beginning of a character, else one byte. */
static size_t subpart(const char *bytes, size_t len)
{
	size_t n = 1;

	while (n < len && n < CHARACTER_BYTES_MAX - 1 && decode(bytes, n + 1) == INCOMPLETE)
		n++;
	return n;
}

void text_to_utf8(const char *bytes, size_t len, struct str *out)
{
	while (len > 0) {
		const uint8_t *invalid = u8_check((const uint8_t *)bytes, len);
		size_t valid = invalid == NULL ? len : (size_t)((const char *)invalid - bytes);

		str_add_bytes(out, bytes, valid);
		if (invalid == NULL)
			return;
		bytes += valid;
		len -= valid;
		size_t bad = subpart(bytes, len);
		str_add(out, REPLACEMENT);
		bytes += bad;
		len -= bad;
	}
}

size_t text_cut(const char *bytes, size_t len, size_t max)
{
	if (len <= max)
		return len;
	for (size_t back = 1; back < CHARACTER_BYTES_MAX && back <= max; back++) {
		size_t at = max - back;

		/* A continuation byte never starts a character, so the first hit is the one. */
		int used = decode(bytes + at, len - at);
		if (used > (int)back || used == INCOMPLETE)
			return at;
	}
	return max;
}

void text_fit(const char *text, char *buf, size_t size)
{
	size_t len = text_cut(text, strlen(text), size - 1);

	memcpy(buf, text, len);
	buf[len] = '\0';
}

size_t text_whole(const char *bytes, size_t len)
{
	for (size_t back = 1; back < CHARACTER_BYTES_MAX && back <= len; back++) {
		if (decode(bytes + len - back, back) == INCOMPLETE)
			return len - back;
	}
	return len;
}

void text_quoted(const char *text, struct str *out)
{
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			str_add_char(out, '\\');
		str_add_char(out, *text);
	}
}

void text_quote(const char *text, struct str *out)
{
	str_add_char(out, '"');
	text_quoted(text, out);
	str_add_char(out, '"');
}

void text_name(const char *name, struct str *out)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+:@/-";

	if (name[0] == '\0' || name[strspn(name, plain)] == '\0')
		str_add(out, name);
	else
		text_quote(name, out);
}

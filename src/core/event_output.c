#include "config.h"

#include "core/event.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* RFC 4648 section 4, with padding. */
static char *base64_encode(const char *bytes, size_t len)
{
	const unsigned char *in = (const unsigned char *)bytes;
	char *text = mem_array((len + 2) / 3 * 4 + 1, 1);
	size_t used = 0;

	for (size_t i = 0; i < len; i += 3) {
		size_t rest = len - i;
		unsigned group = (unsigned)in[i] << 16;

		if (rest > 1)
			group |= (unsigned)in[i + 1] << 8;
		if (rest > 2)
			group |= in[i + 2];
		text[used++] = alphabet[group >> 18];
		text[used++] = alphabet[group >> 12 & 63];
		text[used++] = '=';
		text[used++] = '=';
		if (rest > 1)
			text[used - 2] = alphabet[group >> 6 & 63];
		if (rest > 2)
			text[used - 1] = alphabet[group & 63];
	}
	return text;
}

static int value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	return c == '/' ? 63 : -1;
}

/* Four characters; `keep` of the three bytes count, and the bits behind them must be zero: one text
   for one value. */
static int decode_group(const char *text, size_t keep, struct str *out)
{
	unsigned group = 0;

	for (size_t i = 0; i < 4; i++) {
		int value = i > keep ? 0 : value_of(text[i]);

		if (value < 0 || (i > keep && text[i] != '='))
			return -1;
		group = group << 6 | (unsigned)value;
	}
	if (keep < 3 && (group & ((1u << (8 * (3 - keep))) - 1)) != 0)
		return -1;
	const char bytes[3] = {(char)(group >> 16), (char)(group >> 8), (char)group};

	str_add_bytes(out, bytes, keep);
	return 0;
}

static int base64_decode(const char *text, struct str *out)
{
	size_t len = strlen(text);

	if (len == 0 || len % 4 != 0)
		return -1;
	for (size_t i = 0; i < len; i += 4) {
		size_t keep = 3;

		if (i + 4 == len && text[len - 1] == '=')
			keep = text[len - 2] == '=' ? 1 : 2;
		if (decode_group(text + i, keep, out) != 0)
			return -1;
	}
	return 0;
}

struct json *event_output_fields(const char *bytes, size_t len)
{
	struct json *fields = json_new_object();
	bool text = len == 0 || (memchr(bytes, '\0', len) == NULL && text_is_utf8(bytes, len));

	if (text) {
		json_set(fields, "text", json_new_bytes(bytes, len));
		return fields;
	}
	MEM_AUTO char *encoded = base64_encode(bytes, len);

	json_set_str(fields, "base64", encoded);
	return fields;
}

int event_output_bytes(const struct json *fields, struct str *out, struct err *err)
{
	const char *text = json_get_str(fields, "text");
	const char *encoded = json_get_str(fields, "base64");
	size_t before = out->len;

	if ((text == NULL) == (encoded == NULL))
		return err_set(err, ERR_INVALID, "output that is neither text nor base64");
	if (text != NULL) {
		str_add(out, text);
		return 0;
	}
	if (base64_decode(encoded, out) == 0)
		return 0;
	str_truncate(out, before);
	return err_set(err, ERR_INVALID, "output whose base64 does not decode");
}

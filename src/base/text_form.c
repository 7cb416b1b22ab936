#include "config.h"

#include "base/text_form.h"

#include <string.h>
#include <unistr.h>

#include "base/mem.h"
#include "base/text.h"

static const char *const control_names[0x20] = {"NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK",
	"BEL", "BS", "TAB", "LF", "VT", "FF", "CR", "SO", "SI", "DLE", "DC1", "DC2", "DC3", "DC4",
	"NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US"};

static const struct {
	const char *text;
	enum text_form_kind kind;
} count_words[] = {
	{" SP>", TEXT_FORM_BLANKS},
	{" EMPTY LINES>", TEXT_FORM_LINES},
	{" CR>", TEXT_FORM_STATES},
};

const char *text_control_name(uint32_t uc)
{
	if (uc == 0x7F)
		return "DEL";
	return uc < ARRAY_LEN(control_names) ? control_names[uc] : NULL;
}

static bool starts_with(const char *bytes, size_t len, const char *text)
{
	size_t want = strlen(text);

	return len >= want && memcmp(bytes, text, want) == 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Reads from `least` to `most` hexadecimal digits and the closing bracket. */
static bool read_hex(const char *bytes, size_t len, size_t prefix, size_t least, size_t most,
	struct text_form *ret)
{
	size_t at = prefix;

	ret->value = 0;
	while (at < len && at - prefix < most && hex_digit(bytes[at]) >= 0)
		ret->value = ret->value * 16 + (uint32_t)hex_digit(bytes[at++]);
	if (at - prefix < least || at == len || bytes[at] != '>')
		return false;
	ret->padded = at - prefix > least && bytes[prefix] == '0';
	ret->len = at + 1;
	return true;
}

static bool read_count(const char *bytes, size_t len, struct text_form *ret)
{
	size_t at = 1;
	uint64_t value = 0;

	for (; at < len && bytes[at] >= '0' && bytes[at] <= '9'; at++) {
		value = value * 10 + (uint64_t)(bytes[at] - '0');
		if (value > UINT32_MAX)
			value = UINT32_MAX;
	}
	for (size_t i = 0; at > 1 && i < ARRAY_LEN(count_words); i++) {
		if (!starts_with(bytes + at, len - at, count_words[i].text))
			continue;
		ret->kind = count_words[i].kind;
		ret->len = at + strlen(count_words[i].text);
		ret->value = (uint32_t)value;
		ret->padded = bytes[1] == '0';
		return true;
	}
	return false;
}

static bool read_name(const char *bytes, size_t len, struct text_form *ret)
{
	const char *end = memchr(bytes, '>', len < 5 ? len : 5);
	size_t name_len = end == NULL ? 0 : (size_t)(end - bytes) - 1;

	for (uint32_t uc = 0; name_len > 0 && uc <= 0x7F; uc++) {
		const char *name = text_control_name(uc);

		if (name == NULL || strlen(name) != name_len ||
			memcmp(bytes + 1, name, name_len) != 0)
			continue;
		*ret = (struct text_form){TEXT_FORM_NAME, name_len + 2, uc, false};
		return true;
	}
	return false;
}

bool text_form_read(const char *bytes, size_t len, struct text_form *ret)
{
	if (len < 4 || bytes[0] != '<')
		return false;
	if (bytes[1] >= '0' && bytes[1] <= '9')
		return read_count(bytes, len, ret);
	if (starts_with(bytes, len, "<U+")) {
		ret->kind = TEXT_FORM_CODE;
		return read_hex(bytes, len, 3, 4, 6, ret);
	}
	if (bytes[1] == 'x') {
		ret->kind = TEXT_FORM_BYTE;
		return read_hex(bytes, len, 2, 2, 2, ret);
	}
	return read_name(bytes, len, ret);
}

/* Code points that the rule writes as <U+XXXX>: the bracket, letters in a word of another
   script, and what is not ASCII. */
static bool is_written_code(uint32_t uc)
{
	if (uc < 0x80)
		return uc == '<' || (uc >= 'A' && uc <= 'Z') || (uc >= 'a' && uc <= 'z');
	return uc <= 0x10FFFF && (uc < 0xD800 || uc > 0xDFFF);
}

static bool is_written(const struct text_form *form)
{
	if (form->padded)
		return false;
	switch (form->kind) {
	case TEXT_FORM_NAME:
		return true;
	case TEXT_FORM_CODE:
		return is_written_code(form->value);
	case TEXT_FORM_BYTE:
		return form->value >= 0x80;
	case TEXT_FORM_BLANKS:
		return form->value >= 1 && form->value <= TEXT_FOLD_MAX;
	case TEXT_FORM_LINES:
		return form->value > TEXT_EMPTY_LINES_SHOWN_MAX && form->value <= TEXT_FOLD_MAX;
	case TEXT_FORM_STATES:
		return false;
	}
	return false;
}

static void add_repeated(struct str *out, char c, size_t count)
{
	char run[256];

	memset(run, c, sizeof(run));
	for (; count > sizeof(run); count -= sizeof(run))
		str_add_bytes(out, run, sizeof(run));
	str_add_bytes(out, run, count);
}

static void add_meaning(struct str *out, const struct text_form *form)
{
	uint8_t raw[6];

	if (form->kind == TEXT_FORM_BLANKS) {
		add_repeated(out, ' ', form->value);
	} else if (form->kind == TEXT_FORM_LINES) {
		add_repeated(out, '\n', form->value - 1);
	} else if (form->kind == TEXT_FORM_CODE) {
		int len = u8_uctomb(raw, form->value, sizeof(raw));

		str_add_bytes(out, raw, len > 0 ? (size_t)len : 0);
	} else {
		str_add_char(out, (char)form->value);
	}
}

static size_t size_of_meaning(const struct text_form *form)
{
	bool counts = form->kind == TEXT_FORM_BLANKS || form->kind == TEXT_FORM_LINES;

	return counts ? form->value : 4;
}

/* At a '<'. Returns how many bytes of `shown` it took, 0 on an error. */
static size_t unescape_form(
	const char *shown, size_t len, size_t room, struct str *out, struct err *err)
{
	struct text_form form;

	if (!text_form_read(shown, len, &form)) {
		str_add_char(out, '<');
		return 1;
	}
	if (!is_written(&form)) {
		int quoted = form.len < 40 ? (int)form.len : 40;

		err_set(err, ERR_INVALID, "%.*s is not a sign that can be read back", quoted,
			shown);
		return 0;
	}
	if (size_of_meaning(&form) > room) {
		err_set(err, ERR_LIMIT, "the text unfolds to more than %u bytes",
			TEXT_UNESCAPED_MAX);
		return 0;
	}
	add_meaning(out, &form);
	return form.len;
}

int text_unescape(const char *shown, size_t len, struct str *out, struct err *err)
{
	size_t before = out->len;
	size_t at = 0;

	while (at < len) {
		const char *bracket = memchr(shown + at, '<', len - at);
		size_t plain = bracket == NULL ? len - at : (size_t)(bracket - shown) - at;

		str_add_bytes(out, shown + at, plain);
		at += plain;
		if (at == len)
			break;
		size_t grown = out->len - before;
		size_t room = grown < TEXT_UNESCAPED_MAX ? TEXT_UNESCAPED_MAX - grown : 0;
		size_t used = unescape_form(shown + at, len - at, room, out, err);
		if (used == 0) {
			str_truncate(out, before);
			return -1;
		}
		at += used;
	}
	return 0;
}

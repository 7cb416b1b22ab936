#include "config.h"

#include "any_bytes.h"

#include <stdio.h>

#include "base/mem.h"

static unsigned seed;

void any_seed(unsigned with)
{
	seed = with;
}

unsigned any_pick(unsigned of)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % of;
}

static const char *const nasty[] = {"\x1B[2J", "\x1B]0;x\x07", "\x1B]52;c;eA==\x1B\\",
	"\x1B"
	"c",
	"\x1BP1$r\x1B\\", "\x1B[?1049l", "\x1B[6n", "\x1B(0", "\x0E", "\x08", "\r", "\n", "\t",
	"\x7F", "\x05", "\x1B",
	"\xC2\x9B"
	"2J",
	"\xC2\x90", "\xC2\x85", "\xE2\x80\xAE", "\xE2\x80\x8B", "\xE2\x80\x8D", "\xE2\x80\xA8",
	"\xEF\xBB\xBF", "\xF3\xA0\x81\x81", "\xEE\x80\x80", "\xC2\xAD", "e\xCC\x81", "\xCC\x81",
	"\xE7\x94\xA8", "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9", "\xEF\xB8\x8F",
	"\xD0\xB0pple", "\xD1\x82\xD0\xB5", "<ESC>", "<U+202E>", "<3 SP>", "<xFF>", "<31 CR>",
	"   ", "                              ", "\n\n\n\n\n", "'", "\"", "\\", "$(", "`", "<<E\n",
	"\nE\n", "#", "a", "ls -la ", "; rm x", "\xE2\x94\x82", "\xE2\x96\x88", "\xED\x9E\xB0",
	"\xE1\x85\x9F", "\xE3\x85\xA4", "\xE0\xB8\xB3", "\xF0\x9F\x87\xBA\xF0\x9F\x87\xA6"};
/* These are no UTF-8: outputs have them, and lines that are refused. */
static const char *const broken[] = {"\xFF",
	("\x9B"
	 "2J"),
	"\xC3", "\xE2\x80", "\xED\xA0\x80", "\xC0\x9B", "\xF8\x88\x80\x80\x80", "\x90"};

static void add_code_point(struct str *out)
{
	static const unsigned ranges[] = {
		0x7F, 0xFF, 0x2FF, 0x70F, 0x20FF, 0xD7FF, 0x1FFFF, 0x10FFFF};
	unsigned code =
		1 + (any_pick(0x10000) << 8 | any_pick(256)) % ranges[any_pick(ARRAY_LEN(ranges))];
	char bytes[5] = "?";

	if (code < 0x80)
		bytes[0] = (char)code;
	else if (code < 0x800)
		snprintf(bytes, sizeof(bytes), "%c%c", 0xC0 | code >> 6, 0x80 | (code & 63));
	else if (code < 0x10000 && (code < 0xD800 || code > 0xDFFF))
		snprintf(bytes, sizeof(bytes), "%c%c%c", 0xE0 | code >> 12, 0x80 | (code >> 6 & 63),
			0x80 | (code & 63));
	else if (code >= 0x10000)
		snprintf(bytes, sizeof(bytes), "%c%c%c%c", 0xF0 | code >> 18,
			0x80 | (code >> 12 & 63), 0x80 | (code >> 6 & 63), 0x80 | (code & 63));
	str_add(out, bytes);
}

void any_text(struct str *out, unsigned pieces, bool is_broken)
{
	for (unsigned i = 0; i < pieces; i++) {
		unsigned kind = any_pick(is_broken ? 8 : 6);

		if (kind < 3)
			str_add(out, nasty[any_pick(ARRAY_LEN(nasty))]);
		else if (kind < 4)
			add_code_point(out);
		else if (kind < 6)
			str_printf(out, "word%u ", any_pick(1000));
		else
			str_add(out, broken[any_pick(ARRAY_LEN(broken))]);
	}
}

static void add_member(struct str *line, const char *name, unsigned pieces)
{
	STR_AUTO struct str text = STR_INIT;

	any_text(&text, pieces, false);
	str_printf(line, ",\"%s\":\"x", name);
	for (size_t i = 0; i < text.len; i++) {
		unsigned char byte = (unsigned char)text.data[i];

		if (byte < ' ' || byte == '"' || byte == '\\')
			str_printf(line, "\\u%04x", byte);
		else
			str_add_char(line, (char)byte);
	}
	str_add_char(line, '"');
}

void any_line(struct str *line)
{
	STR_AUTO struct str arguments = STR_INIT;

	add_member(&arguments, "command", 1 + any_pick(ANY_PIECES));
	str_add(line, "{\"name\":\"shell\",\"arguments\":{\"timeout\":60");
	str_add(line, str_c(&arguments));
	add_member(line, "more", any_pick(3));
	str_add_char(line, '}');
	add_member(line, "agent", any_pick(4));
	add_member(line, "reason", any_pick(8));
	add_member(line, "else", 1);
	str_add_char(line, '}');
	if (any_pick(8) == 0)
		line->data[any_pick((unsigned)line->len)] = (char)any_pick(256);
}

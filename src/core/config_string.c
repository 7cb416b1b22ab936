#include "config.h"

#include "core/config_scan.h"

#include <string.h>
#include <unistr.h>

#include "base/mem.h"

#define PIECE_BYTES 96u /* with a key of 48 bytes far below inih's 200 */

static const struct {
	char written;
	char meant;
} simple_escapes[] = {{'"', '"'}, {'\\', '\\'}, {'t', '\t'}, {'n', '\n'}};

static int hex_value(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? (int)((found - digits) % 16) : -1;
}

/* \uXXXX or \UXXXXXXXX; `at` is behind the letter. */
static int scan_code_point(struct config_reader *reader, unsigned digits, struct str *out)
{
	uint32_t code = 0;
	uint8_t utf8[4];

	for (unsigned i = 0; i < digits; i++) {
		int value = reader->at < reader->end ? hex_value(*reader->at) : -1;

		if (value < 0)
			return config_reader_fail(reader, reader->line,
				"\\%c wants %u hexadecimal digits", digits == 4 ? 'u' : 'U',
				digits);
		code = code << 4 | (uint32_t)value;
		reader->at++;
	}
	int len = code ? u8_uctomb(utf8, code, sizeof(utf8)) : -1;

	if (len < 1)
		return config_reader_fail(reader, reader->line,
			"U+%04X is no character that a string can hold", (unsigned)code);
	str_add_bytes(out, utf8, (size_t)len);
	return 0;
}

static int scan_escape(struct config_reader *reader, struct str *out)
{
	char letter = reader->at < reader->end ? *reader->at : '\0';

	for (size_t i = 0; i < ARRAY_LEN(simple_escapes); i++) {
		if (letter == simple_escapes[i].written) {
			str_add_char(out, simple_escapes[i].meant);
			reader->at++;
			return 0;
		}
	}
	if (letter != 'u' && letter != 'U')
		return config_reader_fail(reader, reader->line,
			"unknown escape; there are \\\" \\\\ \\t \\n \\uXXXX, and 'single quotes' "
			"take "
			"every character as it is");
	reader->at++;
	return scan_code_point(reader, letter == 'u' ? 4 : 8, out);
}

int config_scan_string(struct config_reader *reader, struct str *out)
{
	char quote = *reader->at;

	if (reader->end - reader->at >= 3 && reader->at[1] == quote && reader->at[2] == quote)
		return config_reader_fail(reader, reader->line,
			"strings over several lines are not read; use \\n inside \"...\"");
	for (reader->at++; reader->at < reader->end && *reader->at != '\n';) {
		char c = *reader->at++;

		if (c == quote)
			return 0;
		if (out->len >= CONFIG_STRING_BYTES)
			return config_reader_fail(reader, reader->line,
				"the string has more than %u bytes", CONFIG_STRING_BYTES);
		if (c != '\\' || quote == '\'')
			str_add_char(out, c);
		else if (scan_escape(reader, out))
			return -1;
	}
	return config_reader_fail(reader, reader->line, "the string has no closing %c", quote);
}

static void queue_line(struct config_reader *reader, char *text, unsigned line)
{
	mem_grow(&reader->queue, &reader->cap, reader->count, sizeof(*reader->queue));
	reader->queue[reader->count++] = (struct config_line){.text = text, .line = line};
}

void config_queue_header(struct config_reader *reader, const char *section, unsigned line)
{
	queue_line(reader, mem_printf("[%s]", section), line);
}

/* Spaces would be stripped at the ends, ";" would begin a comment, and a byte above ASCII may count as a
   space in some locale: only what means nothing anywhere passes as it is. */
static void add_encoded(struct str *piece, unsigned char c)
{
	if (c > 0x20 && c < 0x7f && !strchr(";#\"\\", c))
		str_add_char(piece, (char)c);
	else
		str_printf(piece, "\\u00%02x", c);
}

void config_queue_value(struct config_reader *reader, const char *key, char type, const char *bytes,
	size_t len, unsigned line)
{
	struct str piece STR_AUTO = STR_INIT;

	for (size_t i = 0; i < len; i++) {
		add_encoded(&piece, (unsigned char)bytes[i]);
		if (piece.len >= PIECE_BYTES) {
			queue_line(reader, mem_printf("%s=+:%s", key, str_c(&piece)), line);
			str_clear(&piece);
		}
	}
	queue_line(reader, mem_printf("%s=%c:%s", key, type, str_c(&piece)), line);
}

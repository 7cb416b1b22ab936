#include "config.h"

#include "core/config_reader.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/config_scan.h"

int config_reader_fail(struct config_reader *reader, unsigned line, const char *fmt, ...)
{
	char text[ERR_TEXT_BYTES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	reader->failed = true;
	return err_set(reader->err, ERR_INVALID, "%s:%u: %s", reader->file, line, text);
}

static bool is_control(unsigned char c)
{
	return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7f;
}

/* Rules of one line, which ends before `end`; a CR may stand before its LF alone. */
static int check_line(struct config_reader *reader, unsigned line, const char *at, const char *end)
{
	if (end > at && end[-1] == '\r' && end < reader->end)
		end--;
	if ((size_t)(end - at) > CONFIG_LINE_BYTES)
		return config_reader_fail(
			reader, line, "the line has more than %u bytes", CONFIG_LINE_BYTES);
	if (!text_is_utf8(at, (size_t)(end - at)))
		return config_reader_fail(reader, line, "the line is not valid UTF-8");
	for (; at < end; at++) {
		if (is_control((unsigned char)*at))
			return config_reader_fail(reader, line,
				"control character 0x%02x; in a string write \\u%04x",
				(unsigned char)*at, (unsigned char)*at);
	}
	return 0;
}

static int check_lines(struct config_reader *reader)
{
	const char *at = reader->at;

	for (unsigned line = 1; at < reader->end; line++) {
		const char *end = memchr(at, '\n', (size_t)(reader->end - at));

		if (!end)
			end = reader->end;
		if (check_line(reader, line, at, end))
			return -1;
		at = end + 1;
	}
	return 0;
}

int config_reader_init(struct config_reader *reader, const char *text, size_t len, const char *file,
	struct err *err)
{
	memset(reader, 0, sizeof(*reader));
	reader->file = file;
	reader->err = err;
	if (len > CONFIG_FILE_BYTES)
		return config_reader_fail(
			reader, 1, "the file has more than %u bytes", CONFIG_FILE_BYTES);
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		len -= 3;
	}
	reader->at = text;
	reader->end = text + len;
	reader->line = 1;
	return check_lines(reader);
}

void config_reader_release(struct config_reader *reader)
{
	for (size_t i = reader->next; i < reader->count; i++)
		free(reader->queue[i].text);
	free(reader->queue);
	memset(reader, 0, sizeof(*reader));
}

/* Copies the next line; it must fit, with the room that inih wants for "\r\n" and the NUL. */
char *config_reader_feed(char *buf, int size, void *stream)
{
	struct config_reader *reader = stream;

	while (!reader->failed && reader->next == reader->count && reader->at < reader->end) {
		reader->next = reader->count = 0;
		config_scan_statement(reader);
	}
	if (reader->failed || reader->next == reader->count)
		return NULL;
	struct config_line *line = &reader->queue[reader->next];
	reader->fed_line = line->line;
	if (strlen(line->text) + 3 > (size_t)size) {
		config_reader_fail(reader, line->line, "too long to be read");
		return NULL;
	}
	snprintf(buf, (size_t)size, "%s\n", line->text);
	free(STEAL(line->text));
	reader->next++;
	return buf;
}

static unsigned hex_digit(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
}

void config_piece_decode(const char *piece, struct str *out)
{
	for (; *piece; piece++) {
		if (piece[0] != '\\' || strlen(piece) < 6) {
			str_add_char(out, *piece);
			continue;
		}
		str_add_char(out, (char)(hex_digit(piece[4]) << 4 | hex_digit(piece[5])));
		piece += 5;
	}
}

#include "config.h"

#include "tui/layout_output_line.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t output_colour_length(const char *text, size_t len)
{
	size_t at = 2;

	if (len < 3 || text[0] != '\033' || text[1] != '[')
		return 0;
	while (at < len && (isdigit((unsigned char)text[at]) || text[at] == ';' || text[at] == ':'))
		at++;
	return at < len && text[at] == 'm' ? at + 1 : 0;
}

/* 30..37 and 90..97, less their first */
static enum style hue(unsigned colour)
{
	static const enum style hues[8] = {STYLE_PLAIN, STYLE_OUT_RED, STYLE_OUT_GREEN,
		STYLE_OUT_YELLOW, STYLE_OUT_BLUE, STYLE_OUT_MAGENTA, STYLE_OUT_CYAN, STYLE_PLAIN};

	return hues[colour % 8];
}

static enum style style_of_number(unsigned number, enum style style)
{
	if (number == 0)
		return STYLE_PLAIN;
	if (number == 1)
		return style == STYLE_PLAIN ? STYLE_OUT_BOLD : style;
	if (number == 22)
		return style == STYLE_OUT_BOLD ? STYLE_PLAIN : style;
	if ((number >= 30 && number <= 37) || (number >= 90 && number <= 97))
		return hue(number % 10);
	return number == 39 ? STYLE_PLAIN : style;
}

static bool read_number(const char **at, unsigned *ret)
{
	if (**at == 'm')
		return false;
	*ret = (unsigned)strtoul(*at, NULL, 10);
	*at += strspn(*at, "0123456789");
	*at += **at != 'm';
	return true;
}

/* What follows 38 or 48: 5;N or 2;R;G;B. Of those colours the first sixteen alone have names. */
static enum style extended(const char **at, bool ground, enum style style)
{
	unsigned kind = 0, number = 0;

	read_number(at, &kind);
	if (kind == 5 && read_number(at, &number))
		return ground ? style : number < 16 ? hue(number) : STYLE_PLAIN;
	for (unsigned i = 0; kind == 2 && i < 3; i++)
		read_number(at, &number);
	return ground ? style : STYLE_PLAIN;
}

enum style output_colour_style(const char *sequence, size_t len, enum style style)
{
	const char *at = sequence + strlen("\033[");
	unsigned number;

	if (len == strlen("\033[m"))
		return STYLE_PLAIN;
	while (read_number(&at, &number))
		style = number == 38 || number == 48 ? extended(&at, number == 48, style)
						     : style_of_number(number, style);
	return style;
}

/* Whether a '<' can begin what reads as an escape of ours. */
static bool may_be_form(const char *text, size_t len)
{
	unsigned char next = len > 1 ? (unsigned char)text[1] : 0;

	return isupper(next) || isdigit(next) || next == 'x';
}

unsigned output_byte_columns(const char *text, size_t len)
{
	/* NUL SOH STX ... US as <NUL> ... <US> */
	static const unsigned char controls[32] = {5, 5, 5, 5, 5, 5, 5, 5, 4, 5, 4, 4, 4, 4, 4, 4,
		5, 5, 5, 5, 5, 5, 5, 5, 5, 4, 5, 5, 4, 4, 4, 4};

	unsigned char byte = (unsigned char)text[0];

	if (byte < 32)
		return controls[byte];
	if (byte > 0x7F || (byte == '<' && may_be_form(text, len)))
		return 0;
	return byte == 0x7F ? 5 : 1;
}

size_t output_plain_length(const char *text, size_t len)
{
	size_t at = 0;

	while (at < len && text[at] >= ' ' && text[at] <= '~' && text[at] != '<')
		at++;
	/* What follows may be a mark on the last one. */
	return at > 0 && at < len && (unsigned char)text[at] >= 0x80 ? at - 1 : at;
}

void output_line_read(const char *text, size_t len, struct output_line *ret)
{
	size_t crs = 0, start = 0, end = len;

	*ret = (struct output_line){.text = text, .len = len};
	for (const char *cr = memchr(text, '\r', len); cr != NULL;
		cr = memchr(cr + 1, '\r', len - (size_t)(cr + 1 - text)))
		crs++;
	/* One at the end is a line end of another system, and is shown as what it is. */
	if (crs == 0 || (crs == 1 && text[len - 1] == '\r'))
		return;
	while (end > 0 && text[end - 1] == '\r')
		end--;
	for (start = end; start > 0 && text[start - 1] != '\r';)
		start--;
	ret->text = text + start;
	ret->len = end - start;
	snprintf(ret->overwritten, sizeof(ret->overwritten), "<%zu CR>", crs);
}

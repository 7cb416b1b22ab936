#include "config.h"

#include "tui/layout_output_line.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
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

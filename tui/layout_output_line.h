/* The bytes of an output, line by line. Private to layout_output*.c. */
#ifndef TUI_LAYOUT_OUTPUT_LINE_H
#define TUI_LAYOUT_OUTPUT_LINE_H

#include <stddef.h>

#include "tui/style.h"

/* One line of an output: what is shown of it. A line that was written over with CR shows its last state and how many
   CRs it took; all other bytes are there. */
struct output_line {
	const char *text;
	size_t len;
	char overwritten[32]; /* "<31 CR>", or "" */
};
/* The last state that holds anything, of a line (without its LF) that CRs divide into states. */
void output_line_read(const char *text, size_t len, struct output_line *ret);
/* Length of a colour sequence at text[0..len), or 0. */
size_t output_colour_length(const char *text, size_t len);
/* The style behind a colour sequence, before which the text had `style`. Hues and bold alone count: nothing that could hide text,
   such as a ground of the same colour, and no colour that a theme does not make readable. */
enum style output_colour_style(const char *sequence, size_t len, enum style style);
/* Columns of the first byte, where they need no look around: 0 says that they do. */
unsigned output_byte_columns(const char *text, size_t len);
/* How many bytes at the start of text[0..len) have one column each and need no look around. */
size_t output_plain_length(const char *text, size_t len);

#endif

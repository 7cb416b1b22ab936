/* Splits a stream of bytes into lines with a greatest length; a longer line is reported once and
   skipped. */
#ifndef BASE_LINEBUF_H
#define BASE_LINEBUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct linebuf {
	struct str pending;
	size_t taken;   /* bytes of pending that were returned already */
	size_t scanned; /* no newline between taken and here */
	size_t max;     /* bytes without the newline */
	bool skipping;  /* inside a line that was too long */
	size_t line_no; /* of the line last returned, from 1 */
};

enum linebuf_status { LINEBUF_NONE, LINEBUF_LINE, LINEBUF_TOO_LONG };

void linebuf_init(struct linebuf *lb, size_t max);
void linebuf_release(struct linebuf *lb);
void linebuf_feed(struct linebuf *lb, const void *bytes, size_t len);
/* Next whole line, without its newline. *ret_line points into lb and lives until the next call.
   With at_end the rest without a newline counts as a line. LINEBUF_TOO_LONG comes once for each
   such line, at once. */
enum linebuf_status linebuf_next(
	struct linebuf *lb, bool at_end, const char **ret_line, size_t *ret_len);

#endif

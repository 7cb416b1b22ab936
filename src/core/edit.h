/* A command that a person changed: whether the new text may take the place of the old one, and what differs. Pure. */
#ifndef CORE_EDIT_H
#define CORE_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* What a request's command must be: not empty, at most REQUEST_COMMAND_BYTES, UTF-8 without NUL. ERR_INVALID or ERR_LIMIT. */
int edit_check(const char *bytes, size_t len, struct err *err);

enum edit_kind { EDIT_SAME, EDIT_TAKEN, EDIT_ADDED };
/* Whole lines that follow one another: of the old text (TAKEN) or of the new one (SAME, ADDED). */
struct edit_hunk {
	enum edit_kind kind;
	size_t start, len; /* bytes, without the newline of the last line */
	unsigned line;     /* of the first one, from 1 */
	unsigned lines;
};
struct edit_diff {
	struct edit_hunk *items;
	size_t count, cap;
};
/* All of both texts, unchanged lines once; what was taken out stands before what was put in its place. A text whose last byte is
   a newline has an empty line behind it. Linear but for a middle of few lines, so that a large text cannot stop the screen. */
void edit_diff(const char *old, const char *now, struct edit_diff *ret);
void edit_diff_release(struct edit_diff *diff);

struct edit_span { /* bytes of a line; empty: nothing */
	size_t start, end;
};
/* What differs between one line and the one in its place: from the first difference to the last, at whole characters, blanks
   around words left out. Both empty when the lines are equal. */
void edit_spans(const char *old, size_t old_len, const char *now, size_t now_len,
	struct edit_span *ret_taken, struct edit_span *ret_added);

#endif

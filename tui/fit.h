/* Words of ours in columns: translated, they have as many columns as their language needs. */
#ifndef TUI_FIT_H
#define TUI_FIT_H

#include <stddef.h>

#include "base/str.h"

/* Adds the text and blanks up to so many columns; a longer one gets one blank. */
void fit_pad(const char *text, unsigned columns, struct str *out);
/* Bytes of the text that stand in one row of so many columns: up to a blank, or between two wide characters, or all of it.
   0 for "" alone. */
size_t fit_row(const char *text, unsigned columns);
/* What is left behind such a row: the blank that ended it is gone. */
const char *fit_rest(const char *text, size_t len);

#endif

/* What `/` seeks in a text. Capitals do not matter (ASCII). */
#ifndef TUI_SEEK_H
#define TUI_SEEK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct seek {
	struct str bytes; /* in small letters; none: nothing is sought */
};

/* typed: as the screen shows it, so that "<ESC>[31m" finds the bytes of which that is made. Released by the caller. */
void seek_begin(struct seek *seek, const char *typed);
/* The same for text that is as it is shown already. */
void seek_begin_shown(struct seek *seek, const char *typed);
void seek_release(struct seek *seek);
/* The first match in text[0..len); NULL: none. */
const char *seek_next(const struct seek *seek, const char *text, size_t len);

#endif

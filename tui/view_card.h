/* What the views of a card and of its output share. Private to view*.c. */
#ifndef TUI_VIEW_CARD_H
#define TUI_VIEW_CARD_H

#include <stddef.h>

#include "base/str.h"
#include "tui/view_parts.h"

/* The second row: number, agent, state, and something at the right. */
void draw_who(const struct screen *s, const struct job *job, const char *right);
/* "off", "!ON", "!!ON" and "full", "!PARTIAL", "!NONE", with their styles. */
const char *network_words(const struct card *card, enum style *ret);
const char *sandbox_words(const struct card *card, enum style *ret);
/* "all 13 lines" or "lines 1-17 of 52". Appends. */
void lines_words(size_t top, size_t shown, size_t total, struct str *out);

#endif

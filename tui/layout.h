/* A card or an output as rows of a given width. Every row knows which bytes it shows, so that "seen" survives a new width. */
#ifndef TUI_LAYOUT_H
#define TUI_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/model.h"
#include "tui/style.h"

struct segment {
	enum style style;
	char *text; /* already through the safe-text rule */
};
struct row {
	struct segment *segments; /* left to right, at most `width` columns in all */
	size_t count, cap;
	/* Position in the card's own text: bytes of the command first, then of the facts, each fact line counted as at least
	   one. An empty range (blank row) needs no seeing. */
	size_t start, end;
};
struct rows {
	struct row *items;
	size_t count, cap;
	size_t total; /* length of the card's own text */
	size_t deciding; /* rows that belong to the deciding part */
};
/* width: columns of the body without the bar. details: `v`. now_ms only for a finished card's figures. ascii: ASCII signs. */
void layout_card(const struct job *job, unsigned width, bool details, bool ascii, struct rows *ret);
void layout_output(const struct job *job, unsigned width, bool ascii, struct rows *ret);
void rows_release(struct rows *rows);

#endif

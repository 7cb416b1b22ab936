/* A frame is a value: a grid of cells. One function writes cells. */
#ifndef TUI_FRAME_H
#define TUI_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "tui/style.h"

#define CELL_BYTES 24 /* one grapheme of the safe-text rule */

struct cell {
	char text[CELL_BYTES]; /* "" for the right half of a wide cell */
	uint8_t width;         /* 1, 2; 0: right half */
	uint8_t style;
};
struct frame {
	unsigned cols, rows;
	struct cell *cells;
	int cursor_col, cursor_row;
	bool cursor_shown;
	bool ascii; /* our signs become their ASCII ones, everything else above 7E an escape */
};

void frame_init(struct frame *frame, unsigned cols, unsigned rows);
void frame_release(struct frame *frame);
/* All cells blank and plain, no cursor; the size and `ascii` stay. */
void frame_clear(struct frame *frame);
struct cell *frame_at(struct frame *frame, unsigned col, unsigned row);
/* Writes text that already passed the safe-text rule (or is ours), clipped to max_cols and to the frame; anything else is made
   safe here once more, so that no view can forget it. Returns the columns used. */
unsigned frame_put(struct frame *frame, unsigned col, unsigned row, unsigned max_cols,
	enum style style, const char *text);
void frame_fill(struct frame *frame, unsigned col, unsigned row, unsigned cols, enum style style,
	const char *sign);
/* Gives the cells of a row another style; what is written there stays. */
void frame_tint(struct frame *frame, unsigned col, unsigned row, unsigned cols, enum style style);
/* Rows joined by LF, each padded to its width: golden files. with_styles adds a second block of style letters
   (frame_style_letter). */
void frame_print(const struct frame *frame, bool with_styles, struct str *out);
char frame_style_letter(enum style style);

#endif

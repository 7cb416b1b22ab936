/* What the gate row says. Private to view*.c. */
#ifndef TUI_VIEW_GATE_H
#define TUI_VIEW_GATE_H

#include <stdbool.h>

#include "base/str.h"
#include "tui/view_parts.h"

/* The row that says whether a yes is possible: lamp, what it is about, why, and the call at the right. */
struct gate_row {
	const char *lamp; /* "[ ]" */
	const char *head; /* "approve off" */
	struct str text;
	char right[64];
	bool ready;
};

/* The word is typed: the lamp, and what Enter does. */
void gate_word_typed(const struct screen *s, struct gate_row *row, const char *does);
/* view_stopped.c, view_locked.c */
void gate_stopped(const struct screen *s, struct gate_row *row);
/* At the right how many; in front which of them cannot be decided. */
void gate_of_marked(const struct screen *s, struct gate_row *row);
void gate_marks(const struct screen *s, struct gate_row *row); /* the queue, with marked calls */
void gate_locked(const struct screen *s, struct gate_row *row);
/* A question has the gate row. */
void draw_question(const struct screen *s);
void question_stop_all(const struct model *model, struct str *out);

#endif

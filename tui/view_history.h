/* Parts of the history. Private to view_history*.c. */
#ifndef TUI_VIEW_HISTORY_H
#define TUI_VIEW_HISTORY_H

#include "core/model.h"
#include "tui/view_parts.h"

/* "#11 in short" and what came of it, from row `row` up to `end`. */
void draw_call_in_short(const struct screen *s, const struct job *job, unsigned row, unsigned end);
/* What a filter can hold, in the same place while one is typed. */
void draw_filter_help(const struct screen *s, unsigned row, unsigned end);

#endif

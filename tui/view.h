/* Views are pure: (model, ui, now) -> frame. */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include "core/model.h"
#include "tui/frame.h"
#include "tui/ui.h"

/* Draws the whole screen of ui->cols x ui->rows: title, view, gate row, key row. now_ms: model time (ms since session start);
   now_wall_ms for nothing but what an event brought (times of day come from events). */
void view_draw(const struct model *model, const struct ui *ui, int64_t now_ms, struct frame *frame);
/* Rows available to the body of a card, an output, the queue, the help at this size (for scrolling). */
unsigned view_body_rows(const struct ui *ui, const struct model *model);
unsigned view_body_cols(const struct ui *ui);

#endif

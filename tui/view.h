/* Views are pure: (model, ui, now) -> frame. */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "core/model.h"
#include "tui/frame.h"
#include "tui/ui.h"

/* Draws the whole screen of ui->cols x ui->rows: title, view, gate row, key row. now_ms: model time (ms since session start); times
   of day come from events. frame: zeroed, or of an earlier call; it takes the size of the screen and is owned by the caller. */
void view_draw(const struct model *model, const struct ui *ui, int64_t now_ms, struct frame *frame);
/* Rows available to the body of a card, an output, the list of the queue, the help at this size (for scrolling). */
unsigned view_body_rows(const struct ui *ui, const struct model *model);
unsigned view_body_cols(const struct ui *ui);
/* Of a view that has not the keys: a pane of the wide arrangement. */
unsigned view_rows_of(const struct ui *ui, const struct model *model, enum view view);
unsigned view_cols_of(const struct ui *ui, enum view view);
/* How the output is shown at this size. */
struct output_look view_output_look(const struct ui *ui);
/* Rows of the whole help text at this width (for scrolling). */
size_t view_help_rows(const struct ui *ui);
void view_help_layout(const struct ui *ui, struct rows *ret); /* rows_release() it */

#endif

/* What was laid out before, kept while it is true: a card's rows are asked for several times in one key and one frame, and an output
   is counted from its first byte. What a view draws is the same with it and without. */
#ifndef TUI_UI_CACHE_H
#define TUI_UI_CACHE_H

#include "tui/layout.h"
#include "tui/ui.h"

struct ui_cache;

struct ui_cache *ui_cache_new(void);
void ui_cache_free(struct ui_cache *cache); /* NULL is fine */
/* The rows of a card at the width of its view or pane. They are the cache's, and hold until the next call with another card. */
const struct rows *ui_card_rows(const struct ui *ui, const struct job *job);
struct output_index *ui_cache_output(const struct ui *ui); /* for struct output_look */

#endif

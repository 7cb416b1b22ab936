/* A card as lines to be read aloud: no columns, no signs, a number or a word at the beginning of each. Nothing of an agent's text
   ever stands where a line of ours begins. */
#ifndef TUI_LAYOUT_PLAIN_H
#define TUI_LAYOUT_PLAIN_H

#include "tui/layout.h"

/* What a yes to this very card must repeat: the first eight digits of its digest, as its last row says them. */
#define PLAIN_CODE_BYTES 9
void plain_code(const struct card *card, char buf[PLAIN_CODE_BYTES]);

/* At most `width` columns a row (at least 40). Positions are those of layout_card(), so that both say the same of what was read.
   ret->deciding is the number of all rows. The rows of the command, behind "Line N: " and "Line N goes on: " and joined, read back
   to its bytes. ret is initialised by the call; job has a card. */
void layout_plain_card(const struct job *job, unsigned width, bool ascii, struct rows *ret);
void layout_plain_details(const struct job *job, unsigned width, bool ascii, struct rows *ret);

#endif

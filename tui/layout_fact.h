/* The rows of facts: label, and lines wrapped at blanks. Private to layout*.c. */
#ifndef TUI_LAYOUT_FACT_H
#define TUI_LAYOUT_FACT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/card.h"
#include "tui/layout_rows.h"

#define FACT_TEXT_COLUMN 12u /* behind a blank and the longest label of the catalogue */

/* base: position of the first line; each line counts as its raw bytes, at least one. Returns the position behind. */
size_t layout_facts(
	struct row_writer *w, const struct facts *facts, unsigned width, bool ascii, size_t base);

#endif

/* The rows of a command: gutter, text, marks. Private to layout*.c. */
#ifndef TUI_LAYOUT_COMMAND_H
#define TUI_LAYOUT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "core/card.h"
#include "tui/layout_rows.h"

/* One row or more for each line of the command; positions are its bytes. unusual may be NULL. */
void layout_command(struct row_writer *w, const char *command, size_t len,
	const struct unusual_list *unusual, unsigned width, bool ascii);

#endif

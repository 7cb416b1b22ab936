/* The rows of a command: gutter, text, marks. Private to layout*.c. */
#ifndef TUI_LAYOUT_COMMAND_H
#define TUI_LAYOUT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "core/card.h"
#include "tui/layout_rows.h"
#include "tui/layout_shell.h"

/* One row or more for each line of the command; positions are its bytes. unusual NULL: it is no
   command that a shell would read, and has no colours. */
void layout_command(struct row_writer *w, const char *command, size_t len,
	const struct unusual_list *unusual, unsigned width, bool ascii);

#define COMMAND_SIGN_COLUMNS 2u
/* Columns before the text; sign_columns: of them for signs. */
unsigned command_gutter(const char *bytes, size_t len, unsigned sign_columns);

/* Whole lines out of a command, as one side of a difference. */
struct command_part {
	const char *command;
	size_t start, len; /* bytes, without the last newline; they take one position more */
	unsigned line;     /* number of the first */
	const char *sign;  /* "-" "+" or NULL */
	enum style style;  /* of the sign */
	const struct unusual_list *unusual; /* of the whole command; NULL */
	struct tint *tint;                  /* of the whole command; NULL */
	unsigned gutter, width;
	bool ascii;
};
void layout_command_part(struct row_writer *w, const struct command_part *part);

#endif

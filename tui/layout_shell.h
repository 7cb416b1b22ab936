/* The colours of a command's words and which of its lines are the text of a here-document. Private to layout*.c. */
#ifndef TUI_LAYOUT_SHELL_H
#define TUI_LAYOUT_SHELL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/shell.h"
#include "tui/style.h"

struct tint_body { /* whole lines, the delimiter's too */
	size_t start, end;
};
struct tint {
	struct shell shell;
	struct tint_body *bodies; /* by position */
	size_t body_count, body_cap;
	size_t span_at, body_at; /* where the last question was */
};
void tint_init(struct tint *tint, const char *command, size_t len);
void tint_release(struct tint *tint);
/* The style of the byte and how far it reaches; cheap when asked in order. */
enum style tint_style(struct tint *tint, size_t at, size_t *ret_end);
/* The line that starts there is the text of a here-document. Never, when the reader was not sure of the command. */
bool tint_is_body(struct tint *tint, size_t at);

#endif

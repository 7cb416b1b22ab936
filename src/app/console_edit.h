/* The console while an editor has its terminal: nothing is drawn, no key is read; calls go on. */
#ifndef APP_CONSOLE_EDIT_H
#define APP_CONSOLE_EDIT_H

#include "app/console.h"

/* INTENT_EDITOR. What goes wrong is said on the gate row. */
void console_edit(struct console *console, const struct intent *intent);
/* Before the terminal is closed: ends an editor that still runs. */
void console_edit_end(struct console *console);

#endif

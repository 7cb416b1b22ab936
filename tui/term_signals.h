/* The terminal as it must be left, known to signal handlers. No curses: a handler may not call it. */
#ifndef TUI_TERM_SIGNALS_H
#define TUI_TERM_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#define TERM_STRINGS_BYTES 512

struct term_strings { /* what to write; never more than fits */
	char bytes[TERM_STRINGS_BYTES];
	size_t len;
};

/* Both leave out what does not fit. cap: a capability, added without its padding, "$<2>": no terminal of today needs it. */
void term_strings_add(struct term_strings *to, const char *text);
void term_strings_add_cap(struct term_strings *to, const char *cap);

/* From here on SIGSEGV, SIGABRT, SIGBUS, SIGFPE and SIGILL restore the terminal before they end the process as ever, Ctrl-Z restores
   it before the process stops, and SIGCONT takes it again. fd: the terminal, open until term_signals_remove(). */
void term_signals_install(int fd, const struct termios *before, const struct termios *ours,
	const struct term_strings *leave, const struct term_strings *enter);
void term_signals_remove(void); /* the handlers of before are back */
/* Restores the terminal for another program, and takes it again as after a stop. In between the handlers leave it alone. */
void term_signals_pause(void);
void term_signals_resume(void);
bool term_signals_paused(void);
bool term_signals_take_resumed(void);

#endif

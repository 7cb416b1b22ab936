/* A child process with a pseudo terminal as its controlling terminal, for tests of what only shows on the wire. */
#ifndef TESTS_UNIT_PTY_H
#define TESTS_UNIT_PTY_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

#include "base/str.h"

struct pty {
	int master;
	int from_child, to_child; /* pipes: one byte is a fact */
	pid_t child;
	struct str wire;       /* all that the child wrote to the terminal */
	struct termios before; /* modes before the child opened anything */
};
struct pty_child { /* the other ends */
	int to_parent, from_parent;
};

/* term: the TERM variable, NULL for none. body runs in the child; what it returns is the exit status. without_tty: the child has a
   session of its own and no terminal. */
void pty_start(
	struct pty *pty, const char *term, bool without_tty, int (*body)(struct pty_child *));
/* Waits for a byte of the child, reading its terminal meanwhile; it must be this one. */
void pty_expect(struct pty *pty, char fact);
char pty_expect_any(struct pty *pty); /* whichever it is */
/* Reads its terminal until this text has come: what was written may still be on its way through the kernel. */
void pty_expect_wire(struct pty *pty, const char *text);
/* What is on its way to the terminal, if it comes in a moment: for a look at it once more. */
void pty_pump(struct pty *pty);
void pty_tell(struct pty *pty, char fact);
void pty_type(struct pty *pty, const char *bytes);
/* Until something typed can be read: on its way through the kernel no flush would find it. */
void pty_await_typed(struct pty *pty);
/* Waits for the child's end (or its stop); the wait status. */
int pty_wait(struct pty *pty, int options);
bool pty_modes_are_as_before(const struct pty *pty);
void pty_end(struct pty *pty);
/* In the child. */
void pty_say(struct pty_child *child, char fact);
void pty_await(struct pty_child *child, char fact);

#endif

/* A command in the person's own editor: a file that nobody else can read, in a directory made for it, never in the workspace. */
#ifndef APP_EDITOR_H
#define APP_EDITOR_H

#include <stdint.h>
#include <sys/types.h>

#include "app/session.h"
#include "base/str.h"
#include "sandbox/person_program.h"

struct editor {
	struct person_program program;
	char *dir; /* 0700, ours, below XDG_RUNTIME_DIR or beside the record; NULL: none */
	char *name;
	int dir_fd, tty_fd, pidfd;
	pid_t pid;
};

/* Finds $VISUAL or $EDITOR, writes the file. Nothing is started yet, nothing left behind on failure. */
int editor_prepare(struct editor *editor, const struct session *session, uint64_t seq,
	const char *text, struct err *err);
/* On the console's terminal, which must have been given back before. */
int editor_start(struct editor *editor, const struct session *session, struct err *err);
/* It ended: the terminal is ours, the text as it was left, without one newline at its end, is in ret. Everything is removed and
   released, also on failure. */
int editor_finish(struct editor *editor, struct str *ret, struct err *err);
/* Ends it, and removes everything. */
void editor_abandon(struct editor *editor);

#endif

/* A program that we start for the person at the terminal, outside every sandbox: an editor, a notice. */
#ifndef SANDBOX_PERSON_PROGRAM_H
#define SANDBOX_PERSON_PROGRAM_H

#include <sys/types.h>

#include "base/err.h"
#include "base/strv.h"

struct person_program {
	char *path;       /* resolved; NULL: not found */
	struct strv argv; /* as written, the last words still to come */
};

/* `line` is what a variable says, words apart by blanks: no shell reads it. The first one is an absolute path, or looked up in
   the absolute entries of search_path. It and the directories above it belong to root or to us, nobody else may write them, and
   it lies outside every writable place, where a command could put its own. ERR_INVALID, ERR_NOT_FOUND. */
int person_program_find(const char *line, const char *search_path, const struct strv *writable,
	struct person_program *ret, struct err *err);
/* The same for words that are apart already; the first one is an absolute path. argv is copied. */
int person_program_take(const struct strv *argv, const struct strv *writable,
	struct person_program *ret, struct err *err);
void person_program_release(struct person_program *program);

/* On the terminal, which becomes its own until person_terminal_take(): Ctrl-C there reaches neither us nor the agent. It gets the
   terminal as 0, 1 and 2 and nothing else of ours. */
int person_program_start(const struct person_program *program, char *const *envp, int cwd_fd,
	int tty_fd, pid_t *ret_pid, int *ret_pidfd, struct err *err);
/* Away from the terminal, in a session of its own, in the directory /, with /dev/null as 0, 1 and 2. */
int person_program_start_apart(const struct person_program *program, char *const *envp,
	pid_t *ret_pid, int *ret_pidfd, struct err *err);
/* The terminal is ours again; called from the background. */
void person_terminal_take(int tty_fd);
/* It stopped itself (Ctrl-Z), and nobody but us could wake it: it goes on. */
void person_program_wake(pid_t pid, int pidfd);
/* It has ended: 0, or ERR_UNAVAILABLE "WHAT ended with exit 1". */
int person_program_reap(int pidfd, const char *what, struct err *err);
/* Ends its group and waits for it. */
void person_program_end(pid_t pid, int pidfd);

#endif

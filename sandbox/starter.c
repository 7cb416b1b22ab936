/* exequatur: what is called. It becomes the console at once; for `run` it first starts what takes longest, a supervisor with a
   launcher in its namespaces, which then work while the console is still being loaded. Static, as those two are: a program
   that needs the dynamic loader is not so soon at its main(). */
#include "config.h"

#include "sandbox/starter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/strv.h"
#include "sandbox/spawn.h"
#include "sandbox/starter_guess.h"

enum { EXIT_NO_CONSOLE = 125 };
#define WRAPPER_DIR "/usr/bin"
#define WRAPPER_NAME "bwrap"

static int keep_open(int fd)
{
	return fcntl(fd, F_SETFD, 0);
}

static bool is_the_systems(const struct stat *st)
{
	return st->st_uid == 0 && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Only where no command of ours and no other user can have put it: it runs before the console has looked. */
static int open_wrapper(void)
{
	struct stat dir, program;
	FD_AUTO int dir_fd = open(WRAPPER_DIR, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir_fd < 0 || fstat(dir_fd, &dir) != 0 || !is_the_systems(&dir))
		return -1;
	FD_AUTO int fd = openat(dir_fd, WRAPPER_NAME, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &program) != 0 || !S_ISREG(program.st_mode) ||
		(program.st_mode & S_ISUID) || !is_the_systems(&program))
		return -1;
	int taken = fd;
	fd = -1;
	return taken;
}

static int prepare(
	enum guess guess, struct child *child, const struct helpers *helpers, struct err *err)
{
	if (guess == GUESS_NATIVE)
		return spawn_prepare(child, helpers, STARTER_NAMESPACES, err);
	FD_AUTO int wrapper_fd = guess == GUESS_BUBBLEWRAP ? open_wrapper() : -1;
	return wrapper_fd < 0 ? 0 : spawn_prepare_wrapper(child, helpers, wrapper_fd, err);
}

/* A supervisor, and below it what is worth its start: a plan that asks for something else ends it. */
static char *start_early(enum guess guess, struct child *child)
{
	struct helpers helpers;
	struct err err = ERR_INIT;
	const bool native = guess == GUESS_NATIVE;
	/* Whatever is wrong, the console meets it again and has the words. */
	if (helpers_open(&helpers, &err) != 0)
		return NULL;
	if (spawn_supervisor_ahead(&helpers, child, &err) != 0 ||
		prepare(guess, child, &helpers, &err) != 0 || keep_open(child->control_fd) != 0 ||
		keep_open(child->pidfd) != 0)
		return NULL;
	return mem_printf(STARTER_EARLY "%d,%d,%d,%d,%llu,%llu,%llu,%llu", native, (int)child->pid,
		child->pidfd, child->control_fd, (unsigned long long)helpers.supervisor_dev,
		(unsigned long long)helpers.supervisor_ino,
		(unsigned long long)helpers.launcher_dev, (unsigned long long)helpers.launcher_ino);
}

int main(int argc, char **argv, char **envp)
{
	struct strv words = STRV_INIT;
	struct child child = CHILD_INIT;
	struct err err = ERR_INIT;
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	MEM_AUTO char *console = NULL;
	const char *first = argc > 1 ? argv[1] : "";
	const bool is_run = strcmp(first, "run") == 0;
	char *early = is_run ? start_early(guess_start(argv, envp), &child) : NULL;

	self[len > 0 ? len : 0] = '\0';
	strv_add(&words, self);
	/* Always where an argument of the user's own could be taken for it. */
	if (early != NULL || strncmp(first, STARTER_EARLY, strlen(STARTER_EARLY)) == 0)
		strv_add(&words, early != NULL ? early : STARTER_EARLY);
	for (int i = 1; i < argc; i++)
		strv_add(&words, argv[i]);
	if (program_find(CONSOLE_NAME, &console, &err) == 0) {
		execve(console, words.items, envp);
		err_set_errno(&err, "starting %s", console);
	}
	child_end(&child);
	fprintf(stderr, "exequatur: %s\n", err.text);
	return EXIT_NO_CONSOLE;
}

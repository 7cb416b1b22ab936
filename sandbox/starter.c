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
#include <unistd.h>

#include "base/mem.h"
#include "base/strv.h"
#include "sandbox/spawn.h"
#include "sandbox/starter_guess.h"

enum { EXIT_NO_CONSOLE = 125 };

static int keep_open(int fd)
{
	return fcntl(fd, F_SETFD, 0);
}

/* A supervisor, and below it a launcher where one is worth its start: a plan that asks for other namespaces ends it. */
static char *start_early(bool native, struct child *child)
{
	struct helpers helpers;
	struct err err = ERR_INIT;
	/* Whatever is wrong, the console meets it again and has the words. */
	if (helpers_open(&helpers, &err) != 0)
		return NULL;
	if (spawn_supervisor_ahead(&helpers, child, &err) != 0 ||
		(native && spawn_prepare(child, &helpers, STARTER_NAMESPACES, &err) != 0) ||
		keep_open(child->control_fd) != 0 || keep_open(child->pidfd) != 0)
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
	char *early = is_run ? start_early(guess_native(argv, envp), &child) : NULL;

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

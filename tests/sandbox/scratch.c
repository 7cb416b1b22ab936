#include "config.h"

#include "scratch.h"

#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/path.h"

static struct scratch *alive; /* a test that failed has not ended its own */

static void remove_alive(void)
{
	if (alive)
		scratch_end(alive);
}

struct scratch *scratch_begin(void)
{
	static bool registered;
	if (!registered)
		registered = atexit(remove_alive) == 0;
	remove_alive();
	const char *tmp = getenv("TMPDIR");
	MEM_AUTO char *name = mem_printf("%s/exequatur-test.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(name));
	struct scratch *s = mem_alloc(sizeof(*s));
	s->dir = realpath(name, NULL);
	assert_non_null(s->dir);
	assert_int_equal(chmod(s->dir, 0755), 0);
	alive = s;
	return s;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void scratch_end(struct scratch *s)
{
	nftw(s->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	alive = NULL;
	free(s->dir);
	free(s);
}

char *scratch_path(const struct scratch *s, const char *name)
{
	return path_join(s->dir, name);
}

static void make_parents(const char *path)
{
	for (const char *at = path + 1; (at = strchr(at, '/')); at++) {
		MEM_AUTO char *parent = mem_strndup(path, (size_t)(at - path));
		mkdir(parent, 0755);
	}
}

char *scratch_make_dir(const struct scratch *s, const char *name)
{
	char *path = scratch_path(s, name);
	make_parents(path);
	mkdir(path, 0755);
	return path;
}

char *scratch_write(const struct scratch *s, const char *name, const char *text)
{
	char *path = scratch_path(s, name);
	make_parents(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	return path;
}

char *scratch_link(const struct scratch *s, const char *name, const char *target)
{
	char *path = scratch_path(s, name);
	make_parents(path);
	assert_int_equal(symlink(target, path), 0);
	return path;
}

char *scratch_socket(const struct scratch *s, const char *name)
{
	char *path = scratch_path(s, name);
	make_parents(path);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	assert_true(strlen(path) < sizeof(address.sun_path));
	memcpy(address.sun_path, path, strlen(path) + 1);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	return path;
}

char *scratch_repository(const struct scratch *s, const char *name)
{
	static const char *const dirs[] = {"objects", "refs", "hooks"};
	MEM_AUTO char *git = mem_printf("%s/.git", name);
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		MEM_AUTO char *dir = path_join(git, dirs[i]);
		free(scratch_make_dir(s, dir));
	}
	MEM_AUTO char *head = path_join(git, "HEAD");
	MEM_AUTO char *config = path_join(git, "config");
	MEM_AUTO char *sample = path_join(git, "hooks/pre-commit.sample");
	free(scratch_write(s, head, "ref: refs/heads/main\n"));
	free(scratch_write(s, config, "[core]\n\trepositoryformatversion = 0\n"));
	free(scratch_write(s, sample, "#!/bin/sh\n"));
	return scratch_path(s, git);
}

bool scratch_exists(const struct scratch *s, const char *name)
{
	MEM_AUTO char *path = scratch_path(s, name);
	struct stat st;
	return lstat(path, &st) == 0;
}

int in_child(int (*body)(void *), void *data)
{
	int status = 0;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(body(data));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct task {
	int (*body)(void *);
	void *data;
};

static int become_nobody_and_run(void *data)
{
	const struct task *task = data;
	if (setgroups(0, NULL) < 0 || setgid(65534) < 0 || setuid(65534) < 0)
		return 99;
	return task->body(task->data);
}

int as_nobody(int (*body)(void *), void *data)
{
	struct task task = {body, data};
	return in_child(become_nobody_and_run, &task);
}

void confined_begin(struct confined *x, const char *home)
{
	memset(x, 0, sizeof(*x));
	config_init(&x->config);
	request_init(&x->request);
	x->request.command = mem_strdup("true");
	x->own.home = mem_strdup(home);
}

int confined_resolve(struct confined *x, const char *workspace)
{
	confinement_release(&x->base);
	pins_release(&x->base_pins);
	return places_resolve(&x->config, workspace, &x->own, &x->base, &x->base_pins, &x->err);
}

int confined_confine(struct confined *x, const char *working_dir)
{
	MEM_AUTO char *home = mem_printf("HOME=%s", x->own.home);
	char *const envp[] = {home, "PATH=/usr/bin:/bin", "TERM=xterm", "API_KEY=secret", NULL};
	confinement_release(&x->c);
	pins_release(&x->pins);
	free(x->request.working_dir);
	x->request.working_dir = mem_strdup(working_dir);
	return places_confine(
		&x->base, &x->config, &x->request, envp, 2, &x->c, &x->pins, &x->reason, &x->err);
}

void confined_end(struct confined *x)
{
	confinement_release(&x->c);
	confinement_release(&x->base);
	pins_release(&x->pins);
	pins_release(&x->base_pins);
	own_places_release(&x->own);
	request_release(&x->request);
	config_release(&x->config);
}

int ground_begin(void **state)
{
	struct ground *g = mem_alloc(sizeof(*g));
	g->s = scratch_begin();
	confined_begin(&g->x, "/nonexistent");
	*state = g;
	return 0;
}

int ground_end(void **state)
{
	struct ground *g = *state;
	confined_end(&g->x);
	scratch_end(g->s);
	free(g);
	return 0;
}

void ground_confine(struct ground *g, const char *workspace)
{
	MEM_AUTO char *ws = scratch_make_dir(g->s, workspace);
	assert_int_equal(confined_resolve(&g->x, ws), 0);
	assert_int_equal(confined_confine(&g->x, NULL), 0);
}

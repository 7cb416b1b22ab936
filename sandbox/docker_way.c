#include "config.h"

#include "sandbox/docker_way.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"

/* By its group: the private one of a user has no other member as a rule. */
static bool others_may_change(const struct stat *st)
{
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return true;
	if (st->st_mode & S_ISVTX)
		return false;
	return (st->st_mode & S_IWOTH) || ((st->st_mode & S_IWGRP) && st->st_gid != getegid());
}

bool docker_way_is_ours(const char *path)
{
	struct stat st;
	for (MEM_AUTO char *at = path_dirname(path);;) {
		if (lstat(at, &st) != 0 || !S_ISDIR(st.st_mode) || others_may_change(&st))
			return false;
		if (strcmp(at, "/") == 0)
			return true;
		char *up = path_dirname(at);
		free(at);
		at = up;
	}
}

bool docker_holds_guards(const struct confinement *c)
{
	for (size_t i = 0; i < c->guard_count; i++)
		if (!docker_way_is_ours(c->guards[i].place.path))
			return false;
	return true;
}

static bool needs_file(const struct confinement *c)
{
	for (size_t i = 0; i < c->guard_count; i++)
		if (c->guards[i].kind == GUARD_MADE && !c->guards[i].place.is_dir)
			return true;
	return false;
}

int docker_guards_make(const struct confinement *c, const char *path, struct err *err)
{
	struct stat st;
	if (!needs_file(c))
		return 0;
	FD_AUTO int fd = open(path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0444);
	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set_errno(err, "%s", path);
	if (!S_ISREG(st.st_mode) || st.st_size != 0 || others_may_change(&st))
		return err_set(err, ERR_REFUSED,
			"%s is to be an empty file of ours, and is not: remove it", path);
	return 0;
}

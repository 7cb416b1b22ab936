#include "config.h"

#include "sandbox/private_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "sandbox/plan.h"

#define PREFIX "exequatur-run-"
#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define MODE_DIR 0700

/* Others may write it, and without the sticky bit they could put another directory in the place of ours. */
static bool is_usable(const char *base, bool *ret_memory)
{
	struct stat st;
	struct statfs fs;
	if (lstat(base, &st) != 0 || !S_ISDIR(st.st_mode) || access(base, W_OK | X_OK) != 0 ||
		statfs(base, &fs) != 0)
		return false;
	*ret_memory = fs.f_type == TMPFS_MAGIC;
	bool ours = st.st_uid == geteuid() || st.st_uid == 0;
	return ours && ((st.st_mode & S_ISVTX) || !(st.st_mode & (S_IWGRP | S_IWOTH)));
}

const char *private_dir_base(bool *ret_memory, struct err *err)
{
	static const char *const bases[] = {"/tmp", "/var/tmp"};
	const char *found = NULL;
	*ret_memory = true;
	for (size_t i = 0; i < ARRAY_LEN(bases) && *ret_memory; i++) {
		bool memory;
		if (!is_usable(bases[i], &memory) || (found && memory))
			continue;
		found = bases[i];
		*ret_memory = memory;
	}
	if (found == NULL)
		err_set(err, ERR_UNAVAILABLE,
			"neither /tmp nor /var/tmp takes a private directory for the run");
	return found;
}

bool private_dir_name(const char *base, const char *run_name, char *ret, size_t size)
{
	int len = snprintf(ret, size, "%s/" PREFIX "%s", base, run_name);
	return len > 0 && (size_t)len < size;
}

static int fill(int dir_fd, struct err *err)
{
	static const char *const dirs[] = {
		PRIVATE_TMP, PRIVATE_HOME, PRIVATE_HOME "/.cache", PRIVATE_HOME "/.npm"};
	FD_AUTO int mark =
		openat(dir_fd, PRIVATE_MARK, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (mark < 0 || write(mark, "exequatur\n", 10) != 10)
		return err_set_errno(err, "making " PRIVATE_MARK);
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		if (mkdirat(dir_fd, dirs[i], MODE_DIR) != 0)
			return err_set_errno(err, "making %s", dirs[i]);
	return 0;
}

int private_dir_make(const char *path, int *ret_fd, struct err *err)
{
	if (mkdir(path, MODE_DIR) != 0)
		return err_set_errno(err, "making %s", path);
	FD_AUTO int fd = open(path, OPEN_DIR);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0)
		return err_set_errno(err, "holding %s", path);
	if (fill(fd, err))
		return err_context(err, "%s", path);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* The mark goes last: what was not taken away in one go is known by it the next time. */
static bool is_passed_over(int top_fd, int dir_fd, const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	       (dir_fd == top_fd && strcmp(name, PRIVATE_MARK) == 0);
}

/* Empties a directory: what is in a directory below comes up beside it and is met again, so that no depth is too deep. A
   number that was never given before names it: what the command called it may be there twice. */
static bool take_up(int top_fd, int dir_fd, const char *name, unsigned *number)
{
	char fresh[24];
	if (unlinkat(dir_fd, name, 0) == 0 || unlinkat(dir_fd, name, AT_REMOVEDIR) == 0)
		return true;
	/* Its own rights may be gone: it could not be read, and not be moved either. Nothing but a directory is left here. */
	FD_AUTO int fd = openat(dir_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fchmodat(dir_fd, name, MODE_DIR, 0) != 0)
		return false;
	do
		snprintf(fresh, sizeof(fresh), "%u", (*number)++);
	while (faccessat(top_fd, fresh, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
	return dir_fd == top_fd || renameat(dir_fd, name, top_fd, fresh) == 0;
}

/* True when something was taken away or moved up. */
static bool empty_once(int top_fd, int dir_fd, unsigned *number)
{
	int copy = openat(dir_fd, ".", OPEN_DIR);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	bool moved = false;
	if (dir == NULL) {
		fd_close(&copy);
		return false;
	}
	for (struct dirent *entry; (entry = readdir(dir));)
		if (!is_passed_over(top_fd, dir_fd, entry->d_name))
			moved |= take_up(top_fd, dir_fd, entry->d_name, number);
	closedir(dir);
	return moved;
}

/* Each directory that lies in the top one is emptied into it, until none is left. */
static bool flatten(int top_fd, unsigned *number)
{
	int copy = openat(top_fd, ".", OPEN_DIR);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	bool moved = false;
	if (dir == NULL) {
		fd_close(&copy);
		return false;
	}
	for (struct dirent *entry; (entry = readdir(dir));) {
		FD_AUTO int fd = -1;
		if (!is_passed_over(top_fd, top_fd, entry->d_name))
			fd = openat(top_fd, entry->d_name, OPEN_DIR);
		if (fd >= 0)
			moved |= empty_once(top_fd, fd, number);
	}
	closedir(dir);
	return moved;
}

static void empty(int top_fd)
{
	unsigned number = 0;
	do
		empty_once(top_fd, top_fd, &number);
	while (flatten(top_fd, &number));
	unlinkat(top_fd, PRIVATE_MARK, 0);
}

/* A directory of the user's own that happens to have such a name has no mark of ours. */
static bool is_private_dir(int fd)
{
	struct stat dir, mark;
	return fstat(fd, &dir) == 0 && dir.st_uid == geteuid() &&
	       fstatat(fd, PRIVATE_MARK, &mark, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(mark.st_mode) && mark.st_uid == geteuid();
}

/* The command may have taken all rights from it, as from everything of its user. */
static int open_own(const char *path)
{
	char name[40];
	struct stat st;
	int fd = open(path, OPEN_DIR);
	if (fd >= 0 || errno != EACCES)
		return fd;
	FD_AUTO int closed = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", closed);
	if (closed < 0 || fstat(closed, &st) != 0 || st.st_uid != geteuid() ||
		chmod(name, MODE_DIR) != 0)
		return -1;
	return open(path, OPEN_DIR);
}

static void remove_open(const char *path, int fd)
{
	/* Half made, it has no mark: then it is empty. */
	if (is_private_dir(fd))
		empty(fd);
	rmdir(path);
}

void private_dir_remove(const char *path)
{
	FD_AUTO int fd = open_own(path);
	if (fd >= 0)
		remove_open(path, fd);
}

void private_dirs_tidy(const char *path)
{
	MEM_AUTO char *base = path_dirname(path);
	DIR *dir = opendir(base);
	if (dir == NULL)
		return;
	for (struct dirent *entry; (entry = readdir(dir));) {
		struct stat st;
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
			continue;
		MEM_AUTO char *other = path_join(base, entry->d_name);
		FD_AUTO int fd = open_own(other);
		if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
			flock(fd, LOCK_EX | LOCK_NB) == 0)
			remove_open(other, fd);
	}
	closedir(dir);
}

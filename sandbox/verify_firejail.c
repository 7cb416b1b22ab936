#include "config.h"

#include "sandbox/verify_firejail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/strv.h"
#include "sandbox/verify_bound.h"

/* What firejail puts there itself; the last two are copies of a person's files, which were closed. */
static const char *const own_in_home[] = {
	".inputrc", ".bashrc", ".zshrc", ".cshrc", ".cache", ".npm"};
static const char *const closed_in_home[] = {".Xauthority", ".asoundrc"};
static const char *const own_elsewhere[] = {"/etc/group", "/etc/hostname", "/etc/hosts",
	"/etc/ld.so.preload", "/etc/machine-id", "/etc/passwd", "/run/firejail", "/var/tmp"};
static const char *const shown[] = {
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/dev", "/proc"};
/* Nothing of the host: a tmpfs that firejail itself still needs, and the private ones. */
static const char *const own_writable[] = {"/proc", "/dev/shm", "/run/firejail/mnt"};

static bool has(const char *const *list, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i], text) == 0)
			return true;
	return false;
}

static bool is_empty_dir(int fd)
{
	DIR *dir = fdopendir(dup(fd));
	int entries = 0;
	while (dir && readdir(dir))
		entries++;
	if (dir)
		closedir(dir);
	return entries <= 2;
}

/* It cannot be opened, or nothing is in it. */
static bool is_closed(const char *path)
{
	struct stat st;
	char byte;
	FD_AUTO int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) != 0)
		return true;
	return S_ISDIR(st.st_mode) ? is_empty_dir(fd) : read(fd, &byte, 1) <= 0;
}

static bool belongs_here(const struct plan *plan, const char *path, const char *name)
{
	if (plan->home && path_is_equal_or_below(plan->home, path))
		return true; /* or the launcher's way to it */
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || plan_leads_to(plan, path) ||
		has(own_elsewhere, ARRAY_LEN(own_elsewhere), path) ||
		has(own_in_home, ARRAY_LEN(own_in_home), name))
		return true;
	return has(closed_in_home, ARRAY_LEN(closed_in_home), name) && is_closed(path);
}

static int verify_emptied(const struct plan *plan, const char *path, struct err *err)
{
	struct statfs fs;
	int result = 0;
	if (statfs(path, &fs) != 0 || fs.f_type != TMPFS_MAGIC)
		return err_set(err, ERR_REFUSED, "firejail did not empty %s", path);
	DIR *dir = opendir(path);
	if (dir == NULL)
		return 0;
	for (struct dirent *entry; result == 0 && (entry = readdir(dir));) {
		MEM_AUTO char *inside = path_join(path, entry->d_name);
		if (!belongs_here(plan, inside, entry->d_name))
			result = err_set(err, ERR_REFUSED, "%s of the host is shown", inside);
	}
	closedir(dir);
	return result;
}

/* Below a read-only directory it makes no mount of its own for a read-only place, and nothing there can be moved away. */
static bool is_held_by_parent(const struct plan_mount *check)
{
	MEM_AUTO char *parent = path_dirname(check->target);
	return (check->flags & PLAN_RO) && bound_is_readonly(check->target) &&
	       bound_is_readonly(parent);
}

static int verify_mounts(const struct plan *plan, const struct strv *mounts, struct err *err)
{
	for (size_t i = 0; i < plan->check_count; i++) {
		const struct plan_mount *check = &plan->checks[i];
		if (!is_held_by_parent(check) &&
			bound_verify(mounts, check->target, check->flags & PLAN_RO, err) != 0)
			return -1;
	}
	for (size_t i = 0; i < plan->mount_count; i++) {
		const struct plan_mount *m = &plan->mounts[i];
		int result = 0;
		if (m->kind == PLAN_REMOUNT_RO)
			result = bound_verify(mounts, m->target, true, err);
		else if (m->kind == PLAN_TMPFS)
			result = verify_emptied(plan, m->target, err);
		if (result != 0)
			return -1;
	}
	return 0;
}

static int verify_root(const struct plan *plan, struct err *err)
{
	DIR *dir = opendir("/");
	int result = 0;
	if (dir == NULL)
		return err_set_errno(err, "/");
	for (struct dirent *entry; result == 0 && (entry = readdir(dir));) {
		struct stat st;
		MEM_AUTO char *path = path_join("/", entry->d_name);
		if (entry->d_name[0] == '.' && entry->d_name[strspn(entry->d_name, ".")] == '\0')
			continue;
		if (lstat(path, &st) != 0 || S_ISLNK(st.st_mode) ||
			has(shown, ARRAY_LEN(shown), path) || plan_leads_to(plan, path))
			continue;
		if (!is_closed(path))
			result = err_set(err, ERR_REFUSED, "%s of the host is shown", path);
	}
	closedir(dir);
	return result;
}

static bool may_be_written(const struct plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->check_count; i++)
		if (!(plan->checks[i].flags & PLAN_RO) &&
			path_is_equal_or_below(path, plan->checks[i].target))
			return true;
	for (size_t i = 0; i < plan->mount_count; i++)
		if (plan->mounts[i].kind == PLAN_TMPFS && !(plan->mounts[i].flags & PLAN_RO) &&
			strcmp(path, plan->mounts[i].target) == 0)
			return true;
	return has(own_writable, ARRAY_LEN(own_writable), path);
}

/* A mount that was covered, or that we cannot get at, is not there for a command either. */
static int verify_writable(const struct plan *plan, const struct strv *mounts, struct err *err)
{
	for (size_t i = 0; i < mounts->count; i++) {
		const char *path = mounts->items[i];
		struct statvfs fs;
		if (may_be_written(plan, path) || statvfs(path, &fs) != 0 ||
			(fs.f_flag & ST_RDONLY))
			continue;
		/* what belongs to root is closed to everybody else by its mode */
		if (geteuid() != 0 && access(path, W_OK) != 0)
			continue;
		return err_set(err, ERR_REFUSED, "%s can be written", path);
	}
	return 0;
}

int verify_firejail(const struct plan *plan, struct err *err)
{
	struct strv mounts CLEANUP(strv_release) = STRV_INIT;
	if (bound_read(&mounts, err) != 0 || verify_mounts(plan, &mounts, err) != 0 ||
		verify_root(plan, err) != 0)
		return -1;
	return verify_writable(plan, &mounts, err);
}

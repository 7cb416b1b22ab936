#include "config.h"

#include "sandbox/verify_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "sandbox/verify_bound.h"
#include "sandbox/verify_firejail.h"

/* Where a file without a name may not be made, and files that may not be opened for writing: nothing is left behind
   when one of these succeeds. */
static const char *const closed_directories[] = {
	"/", "/usr", "/usr/bin", "/etc", "/var", "/home", "/root", "/srv", "/opt", "/boot"};
/* A root console could change the whole machine through these, also from inside a user namespace. */
static const char *const closed_files[] = {"/proc/sys/kernel/core_pattern",
	"/proc/sys/vm/drop_caches", "/proc/sysrq-trigger", "/etc/passwd", "/etc/ld.so.cache"};

/* The plan itself gives this path to the command. */
static bool is_given(const struct plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->rule_count; i++)
		if (plan->rules[i].access == PLAN_ACCESS_WRITE &&
			path_is_equal_or_below(path, plan->rules[i].path))
			return true;
	for (size_t i = 0; i < plan->check_count; i++)
		if (!(plan->checks[i].flags & PLAN_RO) &&
			path_is_equal_or_below(path, plan->checks[i].target))
			return true;
	/* what firejail emptied, and left writable */
	for (size_t i = 0; plan_is_firejail(plan) && i < plan->mount_count; i++)
		if (plan->mounts[i].kind == PLAN_TMPFS && !(plan->mounts[i].flags & PLAN_RO) &&
			path_is_equal_or_below(path, plan->mounts[i].target))
			return true;
	return false;
}

static int try_to_write(const struct plan *plan, const char *path, int flags, struct err *err)
{
	if (is_given(plan, path))
		return 0;
	FD_AUTO int fd = open(path, flags | O_WRONLY | O_CLOEXEC | O_NOCTTY, 0600);
	if (fd >= 0)
		return err_set(err, ERR_REFUSED, "%s can be written", path);
	return 0;
}

static bool belongs_into_home(const struct plan *plan, const char *name)
{
	static const char *const always[] = {".", "..", ".cache", ".npm"};
	for (size_t i = 0; i < ARRAY_LEN(always); i++)
		if (strcmp(name, always[i]) == 0)
			return true;
	MEM_AUTO char *path = path_join(plan->home, name);
	return plan_leads_to(plan, path);
}

/* NULL and no errno: that was all. */
static struct dirent *next_entry(DIR *dir)
{
	errno = 0;
	return readdir(dir);
}

static int look_into_home(const struct plan *plan, struct err *err)
{
	DIR *home = plan->home ? opendir(plan->home) : NULL;
	int result = 0;
	if (!home)
		return 0; /* not there, or closed by Landlock */
	for (struct dirent *entry; result == 0 && (entry = next_entry(home));)
		if (!belongs_into_home(plan, entry->d_name))
			result =
				err_set(err, ERR_REFUSED, "%s shows files of the host", plan->home);
	if (result == 0 && errno)
		result = err_set_errno(err, "looking into %s", plan->home);
	closedir(home);
	return result;
}

/* What root owns here is the host's own: a root console's command without any capability could still give it to everybody.
   Set to what it is. */
static int try_to_change(const char *path, struct err *err)
{
	struct stat st;
	if (stat(path, &st) == 0 && chmod(path, st.st_mode & 07777) == 0)
		return err_set(err, ERR_REFUSED, "%s can be changed", path);
	return 0;
}

/* What is bound is all made read-only in the same way: the root and the system stand for it. */
static bool is_made_readonly(const struct plan_mount *mount)
{
	if (mount->kind == PLAN_REMOUNT_RO || mount->kind == PLAN_EMPTY_FILE)
		return true;
	return (mount->kind == PLAN_DEVICE || mount->kind == PLAN_TMPFS) &&
	       (mount->flags & PLAN_RO);
}

/* The null device that was given us is the host's, and not this one, which took its place. */
static int look_at_input(const struct plan_mount *mount, struct err *err)
{
	struct stat st;
	if (strcmp(mount->target, "/dev/null") != 0 || fstat(0, &st) != 0 || !S_ISCHR(st.st_mode))
		return 0;
	if (fchmod(0, st.st_mode & 07777) == 0)
		return err_set(err, ERR_REFUSED, "standard input can be changed");
	return 0;
}

static int look_at_root(const struct plan *plan, struct err *err)
{
	struct stat root, above;
	/* The old root, where it was not let go, lies on the new one: the way up leads there. */
	if (stat("/", &root) != 0 || stat("/..", &above) != 0)
		return err_set_errno(err, "/..");
	if (root.st_dev != above.st_dev || root.st_ino != above.st_ino)
		return err_set(err, ERR_REFUSED, "the host's root lies above /");
	if (try_to_change("/", err) || try_to_change("/usr", err))
		return -1;
	for (size_t i = 0; i < plan->mount_count; i++)
		if (is_made_readonly(&plan->mounts[i]) &&
			(try_to_change(plan->mounts[i].target, err) ||
				look_at_input(&plan->mounts[i], err)))
			return -1;
	return 0;
}

int verify_files(const struct plan *plan, struct err *err)
{
	/* In a container the root is the engine's, which made all of it. */
	if ((plan->proofs & PLAN_PROOF_MOUNTNS) && !plan->engine && look_at_root(plan, err))
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(closed_directories); i++)
		if (try_to_write(plan, closed_directories[i], O_TMPFILE, err))
			return -1;
	for (size_t i = 0; i < ARRAY_LEN(closed_files); i++)
		if (try_to_write(plan, closed_files[i], 0, err))
			return -1;
	if (plan_is_firejail(plan))
		return verify_firejail(plan, err);
	/* An engine is told what to bind, and says nothing of what it did. */
	if (plan->engine && verify_bound(plan, err))
		return -1;
	return look_into_home(plan, err);
}

#define PROBE ".exequatur-probe"

/* 0: refused by Landlock; 1: nothing learned here; -1: not refused. The kernel asks Landlock (EACCES) before it looks for
   the capability that a device needs and that we have not (EPERM). Not a whiteout, which needs none: newer kernels, and older
   ones with their updates, take it for a plain file. */
static int try_probe(const char *dir)
{
	MEM_AUTO char *path = path_join(dir, PROBE);
	if (mknod(path, S_IFCHR | 0600, makedev(1, 3)) == 0) {
		unlink(path);
		return -1;
	}
	if (errno == EPERM)
		return -1;
	return errno == EACCES && access(dir, W_OK) == 0 ? 0 : 1;
}

int verify_landlock(const struct plan *plan, struct err *err)
{
	for (size_t i = 0; i < plan->rule_count; i++) {
		if (plan->rules[i].access != PLAN_ACCESS_WRITE)
			continue;
		int learned = try_probe(plan->rules[i].path);
		if (learned < 0)
			return err_set(err, ERR_REFUSED, "Landlock does not refuse a device in %s",
				plan->rules[i].path);
		if (learned == 0)
			return 0;
	}
	return err_set(err, ERR_REFUSED, "no place where Landlock could be tried");
}

/* firejail is the first process, and starts us by a shell. */
struct expected {
	pid_t self, parent, first;
};

static bool is_expected(const struct expected *e, pid_t pid)
{
	return pid == e->self || pid == e->parent || pid == e->first;
}

int verify_proc(const struct plan *plan, struct err *err)
{
	const bool firejail = plan_is_firejail(plan);
	const pid_t self = getpid();
	const struct expected expected = {self, firejail ? getppid() : self, firejail ? 1 : self};
	DIR *proc = opendir("/proc");
	int result = 0;
	bool shows_us = false;
	if (!proc)
		return err_set_errno(err, "/proc");
	for (struct dirent *entry; result == 0 && (entry = readdir(proc));) {
		pid_t pid = entry->d_name[0] >= '0' && entry->d_name[0] <= '9' ? atoi(entry->d_name)
									       : 0;
		shows_us |= pid == self;
		if (pid && !is_expected(&expected, pid))
			result = err_set(err, ERR_REFUSED, "/proc shows process %s", entry->d_name);
	}
	closedir(proc);
	if (result == 0 && !shows_us)
		return err_set(err, ERR_REFUSED, "/proc does not show the launcher");
	return result;
}

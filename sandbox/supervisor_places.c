#include "config.h"

#include "sandbox/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"

/* Where a command may write, its supervisor holds a shared lock on the directory (flock) as long as it lives. An engine that
   mounts something inside does so with root's rights: a command that is at work there meanwhile could put a symlink into its
   way. So the directories on the way are locked for us alone while a container is started. */

/* For the start of a container of somebody else, which is short; so nobody's lock holds a command up for ever. */
#define SHARE_MS 30000
#define PAUSE_MS 20

/* Nobody's command may be given these, and anybody could lock them. */
static const char *const never_given[] = {
	"/", "/home", "/root", "/tmp", "/var", "/var/tmp", "/run", "/usr", "/etc"};

static bool is_writable_place(const struct plan_mount *mount)
{
	return mount->kind == PLAN_BIND && (mount->flags & PLAN_CHECK) && !(mount->flags & PLAN_RO);
}

static void add_once(struct strv *list, const char *path)
{
	if (!strv_has(list, path))
		strv_add(list, path);
}

static void writable_places(const struct plan *plan, struct strv *ret)
{
	for (size_t i = 0; i < plan->mount_count; i++)
		if (is_writable_place(&plan->mounts[i]))
			add_once(ret, plan->mounts[i].target);
	for (size_t i = 0; i < plan->check_count; i++)
		if (is_writable_place(&plan->checks[i]))
			add_once(ret, plan->checks[i].target);
}

/* Mounted by the engine inside of what commands may write. */
static bool is_nested(const struct plan *plan, const struct plan_mount *check)
{
	for (size_t i = 0; i < plan->check_count; i++)
		if (is_writable_place(&plan->checks[i]) &&
			strcmp(plan->checks[i].target, check->target) != 0 &&
			path_is_equal_or_below(check->target, plan->checks[i].target))
			return true;
	return false;
}

static bool is_ever_given(const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(never_given); i++)
		if (strcmp(path, never_given[i]) == 0)
			return false;
	return true;
}

/* All directories that lead there: a command of another console may have been given any of them. */
static void way_to(const char *path, struct strv *ret)
{
	for (const char *at = strrchr(path, '/'); at && at > path;
		at = memrchr(path, '/', (size_t)(at - path))) {
		MEM_AUTO char *dir = mem_strndup(path, (size_t)(at - path));
		if (is_ever_given(dir))
			add_once(ret, dir);
	}
}

static void ways(const struct plan *plan, struct strv *ret)
{
	for (size_t i = 0; i < plan->check_count; i++)
		if (is_nested(plan, &plan->checks[i]))
			way_to(plan->checks[i].target, ret);
}

static void unlock(struct place_locks *locks)
{
	for (size_t i = 0; i < locks->count; i++)
		fd_close(&locks->fds[i]);
	locks->count = 0;
}

/* False: it is locked by somebody. What cannot be opened or locked at all is no directory that a command works in, or lies
   where there are no locks; the latter is refused where it matters (needed). */
static bool lock_one(
	struct place_locks *locks, const char *path, int how, bool needed, struct err *err)
{
	FD_AUTO int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return true;
	if (flock(fd, how | LOCK_NB) != 0) {
		if (errno == EWOULDBLOCK)
			return false;
		if (needed)
			err_set_errno(err, "locking %s", path);
		return true;
	}
	mem_grow(&locks->fds, &locks->cap, locks->count, sizeof(*locks->fds));
	locks->fds[locks->count++] = fd;
	fd = -1;
	return true;
}

/* The path that is locked by somebody, and then none is locked by us; NULL. */
static const char *lock_all(
	struct place_locks *locks, const struct strv *paths, int how, struct err *err)
{
	for (size_t i = 0; i < paths->count && err->code == ERR_NONE; i++) {
		if (lock_one(locks, paths->items[i], how, how == LOCK_EX, err))
			continue;
		unlock(locks);
		return paths->items[i];
	}
	return NULL;
}

/* None is held while another one is waited for, so nobody waits for us in turn. */
static int lock(
	struct supervisor *s, const struct strv *paths, int how, int64_t limit_ms, struct err *err)
{
	int64_t due_ms = clock_mono_ms() + limit_ms;
	const char *busy;
	while ((busy = lock_all(&s->locks, paths, how, err)) != NULL) {
		struct pollfd control = {.fd = s->control_fd, .events = POLLIN};
		if (clock_mono_ms() >= due_ms)
			return err_set(err, ERR_LIMIT,
				how == LOCK_EX ? "%s: another command is at work there, while an "
						 "engine may mount nothing inside"
					       : "%s: somebody has locked it",
				busy);
		if (poll(&control, 1, PAUSE_MS) > 0)
			supervisor_hear_console(s);
		if (s->phase == PHASE_OVER)
			return err_set(err, ERR_REFUSED, "stopped");
	}
	return err->code == ERR_NONE ? 0 : -1;
}

int places_share(struct supervisor *s, struct err *err)
{
	struct strv paths STRV_AUTO = STRV_INIT;
	unlock(&s->locks);
	writable_places(&s->plan, &paths);
	return lock(s, &paths, LOCK_SH, SHARE_MS, err);
}

/* What the engine will follow is what the card showed: under our lock it stays so. */
static int look_at(const struct plan_mount *check, struct err *err)
{
	const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
	struct stat st;
	FD_AUTO int fd = (int)syscall(SYS_openat2, AT_FDCWD, check->target, &how, sizeof(how));
	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set_errno(err, "%s", check->target);
	bool same = check->flags & PLAN_CHECK ? st.st_dev == check->dev && st.st_ino == check->ino
					      : S_ISDIR(st.st_mode) == (check->kind == PLAN_TMPFS);
	if (!same)
		return err_set(err, ERR_REFUSED, "%s is not the one on the card", check->target);
	return 0;
}

int places_alone(struct supervisor *s, struct err *err)
{
	struct strv paths STRV_AUTO = STRV_INIT;
	ways(&s->plan, &paths);
	if (paths.count == 0)
		return 0;
	unlock(&s->locks);
	/* Whoever is at work there is done in the time that ours may take. */
	if (lock(s, &paths, LOCK_EX, (int64_t)s->plan.wall_ms + SHARE_MS, err))
		return -1;
	for (size_t i = 0; i < s->plan.check_count; i++)
		if (is_nested(&s->plan, &s->plan.checks[i]) && look_at(&s->plan.checks[i], err))
			return -1;
	return 0;
}

void places_failed(struct supervisor *s, const struct err *err)
{
	if (s->phase != PHASE_OVER) /* stopped, it is said already why */
		supervisor_fail(s, STAGE_PLACES, err->saved_errno, err->text);
}

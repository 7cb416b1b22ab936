#include "config.h"

#include "sandbox/git_guard_made.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "sandbox/git_guard.h"
#include "sandbox/places_pin.h"

/* The time of last change of a mount point of ours, by which one that a killed run left is known again. */
#define MARK_SECONDS 1
/* Another console removes one just now: that takes a moment. */
#define CLAIM_TRIES 200
#define CLAIM_PAUSE_MS 1

/* Mount points that runs of this process share: removing one under a mount of another run would lift its guard. Against
   other consoles each is locked (flock) as long as we use it; who removes one must be the last. */
struct shared {
	uint64_t dev, ino;
	unsigned runs;
	int lock_fd;
};
static struct shared *shared;
static size_t shared_count, shared_cap;

static struct shared *shared_find(uint64_t dev, uint64_t ino)
{
	for (size_t i = 0; i < shared_count; i++)
		if (shared[i].dev == dev && shared[i].ino == ino)
			return &shared[i];
	return NULL;
}

static void shared_add(uint64_t dev, uint64_t ino, int lock_fd)
{
	mem_grow(&shared, &shared_cap, shared_count, sizeof(*shared));
	shared[shared_count++] =
		(struct shared){.dev = dev, .ino = ino, .runs = 1, .lock_fd = lock_fd};
}

/* Whether no run uses it any more, of ours or of another console; *ret_lock_fd keeps it so. */
static bool shared_drop(uint64_t dev, uint64_t ino, int *ret_lock_fd)
{
	struct shared *entry = shared_find(dev, ino);
	*ret_lock_fd = -1;
	if (entry == NULL || --entry->runs > 0)
		return false;
	*ret_lock_fd = entry->lock_fd;
	*entry = shared[--shared_count];
	if (shared_count == 0) {
		free(shared);
		shared = NULL;
		shared_cap = 0;
	}
	return flock(*ret_lock_fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

static bool is_empty_dir(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	if (stream == NULL) {
		fd_close(&fd);
		return false;
	}
	unsigned entries = 0;
	while (entries <= 2 && readdir(stream))
		entries++;
	closedir(stream);
	return entries == 2;
}

static bool is_empty(int dir_fd, const char *name, const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return is_empty_dir(dir_fd, name);
	return S_ISREG(st->st_mode) && st->st_size == 0;
}

bool git_made_is_ours(int dir_fd, const char *name, const struct stat *st)
{
	bool marked = st->st_uid == geteuid() && st->st_mtim.tv_sec == MARK_SECONDS &&
		      st->st_mtim.tv_nsec == 0;
	return (marked || shared_find(st->st_dev, st->st_ino)) && is_empty(dir_fd, name, st);
}

static int create(int dir_fd, const char *name, bool is_dir)
{
	if (is_dir)
		return mkdirat(dir_fd, name, 0755);
	int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -1;
	return close(fd);
}

static int open_parent(const char *path)
{
	MEM_AUTO char *parent = path_dirname(path);
	return place_open(parent);
}

/* The lock on a mount point; -1: somebody removes it just now, and its name may lead to another one by then. */
static int lock(int dir_fd, const char *name, const struct stat *seen)
{
	struct stat st;
	FD_AUTO int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || (flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
		fstat(fd, &st) != 0 || st.st_ino != seen->st_ino || st.st_nlink == 0)
		return -1;
	int locked = fd;
	fd = -1;
	return locked;
}

/* 1: it is ours and locked; 0: somebody removes it just now. */
static int claim(int dir_fd, const struct place *place, struct stat *ret, struct err *err)
{
	const char *name = path_basename(place->path);
	if (fstatat(dir_fd, name, ret, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : err_set_errno(err, "%s", place->path);
	if (S_ISDIR(ret->st_mode) != place->is_dir || !git_made_is_ours(dir_fd, name, ret))
		return err_set(
			err, ERR_REFUSED, "%s appeared since the card was drawn", place->path);
	struct shared *entry = shared_find(ret->st_dev, ret->st_ino);
	if (entry) {
		entry->runs++;
		return 1;
	}
	int fd = lock(dir_fd, name, ret);
	if (fd < 0)
		return 0;
	shared_add(ret->st_dev, ret->st_ino, fd);
	return 1;
}

static int make(struct place *place, struct err *err)
{
	static const struct timespec mark[2] = {{.tv_sec = MARK_SECONDS}, {.tv_sec = MARK_SECONDS}};
	const char *name = path_basename(place->path);
	struct stat st;
	int claimed = 0;
	FD_AUTO int dir_fd = open_parent(place->path);
	if (dir_fd < 0)
		return err_set_errno(err, "making %s", place->path);
	for (int i = 0; i < CLAIM_TRIES && claimed == 0; i++) {
		if (create(dir_fd, name, place->is_dir) == 0)
			utimensat(dir_fd, name, mark, AT_SYMLINK_NOFOLLOW);
		else if (errno != EEXIST)
			return err_set_errno(err, "making %s", place->path);
		claimed = claim(dir_fd, place, &st, err);
		if (claimed == 0)
			poll(NULL, 0, CLAIM_PAUSE_MS);
	}
	if (claimed == 0)
		err_set(err, ERR_REFUSED, "%s is made and removed by somebody else", place->path);
	if (claimed != 1)
		return -1;
	place->dev = st.st_dev;
	place->ino = st.st_ino;
	return 0;
}

/* Only what is still empty and the very one we made: a hook that somebody put there meanwhile is theirs. */
static void unmake(struct place *place)
{
	const char *name = path_basename(place->path);
	struct stat st;
	FD_AUTO int lock_fd = -1;
	bool last = shared_drop(place->dev, place->ino, &lock_fd);
	FD_AUTO int dir_fd = last ? open_parent(place->path) : -1;
	if (dir_fd >= 0 && fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		st.st_dev == place->dev && st.st_ino == place->ino && is_empty(dir_fd, name, &st))
		unlinkat(dir_fd, name, place->is_dir ? AT_REMOVEDIR : 0);
	place->dev = 0;
	place->ino = 0;
}

void git_guard_unmake(struct confinement *c)
{
	for (size_t i = c->guard_count; i-- > 0;)
		if (c->guards[i].kind == GUARD_MADE && c->guards[i].place.ino != 0)
			unmake(&c->guards[i].place);
}

int git_guard_make(struct confinement *c, struct err *err)
{
	for (size_t i = 0; i < c->guard_count; i++) {
		if (c->guards[i].kind != GUARD_MADE || make(&c->guards[i].place, err) == 0)
			continue;
		git_guard_unmake(c);
		return -1;
	}
	return 0;
}

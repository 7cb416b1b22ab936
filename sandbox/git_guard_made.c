#include "config.h"

#include "sandbox/git_guard_made.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "sandbox/git_guard.h"
#include "sandbox/places_pin.h"

/* The time of last change of a mount point of ours, by which one that a killed run left is known again. */
#define MARK_SECONDS 1

/* Mount points that runs of this process share: removing one under a mount of another run would lift its guard. */
struct shared {
	uint64_t dev, ino;
	unsigned runs;
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

static void shared_add(uint64_t dev, uint64_t ino)
{
	struct shared *entry = shared_find(dev, ino);
	if (entry == NULL) {
		mem_grow(&shared, &shared_cap, shared_count, sizeof(*shared));
		entry = &shared[shared_count++];
		*entry = (struct shared){.dev = dev, .ino = ino};
	}
	entry->runs++;
}

/* Whether no run uses it any more. */
static bool shared_drop(uint64_t dev, uint64_t ino)
{
	struct shared *entry = shared_find(dev, ino);
	if (entry == NULL)
		return false;
	if (--entry->runs > 0)
		return false;
	*entry = shared[--shared_count];
	if (shared_count == 0) {
		free(shared);
		shared = NULL;
		shared_cap = 0;
	}
	return true;
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

static int make(struct place *place, struct err *err)
{
	static const struct timespec mark[2] = {{.tv_sec = MARK_SECONDS}, {.tv_sec = MARK_SECONDS}};
	const char *name = path_basename(place->path);
	FD_AUTO int dir_fd = open_parent(place->path);
	if (dir_fd < 0)
		return err_set_errno(err, "making %s", place->path);
	bool made = create(dir_fd, name, place->is_dir) == 0;
	if (!made && errno != EEXIST)
		return err_set_errno(err, "making %s", place->path);
	if (made)
		utimensat(dir_fd, name, mark, AT_SYMLINK_NOFOLLOW);
	struct stat st;
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_set_errno(err, "%s", place->path);
	if (S_ISDIR(st.st_mode) != place->is_dir || !git_made_is_ours(dir_fd, name, &st))
		return err_set(
			err, ERR_REFUSED, "%s appeared since the card was drawn", place->path);
	place->dev = st.st_dev;
	place->ino = st.st_ino;
	shared_add(place->dev, place->ino);
	return 0;
}

/* Only what is still empty and the very one we made: a hook that somebody put there meanwhile is theirs. */
static void unmake(struct place *place)
{
	const char *name = path_basename(place->path);
	struct stat st;
	bool last = shared_drop(place->dev, place->ino);
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

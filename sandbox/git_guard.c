#include "config.h"

#include "sandbox/git_guard.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "sandbox/git_guard_made.h"
#include "sandbox/places_pin.h"

/* A command could leave thousands of repositories: each guard is a mount, and the launcher reports them in one message. */
#define GIT_GUARDS_MAX 192

/* What git starts programs from, inside a repository's directory. */
static const struct guarded {
	const char *name;
	bool is_dir;
} guarded[] = {{"hooks", true}, {"config", false}, {"config.worktree", false}};

/* A read-only place inside the writable one needs no guard, and a guard there would make it writable again. */
static bool is_readonly_anyway(const struct confinement *c, const char *path)
{
	const struct place *root = places_holding(&c->writable, path);
	for (size_t i = 0; i < c->readonly.count; i++) {
		const char *readonly = c->readonly.items[i].path;
		if (path_is_equal_or_below(path, readonly) &&
			(root == NULL || strlen(readonly) > strlen(root->path)))
			return true;
	}
	return false;
}

static bool has_guard(const struct confinement *c, const char *path)
{
	for (size_t i = 0; i < c->guard_count; i++)
		if (strcmp(c->guards[i].place.path, path) == 0)
			return true;
	return false;
}

static void add(
	struct confinement *c, enum guard_kind kind, const char *path, const struct stat *st)
{
	if (has_guard(c, path) || is_readonly_anyway(c, path))
		return;
	struct place place = {.path = (char *)path, .is_dir = S_ISDIR(st->st_mode)};
	if (kind != GUARD_MADE) {
		place.dev = st->st_dev;
		place.ino = st->st_ino;
	}
	guard_add(c, kind, &place);
}

/* Without these a rename of a directory above the guarded one would carry the guard away and leave its name free. */
void git_guard_way_down(struct confinement *c, const struct place *root, const char *path)
{
	FD_AUTO int root_fd = place_open(root->path);
	if (root_fd < 0 || !path_is_equal_or_below(path, root->path))
		return;
	size_t at = strlen(root->path);
	while (path[at] != '\0') {
		at += 1 + strcspn(path + at + 1, "/");
		if (path[at] == '\0')
			return;
		MEM_AUTO char *dir = mem_strndup(path, at);
		FD_AUTO int fd = place_open_below(root_fd, dir + strlen(root->path) + 1, O_PATH);
		struct stat st;
		if (fd < 0 || fstat(fd, &st) < 0)
			return;
		add(c, GUARD_SELF, dir, &st);
	}
}

static void guard_entry(
	struct confinement *c, int git_fd, const char *repository, const struct guarded *what)
{
	struct stat st;
	MEM_AUTO char *path = path_join(repository, what->name);
	mode_t wanted = what->is_dir ? S_IFDIR : S_IFREG;
	if (fstatat(git_fd, what->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if ((st.st_mode & S_IFMT) != wanted)
			return; /* a symlink cannot be bound: it is compared after the run */
		bool ours = git_made_is_ours(git_fd, what->name, &st);
		add(c, ours ? GUARD_MADE : GUARD_READONLY, path, &st);
		return;
	}
	/* where we cannot make one, the command (same uid, no capabilities) cannot either */
	if (faccessat(git_fd, ".", W_OK | X_OK, 0) < 0)
		return;
	st = (struct stat){.st_mode = wanted};
	add(c, GUARD_MADE, path, &st);
}

static void guard_repository(struct confinement *c, const char *repository)
{
	const struct place *root = places_holding(&c->writable, repository);
	if (root == NULL)
		return;
	FD_AUTO int root_fd = place_open(root->path);
	if (root_fd < 0)
		return;
	git_guard_way_down(c, root, repository);
	const char *below = repository + strlen(root->path);
	FD_AUTO int git_fd = place_open_below(root_fd, *below ? below + 1 : ".", O_PATH);
	struct stat st;
	if (git_fd < 0 || fstat(git_fd, &st) < 0)
		return; /* a symlink: compared, not followed */
	if (S_ISREG(st.st_mode)) {
		/* the link of a worktree or a submodule: pointed elsewhere it would start foreign hooks */
		add(c, GUARD_READONLY, repository, &st);
		return;
	}
	if (!S_ISDIR(st.st_mode))
		return;
	if (*below)
		add(c, GUARD_SELF, repository, &st);
	for (size_t i = 0; i < ARRAY_LEN(guarded); i++)
		guard_entry(c, git_fd, repository, &guarded[i]);
}

void git_guard_protect(struct confinement *c)
{
	for (size_t i = 0; i < c->repositories.count; i++) {
		if (c->guard_count >= GIT_GUARDS_MAX) {
			c->git_depth_reached = true;
			return;
		}
		guard_repository(c, c->repositories.items[i]);
	}
}

void git_guard_drop_made(struct confinement *c)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->guard_count; i++) {
		if (c->guards[i].kind == GUARD_MADE)
			free(c->guards[i].place.path);
		else
			c->guards[kept++] = c->guards[i];
	}
	c->guard_count = kept;
}

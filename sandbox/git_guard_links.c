#include "config.h"

#include "sandbox/git_guard_links.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "sandbox/places_pin.h"

#define LINK_BYTES 8192
/* A command could leave thousands of links: each is a line of the card, and its event must fit into a line of the record. */
#define LINKS_MAX 16

/* The first line of a small plain file without its `prefix`; NULL when it is none. Caller frees. */
static char *read_line(const char *path, const char *prefix)
{
	STR_AUTO struct str text = STR_INIT;
	struct stat st;
	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
		fd_read_file(path, LINK_BYTES, &text, NULL) < 0)
		return NULL;
	size_t skip = strlen(prefix);
	if (strncmp(str_c(&text), prefix, skip) != 0)
		return NULL;
	const char *at = str_c(&text) + skip;
	return mem_strndup(at, strcspn(at, "\r\n"));
}

/* The directory that the file `name` in `dir` names, relative to dir, without symlinks; NULL. */
static char *follow(const char *dir, const char *name, const char *prefix)
{
	MEM_AUTO char *file = path_join(dir, name);
	MEM_AUTO char *line = read_line(file, prefix);
	if (line == NULL || *line == '\0')
		return NULL;
	MEM_AUTO char *joined = path_join(dir, line);
	return realpath(joined, NULL);
}

/* The repository a linked worktree belongs to, when its entry there names this link; NULL. */
static char *confirmed_common(const struct confinement *c, const char *link, const char *git_dir)
{
	MEM_AUTO char *back = follow(git_dir, "gitdir", "");
	MEM_AUTO char *common = follow(git_dir, "commondir", "");
	if (back == NULL || common == NULL || strcmp(back, link) != 0 ||
		places_holding(&c->writable, common) != NULL)
		return NULL;
	MEM_AUTO char *entries = path_join(common, "worktrees");
	MEM_AUTO char *holder = path_dirname(git_dir);
	return strcmp(entries, holder) == 0 ? STEAL(common) : NULL;
}

static bool show_readonly(struct confinement *c, const char *dir, struct pins *pins)
{
	FD_AUTO int fd = place_open(dir);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISDIR(st.st_mode))
		return false;
	places_add(&c->readonly, dir, st.st_dev, st.st_ino, true);
	if (pins) {
		pins_take(pins, fd);
		fd = -1;
	}
	return true;
}

static void look(struct confinement *c, const char *link, struct pins *pins)
{
	MEM_AUTO char *dir = path_dirname(link);
	MEM_AUTO char *git_dir = follow(dir, ".git", "gitdir: ");
	if (git_dir == NULL || places_holding(&c->writable, git_dir) != NULL)
		return;
	bool visible = places_holding(&c->readonly, git_dir) != NULL;
	if (!visible) {
		MEM_AUTO char *common = confirmed_common(c, link, git_dir);
		visible = common && show_readonly(c, common, pins);
	}
	strv_printf(&c->git_outside, "%s -> %s (%s)", link, git_dir,
		visible ? "read-only" : "not visible inside; readonly_paths adds it");
}

void git_links_outside(struct confinement *c, struct pins *pins)
{
	for (size_t i = 0; i < c->repositories.count; i++) {
		if (c->git_outside.count == LINKS_MAX) {
			strv_add(&c->git_outside, "and perhaps more");
			return;
		}
		const char *path = c->repositories.items[i];
		struct stat st;
		if (strcmp(path_basename(path), ".git") == 0 && lstat(path, &st) == 0 &&
			S_ISREG(st.st_mode))
			look(c, path, pins);
	}
}

#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "sandbox/git_config_paths.h"
#include "sandbox/git_guard.h"
#include "sandbox/git_guard_made.h"
#include "sandbox/places_scan.h"

#define CONTENT_BYTES (1u << 20) /* a larger file is told apart by size and times */
#define ENTRIES_MAX 20000        /* of modules and hooks: a command could leave a million */
/* Of all files together: one configuration may include a large file twenty thousand times. */
#define ALL_CONTENT_BYTES (64u << 20)
#define MODULES_DEPTH 6
/* More are counted: who changes ten thousand paths must not get the line of the record that tells of it refused as too long. */
#define CHANGED_MAX 64

struct item {
	char *path;
	struct digest digest;
};
struct git_snapshot {
	struct item *items;
	size_t count, cap;
	struct strv repositories;
	unsigned budget;
	size_t content_left; /* bytes that may still be read */
};

static void add_item(struct git_snapshot *s, const char *path, struct digest_builder *b)
{
	mem_grow(&s->items, &s->cap, s->count, sizeof(*s->items));
	struct item *item = &s->items[s->count++];
	item->path = mem_strdup(path);
	digest_end(b, &item->digest);
}

static bool spend(struct git_snapshot *s)
{
	if (s->budget == 0)
		return false;
	s->budget--;
	return true;
}

/* Content where it is a plain file of modest size; *ret_text (may be NULL) gets it as well. Never opens a FIFO or a device. */
static void digest_content(
	struct git_snapshot *s, struct digest_builder *b, const char *path, struct str *ret_text)
{
	STR_AUTO struct str text = STR_INIT;
	struct stat st;
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	size_t most = s->content_left < CONTENT_BYTES ? s->content_left : CONTENT_BYTES;
	digest_add_u64(b, "size", (uint64_t)st.st_size);
	digest_add_u64(b, "mode", st.st_mode & 0777);
	FD_AUTO int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool whole = fd >= 0 && fd_read_all(fd, most, &text, NULL) == 0;
	s->content_left -= text.len < most ? text.len : most;
	if (whole) {
		digest_add(b, "content", text.data, text.len);
	} else {
		digest_add_u64(b, "changed", (uint64_t)st.st_ctim.tv_sec);
		digest_add_u64(b, "changed_ns", (uint64_t)st.st_ctim.tv_nsec);
	}
	if (ret_text) {
		str_release(ret_text);
		*ret_text = text;
		text = (struct str)STR_INIT;
	}
}

/* One file as it is: its kind, the text of a symlink, and the content behind. */
static void add_file(struct git_snapshot *s, const char *path, struct str *ret_text)
{
	char target[4096];
	struct stat st;
	if (lstat(path, &st) < 0 || !spend(s))
		return;
	struct digest_builder *b = digest_begin();
	digest_add_u64(b, "kind", st.st_mode & S_IFMT);
	ssize_t len = S_ISLNK(st.st_mode) ? readlink(path, target, sizeof(target)) : -1;
	if (len >= 0)
		digest_add(b, "link", target, (size_t)len);
	digest_content(s, b, path, ret_text);
	add_item(s, path, b);
}

static bool ends_in_sample(const char *name)
{
	size_t len = strlen(name);
	return len > 7 && strcmp(name + len - 7, ".sample") == 0;
}

/* Calls `each` for every entry but the dots. */
static void each_entry(struct git_snapshot *s, const char *dir,
	void (*each)(struct git_snapshot *s, const char *path, const char *name, unsigned depth),
	unsigned depth)
{
	DIR *stream = opendir(dir);
	if (stream == NULL)
		return;
	for (struct dirent *entry; (entry = readdir(stream)) && spend(s);) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		MEM_AUTO char *path = path_join(dir, entry->d_name);
		each(s, path, entry->d_name, depth);
	}
	closedir(stream);
}

static void add_hook(struct git_snapshot *s, const char *path, const char *name, unsigned depth)
{
	(void)depth;
	if (!ends_in_sample(name)) /* git never runs these */
		add_file(s, path, NULL);
}

static void add_hooks(struct git_snapshot *s, const char *dir)
{
	struct stat st;
	if (lstat(dir, &st) < 0)
		return;
	if (S_ISLNK(st.st_mode))
		add_file(s, dir, NULL);
	each_entry(s, dir, add_hook, 0);
}

static bool made_by_us(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && git_made_is_ours(AT_FDCWD, path, &st);
}

/* A path of a configuration as a person would name it. */
static char *written_in(const char *dir, const char *path)
{
	MEM_AUTO char *joined = path_join(dir, path);
	char *resolved = realpath(joined, NULL);
	return resolved ? resolved : path_normalize(joined);
}

/* A configuration, and what it pulls in. worktree: what a relative hooksPath starts from. */
static void add_config(struct git_snapshot *s, const char *git_dir, const char *name)
{
	MEM_AUTO char *path = path_join(git_dir, name);
	STR_AUTO struct str text = STR_INIT;
	struct strv includes CLEANUP(strv_release) = STRV_INIT;
	struct strv hooks CLEANUP(strv_release) = STRV_INIT;
	if (made_by_us(path))
		return;
	add_file(s, path, &text);
	git_config_paths(str_c(&text), text.len, &includes, &hooks);
	MEM_AUTO char *worktree = path_dirname(git_dir);
	for (size_t i = 0; i < includes.count; i++) {
		MEM_AUTO char *included = written_in(git_dir, includes.items[i]);
		add_file(s, included, NULL);
	}
	for (size_t i = 0; i < hooks.count; i++) {
		MEM_AUTO char *dir = written_in(worktree, hooks.items[i]);
		add_hooks(s, dir);
	}
}

static void add_git_dir(struct git_snapshot *s, const char *git_dir, unsigned depth);

static void add_worktree(struct git_snapshot *s, const char *path, const char *name, unsigned depth)
{
	static const char *const files[] = {"gitdir", "commondir", "config.worktree"};
	(void)name;
	(void)depth;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		MEM_AUTO char *file = path_join(path, files[i]);
		add_file(s, file, NULL);
	}
}

/* Names of modules may hold slashes: a directory without HEAD is only a part of one. */
static void add_module(struct git_snapshot *s, const char *path, const char *name, unsigned depth)
{
	struct stat st;
	(void)name;
	if (depth > MODULES_DEPTH || lstat(path, &st) < 0)
		return;
	if (!S_ISDIR(st.st_mode)) {
		add_file(s, path, NULL);
		return;
	}
	MEM_AUTO char *head = path_join(path, "HEAD");
	if (lstat(head, &st) == 0)
		add_git_dir(s, path, depth + 1);
	else
		each_entry(s, path, add_module, depth + 1);
}

static void add_git_dir(struct git_snapshot *s, const char *git_dir, unsigned depth)
{
	MEM_AUTO char *commondir = path_join(git_dir, "commondir");
	MEM_AUTO char *hooks = path_join(git_dir, "hooks");
	MEM_AUTO char *modules = path_join(git_dir, "modules");
	MEM_AUTO char *worktrees = path_join(git_dir, "worktrees");
	add_file(s, commondir, NULL);
	add_config(s, git_dir, "config");
	add_config(s, git_dir, "config.worktree");
	add_hooks(s, hooks);
	each_entry(s, modules, add_module, depth);
	each_entry(s, worktrees, add_worktree, depth);
}

static void add_repository(struct git_snapshot *s, const char *path)
{
	struct stat st;
	if (lstat(path, &st) < 0)
		return;
	if (!S_ISDIR(st.st_mode)) {
		add_file(s, path, NULL);
		return;
	}
	struct digest_builder *b = digest_begin();
	digest_add_u64(b, "dev", st.st_dev);
	digest_add_u64(b, "ino", st.st_ino);
	add_item(s, path, b);
	add_git_dir(s, path, 0);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->path, ((const struct item *)b)->path);
}

static struct git_snapshot *collect(const struct strv *repositories)
{
	struct git_snapshot *s = mem_alloc(sizeof(*s));
	s->budget = ENTRIES_MAX;
	s->content_left = ALL_CONTENT_BYTES;
	strv_copy(&s->repositories, repositories);
	for (size_t i = 0; i < repositories->count; i++)
		add_repository(s, repositories->items[i]);
	if (s->count > 0)
		qsort(s->items, s->count, sizeof(*s->items), by_path);
	return s;
}

struct git_snapshot *git_guard_snapshot(const struct confinement *c)
{
	return collect(&c->repositories);
}

void git_snapshot_free(struct git_snapshot *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->count; i++)
		free(s->items[i].path);
	free(s->items);
	strv_release(&s->repositories);
	free(s);
}

static int by_text(const void *text, const void *item)
{
	return strcmp(text, *(char *const *)item);
}

static bool sorted_has(const struct strv *sorted, const char *text)
{
	return sorted->count > 0 &&
	       bsearch(text, sorted->items, sorted->count, sizeof(*sorted->items), by_text) != NULL;
}

/* One line for a repository that is new, gone or another: not one for each file in it. Both lists are sorted: a command can
   leave ten thousand repositories, and the console does nothing else meanwhile. */
static bool told_already(
	const struct strv *changed, const struct strv *repositories, const char *path)
{
	MEM_AUTO char *above = mem_strdup(path);
	if (sorted_has(changed, path))
		return true;
	for (char *slash; (slash = strrchr(above, '/')) && slash != above;) {
		*slash = '\0';
		if (sorted_has(changed, above) && sorted_has(repositories, above))
			return true;
	}
	return false;
}

static void compare(const struct git_snapshot *a, const struct git_snapshot *b,
	const struct strv *repositories, struct strv *ret_changed)
{
	size_t i = 0, k = 0;
	while (i < a->count || k < b->count) {
		int order = i == a->count   ? 1
			    : k == b->count ? -1
					    : by_path(&a->items[i], &b->items[k]);
		const char *path = order <= 0 ? a->items[i].path : b->items[k].path;
		bool same = order == 0 && digest_equal(&a->items[i].digest, &b->items[k].digest);
		if (!same && !told_already(ret_changed, repositories, path))
			strv_add(ret_changed, path);
		i += order <= 0;
		k += order >= 0;
	}
}

static void shorten(struct strv *changed)
{
	if (changed->count <= CHANGED_MAX)
		return;
	size_t more = changed->count - CHANGED_MAX;
	for (size_t i = CHANGED_MAX; i < changed->count; i++)
		free(changed->items[i]);
	changed->count = CHANGED_MAX;
	changed->items[CHANGED_MAX] = NULL;
	strv_printf(changed, "and %zu more", more);
}

void git_guard_compare(
	const struct git_snapshot *before, const struct confinement *c, struct strv *ret_changed)
{
	struct scan_found found;
	scan_writable(&c->writable, &found);
	struct git_snapshot *after = collect(&found.repositories);
	struct strv all CLEANUP(strv_release) = STRV_INIT;
	strv_copy(&all, &before->repositories);
	strv_copy(&all, &found.repositories);
	strv_sort(&all);
	compare(before, after, &all, ret_changed);
	shorten(ret_changed);
	if (after->budget == 0)
		strv_printf(
			ret_changed, "perhaps more: only %d entries were compared", ENTRIES_MAX);
	git_snapshot_free(after);
	scan_found_release(&found);
}

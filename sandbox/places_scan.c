#include "config.h"

#include "sandbox/places_scan.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/places_pin.h"

struct scan {
	const char *root;
	int root_fd;
	unsigned depth; /* of the directory being read */
	bool sockets_only;
	unsigned *budget;
	struct strv next; /* directories of the next level */
	struct scan_found *found;
};

/* What makes a directory a repository without a `.git`: git looks for just these. */
enum bare_sign { BARE_HEAD = 1 << 0, BARE_OBJECTS = 1 << 1, BARE_REFS = 1 << 2, BARE_ALL = 7 };

static const struct bare_name {
	const char *name;
	unsigned sign;
} bare_names[] = {{"HEAD", BARE_HEAD}, {"objects", BARE_OBJECTS}, {"refs", BARE_REFS}};

void scan_found_release(struct scan_found *found)
{
	strv_release(&found->repositories);
	strv_release(&found->sockets);
}

static char *path_of(const struct scan *scan, const char *dir, const char *name)
{
	if (strcmp(dir, ".") == 0)
		return name ? mem_printf("%s/%s", scan->root, name) : mem_strdup(scan->root);
	return name ? mem_printf("%s/%s/%s", scan->root, dir, name)
		    : mem_printf("%s/%s", scan->root, dir);
}

static unsigned char type_of(int dir_fd, const struct dirent *entry)
{
	struct stat st;
	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type;
	if (fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return DT_UNKNOWN;
	return (unsigned char)IFTODT(st.st_mode);
}

static unsigned bare_sign_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(bare_names); i++)
		if (strcmp(name, bare_names[i].name) == 0)
			return bare_names[i].sign;
	return 0;
}

static void take_entry(struct scan *scan, int dir_fd, const char *dir, const struct dirent *entry)
{
	unsigned char type = type_of(dir_fd, entry);
	if (!scan->sockets_only && strcmp(entry->d_name, ".git") == 0) {
		/* a symlink as `.git` is a repository for git: what it leads to is compared, not followed here */
		strv_take(&scan->found->repositories, path_of(scan, dir, ".git"));
		return;
	}
	if ((type == DT_SOCK || type == DT_FIFO) && scan->depth < SCAN_SOCKET_DEPTH &&
		scan->found->sockets.count < SCAN_SOCKETS)
		strv_take(&scan->found->sockets, path_of(scan, dir, entry->d_name));
	if (type == DT_DIR)
		strv_take(&scan->next, strcmp(dir, ".") == 0
					       ? mem_strdup(entry->d_name)
					       : mem_printf("%s/%s", dir, entry->d_name));
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Owns fd. */
static void read_dir(struct scan *scan, int fd, const char *dir)
{
	DIR *stream = fdopendir(fd);
	if (stream == NULL) {
		close(fd);
		return;
	}
	unsigned bare = 0;
	for (struct dirent *entry; (entry = readdir(stream));) {
		if (is_dots(entry->d_name))
			continue;
		if (*scan->budget == 0) {
			scan->found->depth_reached = true;
			break;
		}
		--*scan->budget;
		bare |= bare_sign_of(entry->d_name);
		take_entry(scan, fd, dir, entry);
	}
	closedir(stream);
	if (bare == BARE_ALL && !scan->sockets_only)
		strv_take(&scan->found->repositories, path_of(scan, dir, NULL));
}

/* The last level is not read: only its `.git` is asked for. */
static void look_last(struct scan *scan, int fd, const char *dir)
{
	struct stat st;
	if (fstatat(fd, ".git", &st, AT_SYMLINK_NOFOLLOW) == 0)
		strv_take(&scan->found->repositories, path_of(scan, dir, ".git"));
	/* two links: no directory below (filesystems that do not count them say 1) */
	if (fstat(fd, &st) < 0 || st.st_nlink != 2)
		scan->found->depth_reached = true;
	close(fd);
}

static void scan_level(struct scan *scan, const struct strv *dirs)
{
	for (size_t i = 0; i < dirs->count; i++) {
		int fd = place_open_below(scan->root_fd, dirs->items[i], O_RDONLY | O_DIRECTORY);
		if (fd < 0)
			continue;
		if (scan->depth < SCAN_DEPTH)
			read_dir(scan, fd, dirs->items[i]);
		else
			look_last(scan, fd, dirs->items[i]);
	}
}

static void scan_root(struct scan *scan, unsigned last_depth)
{
	FD_AUTO int root_fd = place_open(scan->root);
	if (root_fd < 0)
		return;
	scan->root_fd = root_fd;
	struct strv dirs = STRV_INIT;
	strv_add(&dirs, ".");
	for (; scan->depth <= last_depth && dirs.count > 0; scan->depth++) {
		scan_level(scan, &dirs);
		strv_release(&dirs);
		dirs = scan->next;
		scan->next = (struct strv)STRV_INIT;
	}
	strv_release(&dirs);
}

static void scan_places(const struct places *places, bool sockets_only, struct scan_found *found)
{
	unsigned budget = SCAN_ENTRIES;
	for (size_t i = 0; i < places->count; i++) {
		struct scan scan = {.root = places->items[i].path,
			.sockets_only = sockets_only,
			.budget = &budget,
			.found = found};
		if (places->items[i].is_dir)
			scan_root(&scan, sockets_only ? SCAN_SOCKET_DEPTH - 1 : SCAN_DEPTH);
	}
}

void scan_writable(const struct places *writable, struct scan_found *ret)
{
	memset(ret, 0, sizeof(*ret));
	scan_places(writable, false, ret);
	strv_sort(&ret->repositories);
	strv_sort(&ret->sockets);
}

void scan_readonly(const struct places *readonly, struct strv *ret_sockets)
{
	struct scan_found found = {0};
	scan_places(readonly, true, &found);
	strv_sort(&found.sockets);
	strv_copy(ret_sockets, &found.sockets);
	scan_found_release(&found);
}

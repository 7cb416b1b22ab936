#include "config.h"

#include "sandbox/host_wrapper.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "sandbox/places_pin.h"

static void say(struct wrapper *w, const char *path, enum wrapper_trouble trouble, const char *why)
{
	if (w->why[0] != '\0')
		return; /* the first one found is what a person expects to be used */
	w->trouble = trouble;
	w->cause = why;
	MEM_AUTO char *shown = text_escaped(path);
	MEM_AUTO char *text = mem_printf("%s %s", shown, why);
	text_fit(text, w->why, sizeof(w->why));
}

/* The sticky bit keeps others from replacing an entry of /tmp, but not from adding one: still not trusted. */
static const char *distrust(const struct stat *st)
{
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return "belongs to somebody else";
	if (st->st_mode & 0022)
		return "can be written by others";
	return NULL;
}

/* By device and inode: the lists hold paths as they were written, links and all. */
struct writable_places {
	struct stat *items;
	size_t count;
};

static void writable_places_release(struct writable_places *places)
{
	free(places->items);
}

static void look_at_all(const struct strv *paths, struct writable_places *ret)
{
	size_t count = paths ? paths->count : 0;
	*ret = (struct writable_places){.items = mem_array(count + 1, sizeof(*ret->items))};
	for (size_t i = 0; i < count; i++)
		if (stat(paths->items[i], &ret->items[ret->count]) == 0)
			ret->count++;
}

static bool is_one_of(const struct writable_places *writable, const struct stat *dir)
{
	for (size_t i = 0; i < writable->count; i++)
		if (writable->items[i].st_dev == dir->st_dev &&
			writable->items[i].st_ino == dir->st_ino)
			return true;
	return false;
}

/* The directories that lead to `path`, up to the root. */
static const char *distrust_way(const char *path, const struct writable_places *writable)
{
	MEM_AUTO char *at = path_dirname(path);
	for (;;) {
		struct stat st;
		if (stat(at, &st) < 0)
			return "lies where we cannot look";
		if (is_one_of(writable, &st))
			return "lies in a place that commands may write";
		if (distrust(&st))
			return "lies below a directory that others can change";
		if (strcmp(at, "/") == 0)
			return NULL;
		char *up = path_dirname(at);
		free(at);
		at = up;
	}
}

/* It cannot be run by its descriptor, and what it runs is not known: podman comes as such a docker. */
static bool is_script(const char *path)
{
	char begin[2];
	FD_AUTO int fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, begin, sizeof(begin)) == 2 && memcmp(begin, "#!", 2) == 0;
}

static const char *objection(const char *candidate, const char *resolved, const struct stat *st,
	const struct writable_places *writable, bool chosen)
{
	const char *why = distrust(st);
	if (why == NULL && !chosen && is_script(resolved))
		why = "is a script, which stands for another program: that one is needed";
	if (why == NULL)
		why = distrust_way(resolved, writable);
	/* the name we came by counts too: a link in a writable place could be pointed elsewhere */
	if (why == NULL && strcmp(candidate, resolved) != 0)
		why = distrust_way(candidate, writable);
	return why;
}

static bool take(struct wrapper *w, const char *candidate, const struct writable_places *writable,
	bool chosen)
{
	if (access(candidate, F_OK) != 0)
		return false;
	MEM_AUTO char *resolved = realpath(candidate, NULL);
	if (resolved == NULL)
		return false;
	FD_AUTO int fd = place_open(resolved);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !(st.st_mode & 0111))
		return false;
	const char *why = objection(candidate, resolved, &st, writable, chosen);
	if (why) {
		say(w, candidate, WRAPPER_NOT_TRUSTED, why);
		return false;
	}
	*w = (struct wrapper){
		.path = STEAL(resolved), .fd = fd, .dev = st.st_dev, .ino = st.st_ino};
	fd = -1;
	return true;
}

static void find(const char *name, const char *search_path, const struct strv *writable,
	bool chosen, struct wrapper *ret)
{
	struct writable_places places CLEANUP(writable_places_release) = {0};
	*ret = (struct wrapper){.fd = -1};
	look_at_all(writable, &places);
	MEM_AUTO char *copy = mem_strdup(search_path ? search_path : "");
	char *rest = copy;
	for (char *dir; (dir = strsep(&rest, ":"));) {
		if (dir[0] != '/')
			continue;
		MEM_AUTO char *candidate = path_join(dir, name);
		if (take(ret, candidate, &places, chosen))
			return;
	}
	if (ret->why[0] != '\0')
		return;
	ret->trouble = WRAPPER_ABSENT;
	snprintf(ret->why, sizeof(ret->why), "not installed");
}

void wrapper_find(
	const char *name, const char *search_path, const struct strv *writable, struct wrapper *ret)
{
	find(name, search_path, writable, false, ret);
}

void wrapper_find_chosen(
	const char *name, const char *search_path, const struct strv *writable, struct wrapper *ret)
{
	/* path_join() lets an absolute name win over any directory. */
	find(name, name[0] == '/' ? "/" : search_path, writable, true, ret);
}

/* What keeps it from being root when we start it; root needs no bit for that, but the bit says that it is meant to be. */
static enum wrapper_trouble not_root(const struct wrapper *wrapper, const char **ret_why)
{
	struct stat st;
	struct statvfs fs;
	*ret_why = NULL;
	if (fstat(wrapper->fd, &st) != 0 || st.st_uid != 0)
		*ret_why = "does not belong to root";
	else if (!(st.st_mode & S_ISUID))
		*ret_why = "is not setuid root";
	else if (geteuid() != 0 && (fstatvfs(wrapper->fd, &fs) != 0 || (fs.f_flag & ST_NOSUID)))
		*ret_why = "does not become root: its file system is mounted nosuid";
	if (*ret_why)
		return WRAPPER_NOT_SETUID;
	if (geteuid() == 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0)
		return WRAPPER_FOUND;
	*ret_why = "does not become root: this console was started with no_new_privs";
	return WRAPPER_NO_NEW_PRIVS;
}

void wrapper_needs_root(struct wrapper *wrapper)
{
	const char *why = NULL;
	enum wrapper_trouble trouble = wrapper->path ? not_root(wrapper, &why) : WRAPPER_FOUND;
	if (trouble == WRAPPER_FOUND)
		return;
	say(wrapper, wrapper->path, trouble, why);
	free(STEAL(wrapper->path));
	fd_close(&wrapper->fd);
}

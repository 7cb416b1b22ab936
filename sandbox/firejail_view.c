#include "config.h"

#include "sandbox/firejail_view.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "sandbox/backend_mounts.h"

/* firejail makes these itself: its own /proc, /dev and /sys, and read-only programs. */
static const char *const shown[] = {
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/dev", "/proc"};
/* It puts something of its own there, or closes it. */
static const char *const replaced[] = {
	"/boot", "/etc/hosts", "/etc/hostname", "/etc/ld.so.preload", "/dev", "/proc", "/sys"};
/* Always with something of ours inside. */
static const char *const emptied[] = {"/etc", "/run", "/tmp", "/var"};

static bool is_one_of(const char *const *list, size_t count, const char *path)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i], path) == 0)
			return true;
	return false;
}

static bool is_strictly_below(const char *path, const char *dir)
{
	return strcmp(path, dir) != 0 && path_is_equal_or_below(path, dir);
}

static bool has(const struct places *places, const char *path)
{
	for (size_t i = 0; i < places->count; i++)
		if (strcmp(places->items[i].path, path) == 0)
			return true;
	return false;
}

static enum top_kind kind_of(
	const struct confinement *c, const char *home, const char *path, const struct stat *st)
{
	if (is_one_of(shown, ARRAY_LEN(shown), path) || has(&c->writable, path) ||
		has(&c->readonly, path))
		return TOP_SHOWN;
	if (is_one_of(emptied, ARRAY_LEN(emptied), path))
		return TOP_EMPTIED;
	bool leads = places_any_below(&c->writable, path) || places_any_below(&c->readonly, path) ||
		     (home && path_is_equal_or_below(home, path));
	return S_ISDIR(st->st_mode) && leads ? TOP_EMPTIED : TOP_CLOSED;
}

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=@:~# "

/* What firejail 0.9.72 takes literally: it rejects other signs, reads some as patterns, and cuts blanks at the ends. */
static bool is_plain(const char *path)
{
	size_t len = strlen(path);
	if (len == 0 || path[len - 1] == ' ' || strncmp(path, "${", 2) == 0)
		return false;
	for (const char *at = path; *at; at++)
		if ((unsigned char)*at < 0x80 && !strchr(PLAIN, *at))
			return false;
	return true;
}

static int check_name(const char *path, struct err *err)
{
	if (is_plain(path))
		return 0;
	MEM_AUTO char *text = text_escaped(path);
	return err_set(err, ERR_UNAVAILABLE, "it does not take the name %s", text);
}

static int check_shown(const char *path, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(replaced); i++)
		if (path_is_equal_or_below(path, replaced[i]))
			return err_set(err, ERR_UNAVAILABLE, "it shows its own %s, not the host's",
				replaced[i]);
	return check_name(path, err);
}

static int add_top(
	const struct confinement *c, const char *name, struct firejail_view *view, struct err *err)
{
	MEM_AUTO char *path = path_join("/", name);
	struct stat st;
	/* a link leads to something that is shown, emptied or closed itself */
	if (lstat(path, &st) != 0 || S_ISLNK(st.st_mode))
		return 0;
	enum top_kind kind = kind_of(c, view->home, path, &st);
	if (kind != TOP_SHOWN && check_name(path, err) < 0)
		return -1;
	mem_grow(&view->tops, &view->top_cap, view->top_count, sizeof(*view->tops));
	view->tops[view->top_count++] = (struct top){.path = STEAL(path), .kind = kind};
	return 0;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct top *)a)->path, ((const struct top *)b)->path);
}

static int look_at_root(const struct confinement *c, struct firejail_view *view, struct err *err)
{
	DIR *dir = opendir("/");
	int result = 0;
	if (dir == NULL)
		return err_set_errno(err, "reading /");
	for (struct dirent *entry; result == 0 && (entry = readdir(dir));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			result = add_top(c, entry->d_name, view, err);
	closedir(dir);
	if (view->top_count > 0)
		qsort(view->tops, view->top_count, sizeof(*view->tops), by_path);
	return result;
}

/* A home directory that a place covers, or that lies among the programs, is shown as it is. */
static char *home_to_empty(const struct host *host, const struct confinement *c)
{
	const char *home = host->passwd_home;
	struct stat st;
	if (home == NULL || strcmp(home, "/") == 0 || lstat(home, &st) != 0 ||
		!S_ISDIR(st.st_mode) || is_one_of(emptied, ARRAY_LEN(emptied), home))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(shown); i++)
		if (path_is_equal_or_below(home, shown[i]))
			return NULL;
	for (size_t i = 0; i < c->readonly.count; i++)
		if (path_is_equal_or_below(home, c->readonly.items[i].path))
			return NULL;
	return mem_strdup(home);
}

/* Only what a user owns is made writable again by firejail, and each place below a read-only one needs that. */
static int check_owner(const char *path, struct err *err)
{
	struct stat st;
	if (geteuid() == 0 || (lstat(path, &st) == 0 && st.st_uid == geteuid()))
		return 0;
	MEM_AUTO char *text = text_escaped(path);
	return err_set(err, ERR_UNAVAILABLE,
		"%s belongs to somebody else, and firejail makes only what is yours writable",
		text);
}

bool firejail_view_empties(const struct firejail_view *view, const char *path)
{
	for (size_t i = 0; i < view->top_count; i++)
		if (view->tops[i].kind == TOP_EMPTIED &&
			is_strictly_below(path, view->tops[i].path))
			return true;
	return false;
}

static bool is_below_readonly(const struct confinement *c, const char *path)
{
	for (size_t i = 0; i < c->readonly.count; i++)
		if (is_strictly_below(path, c->readonly.items[i].path))
			return true;
	return false;
}

static int check_places(
	const struct firejail_view *view, const struct confinement *c, struct err *err)
{
	for (size_t i = 0; i < c->readonly.count; i++)
		if (check_shown(c->readonly.items[i].path, err) < 0)
			return -1;
	for (size_t i = 0; i < c->writable.count; i++) {
		const char *path = c->writable.items[i].path;
		bool alone = firejail_view_empties(view, path) && !is_below_readonly(c, path);
		if (check_shown(path, err) < 0 || (!alone && check_owner(path, err) < 0))
			return -1;
	}
	for (size_t i = 0; i < c->guard_count; i++) {
		const struct guard *guard = &c->guards[i];
		if (check_name(guard->place.path, err) < 0 ||
			(guard->kind == GUARD_SELF && check_owner(guard->place.path, err) < 0))
			return -1;
	}
	return 0;
}

/* It writes into the home that it takes for empty: of root it empties /root, whatever the password database says. */
static int check_user(const struct host *host, struct err *err)
{
	if (host->passwd_home == NULL)
		return err_set(err, ERR_UNAVAILABLE,
			"the password database does not know this user, and so it does not run");
	if (geteuid() == 0 && strcmp(host->passwd_home, "/root") != 0)
		return err_set(err, ERR_UNAVAILABLE,
			"it knows /root alone as the home of root, which is another directory "
			"here");
	return 0;
}

/* The private and writable directory at or above a home; NULL: none. */
static const char *base_of(const struct firejail_view *view, const char *home)
{
	if (view->home && path_is_equal_or_below(home, view->home))
		return view->home;
	if (is_strictly_below(home, "/tmp"))
		return "/tmp";
	return view->private_var_tmp && is_strictly_below(home, "/var/tmp") ? "/var/tmp" : NULL;
}

/* Around what it shows there, the directories are root's: the launcher of a user makes nothing in them. */
static bool may_make(const struct confinement *c, const char *base, const char *home)
{
	if (geteuid() == 0 || strcmp(home, base) == 0)
		return true;
	size_t len = strlen(base) + 1;
	MEM_AUTO char *first = mem_strndup(home, len + strcspn(home + len, "/"));
	return !places_any_below(&c->writable, first) && !places_any_below(&c->readonly, first);
}

/* The launcher makes a private HOME with what it holds. */
static int check_home(
	const struct firejail_view *view, const struct confinement *c, struct err *err)
{
	const char *home = c->env.home;
	if (!backend_has_own_home(c) || places_holding(&c->readonly, home) != NULL)
		return 0;
	const char *base = base_of(view, home);
	MEM_AUTO char *text = text_escaped(home);
	if (base == NULL)
		return err_set(err, ERR_UNAVAILABLE,
			"HOME is %s, and it makes nothing private but %s and what lies below /tmp",
			text, view->home ? view->home : "a home directory that is there");
	if (!may_make(c, base, home))
		return err_set(err, ERR_UNAVAILABLE,
			"HOME is %s, beside a place that is shown, where it lets root alone make "
			"a private one",
			text);
	return 0;
}

int firejail_view_make(const struct host *host, const struct confinement *c,
	struct firejail_view *ret, struct err *err)
{
	*ret = (struct firejail_view){0};
	if (check_user(host, err) < 0)
		return -1;
	ret->home = home_to_empty(host, c);
	ret->shows_var_tmp = confinement_shows(c, "/var/tmp");
	ret->private_var_tmp = !ret->shows_var_tmp ||
			       (geteuid() == 0 && !places_holding(&c->readonly, "/var/tmp"));
	if ((ret->home == NULL || check_name(ret->home, err) == 0) &&
		look_at_root(c, ret, err) == 0 && check_places(ret, c, err) == 0 &&
		check_home(ret, c, err) == 0)
		return 0;
	firejail_view_release(ret);
	return -1;
}

void firejail_view_release(struct firejail_view *view)
{
	for (size_t i = 0; i < view->top_count; i++)
		free(view->tops[i].path);
	free(view->tops);
	free(view->home);
	*view = (struct firejail_view){0};
}

#include "config.h"

#include "sandbox/refused_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"

/* Nobody nests deeper than PATH_MAX allows; the bound ends a walk on a filesystem that lies about `..`. */
#define ANCESTORS_MAX (PATH_MAX / 2)

enum reach { REACH_EQUAL, REACH_BELOW /* equal or below */ };

struct node {
	uint64_t dev, ino;
};

struct refused {
	struct node node;
	enum reach reach;
	unsigned uses;
	char *words; /* after "it is", or a whole clause */
};

struct refused_paths {
	struct refused *items;
	size_t count, cap;
};

struct row {
	const char *path;
	enum reach reach;
	unsigned uses;
};

#define BOTH (REFUSED_AS_WRITABLE | REFUSED_AS_READONLY)

static const struct row system_rows[] = {
	{"/usr", REACH_BELOW, REFUSED_AS_WRITABLE},
	{"/etc/shadow", REACH_BELOW, BOTH},
	{"/etc/gshadow", REACH_BELOW, BOTH},
	{"/etc/ssl/private", REACH_BELOW, BOTH},
	{"/etc", REACH_BELOW, REFUSED_AS_WRITABLE},
	/* the whole of it would show shadow to a root console */
	{"/etc", REACH_EQUAL, REFUSED_AS_READONLY},
	{"/boot", REACH_BELOW, REFUSED_AS_WRITABLE},
	{"/dev", REACH_BELOW, BOTH},
	{"/proc", REACH_BELOW, BOTH},
	{"/sys", REACH_BELOW, BOTH},
	{"/run", REACH_BELOW, BOTH},
	{"/var/run", REACH_BELOW, BOTH},
	{"/lib", REACH_BELOW, REFUSED_AS_WRITABLE},
	{"/lib32", REACH_BELOW, REFUSED_AS_WRITABLE},
	{"/lib64", REACH_BELOW, REFUSED_AS_WRITABLE},
	{"/libx32", REACH_BELOW, REFUSED_AS_WRITABLE},
	{"/bin", REACH_BELOW, REFUSED_AS_WRITABLE},
	{"/sbin", REACH_BELOW, REFUSED_AS_WRITABLE},
	{"/", REACH_EQUAL, BOTH},
	{"/var", REACH_EQUAL, REFUSED_AS_WRITABLE},
	{"/root", REACH_EQUAL, REFUSED_AS_WRITABLE},
	{"/home", REACH_EQUAL, REFUSED_AS_WRITABLE},
	{"/tmp", REACH_EQUAL, BOTH},
};

static const char *const key_names[] = {".ssh", ".gnupg", ".aws", ".azure", ".config", ".kube",
	".docker", ".netrc", ".password-store", ".mozilla", ".local/share/keyrings"};
/* A shell outside runs them at its next start; reading them gives nothing away that a key directory would. */
static const char *const startup_names[] = {".bashrc", ".profile", ".zshrc"};

void own_places_release(struct own_places *own)
{
	strv_release(&own->private_dirs);
	strv_release(&own->program_dirs);
	free(own->home);
	free(own->passwd_home);
	memset(own, 0, sizeof(*own));
}

static bool node_equal(const struct node *a, const struct node *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

/* Owns words. The first reason for a place stays: it is the nearest one. */
static void add_node(struct refused_paths *refused, struct node node, enum reach reach,
	unsigned uses, char *words)
{
	for (size_t i = 0; i < refused->count; i++) {
		const struct refused *item = &refused->items[i];
		if (node_equal(&item->node, &node) && item->reach >= reach &&
			(item->uses & uses) == uses) {
			free(words);
			return;
		}
	}
	mem_grow(&refused->items, &refused->cap, refused->count, sizeof(*refused->items));
	refused->items[refused->count++] =
		(struct refused){.node = node, .reach = reach, .uses = uses, .words = words};
}

static bool node_of(const char *path, struct node *ret)
{
	struct stat st;
	if (stat(path, &st) < 0)
		return false;
	*ret = (struct node){st.st_dev, st.st_ino};
	return true;
}

static void add_path(struct refused_paths *refused, const char *path, enum reach reach,
	unsigned uses, const char *what)
{
	struct node node;
	if (!node_of(path, &node))
		return;
	const char *relation = reach == REACH_BELOW ? "it is or is below" : "it is";
	add_node(refused, node, reach, uses, mem_printf("%s %s%s", relation, what, path));
}

/* The next directory up; 0 at the root. */
static int step_up(int *fd, struct node *node)
{
	int up = openat(*fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	if (up < 0 || fstat(up, &st) < 0) {
		fd_close(&up);
		return -1;
	}
	close(*fd);
	*fd = up;
	struct node above = {st.st_dev, st.st_ino};
	bool root = node_equal(&above, node);
	*node = above;
	return root ? 0 : 1;
}

/* Every directory above `path` (and, where the path is not there yet, its nearest existing directory). */
static void add_ancestors(
	struct refused_paths *refused, const char *path, unsigned uses, const char *what)
{
	MEM_AUTO char *at = path_normalize(path);
	int fd = -1;
	bool exists = true;
	while ((fd = open(at, O_PATH | O_CLOEXEC)) < 0 && strcmp(at, "/") != 0) {
		char *up = path_dirname(at);
		free(at);
		at = up;
		exists = false;
	}
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0) {
		fd_close(&fd);
		return;
	}
	struct node node = {st.st_dev, st.st_ino};
	MEM_AUTO char *words = mem_printf("it holds %s%s", what, path);
	if (!exists)
		add_node(refused, node, REACH_EQUAL, uses, mem_strdup(words));
	if (!S_ISDIR(st.st_mode)) {
		/* `..` of a file cannot be opened: go on from the directory that names it */
		MEM_AUTO char *dir = path_dirname(at);
		fd_close(&fd);
		fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 || !node_of(dir, &node)) {
			fd_close(&fd);
			return;
		}
		add_node(refused, node, REACH_EQUAL, uses, mem_strdup(words));
	}
	for (size_t i = 0; i < ANCESTORS_MAX && step_up(&fd, &node) == 1; i++)
		add_node(refused, node, REACH_EQUAL, uses, mem_strdup(words));
	fd_close(&fd);
}

static void add_home(struct refused_paths *refused, const char *home)
{
	if (home == NULL || home[0] != '/' || strcmp(home, "/") == 0)
		return;
	add_path(refused, home, REACH_EQUAL, BOTH, "your home directory ");
	/* read-only as well: above the home lie the key directories of it */
	add_ancestors(refused, home, BOTH, "your home directory ");
	for (size_t i = 0; i < ARRAY_LEN(key_names); i++) {
		MEM_AUTO char *path = path_join(home, key_names[i]);
		struct node node;
		if (!node_of(path, &node))
			continue;
		add_path(refused, path, REACH_BELOW, BOTH, "");
		/* a ~/.ssh that is a link to /data/keys must not be reached through /data */
		add_ancestors(refused, path, BOTH, "");
	}
	for (size_t i = 0; i < ARRAY_LEN(startup_names); i++) {
		MEM_AUTO char *path = path_join(home, startup_names[i]);
		add_path(refused, path, REACH_BELOW, REFUSED_AS_WRITABLE, "");
	}
}

static void add_own(struct refused_paths *refused, const struct own_places *own)
{
	for (size_t i = 0; i < own->private_dirs.count; i++) {
		const char *dir = own->private_dirs.items[i];
		add_path(refused, dir, REACH_BELOW, BOTH, "our own directory ");
		add_ancestors(refused, dir, BOTH, "our own directory ");
	}
	for (size_t i = 0; i < own->program_dirs.count; i++) {
		const char *dir = own->program_dirs.items[i];
		add_path(refused, dir, REACH_EQUAL, REFUSED_AS_WRITABLE,
			"the directory of our programs ");
		add_ancestors(refused, dir, REFUSED_AS_WRITABLE, "our programs in ");
	}
}

struct refused_paths *refused_paths_new(const struct own_places *own)
{
	struct refused_paths *refused = mem_alloc(sizeof(*refused));
	for (size_t i = 0; i < ARRAY_LEN(system_rows); i++) {
		const struct row *row = &system_rows[i];
		add_path(refused, row->path, row->reach, row->uses, "");
	}
	add_home(refused, own->home);
	add_home(refused, own->passwd_home);
	add_own(refused, own);
	return refused;
}

void refused_paths_free(struct refused_paths *refused)
{
	if (refused == NULL)
		return;
	for (size_t i = 0; i < refused->count; i++)
		free(refused->items[i].words);
	free(refused->items);
	free(refused);
}

void refused_paths_free_ptr(struct refused_paths **refused)
{
	refused_paths_free(*refused);
	*refused = NULL;
}

static const struct refused *find(const struct refused_paths *refused, enum refused_use use,
	const struct node *node, bool itself)
{
	for (size_t i = 0; i < refused->count; i++) {
		const struct refused *item = &refused->items[i];
		if ((item->uses & use) && (itself || item->reach == REACH_BELOW) &&
			node_equal(&item->node, node))
			return item;
	}
	return NULL;
}

static int refuse(
	const struct refused *item, enum refused_use use, const char *path, struct err *err)
{
	return err_set(err, ERR_REFUSED, "%s may not be %s: %s", path,
		use == REFUSED_AS_WRITABLE ? "writable" : "handed in read-only", item->words);
}

/* The directory that holds a file: a descriptor of the file itself has no `..`. */
static int open_holder(const char *path)
{
	MEM_AUTO char *dir = path_dirname(path);
	return open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int refused_paths_check(const struct refused_paths *refused, enum refused_use use, int fd,
	const char *path, struct err *err)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return err_set_errno(err, "looking at %s", path);
	struct node node = {st.st_dev, st.st_ino};
	const struct refused *item = find(refused, use, &node, true);
	if (item)
		return refuse(item, use, path, err);
	FD_AUTO int at = S_ISDIR(st.st_mode) ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : open_holder(path);
	if (at < 0 || fstat(at, &st) < 0)
		return err_set_errno(err, "looking above %s", path);
	int more = 1;
	if (node_equal(&node, &(struct node){st.st_dev, st.st_ino}))
		more = step_up(&at, &node);
	else
		node = (struct node){st.st_dev, st.st_ino};
	for (size_t i = 0; more == 1 && i < ANCESTORS_MAX; i++) {
		item = find(refused, use, &node, false);
		if (item)
			return refuse(item, use, path, err);
		more = step_up(&at, &node);
	}
	/* a walk that did not reach the root proves nothing */
	return more == 0 ? 0 : err_set_errno(err, "looking above %s", path);
}

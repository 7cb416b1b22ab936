#include "config.h"

#include "sandbox/refused_paths.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "sandbox/way_up.h"

/* Nobody nests deeper than PATH_MAX allows; the bound ends a walk on a filesystem that lies about `..`. */
#define ANCESTORS_MAX (PATH_MAX / 2)

enum reach { REACH_EQUAL, REACH_BELOW /* equal or below */ };

/* Made into a sentence only when something is refused: there are many, and mostly none is. */
struct because {
	const char *relation, *what, *path; /* text of the program, or kept by the list */
};

struct refused {
	struct node node;
	enum reach reach;
	unsigned uses;
	struct because because;
};

/* A directory whose ancestors are all in the list, for these uses. Of one mount a directory has one way up. */
struct walked {
	struct node node;
	uint64_t mount;
	unsigned uses;
};

struct refused_paths {
	struct refused *items;
	size_t count, cap;
	struct walked *walked;
	size_t walked_count, walked_cap;
	struct strv kept; /* paths of the reasons */
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

/* The first reason for a place stays: it is the nearest one. */
static void add_node(struct refused_paths *refused, struct node node, enum reach reach,
	unsigned uses, struct because because)
{
	for (size_t i = 0; i < refused->count; i++) {
		const struct refused *item = &refused->items[i];
		if (node_equal(&item->node, &node) && item->reach >= reach &&
			(item->uses & uses) == uses)
			return;
	}
	mem_grow(&refused->items, &refused->cap, refused->count, sizeof(*refused->items));
	refused->items[refused->count++] =
		(struct refused){.node = node, .reach = reach, .uses = uses, .because = because};
}

static const char *keep(struct refused_paths *refused, const char *path)
{
	strv_add(&refused->kept, path);
	return refused->kept.items[refused->kept.count - 1];
}

static const char *relation_of(enum reach reach)
{
	return reach == REACH_BELOW ? "it is or is below" : "it is";
}

static bool node_of(const char *path, struct node *ret)
{
	struct stat st;
	if (stat(path, &st) < 0)
		return false;
	*ret = (struct node){st.st_dev, st.st_ino};
	return true;
}

/* path stays where it is as long as the list. */
static void add_path(struct refused_paths *refused, const char *path, enum reach reach,
	unsigned uses, const char *what)
{
	struct node node;
	if (node_of(path, &node))
		add_node(refused, node, reach, uses,
			(struct because){relation_of(reach), what, path});
}

static bool is_walked(const struct refused_paths *refused, const struct place_up *at, unsigned uses)
{
	for (size_t i = 0; at->mount != 0 && i < refused->walked_count; i++) {
		const struct walked *w = &refused->walked[i];
		if (node_equal(&w->node, &at->node) && w->mount == at->mount &&
			(w->uses & uses) == uses)
			return true;
	}
	return false;
}

/* From an open directory to the root, or to where somebody walked already. */
static void climb(struct refused_paths *refused, int *fd, struct place_up *at, unsigned uses,
	struct because because)
{
	size_t before = refused->walked_count;
	int more = 1;
	for (size_t i = 0; i < ANCESTORS_MAX && (more = way_step(fd, at)) == 1; i++) {
		if (is_walked(refused, at, uses))
			return;
		add_node(refused, at->node, REACH_EQUAL, uses, because);
		mem_grow(&refused->walked, &refused->walked_cap, refused->walked_count,
			sizeof(*refused->walked));
		refused->walked[refused->walked_count++] =
			(struct walked){at->node, at->mount, uses};
	}
	/* A way that did not reach the root proves nothing to the next one. */
	if (more != 0)
		refused->walked_count = before;
}

/* Every directory above `path` (and, where the path is not there yet, its nearest existing directory). path as of
   add_path(). */
static void add_ancestors(
	struct refused_paths *refused, const char *path, unsigned uses, const char *what)
{
	MEM_AUTO char *opened = NULL;
	bool exists;
	FD_AUTO int fd = way_open_nearest(path, &opened, &exists);
	struct place_up at;
	if (fd < 0 || way_look(fd, &at) < 0)
		return;
	const struct because because = {"it holds", what, path};
	if (!exists)
		add_node(refused, at.node, REACH_EQUAL, uses, because);
	if (!at.is_dir) {
		/* `..` of a file cannot be opened: go on from the directory that names it */
		MEM_AUTO char *dir = path_dirname(opened);
		fd_close(&fd);
		fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 || way_look(fd, &at) < 0)
			return;
		add_node(refused, at.node, REACH_EQUAL, uses, because);
	}
	climb(refused, &fd, &at, uses, because);
}

static void add_keys(struct refused_paths *refused, const char *home, int home_fd, const char *name)
{
	struct stat st;
	if (fstatat(home_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	MEM_AUTO char *joined = path_join(home, name);
	const char *path = keep(refused, joined);
	/* What lies in the home itself has above it what the home has, and that is in the list. */
	if (strchr(name, '/') == NULL && !S_ISLNK(st.st_mode)) {
		add_node(refused, (struct node){st.st_dev, st.st_ino}, REACH_BELOW, BOTH,
			(struct because){relation_of(REACH_BELOW), "", path});
		return;
	}
	struct node node;
	if (!node_of(path, &node))
		return;
	add_path(refused, path, REACH_BELOW, BOTH, "");
	/* a ~/.ssh that is a link to /data/keys must not be reached through /data */
	add_ancestors(refused, path, BOTH, "");
}

static void add_startup(
	struct refused_paths *refused, const char *home, int home_fd, const char *name)
{
	struct stat st;
	if (fstatat(home_fd, name, &st, 0) != 0)
		return;
	MEM_AUTO char *joined = path_join(home, name);
	add_node(refused, (struct node){st.st_dev, st.st_ino}, REACH_BELOW, REFUSED_AS_WRITABLE,
		(struct because){relation_of(REACH_BELOW), "", keep(refused, joined)});
}

static void add_home(struct refused_paths *refused, const char *home)
{
	if (home == NULL || home[0] != '/' || strcmp(home, "/") == 0)
		return;
	const char *kept = keep(refused, home);
	add_path(refused, kept, REACH_EQUAL, BOTH, "your home directory ");
	/* read-only as well: above the home lie the key directories of it */
	add_ancestors(refused, kept, BOTH, "your home directory ");
	FD_AUTO int fd = open(home, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return; /* then nothing of it is there either */
	for (size_t i = 0; i < ARRAY_LEN(key_names); i++)
		add_keys(refused, home, fd, key_names[i]);
	for (size_t i = 0; i < ARRAY_LEN(startup_names); i++)
		add_startup(refused, home, fd, startup_names[i]);
}

/* Whether it stands in the list before. */
static bool is_repeated(const struct strv *paths, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(paths->items[i], paths->items[at]) == 0)
			return true;
	return false;
}

static void add_own(struct refused_paths *refused, const struct own_places *own)
{
	for (size_t i = 0; i < own->private_dirs.count; i++) {
		if (is_repeated(&own->private_dirs, i))
			continue;
		const char *dir = keep(refused, own->private_dirs.items[i]);
		add_path(refused, dir, REACH_BELOW, BOTH, "our own directory ");
		add_ancestors(refused, dir, BOTH, "our own directory ");
	}
	for (size_t i = 0; i < own->program_dirs.count; i++) {
		if (is_repeated(&own->program_dirs, i))
			continue;
		const char *dir = keep(refused, own->program_dirs.items[i]);
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
	if (own->home == NULL || own->passwd_home == NULL ||
		strcmp(own->home, own->passwd_home) != 0)
		add_home(refused, own->passwd_home);
	add_own(refused, own);
	return refused;
}

void refused_paths_free_ptr(struct refused_paths **refused)
{
	struct refused_paths *gone = STEAL(*refused);

	if (gone == NULL)
		return;
	free(gone->items);
	free(gone->walked);
	strv_release(&gone->kept);
	free(gone);
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
	return err_set(err, ERR_REFUSED, "%s may not be %s: %s %s%s", path,
		use == REFUSED_AS_WRITABLE ? "writable" : "handed in read-only",
		item->because.relation, item->because.what, item->because.path);
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
	struct place_up itself, at;
	if (way_look(fd, &itself) < 0)
		return err_set_errno(err, "looking at %s", path);
	const struct refused *item = find(refused, use, &itself.node, true);
	if (item)
		return refuse(item, use, path, err);
	FD_AUTO int up = itself.is_dir ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : open_holder(path);
	if (up < 0 || way_look(up, &at) < 0)
		return err_set_errno(err, "looking above %s", path);
	int more = node_equal(&itself.node, &at.node) ? way_step(&up, &at) : 1;
	for (size_t i = 0; more == 1 && i < ANCESTORS_MAX; i++) {
		item = find(refused, use, &at.node, false);
		if (item)
			return refuse(item, use, path, err);
		more = way_step(&up, &at);
	}
	/* a walk that did not reach the root proves nothing */
	return more == 0 ? 0 : err_set_errno(err, "looking above %s", path);
}

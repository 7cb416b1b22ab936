#include "config.h"

#include "sandbox/base_set.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

struct row {
	const char *path;
	bool network_only;
};

/* Where a system keeps its programs; with a merged /usr all but the first are links into it. */
static const char *const roots[] = {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

/* File by file: a whole /etc would show shadow and host keys to a root console. Each is a mount at every start. */
static const struct row etc_rows[] = {
	{"/etc/alternatives", false},
	{"/etc/crypto-policies", false},
	{"/etc/fonts", false},
	{"/etc/gitconfig", false},
	{"/etc/group", false},
	{"/etc/hosts", false},
	{"/etc/ld.so.cache", false},
	{"/etc/localtime", false},
	{"/etc/mime.types", false},
	{"/etc/nsswitch.conf", false},
	{"/etc/os-release", false},
	{"/etc/passwd", false},
	{"/etc/perl", false},
	{"/etc/ssl/openssl.cnf", false},
	/* certificates: also read by programs that only check a signature */
	{"/etc/pki/ca-trust", false},
	{"/etc/pki/tls/cert.pem", false},
	{"/etc/pki/tls/certs", false},
	{"/etc/ssl/certs", false},
	{"/etc/gai.conf", true},
	{"/etc/host.conf", true},
	{"/etc/protocols", true},
	{"/etc/resolv.conf", true},
	{"/etc/services", true},
};

/* Versioned directories: JAVA_HOME/conf and python's sitecustomize are links into them. */
static const char *const etc_prefixes[] = {"java-", "python3"};

void base_set_add(struct base_set *set, const char *target, const char *source, const char *link,
	bool is_dir, bool network_only)
{
	mem_grow(&set->items, &set->cap, set->count, sizeof(*set->items));
	set->items[set->count++] = (struct base_entry){.target = mem_strdup(target),
		.source = mem_strdup(source),
		.link = mem_strdup(link),
		.is_dir = is_dir,
		.network_only = network_only};
}

void base_set_release(struct base_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		free(set->items[i].target);
		free(set->items[i].source);
		free(set->items[i].link);
	}
	free(set->items);
	memset(set, 0, sizeof(*set));
}

bool base_set_holds(const char *resolved)
{
	for (size_t i = 0; i < ARRAY_LEN(roots); i++)
		if (path_is_equal_or_below(resolved, roots[i]))
			return true;
	return false;
}

void base_set_visible(struct strv *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(roots); i++)
		strv_add(ret, roots[i]);
}

/* The usual link of a merged /usr, such as /bin: at once a directory there, and no further link. */
static bool is_link_into_usr(const char *text)
{
	const char *at = text + (text[0] == '/');
	struct stat st;
	if (strncmp(at, "usr/", 4) != 0 || strchr(at + 4, '/') != NULL || at[4] == '.')
		return false;
	MEM_AUTO char *resolved = path_join("/", at);
	return lstat(resolved, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A link that leads into the visible part stays a link; any other is bound where it leads. */
static void add_link(struct base_set *set, const char *path, bool network_only)
{
	char text[PATH_MAX];
	ssize_t len = readlink(path, text, sizeof(text) - 1);
	struct stat st;
	if (len < 0)
		return;
	text[len] = '\0';
	if (strrchr(path, '/') == path && is_link_into_usr(text)) {
		base_set_add(set, path, NULL, text, true, network_only);
		return;
	}
	MEM_AUTO char *resolved = realpath(path, NULL);
	if (resolved == NULL || stat(resolved, &st) < 0)
		return;
	if (base_set_holds(resolved))
		base_set_add(set, path, NULL, text, S_ISDIR(st.st_mode), network_only);
	else if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		base_set_add(set, path, resolved, NULL, S_ISDIR(st.st_mode), network_only);
}

/* The directory that was resolved last: the rows of one come together. */
struct parent {
	char *dir, *resolved;
};

static const char *resolve_parent(struct parent *parent, const char *path)
{
	MEM_AUTO char *dir = path_dirname(path);
	if (parent->dir == NULL || strcmp(parent->dir, dir) != 0) {
		free(parent->dir);
		free(parent->resolved);
		parent->resolved = realpath(dir, NULL);
		parent->dir = STEAL(dir);
	}
	return parent->resolved;
}

static void add_path(
	struct base_set *set, struct parent *parent, const char *path, bool network_only)
{
	struct stat st;
	if (lstat(path, &st) < 0)
		return;
	if (S_ISLNK(st.st_mode)) {
		add_link(set, path, network_only);
		return;
	}
	/* a parent may be a link: what is bound is named without any */
	const char *dir = resolve_parent(parent, path);
	if (dir == NULL || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return;
	MEM_AUTO char *resolved = path_join(dir, path_basename(path));
	base_set_add(set, path, resolved, NULL, S_ISDIR(st.st_mode), network_only);
}

static bool is_versioned(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(etc_prefixes); i++)
		if (strncmp(name, etc_prefixes[i], strlen(etc_prefixes[i])) == 0)
			return true;
	return false;
}

static void add_versioned(struct base_set *set, struct parent *parent)
{
	DIR *dir = opendir("/etc");
	if (dir == NULL)
		return;
	struct strv paths CLEANUP(strv_release) = STRV_INIT;
	for (struct dirent *entry; (entry = readdir(dir));)
		if (is_versioned(entry->d_name))
			strv_printf(&paths, "/etc/%s", entry->d_name);
	closedir(dir);
	strv_sort(&paths);
	for (size_t i = 0; i < paths.count; i++)
		add_path(set, parent, paths.items[i], false);
}

void base_set_collect(struct base_set *ret)
{
	struct parent parent = {0};
	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < ARRAY_LEN(roots); i++)
		add_path(ret, &parent, roots[i], false);
	for (size_t i = 0; i < ARRAY_LEN(etc_rows); i++)
		add_path(ret, &parent, etc_rows[i].path, etc_rows[i].network_only);
	add_versioned(ret, &parent);
	free(parent.dir);
	free(parent.resolved);
}

#include "config.h"

#include "sandbox/places_workdir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"

static bool allowed(const struct confinement *c, const char *path)
{
	return places_holding(&c->writable, path) != NULL || strv_has(&c->private_tmp, path);
}

static int not_allowed(const char *asked, const char *resolved, struct err *err)
{
	if (strcmp(asked, resolved) == 0)
		return err_set(err, ERR_REFUSED,
			"%s is not an allowed directory; add it to writable_paths, or ask for "
			"another",
			resolved);
	return err_set(err, ERR_REFUSED,
		"%s leads to %s, which is not an allowed directory; add it to writable_paths, or "
		"ask "
		"for another",
		asked, resolved);
}

static int use_existing(struct confinement *c, const char *asked, char *resolved, struct err *err)
{
	struct stat st;
	if (!allowed(c, resolved))
		return not_allowed(asked, resolved, err);
	if (stat(resolved, &st) < 0)
		return err_set_errno(err, "%s", resolved);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_REFUSED, "%s is a file, not a directory", resolved);
	c->cwd = mem_strdup(resolved);
	return 0;
}

/* Splits `full` behind its longest existing prefix. *ret_prefix is resolved; the result points into full. A dangling
   symlink ends the prefix before it, and is then found by lstat: nothing is made through it. */
static const char *split_missing(char *full, char **ret_prefix)
{
	size_t end = strlen(full);
	for (;;) {
		while (end > 1 && full[end - 1] != '/')
			end--;
		while (end > 1 && full[end - 1] == '/')
			end--;
		char keep = full[end];
		full[end] = '\0';
		*ret_prefix = realpath(full, NULL);
		full[end] = keep;
		if (*ret_prefix || end <= 1)
			break;
	}
	const char *rest = full + end;
	return rest + strspn(rest, "/");
}

static bool dangles(const char *prefix, const char *rest)
{
	MEM_AUTO char *first = mem_strndup(rest, strcspn(rest, "/"));
	MEM_AUTO char *path = path_join(prefix, first);
	struct stat st;
	return lstat(path, &st) == 0;
}

static int use_missing(struct confinement *c, const char *asked, char *full, struct err *err)
{
	MEM_AUTO char *prefix = NULL;
	const char *rest = split_missing(full, &prefix);
	if (prefix == NULL)
		return err_set(err, ERR_REFUSED, "%s cannot be reached", asked);
	/* `made/../../x` means nothing before `made` is there: it is refused rather than guessed. */
	if (path_climbs(rest) || dangles(prefix, rest))
		return err_set(err, ERR_REFUSED, "%s does not exist and cannot be made", asked);
	MEM_AUTO char *joined = path_join(prefix, rest);
	MEM_AUTO char *path = path_normalize(joined);
	if (!allowed(c, prefix) && !allowed(c, path))
		return not_allowed(asked, path, err);
	if (!path_is_equal_or_below(path, c->workspace))
		return err_set(err, ERR_REFUSED,
			"%s does not exist; only below the workspace a missing directory is made",
			path);
	c->cwd = STEAL(path);
	c->cwd_made = true;
	return 0;
}

int places_workdir(struct confinement *c, const char *asked, struct err *err)
{
	if (asked == NULL) {
		c->cwd = mem_strdup(c->workspace);
		return 0;
	}
	if (asked[0] == '\0')
		return err_set(err, ERR_REFUSED, "working_dir is empty");
	MEM_AUTO char *full = path_join(c->workspace, asked);
	MEM_AUTO char *resolved = realpath(full, NULL);
	if (resolved)
		return use_existing(c, asked, resolved, err);
	if (errno != ENOENT)
		return err_set_errno(err, "%s", asked);
	return use_missing(c, asked, full, err);
}

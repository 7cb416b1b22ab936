#include "config.h"

#include "sandbox/machine_mounts.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"

/* proc_pid_mountinfo(5): "36 35 98:0 /root /point rw,noatime - ext4 /dev/x rw", here its fields from the fourth on. */
struct mount_line {
	const char *root, *point, *options, *type;
};

static bool split(char *line, struct mount_line *ret)
{
	char *rest = line;
	for (int skipped = 0; skipped < 3; skipped++)
		strsep(&rest, " ");
	ret->root = strsep(&rest, " ");
	ret->point = strsep(&rest, " ");
	ret->options = strsep(&rest, " ");
	/* Some optional fields, then a dash. */
	while (rest && strncmp(rest, "- ", 2) != 0)
		strsep(&rest, " ");
	strsep(&rest, " ");
	ret->type = strsep(&rest, " ");
	return ret->type != NULL;
}

/* Directories that the kernel keeps empty: a mount there hides nothing. */
static bool is_always_empty(const char *point)
{
	static const char *const empty[] = {"/proc/sys/fs/binfmt_misc", "/proc/fs/nfsd"};
	for (size_t i = 0; i < ARRAY_LEN(empty); i++)
		if (strcmp(point, empty[i]) == 0)
			return true;
	return false;
}

static bool has_option(const char *options, const char *option)
{
	size_t len = strlen(option);
	for (const char *at = options; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strncmp(at, option, len) == 0 && (at[len] == ',' || at[len] == '\0'))
			return true;
	return false;
}

/* A mount over /proc begins anew: what the one below carried is not seen any more. */
static void take(const struct mount_line *line, struct machine *ret)
{
	char *covered = ret->proc_covered;
	if (strcmp(line->point, "/proc") == 0) {
		bool whole = strcmp(line->type, "proc") == 0 && strcmp(line->root, "/") == 0 &&
			     !has_option(line->options, "ro");
		text_fit(whole ? "" : "/proc", covered, sizeof(ret->proc_covered));
	} else if (path_is_equal_or_below(line->point, "/proc") && !is_always_empty(line->point) &&
		   covered[0] == '\0') {
		text_fit(line->point, covered, sizeof(ret->proc_covered));
	}
}

void machine_mounts(const char *mountinfo, struct machine *ret)
{
	MEM_AUTO char *copy = mem_strdup(mountinfo);
	bool root_seen = false;
	char *rest = copy, *line;
	while ((line = strsep(&rest, "\n"))) {
		struct mount_line mount;
		if (!split(line, &mount))
			continue;
		root_seen |= strcmp(mount.point, "/") == 0;
		take(&mount, ret);
	}
	/* Below a changed root only what is mounted there is listed, and the root itself mostly is no mount. */
	ret->changed_root = mountinfo[0] != '\0' && !root_seen;
}

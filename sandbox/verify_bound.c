#include "config.h"

#include "sandbox/verify_bound.h"

#include <string.h>
#include <sys/statvfs.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"

#define MOUNTINFO_BYTES (4u << 20)

/* proc(5): blanks and a few more signs are written as three octal digits. */
static void unescape(char *path)
{
	char *to = path;
	for (const char *from = path; *from; from++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] && from[3]) {
			*to++ = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + from[3] - '0');
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

int bound_read(struct strv *ret, struct err *err)
{
	STR_AUTO struct str text = STR_INIT;
	if (fd_read_file("/proc/self/mountinfo", MOUNTINFO_BYTES, &text, err) != 0)
		return -1;
	char *rest = NULL;
	for (char *line = strtok_r(text.data, "\n", &rest); line;
		line = strtok_r(NULL, "\n", &rest)) {
		char *path = line;
		for (int field = 1; path && field < 5; field++)
			path = strchr(path, ' ') ? strchr(path, ' ') + 1 : NULL;
		if (path == NULL)
			return err_set(err, ERR_SYSTEM, "a line of mountinfo cannot be read");
		path[strcspn(path, " ")] = '\0';
		unescape(path);
		strv_add(ret, path);
	}
	return 0;
}

bool bound_is_readonly(const char *path)
{
	struct statvfs fs;
	return statvfs(path, &fs) == 0 && (fs.f_flag & ST_RDONLY);
}

int bound_verify(const struct strv *mounts, const char *path, bool readonly, struct err *err)
{
	if (!strv_has(mounts, path))
		return err_set(err, ERR_REFUSED, "%s was not bound", path);
	if (readonly && !bound_is_readonly(path))
		return err_set(err, ERR_REFUSED, "%s can be written", path);
	return 0;
}

int verify_bound(const struct plan *plan, struct err *err)
{
	struct strv mounts STRV_AUTO = STRV_INIT;
	if (bound_read(&mounts, err))
		return -1;
	for (size_t i = 0; i < plan->check_count; i++)
		if (bound_verify(
			    &mounts, plan->checks[i].target, plan->checks[i].flags & PLAN_RO, err))
			return -1;
	return 0;
}

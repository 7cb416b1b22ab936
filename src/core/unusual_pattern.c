#include "config.h"

#include "core/unusual_internal.h"

#include <fnmatch.h>
#include <string.h>

#include "base/mem.h"

/* What a pattern may stand for: .gi[t] .g* .{git,cache}. Files are not looked at: that it fits is enough. */

#define TRIES_MAX 64       /* lists in braces multiply: what stands for more may be anything */
#define PART_BYTES_MAX 255 /* no name of a file is longer, and fnmatch() takes its time */

static bool fits(const char *part, const char *name, unsigned *tries);

/* Each text of {a,b} in its place. */
static bool fits_lists(const char *part, const char *open, const char *name, unsigned *tries)
{
	const char *close = strchr(open, '}');
	const char *at = open + 1;

	while (at <= close) {
		size_t len = strcspn(at, ",}");
		MEM_AUTO char *one =
			mem_printf("%.*s%.*s%s", (int)(open - part), part, (int)len, at, close + 1);

		if (fits(one, name, tries))
			return true;
		at += len + 1;
	}
	return false;
}

static bool fits(const char *part, const char *name, unsigned *tries)
{
	const char *open = strchr(part, '{');

	if (++*tries > TRIES_MAX)
		return true;
	if (open != NULL && strchr(open, '}') != NULL)
		return fits_lists(part, open, name, tries);
	return fnmatch(part, name, FNM_PERIOD) == 0;
}

bool pattern_names(const char *path, const char *name)
{
	MEM_AUTO char *want = mem_strndup(name, strcspn(name, "/"));

	if (strpbrk(path, "*?[{") == NULL)
		return false;
	for (const char *at = path; *at != '\0';) {
		size_t len = strcspn(at, "/");

		if (len > 0 && len <= PART_BYTES_MAX) {
			MEM_AUTO char *part = mem_strndup(at, len);

			unsigned tries = 0;

			if (fits(part, want, &tries))
				return true;
		}
		at += len + (at[len] == '/');
	}
	return false;
}

#include "config.h"

#include "app/person.h"

#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"

void person_writable_places(const struct session *s, struct strv *ret)
{
	strv_copy(ret, &s->config.writable_paths);
	strv_add(ret, s->base.workspace);
	for (size_t i = 0; i < s->base.writable.count; i++)
		strv_add(ret, s->base.writable.items[i].path);
}

bool person_may_be_written(const char *path, const struct strv *writable)
{
	for (size_t i = 0; i < writable->count; i++)
		if (path_is_equal_or_below(path, writable->items[i]))
			return true;
	return false;
}

static void add_path(const char *path, const struct strv *writable, struct strv *ret)
{
	MEM_AUTO char *copy = mem_strdup(path != NULL ? path : "");
	struct str kept STR_AUTO = STR_INIT;
	char *rest = copy;

	for (char *dir; (dir = strsep(&rest, ":"));) {
		MEM_AUTO char *plain = path_normalize(dir);

		if (dir[0] == '/' && !person_may_be_written(plain, writable))
			str_printf(&kept, "%s%s", kept.len > 0 ? ":" : "", dir);
	}
	strv_printf(ret, "PATH=%s", kept.len > 0 ? str_c(&kept) : "/usr/local/bin:/usr/bin:/bin");
}

void person_environment(
	const struct session *s, const char *const *names, size_t count, struct strv *ret)
{
	struct strv writable STRV_AUTO = STRV_INIT;

	person_writable_places(s, &writable);
	add_path(environment_value(s->envp, "PATH"), &writable, ret);
	for (size_t i = 0; i < count; i++) {
		const char *value = environment_value(s->envp, names[i]);

		if (value != NULL)
			strv_printf(ret, "%s=%s", names[i], value);
	}
	for (char *const *at = s->envp; *at != NULL; at++)
		if (strncmp(*at, "LC_", 3) == 0)
			strv_add(ret, *at);
}

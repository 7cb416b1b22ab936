#include "config.h"

#include "base/path.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

char *path_join(const char *dir, const char *name)
{
	size_t len = strlen(dir);

	if (name[0] == '/' || len == 0)
		return mem_strdup(name);
	size_t slash = dir[len - 1] == '/' ? 0 : 1;
	size_t name_len = strlen(name);
	char *path = mem_array(len + slash + name_len + 1, 1);

	memcpy(path, dir, len);
	memset(path + len, '/', slash);
	memcpy(path + len + slash, name, name_len + 1);
	return path;
}

/* Takes the last component off what was built, or keeps "..": a relative path may climb. */
static void climb(struct str *out, bool absolute)
{
	const char *data = str_c(out);
	const char *slash = memrchr(data, '/', out->len);
	const char *last = slash == NULL ? data : slash + 1;

	if (*last == '\0' || strcmp(last, "..") == 0) {
		if (!absolute)
			str_add(out, out->len > 0 ? "/.." : "..");
		return;
	}
	size_t keep = slash == NULL ? 0 : (size_t)(slash - data);
	str_truncate(out, absolute && keep == 0 ? 1 : keep);
}

static void append_component(struct str *out, const char *name, size_t len)
{
	if (out->len > 0 && out->data[out->len - 1] != '/')
		str_add_char(out, '/');
	str_add_bytes(out, name, len);
}

char *path_normalize(const char *path)
{
	STR_AUTO struct str out = STR_INIT;
	bool absolute = path[0] == '/';

	if (absolute)
		str_add_char(&out, '/');
	while (*path != '\0') {
		size_t len = strcspn(path, "/");

		if (len == 2 && path[0] == '.' && path[1] == '.')
			climb(&out, absolute);
		else if (len > 0 && !(len == 1 && path[0] == '.'))
			append_component(&out, path, len);
		path += len;
		path += strspn(path, "/");
	}
	if (out.len == 0)
		str_add_char(&out, '.');
	return str_steal(&out);
}

char *path_dirname(const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	while (len > 0 && path[len - 1] != '/')
		len--;
	while (len > 1 && path[len - 1] == '/')
		len--;
	return len == 0 ? mem_strdup(".") : mem_strndup(path, len);
}

const char *path_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

bool path_is_equal_or_below(const char *path, const char *root)
{
	size_t len = strlen(root);

	if (strcmp(root, "/") == 0)
		return path[0] == '/';
	return strncmp(path, root, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

bool path_climbs(const char *path)
{
	for (; *path != '\0'; path += strspn(path, "/")) {
		size_t len = strcspn(path, "/");

		if (len == 2 && memcmp(path, "..", 2) == 0)
			return true;
		path += len;
	}
	return false;
}

char *path_expand_home(const char *path, const char *home)
{
	if (path[0] != '~' || home == NULL)
		return mem_strdup(path);
	if (path[1] == '\0')
		return mem_strdup(home);
	if (path[1] != '/')
		return mem_strdup(path);
	return path_join(home, path + 2);
}

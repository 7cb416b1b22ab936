#include "config.h"

#include "sandbox/git_config_paths.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"

enum section { SECTION_OTHER, SECTION_CORE, SECTION_INCLUDE };

static const struct section_name {
	const char *name;
	enum section section;
} section_names[] = {
	{"core", SECTION_CORE}, {"include", SECTION_INCLUDE}, {"includeif", SECTION_INCLUDE}};

/* "[core]", "[includeIf \"gitdir:x\"]"; at points behind the bracket. Returns where the section ends. */
static const char *read_section(const char *at, enum section *ret)
{
	size_t len = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.");
	*ret = SECTION_OTHER;
	for (size_t i = 0; i < ARRAY_LEN(section_names); i++)
		if (strlen(section_names[i].name) == len &&
			strncasecmp(at, section_names[i].name, len) == 0)
			*ret = section_names[i].section;
	const char *end = strchr(at + len, ']');
	return end ? end + 1 : at + strlen(at);
}

static char *read_value(const char *at)
{
	STR_AUTO struct str value = STR_INIT;
	bool quoted = false;
	for (; *at != '\0' && (quoted || (*at != '#' && *at != ';')); at++) {
		if (*at == '"')
			quoted = !quoted;
		else if (*at == '\\' && at[1] != '\0')
			str_add_char(&value, *++at);
		else
			str_add_char(&value, *at);
	}
	while (value.len > 0 && isspace((unsigned char)value.data[value.len - 1]))
		str_truncate(&value, value.len - 1);
	return str_steal(&value);
}

static void read_key(
	const char *at, enum section section, struct strv *ret_includes, struct strv *ret_hooks)
{
	static const struct {
		enum section section;
		const char *key;
	} keys[] = {{SECTION_CORE, "hookspath"}, {SECTION_INCLUDE, "path"}};
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		size_t len = strlen(keys[i].key);
		if (section != keys[i].section || strncasecmp(at, keys[i].key, len) != 0)
			continue;
		const char *rest = at + len;
		rest += strspn(rest, " \t");
		if (*rest != '=')
			continue;
		rest++;
		rest += strspn(rest, " \t");
		char *value = read_value(rest);
		if (value && *value)
			strv_take(section == SECTION_CORE ? ret_hooks : ret_includes, value);
		else
			free(value);
	}
}

void git_config_paths(
	const char *text, size_t len, struct strv *ret_includes, struct strv *ret_hooks)
{
	MEM_AUTO char *copy = mem_strndup(text, len);
	enum section section = SECTION_OTHER;
	char *rest = copy;
	for (char *line; (line = strsep(&rest, "\n"));) {
		const char *at = line + strspn(line, " \t\r");
		if (*at == '[') {
			at = read_section(at + 1, &section);
			at += strspn(at, " \t");
		}
		read_key(at, section, ret_includes, ret_hooks);
	}
}

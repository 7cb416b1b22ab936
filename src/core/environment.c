#include "config.h"

#include "core/environment.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"

#define PATH_DEFAULT "/usr/local/bin:/usr/bin:/bin"
#define HOME_DEFAULT "/tmp"
#define TMPDIR_DEFAULT "/tmp"

/* Everything a command may learn from the console's own environment. Compiled in: a configuration that
   could add a name would be the way to hand out a token. */
enum env_name {
	ENV_PATH,
	ENV_HOME,
	ENV_TERM,
	ENV_LANG,
	ENV_LC_ALL,
	ENV_LC_CTYPE,
	ENV_USER,
	ENV_SHELL,
	ENV_TMPDIR,
	ENV_NAME_COUNT
};

static const char *const names[ENV_NAME_COUNT] = {
	[ENV_PATH] = "PATH",
	[ENV_HOME] = "HOME",
	[ENV_TERM] = "TERM",
	[ENV_LANG] = "LANG",
	[ENV_LC_ALL] = "LC_ALL",
	[ENV_LC_CTYPE] = "LC_CTYPE",
	[ENV_USER] = "USER",
	[ENV_SHELL] = "SHELL",
	[ENV_TMPDIR] = "TMPDIR",
};

static const char *const group_words[ENV_GROUP_COUNT] = {
	[ENV_GROUP_SECRETS] = "keys and tokens",
	[ENV_GROUP_LINKER] = "dynamic linker",
	[ENV_GROUP_HOOKS] = "interpreter hooks",
	[ENV_GROUP_DATABASE] = "database",
	[ENV_GROUP_OTHER] = "other",
};

/* What a cut name is counted as: the first pattern that fits, in any letter case. It only sorts what is
   shown; all of it is cut. */
static const struct {
	const char *pattern;
	enum env_group group;
} patterns[] = {
	{"LD_*", ENV_GROUP_LINKER},
	{"DYLD_*", ENV_GROUP_LINKER},
	{"GLIBC_TUNABLES", ENV_GROUP_LINKER},
	{"GCONV_PATH", ENV_GROUP_LINKER},
	{"*_KEY", ENV_GROUP_SECRETS},
	{"*_KEY_*", ENV_GROUP_SECRETS},
	{"*APIKEY*", ENV_GROUP_SECRETS},
	{"*TOKEN*", ENV_GROUP_SECRETS},
	{"*SECRET*", ENV_GROUP_SECRETS},
	{"*PASSW*", ENV_GROUP_SECRETS},
	{"*PASSPHRASE*", ENV_GROUP_SECRETS},
	{"*_PASS", ENV_GROUP_SECRETS},
	{"*_PAT", ENV_GROUP_SECRETS},
	{"*CREDENTIAL*", ENV_GROUP_SECRETS},
	{"*_AUTH", ENV_GROUP_SECRETS},
	{"*_AUTH_*", ENV_GROUP_SECRETS},
	{"*COOKIE*", ENV_GROUP_SECRETS},
	{"AWS_*", ENV_GROUP_SECRETS},
	{"SSH_*", ENV_GROUP_SECRETS},
	{"GPG_*", ENV_GROUP_SECRETS},
	{"KUBECONFIG", ENV_GROUP_SECRETS},
	{"KRB5CCNAME", ENV_GROUP_SECRETS},
	{"DATABASE_*", ENV_GROUP_DATABASE},
	{"DB_*", ENV_GROUP_DATABASE},
	{"*_DATABASE_URL", ENV_GROUP_DATABASE},
	{"*_DB_URL", ENV_GROUP_DATABASE},
	{"*_DSN", ENV_GROUP_DATABASE},
	{"REDIS*", ENV_GROUP_DATABASE},
	{"MYSQL*", ENV_GROUP_DATABASE},
	{"MARIADB*", ENV_GROUP_DATABASE},
	{"PG*", ENV_GROUP_DATABASE},
	{"POSTGRES*", ENV_GROUP_DATABASE},
	{"MONGO*", ENV_GROUP_DATABASE},
	{"SQLALCHEMY_*", ENV_GROUP_DATABASE},
	{"BASH_ENV", ENV_GROUP_HOOKS},
	{"BASH_FUNC_*", ENV_GROUP_HOOKS},
	{"BASHOPTS", ENV_GROUP_HOOKS},
	{"SHELLOPTS", ENV_GROUP_HOOKS},
	{"ENV", ENV_GROUP_HOOKS},
	{"IFS", ENV_GROUP_HOOKS},
	{"PS4", ENV_GROUP_HOOKS},
	{"CDPATH", ENV_GROUP_HOOKS},
	{"ZDOTDIR", ENV_GROUP_HOOKS},
	{"PROMPT_COMMAND", ENV_GROUP_HOOKS},
	{"NODE_*", ENV_GROUP_HOOKS},
	{"NPM_CONFIG_*", ENV_GROUP_HOOKS},
	{"PYTHON*", ENV_GROUP_HOOKS},
	{"RUBY*", ENV_GROUP_HOOKS},
	{"GEM_*", ENV_GROUP_HOOKS},
	{"BUNDLE_*", ENV_GROUP_HOOKS},
	{"PERL*", ENV_GROUP_HOOKS},
	{"LUA_*", ENV_GROUP_HOOKS},
	{"PHP*", ENV_GROUP_HOOKS},
	{"JAVA_TOOL_OPTIONS", ENV_GROUP_HOOKS},
	{"_JAVA_OPTIONS", ENV_GROUP_HOOKS},
	{"JDK_JAVA_OPTIONS", ENV_GROUP_HOOKS},
	{"CLASSPATH", ENV_GROUP_HOOKS},
	{"GIT_*", ENV_GROUP_HOOKS},
	{"RUSTC_WRAPPER", ENV_GROUP_HOOKS},
	{"RUSTFLAGS", ENV_GROUP_HOOKS},
	{"CARGO_BUILD_*", ENV_GROUP_HOOKS},
	{"GOFLAGS", ENV_GROUP_HOOKS},
	{"MAKEFLAGS", ENV_GROUP_HOOKS},
	{"MAKEFILES", ENV_GROUP_HOOKS},
	{"EDITOR", ENV_GROUP_HOOKS},
	{"VISUAL", ENV_GROUP_HOOKS},
	{"PAGER", ENV_GROUP_HOOKS},
	{"LESSOPEN", ENV_GROUP_HOOKS},
	{"LESSCLOSE", ENV_GROUP_HOOKS},
};

const char *env_group_words(enum env_group group)
{
	return group_words[group];
}

const char *environment_value(char *const *envp, const char *name)
{
	size_t len = strlen(name);

	for (; envp && *envp; envp++) {
		if (!strncmp(*envp, name, len) && (*envp)[len] == '=')
			return *envp + len + 1;
	}
	return NULL;
}

void environment_init(struct environment *env)
{
	memset(env, 0, sizeof(*env));
}

void environment_release(struct environment *env)
{
	strv_release(&env->kept);
	for (int i = 0; i < ENV_GROUP_COUNT; i++)
		strv_release(&env->cut[i]);
	strv_release(&env->path_lost);
	strv_release(&env->path_hidden);
	free(env->home);
	free(env->home_note);
	free(env->private_dir);
	environment_init(env);
}

unsigned environment_cut_count(const struct environment *env)
{
	size_t count = 0;

	for (int i = 0; i < ENV_GROUP_COUNT; i++)
		count += env->cut[i].count;
	return (unsigned)count;
}

static enum env_group group_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		if (!fnmatch(patterns[i].pattern, name, FNM_NOESCAPE | FNM_CASEFOLD))
			return patterns[i].group;
	}
	return ENV_GROUP_OTHER;
}

static enum env_name known_name(const char *name, size_t len)
{
	for (int i = 0; i < ENV_NAME_COUNT; i++) {
		if (strlen(names[i]) == len && !memcmp(names[i], name, len))
			return (enum env_name)i;
	}
	return ENV_NAME_COUNT;
}

/* An entry without a name or without "=" may be a value that lost its name: nothing of it is repeated. */
static void cut_entry(const char *entry, size_t name_len, struct environment *ret)
{
	char *name MEM_AUTO = NULL;

	if (!name_len || entry[name_len] != '=')
		name = mem_strdup("(no name)");
	else
		name = mem_strndup(entry, name_len);
	strv_add(&ret->cut[group_of(name)], name);
}

static void sort_once(struct strv *v)
{
	size_t kept = 0;

	strv_sort(v);
	for (size_t i = 0; i < v->count; i++) {
		if (kept && !strcmp(v->items[kept - 1], v->items[i]))
			free(v->items[i]);
		else
			v->items[kept++] = v->items[i];
	}
	v->count = kept;
	if (v->items)
		v->items[kept] = NULL;
}

/* Sorts the entries: ret_values gets the first value of each of the nine names, the rest is cut. */
static void split_entries(
	char *const *envp, const char *ret_values[ENV_NAME_COUNT], struct environment *ret)
{
	for (; envp && *envp; envp++) {
		size_t len = strcspn(*envp, "=");
		enum env_name name = (*envp)[len] == '=' ? known_name(*envp, len) : ENV_NAME_COUNT;

		if (name == ENV_NAME_COUNT)
			cut_entry(*envp, len, ret);
		else if (!ret_values[name])
			ret_values[name] = *envp + len + 1;
	}
	for (int i = 0; i < ENV_GROUP_COUNT; i++)
		sort_once(&ret->cut[i]);
}

static bool below_any(const char *path, const struct strv *roots)
{
	for (size_t i = 0; i < roots->count; i++) {
		if (path_is_equal_or_below(path, roots->items[i]))
			return true;
	}
	return false;
}

static void add_once(struct strv *v, char *text)
{
	if (strv_has(v, text))
		free(text);
	else
		strv_take(v, text);
}

/* One entry of PATH. An empty or relative one means the directory the command stands in, and what the
   command may write it could fill with its own `ls`: neither is searched. */
static void filter_path_entry(const char *entry, const struct strv *writable,
	const struct strv *visible, struct str *path, struct environment *ret)
{
	if (!*entry) {
		add_once(&ret->path_lost, mem_strdup("(empty)"));
		return;
	}
	if (*entry != '/') {
		add_once(&ret->path_lost, mem_printf("%s (relative)", entry));
		return;
	}
	char *normal MEM_AUTO = path_normalize(entry);

	if (below_any(normal, writable)) {
		add_once(&ret->path_lost, mem_printf("%s (may write)", entry));
		return;
	}
	if (!below_any(normal, visible))
		add_once(&ret->path_hidden, mem_strdup(entry));
	if (path->len)
		str_add_char(path, ':');
	str_add(path, entry);
}

static char *filter_path(const char *value, const struct strv *writable, const struct strv *visible,
	struct environment *ret)
{
	struct str path STR_AUTO = STR_INIT;

	while (value) {
		size_t len = strcspn(value, ":");
		char *entry MEM_AUTO = mem_strndup(value, len);

		filter_path_entry(entry, writable, visible, &path, ret);
		value = value[len] ? value + len + 1 : NULL;
	}
	if (!path.len)
		str_add(&path, PATH_DEFAULT);
	return str_steal(&path);
}

static const char *home_fault(const char *value)
{
	if (!value || !*value)
		return "HOME is not set";
	if (*value != '/')
		return "HOME is not an absolute path";
	char *normal MEM_AUTO = path_normalize(value);
	return strcmp(normal, "/") ? NULL : "HOME is /";
}

static char *choose_home(const char *value, struct environment *ret)
{
	const char *fault = home_fault(value);

	ret->home_note = mem_strdup(fault);
	ret->home = fault ? mem_strdup(HOME_DEFAULT) : path_normalize(value);
	return mem_strdup(fault ? HOME_DEFAULT : value);
}

static char *choose_tmpdir(const char *value, const struct strv *writable,
	const struct strv *visible, struct environment *ret)
{
	if (!value)
		return NULL;
	char *normal MEM_AUTO = path_normalize(value);

	if (!strcmp(normal, TMPDIR_DEFAULT))
		return mem_strdup(value);
	if (*value == '/' && (below_any(normal, writable) || below_any(normal, visible)))
		return mem_strdup(value);
	ret->tmpdir_changed = true;
	return mem_strdup(TMPDIR_DEFAULT);
}

void environment_scrub(char *const *envp, const struct strv *writable, const struct strv *visible,
	struct environment *ret)
{
	const char *values[ENV_NAME_COUNT] = {NULL};

	split_entries(envp, values, ret);
	char *path MEM_AUTO = filter_path(values[ENV_PATH], writable, visible, ret);
	char *home MEM_AUTO = choose_home(values[ENV_HOME], ret);
	char *tmpdir MEM_AUTO = choose_tmpdir(values[ENV_TMPDIR], writable, visible, ret);
	values[ENV_PATH] = path;
	values[ENV_HOME] = home;
	values[ENV_TMPDIR] = tmpdir;
	for (int i = 0; i < ENV_NAME_COUNT; i++) {
		if (values[i])
			strv_printf(&ret->kept, "%s=%s", names[i], values[i]);
	}
}

/* In the place of the value that is there; TMPDIR, the last of the nine, behind all others. */
static void set_value(struct strv *kept, enum env_name name, const char *value)
{
	char *entry = mem_printf("%s=%s", names[name], value);
	size_t len = strlen(names[name]) + 1;

	for (size_t i = 0; i < kept->count; i++) {
		if (strncmp(kept->items[i], entry, len) != 0)
			continue;
		free(kept->items[i]);
		kept->items[i] = entry;
		return;
	}
	strv_take(kept, entry);
}

void environment_private(struct environment *env, const char *dir)
{
	char *tmpdir MEM_AUTO = path_join(dir, "tmp");

	free(env->private_dir);
	free(env->home);
	free(env->home_note);
	env->private_dir = mem_strdup(dir);
	env->home = path_join(dir, "home");
	env->home_note = NULL;
	env->tmpdir_changed = false;
	set_value(&env->kept, ENV_HOME, env->home);
	set_value(&env->kept, ENV_TMPDIR, tmpdir);
}

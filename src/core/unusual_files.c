#include "config.h"

#include "core/unusual_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"

/* What is deleted and written, by place and by what the file is for. */

static const struct {
	enum note_kind kind;
	const char *path; /* as of is_place() */
} special[] = {
	{NOTE_STARTUP, ".bashrc"},
	{NOTE_STARTUP, ".bash_profile"},
	{NOTE_STARTUP, ".bash_login"},
	{NOTE_STARTUP, ".bash_logout"},
	{NOTE_STARTUP, ".bash_aliases"},
	{NOTE_STARTUP, ".profile"},
	{NOTE_STARTUP, ".zshrc"},
	{NOTE_STARTUP, ".zprofile"},
	{NOTE_STARTUP, ".zshenv"},
	{NOTE_STARTUP, ".zlogin"},
	{NOTE_STARTUP, ".kshrc"},
	{NOTE_STARTUP, ".xinitrc"},
	{NOTE_STARTUP, ".xprofile"},
	{NOTE_STARTUP, ".xsessionrc"},
	{NOTE_STARTUP, ".pam_environment"},
	{NOTE_STARTUP, ".envrc"},
	{NOTE_STARTUP, ".ssh/rc"},
	{NOTE_STARTUP, ".ssh/authorized_keys"},
	{NOTE_STARTUP, ".config/fish/config.fish"},
	{NOTE_STARTUP, ".config/fish/conf.d/"},
	{NOTE_STARTUP, ".config/autostart/"},
	{NOTE_STARTUP, ".config/systemd/"},
	{NOTE_STARTUP, ".config/environment.d/"},
	{NOTE_STARTUP, "Library/LaunchAgents/"},
	{NOTE_STARTUP, "etc/profile"},
	{NOTE_STARTUP, "etc/profile.d/"},
	{NOTE_STARTUP, "etc/bash.bashrc"},
	{NOTE_STARTUP, "etc/environment"},
	{NOTE_STARTUP, "etc/rc.local"},
	{NOTE_STARTUP, "etc/crontab"},
	{NOTE_STARTUP, "etc/cron.d/"},
	{NOTE_STARTUP, "etc/cron.daily/"},
	{NOTE_STARTUP, "etc/cron.hourly/"},
	{NOTE_STARTUP, "var/spool/cron/"},
	{NOTE_STARTUP, "etc/systemd/"},
	{NOTE_STARTUP, "etc/init.d/"},
	{NOTE_STARTUP, "etc/ld.so.preload"},
	{NOTE_STARTUP, "sitecustomize.py"},
	{NOTE_STARTUP, "usercustomize.py"},
	{NOTE_HOOK, ".git/hooks/"},
	{NOTE_HOOK, ".husky/"},
	{NOTE_HOOK, ".githooks/"},
	{NOTE_HOOK, ".pre-commit-config.yaml"},
	{NOTE_HOOK, "lefthook.yml"},
	{NOTE_CI, ".github/workflows/"},
	{NOTE_CI, ".github/actions/"},
	{NOTE_CI, ".gitea/workflows/"},
	{NOTE_CI, ".forgejo/workflows/"},
	{NOTE_CI, ".circleci/"},
	{NOTE_CI, ".buildkite/"},
	{NOTE_CI, ".woodpecker/"},
	{NOTE_CI, ".gitlab-ci.yml"},
	{NOTE_CI, ".gitlab-ci.yaml"},
	{NOTE_CI, ".travis.yml"},
	{NOTE_CI, ".drone.yml"},
	{NOTE_CI, ".cirrus.yml"},
	{NOTE_CI, ".woodpecker.yml"},
	{NOTE_CI, "appveyor.yml"},
	{NOTE_CI, "azure-pipelines.yml"},
	{NOTE_CI, "bitbucket-pipelines.yml"},
	{NOTE_CI, "Jenkinsfile"},
	{NOTE_SCRIPT, "package.json"},
	{NOTE_SCRIPT, "setup.py"},
	{NOTE_SCRIPT, "build.rs"},
	{NOTE_SCRIPT, "binding.gyp"},
};

bool is_place(const char *path, const char *pattern)
{
	size_t len = strlen(pattern), path_len = strlen(path);

	if (pattern[len - 1] == '/') {
		for (const char *at = strstr(path, pattern); at != NULL;
			at = strstr(at + 1, pattern)) {
			if (at == path || at[-1] == '/')
				return true;
		}
		/* The directory itself. */
		len--;
	}
	if (path_len < len || strncmp(path + path_len - len, pattern, len) != 0)
		return false;
	return path_len == len || path[path_len - len - 1] == '/';
}

static enum note_kind kind_of(const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(special); i++) {
		if (is_place(path, special[i].path))
			return special[i].kind;
	}
	return NOTE_KIND_COUNT;
}

static char *home_path(const struct reading *r, const char *rest)
{
	const char *home =
		r->place != NULL && r->place->env.home != NULL ? r->place->env.home : "/home";
	MEM_AUTO char *path = mem_printf("%s%s", home, rest);

	return path_normalize(path);
}

char *word_path(const struct reading *r, const char *value)
{
	static const char *const homes[] = {"~", "$HOME", "${HOME}"};

	for (size_t i = 0; i < ARRAY_LEN(homes); i++) {
		size_t len = strlen(homes[i]);

		if (strncmp(value, homes[i], len) == 0 && (value[len] == '/' || value[len] == '\0'))
			return home_path(r, value + len);
	}
	if (value[0] != '/' &&
		(value[0] == '$' || value[0] == '\0' || value[0] == '~' || r->cwd.len == 0))
		return NULL;
	MEM_AUTO char *path = path_join(str_c(&r->cwd), value);

	return path_normalize(path);
}

bool may_write(const struct reading *r, const char *path)
{
	if (r->place != NULL)
		return places_holding(&r->place->writable, path) != NULL;
	return path_is_equal_or_below(path, "/w");
}

/* Places whose content ends with the run, or that are no files. */
static bool is_passing(const char *path)
{
	static const char *const dirs[] = {"/tmp", "/var/tmp", "/dev/shm", "/dev/fd", "/proc/self"};
	static const char *const files[] = {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty",
		"/dev/zero", "/dev/full", "/dev/stdin", NULL};

	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		if (path_is_equal_or_below(path, dirs[i]))
			return true;
	}
	return name_in(path, files);
}

static bool is_outside(const struct reading *r, const char *path)
{
	return path != NULL && !may_write(r, path) && !is_passing(path);
}

static bool is_version_control(const char *value)
{
	static const char *const names[] = {".git/", ".hg/", ".svn/", ".jj/", ".bzr/"};
	size_t len = strlen(value);

	/* A lock that a dead git left is taken away every day. */
	if (len > 5 && strcmp(value + len - 5, ".lock") == 0)
		return false;
	MEM_AUTO char *path = mem_strndup(value, len > 1 && value[len - 1] == '/' ? len - 1 : len);

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (is_place(path, names[i]) || pattern_names(path, names[i]))
			return true;
	}
	return false;
}

static bool is_whole_workspace(const struct reading *r, const char *path)
{
	if (path == NULL)
		return false;
	if (r->place == NULL)
		return strcmp(path, "/w") == 0;
	const struct place *place = places_holding(&r->place->writable, path);

	return place != NULL && strcmp(place->path, path) == 0;
}

static void check_deleted(
	struct reading *r, const struct simple *simple, const struct shell_word *word)
{
	MEM_AUTO char *path = word_path(r, word->value);
	enum note_kind kind = kind_of(word->value);

	if (kind == NOTE_STARTUP || kind == NOTE_HOOK || kind == NOTE_CI)
		note_word(r, kind, word);
	if (is_version_control(word->value) && kind != NOTE_HOOK)
		note_simple(r, NOTE_DELETES_HISTORY, simple);
	else if (is_whole_workspace(r, path))
		note_simple(r, NOTE_DELETES_WORKSPACE, simple);
	else if (is_outside(r, path))
		note_simple(r, NOTE_DELETES_OUTSIDE, simple);
}

/* rm -r * where the workspace begins. */
static void check_all_deleted(
	struct reading *r, const struct simple *simple, const struct shell_word *word)
{
	MEM_AUTO char *path = word_path(r, word->value);
	MEM_AUTO char *dir = path != NULL ? path_dirname(path) : NULL;

	if ((word->flags & SHELL_GLOB) && strcmp(path_basename(word->value), "*") == 0 &&
		is_whole_workspace(r, dir))
		note_simple(r, NOTE_DELETES_WORKSPACE, simple);
}

/* op: where the redirection begins, or the word. Our hooks and startup files are quoted with it. */
static void check_written(struct reading *r, size_t op, const struct shell_word *word)
{
	MEM_AUTO char *path = word_path(r, word->value);
	enum note_kind kind = kind_of(word->value);

	if (kind == NOTE_STARTUP || kind == NOTE_HOOK)
		note_add(r, kind, op, word->end, NULL);
	else if (kind != NOTE_KIND_COUNT)
		note_word(r, kind, word);
	else if (is_outside(r, path))
		note_add(r, NOTE_WRITES_OUTSIDE, op, word->end, NULL);
}

static void delete_operands(struct reading *r, const struct simple *simple)
{
	bool options = true;

	for (size_t i = 1; i < simple->count; i++) {
		const char *value = simple->words[i]->value;

		if (options && value[0] == '-') {
			options = strcmp(value, "--") != 0;
			continue;
		}
		check_deleted(r, simple, simple->words[i]);
		check_all_deleted(r, simple, simple->words[i]);
	}
}

static void write_operands(struct reading *r, const struct simple *simple)
{
	for (size_t i = 1; i < simple->count; i++) {
		if (simple->words[i]->value[0] != '-')
			check_written(r, simple->words[0]->start, simple->words[i]);
	}
}

/* cp, mv, ln, install: the last operand, or -t. */
static void write_last(struct reading *r, const struct simple *simple)
{
	size_t last = simple->count;

	for (size_t i = 1; i < simple->count; i++) {
		const char *value = simple->words[i]->value;

		if (strcmp(value, "-t") == 0 && i + 1 < simple->count)
			check_written(r, simple->words[0]->start, simple->words[i + 1]);
		if (value[0] != '-')
			last = i;
	}
	if (last > 1 && last < simple->count)
		check_written(r, simple->words[0]->start, simple->words[last]);
}

static void check_move(struct reading *r, const struct simple *simple)
{
	write_last(r, simple);
	for (size_t i = 1; i + 1 < simple->count; i++) {
		if (simple->words[i]->value[0] != '-')
			check_deleted(r, simple, simple->words[i]);
	}
}

static void check_in_place(struct reading *r, const struct simple *simple)
{
	bool script = false;

	if (!simple_has_letter(simple, 'i') && !simple_has(simple, "--in-place"))
		return;
	for (size_t i = 1; i < simple->count; i++) {
		const char *value = simple->words[i]->value;

		if (strcmp(value, "-e") == 0 || strcmp(value, "-f") == 0 ||
			strcmp(value, "-pe") == 0) {
			script = true;
			i++;
		} else if (value[0] != '-' && !script) {
			script = true;
		} else if (value[0] != '-') {
			check_written(r, simple->words[0]->start, simple->words[i]);
		}
	}
}

static void check_dd(struct reading *r, const struct simple *simple)
{
	for (size_t i = 1; i < simple->count; i++) {
		struct shell_word word = *simple->words[i];

		if (strncmp(word.value, "of=", 3) != 0)
			continue;
		word.value += 3;
		check_written(r, simple->words[0]->start, &word);
	}
}

static bool find_deletes(const struct simple *simple)
{
	for (size_t i = 1; i < simple->count; i++) {
		const char *value = simple->words[i]->value;

		if (strcmp(value, "-delete") == 0)
			return true;
		if (strncmp(value, "-exec", 5) == 0 && i + 1 < simple->count &&
			strcmp(path_basename(simple->words[i + 1]->value), "rm") == 0)
			return true;
	}
	return false;
}

static void check_find(struct reading *r, const struct simple *simple)
{
	if (!find_deletes(simple))
		return;
	for (size_t i = 1; i < simple->count; i++) {
		const char *value = simple->words[i]->value;

		if (strchr("-(!", value[0]) != NULL)
			break;
		MEM_AUTO char *path = word_path(r, value);

		if (is_outside(r, path))
			note_simple(r, NOTE_DELETES_OUTSIDE, simple);
	}
	if (simple_has(simple, ".git"))
		note_simple(r, NOTE_DELETES_HISTORY, simple);
}

static void check_disk(struct reading *r, const struct simple *simple)
{
	note_simple(r, NOTE_DELETES_OUTSIDE, simple);
}

void check_files(struct reading *r, const struct simple *simple)
{
	static const struct check_row rows[] = {{"rm", delete_operands},
		{"unlink", delete_operands}, {"rmdir", delete_operands}, {"shred", delete_operands},
		{"find", check_find}, {"tee", write_operands}, {"truncate", write_operands},
		{"cp", write_last}, {"ln", write_last}, {"install", write_last},
		{"rsync", write_last}, {"mv", check_move}, {"sed", check_in_place},
		{"perl", check_in_place}, {"dd", check_dd}, {"wipefs", check_disk},
		{"mkfs", check_disk}, {"mkfs.ext4", check_disk}, {"blkdiscard", check_disk}};

	check_by_name(r, simple, rows, ARRAY_LEN(rows));
}

void check_redirections(struct reading *r, size_t command)
{
	const struct shell *shell = r->shell;
	size_t at = shell_next(shell, command, SHELL_NONE, SHELL_TARGET);

	for (; at != SHELL_NONE; at = shell_next(shell, command, at, SHELL_TARGET)) {
		const struct shell_word *word = &shell->words[at];

		bool number = strspn(word->value, "0123456789-") == strlen(word->value);

		if (strchr(word->op, '>') != NULL && !(word->op[1] == '&' && number))
			check_written(r, word->op_start, word);
	}
}

#include "config.h"

#include "core/unusual_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

/* More rights, a longer life, history, package scripts. */

static bool mode_is_setuid(const char *mode)
{
	char *end;
	unsigned long bits = strtoul(mode, &end, 8);

	if (*end == '\0' && end != mode)
		return (bits & 06000) != 0;
	for (const char *at = strpbrk(mode, "+="); at != NULL; at = strpbrk(at + 1, "+=")) {
		if (at[1 + strspn(at + 1, "rwxXt")] == 's')
			return true;
	}
	return false;
}

static void check_chmod(struct reading *r, const struct simple *simple)
{
	size_t mode = simple_operand(simple, 1, "");

	if (mode < simple->count && mode_is_setuid(simple->words[mode]->value))
		note_simple(r, NOTE_SETUID, simple);
}

static void check_install(struct reading *r, const struct simple *simple)
{
	for (size_t i = 1; i < simple->count; i++) {
		const char *value = simple->words[i]->value;
		const char *mode = strncmp(value, "--mode=", 7) == 0                  ? value + 7
				   : strncmp(value, "-m", 2) == 0 && value[2] != '\0' ? value + 2
										      : NULL;

		if (strcmp(value, "-m") == 0 && i + 1 < simple->count)
			mode = simple->words[i + 1]->value;
		if (mode != NULL && mode_is_setuid(mode))
			note_simple(r, NOTE_SETUID, simple);
	}
}

static void check_setcap(struct reading *r, const struct simple *simple)
{
	note_simple(r, NOTE_SETUID, simple);
}

static void check_root(struct reading *r, const struct simple *simple)
{
	note_simple(r, NOTE_ROOT, simple);
	if (strcmp(simple->name, "su") != 0)
		return;
	for (size_t i = 1; i + 1 < simple->count; i++) {
		if (strcmp(simple->words[i]->value, "-c") == 0)
			read_word(r, simple->words[i + 1]);
	}
}

static void note_survival(struct reading *r, const struct simple *simple)
{
	const struct shell_command *command = &r->shell->commands[simple->command];
	size_t end = simple->words[simple->count - 1]->end;

	note_add(r, NOTE_OUTLIVES, simple->words[0]->start,
		command->background && command->end > end ? command->end : end, NULL);
}

static void check_crontab(struct reading *r, const struct simple *simple)
{
	if (!simple_has(simple, "-l"))
		note_survival(r, simple);
}

static void check_screen(struct reading *r, const struct simple *simple)
{
	if (simple_has_letter(simple, 'd') || simple_has_letter(simple, 'D'))
		note_survival(r, simple);
}

static void check_tmux(struct reading *r, const struct simple *simple)
{
	static const char *const starts[] = {"new", "new-session", "new-window", "neww", NULL};

	if (!simple_has_letter(simple, 'd'))
		return;
	for (size_t i = 1; i < simple->count; i++) {
		if (name_in(simple->words[i]->value, starts)) {
			note_survival(r, simple);
			return;
		}
	}
}

static void check_systemctl(struct reading *r, const struct simple *simple)
{
	if (simple_has(simple, "enable"))
		note_survival(r, simple);
}

static bool pushes_over(const struct simple *simple)
{
	static const char *const forces[] = {"--force", "--mirror", "--delete", "-d", NULL};

	if (simple_has_letter(simple, 'f'))
		return true;
	for (size_t i = 1; i < simple->count; i++) {
		const char *value = simple->words[i]->value;

		if (name_in(value, forces) || strncmp(value, "--force-with-lease", 18) == 0 ||
			value[0] == '+' || value[0] == ':')
			return true;
	}
	return false;
}

static bool drops_history(const struct simple *git, const char *verb)
{
	static const char *const whole[] = {"filter-branch", "filter-repo", NULL};
	static const struct {
		const char *verb, *argument;
	} rows[] = {{"reflog", "expire"}, {"reflog", "delete"}, {"update-ref", "-d"},
		{"gc", "--prune=now"}, {"stash", "clear"}, {"prune", "--expire=now"}};

	if (name_in(verb, whole))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (strcmp(verb, rows[i].verb) == 0 && simple_has(git, rows[i].argument))
			return true;
	}
	return false;
}

static void check_hooks_path(struct reading *r, const struct simple *git)
{
	if (simple_has(git, "--get"))
		return;
	for (size_t i = 1; i < git->count; i++) {
		if (strncasecmp(git->words[i]->value, "core.hookspath", 14) == 0) {
			note_simple(r, NOTE_HOOK, git);
			return;
		}
	}
}

static void check_git(struct reading *r, const struct simple *git)
{
	size_t at = simple_operand(git, 1, "Cc");

	check_hooks_path(r, git);
	if (at >= git->count)
		return;
	struct simple verb = {
		.command = git->command, .words = git->words + at, .count = git->count - at};

	if (strcmp(verb.words[0]->value, "push") == 0 && pushes_over(&verb))
		note_simple(r, NOTE_PUSHES_OVER, git);
	if (drops_history(&verb, verb.words[0]->value))
		note_simple(r, NOTE_DELETES_HISTORY, git);
}

/* npm pkg set scripts.x=...: quoted up to the =. */
static void check_npm(struct reading *r, const struct simple *npm)
{
	bool sets = npm->count > 2 && strcmp(npm->words[1]->value, "pkg") == 0 &&
		    strcmp(npm->words[2]->value, "set") == 0;

	if (npm->count > 1 && strcmp(npm->words[1]->value, "set-script") == 0)
		note_simple(r, NOTE_SCRIPT, npm);
	for (size_t i = 3; sets && i < npm->count; i++) {
		const struct shell_word *word = npm->words[i];
		const char *equals;

		if (strncmp(word->value, "scripts.", 8) != 0 &&
			strncmp(word->value, "scripts[", 8) != 0)
			continue;
		equals = memchr(r->bytes + word->start, '=', word->end - word->start);
		note_add(r, NOTE_SCRIPT, npm->words[0]->start,
			equals != NULL ? (size_t)(equals - r->bytes) + 1 : word->end, NULL);
		return;
	}
}

void check_rights(struct reading *r, const struct simple *simple)
{
	static const struct check_row rows[] = {{"sudo", check_root}, {"su", check_root},
		{"doas", check_root}, {"pkexec", check_root}, {"run0", check_root},
		{"sudoedit", check_root}, {"chmod", check_chmod}, {"install", check_install},
		{"setcap", check_setcap}, {"nohup", note_survival}, {"setsid", note_survival},
		{"disown", note_survival}, {"at", note_survival}, {"batch", note_survival},
		{"systemd-run", note_survival}, {"daemonize", note_survival},
		{"start-stop-daemon", note_survival}, {"crontab", check_crontab},
		{"screen", check_screen}, {"tmux", check_tmux}, {"systemctl", check_systemctl},
		{"git", check_git}, {"npm", check_npm}, {"pnpm", check_npm}, {"yarn", check_npm}};

	check_by_name(r, simple, rows, ARRAY_LEN(rows));
}

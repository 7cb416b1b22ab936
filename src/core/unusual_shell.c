#include "config.h"

#include "core/unusual_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"

/* What is unusual about a command as a shell reads it. Each command is looked at as it stands and, when it is one that
   starts another (sudo, env, xargs), again from that one on. */

#define DEPTH_MAX 4
#define STARTS_MAX 8
#define TESTS_MAX 64
#define PATH_LONGEST 4096
#define NAMES_MAX 64 /* each word of a program is compared to all of them */

/* Commands that start the command behind their options. */
static const struct {
	const char *name, *with_value;
	unsigned operands; /* before the command */
} starters[] = {
	{"sudo", "ugphrtTCDRU", 0},
	{"doas", "uC", 0},
	{"pkexec", "", 0},
	{"env", "uSC", 0},
	{"nice", "n", 0},
	{"ionice", "cnp", 0},
	{"nohup", "", 0},
	{"setsid", "", 0},
	{"time", "fo", 0},
	{"timeout", "ks", 1},
	{"stdbuf", "ioe", 0},
	{"exec", "a", 0},
	{"command", "", 0},
	{"builtin", "", 0},
	{"xargs", "IiLnPdEsa", 0},
	{"busybox", "", 0},
	{"chroot", "", 1},
	{"watch", "n", 0},
	{"systemd-run", "pEu", 0},
	{"strace", "eopPu", 0},
	{"flock", "wE", 1},
	{"parallel", "jI", 0},
};

static size_t starter_of(const char *name)
{
	size_t row = 0;

	while (row < ARRAY_LEN(starters) && strcmp(starters[row].name, name) != 0)
		row++;
	return row;
}

bool is_starter(const char *name)
{
	return starter_of(name) < ARRAY_LEN(starters);
}

static const char *variable_value(const struct reading *r, const char *value)
{
	size_t brace = value[0] == '$' && value[1] == '{';
	size_t len = strlen(value);

	if (value[0] != '$' || len < 2 + 2 * brace)
		return value;
	for (size_t i = r->names.count; i > 0; i--) {
		const char *name = r->names.items[i - 1];

		if (strlen(name) == len - 1 - 2 * brace &&
			strncmp(value + 1 + brace, name, strlen(name)) == 0)
			return r->values.items[i - 1];
	}
	return value;
}

static void name_simple(const struct reading *r, struct simple *simple)
{
	simple->name = path_basename(variable_value(r, simple->words[0]->value));
}

static bool is_variable(const struct shell_word *word)
{
	const char *equals = strchr(word->value, '=');

	return equals != NULL && equals > word->value && word->value[0] != '-' &&
	       memchr(word->value, '/', (size_t)(equals - word->value)) == NULL;
}

static bool only_looks(const struct simple *simple)
{
	static const char *const looks[] = {
		"-v", "-V", "-l", "-k", "-K", "--version", "--help", NULL};

	return simple->count > 1 &&
	       name_in(simple->name, (const char *const[]){"command", "sudo", NULL}) &&
	       name_in(simple->words[1]->value, looks);
}

/* Leaves in *simple the command that it starts; false when it starts none. */
static bool strip(const struct reading *r, struct simple *simple)
{
	size_t at, row = starter_of(simple->name);

	if (row == ARRAY_LEN(starters) || only_looks(simple))
		return false;
	at = simple_operand(simple, 1, starters[row].with_value) + starters[row].operands;
	while (at < simple->count && is_variable(simple->words[at]))
		at++;
	if (at >= simple->count)
		return false;
	simple->words += at;
	simple->count -= at;
	name_simple(r, simple);
	return true;
}

static void take_directory(struct reading *r, const struct simple *simple)
{
	static const char *const changes[] = {"cd", "pushd", NULL};

	if (!name_in(simple->name, changes) || simple->count < 2)
		return;
	MEM_AUTO char *path = word_path(r, simple->words[1]->value);

	str_clear(&r->cwd);
	/* Thousands of cd must not make a path that each word is joined to. */
	if (path != NULL && strlen(path) >= PATH_LONGEST)
		note_simple(r, NOTE_UNREAD, simple);
	else if (path != NULL)
		str_add(&r->cwd, path);
}

static void check_simple(struct reading *r, const struct simple *simple)
{
	check_rights(r, simple);
	check_files(r, simple);
	check_run(r, simple);
	take_directory(r, simple);
}

/* find -exec COMMAND ; */
static bool strip_find(const struct reading *r, struct simple *simple)
{
	static const char *const starts[] = {"-exec", "-execdir", "-ok", "-okdir", NULL};

	if (strcmp(simple->name, "find") != 0)
		return false;
	for (size_t i = 1; i + 1 < simple->count; i++) {
		if (!name_in(simple->words[i]->value, starts))
			continue;
		simple->words += i + 1;
		simple->count -= i + 1;
		for (size_t n = 1; n < simple->count; n++) {
			if (strcmp(simple->words[n]->value, ";") == 0)
				simple->count = n;
		}
		name_simple(r, simple);
		return true;
	}
	return false;
}

/* watch 'a; b' gives its word to a shell. */
static bool is_script(const struct simple *simple)
{
	return simple->count == 1 && strpbrk(simple->words[0]->value, " \t\n;&|") != NULL;
}

static void check_stripped(struct reading *r, struct simple simple)
{
	check_simple(r, &simple);
	if (check_split(r, &simple))
		return;
	for (unsigned n = 0; strip(r, &simple) || strip_find(r, &simple); n++) {
		if (n == STARTS_MAX) {
			note_simple(r, NOTE_UNREAD, &simple);
			return;
		}
		if (is_script(&simple)) {
			read_word(r, simple.words[0]);
			return;
		}
		check_simple(r, &simple);
		if (check_split(r, &simple))
			return;
	}
}

static bool ends_before(const struct reading *r, const struct simple *simple, size_t at)
{
	size_t from = simple->words[at - 1]->end;

	for (size_t i = from; i < simple->words[at]->start; i++) {
		if (strchr(";&|\n(", r->bytes[i]) != NULL)
			return true;
	}
	return false;
}

/* A shell without [[ runs what stands behind the && || ; in it. */
static void check_test(struct reading *r, const struct simple *test)
{
	size_t start = 0;
	unsigned parts = 0;

	for (size_t i = 1; i <= test->count; i++) {
		if (i < test->count && !ends_before(r, test, i))
			continue;
		if (parts++ == TESTS_MAX) {
			note_simple(r, NOTE_UNREAD, test);
			return;
		}
		struct simple part = {
			.command = test->command, .words = test->words + start, .count = i - start};

		name_simple(r, &part);
		if (start > 0)
			check_stripped(r, part);
		start = i;
	}
}

static void take_variable(struct reading *r, const struct shell_word *word)
{
	const char *equals = strchr(word->value, '=');

	if (equals == NULL || (word->flags & SHELL_EXPANDS))
		return;
	size_t len = (size_t)(equals - word->value);

	for (size_t i = 0; i < r->names.count; i++) {
		if (strlen(r->names.items[i]) != len ||
			memcmp(r->names.items[i], word->value, len) != 0)
			continue;
		free(r->values.items[i]);
		r->values.items[i] = mem_strdup(equals + 1);
		return;
	}
	if (r->names.count == NAMES_MAX) {
		note_too_many(r, word);
		return;
	}
	strv_take(&r->names, mem_strndup(word->value, len));
	strv_add(&r->values, equals + 1);
}

static void check_command(struct reading *r, size_t command, const struct shell_word **words)
{
	const struct shell *shell = r->shell;
	struct simple simple = {.command = command, .words = words};
	size_t at = shell->commands[command].program;

	if (at != SHELL_NONE)
		words[simple.count++] = &shell->words[at];
	for (at = shell_next(shell, command, SHELL_NONE, SHELL_ARGUMENT); at != SHELL_NONE;
		at = shell_next(shell, command, at, SHELL_ARGUMENT)) {
		if (simple.count > 0)
			words[simple.count++] = &shell->words[at];
	}
	if (simple.count > 0) {
		name_simple(r, &simple);
		check_stripped(r, simple);
		if (strcmp(simple.name, "[[") == 0)
			check_test(r, &simple);
	}
	check_redirections(r, command);
	check_words(r, command, simple.count > 0 ? simple.name : "");
	at = shell_next(shell, command, SHELL_NONE, SHELL_ASSIGNMENT);
	for (; at != SHELL_NONE; at = shell_next(shell, command, at, SHELL_ASSIGNMENT))
		take_variable(r, &shell->words[at]);
}

/* Everything of the outer text that the reading of an inner one changes. */
static void read_inside(struct reading *r, const char *bytes, size_t len)
{
	struct shell shell = {0};
	const struct shell_word **words;

	shell_read(bytes, len, true, &shell);
	words = mem_array(shell.word_count + 1, sizeof(struct shell_word *));
	r->bytes = bytes;
	r->shell = &shell;
	r->of_commands = mem_array(shell.command_count + 1, sizeof(struct taints));
	r->of_words = mem_array(shell.word_count + 1, sizeof(struct taints));
	find_taints(r);
	for (size_t i = 0; i < shell.command_count; i++)
		check_command(r, i, words);
	if (shell.unsure != SHELL_NONE)
		note_add(r, NOTE_UNREAD, shell.unsure, len, NULL);
	free(r->of_commands);
	free(r->of_words);
	free((void *)words);
	shell_release(&shell);
}

void read_text(struct reading *r, const char *bytes, size_t len)
{
	const char *outer = r->bytes;
	const struct shell *shell = r->shell;
	struct taints *of_commands = r->of_commands, *of_words = r->of_words;

	if (r->depth < DEPTH_MAX) {
		r->depth++;
		read_inside(r, bytes, len);
		r->depth--;
	} else if (len > 0) {
		r->bytes = bytes;
		note_add(r, NOTE_UNREAD, 0, len, NULL);
	}
	r->bytes = outer;
	r->shell = shell;
	r->of_commands = of_commands;
	r->of_words = of_words;
}

void read_word(struct reading *r, const struct shell_word *word)
{
	size_t base = r->base, pin_start = r->pin_start, pin_end = r->pin_end;
	bool pinned = r->pinned;
	bool whole = word->role == SHELL_HERE || (word->flags & SHELL_WHOLE);
	size_t start = word->role == SHELL_HERE ? word->body_start : word->inner;
	size_t end = word->role == SHELL_HERE ? word->body_end : word->end - 1;

	if (whole && end >= start) {
		r->base += start;
		read_text(r, r->bytes + start, end - start);
	} else {
		if (!pinned) {
			r->pin_start = r->base + word->start;
			r->pin_end = r->base + word->end;
		}
		r->pinned = true;
		read_text(r, word->value, strlen(word->value));
	}
	r->base = base;
	r->pinned = pinned;
	r->pin_start = pin_start;
	r->pin_end = pin_end;
}

void unusual_read_shell(
	const char *command, size_t len, const struct confinement *place, struct unusual_list *list)
{
	struct reading r = {.place = place, .list = list, .bytes = command};
	size_t first = list->count;

	str_add(&r.cwd, place != NULL && place->cwd != NULL ? place->cwd : "/w");
	read_text(&r, command, len);
	r.bytes = command;
	check_long(&r, command, len);
	for (size_t i = first; i < list->count; i++)
		note_place(&list->items[i], command, len);
	note_sort(list);
	note_more(&r, command, len);
	str_release(&r.cwd);
	strv_release(&r.names);
	strv_release(&r.values);
	for (int i = 0; i < TAINT_COUNT; i++) {
		strv_release(&r.files[i]);
		strv_release(&r.tainted[i]);
	}
}

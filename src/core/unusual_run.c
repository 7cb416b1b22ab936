#include "config.h"

#include "core/unusual_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"

/* Text that becomes commands. */

static const enum note_kind taint_notes[TAINT_COUNT] = {
	[TAINT_REMOTE] = NOTE_REMOTE, [TAINT_DECODED] = NOTE_DECODED};

bool is_shell(const char *name)
{
	static const char *const names[] = {
		"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "mksh", NULL};

	return name_in(name, names);
}

bool is_interpreter(const char *name)
{
	static const char *const names[] = {"python", "pypy", "perl", "ruby", "node", "nodejs",
		"php", "lua", "tclsh", "deno", "bun", "osascript", "pwsh", NULL};
	size_t len = strlen(name);

	while (len > 1 && (isdigit((unsigned char)name[len - 1]) || name[len - 1] == '.'))
		len--;
	MEM_AUTO char *plain = mem_strndup(name, len);

	return is_shell(name) || name_in(plain, names);
}

/* How an interpreter was called. */
struct call {
	size_t code;   /* the word of -c or -e; 0 */
	size_t script; /* the word of a file; 0 */
	bool reads_input;
};

static const char *code_letters(const char *name)
{
	if (is_shell(name))
		return "c";
	if (strncmp(name, "py", 2) == 0)
		return "cm";
	return strncmp(name, "php", 3) == 0 ? "r" : "eEpn";
}

static bool names_input(const char *value)
{
	return strcmp(value, "-") == 0 || strcmp(value, "/dev/stdin") == 0 ||
	       strcmp(value, "/dev/fd/0") == 0;
}

static bool takes_value(const char *name, const char *option)
{
	const char *letters = is_shell(name) ? "oO" : strncmp(name, "py", 2) == 0 ? "WX" : "";

	return option[1] != '\0' && option[2] == '\0' && strchr(letters, option[1]) != NULL;
}

static struct call call_of(const struct simple *simple)
{
	const char *letters = code_letters(simple->name);
	struct call call = {0};

	for (size_t i = 1; i < simple->count; i++) {
		const char *value = simple->words[i]->value;

		if (value[0] != '-' || names_input(value)) {
			call.reads_input = names_input(value);
			call.script = call.reads_input ? 0 : i;
			return call;
		}
		if (value[1] != '-' && strpbrk(value + 1, letters) != NULL) {
			call.code = i + 1 < simple->count ? i + 1 : 0;
			return call;
		}
		/* -s reads its input, -n runs nothing. */
		if (is_shell(simple->name) && value[1] != '-' && strpbrk(value, "sn") != NULL) {
			call.reads_input = strchr(value, 'n') == NULL;
			return call;
		}
		i += takes_value(simple->name, value);
	}
	call.reads_input = true;
	return call;
}

static void note_taints(struct reading *r, const struct taints *taints, size_t start, size_t end)
{
	for (int t = 0; t < TAINT_COUNT; t++) {
		if (taints->is[t])
			note_add(r, taint_notes[t], start, end, NULL);
	}
}

static const struct taints *word_taints(const struct reading *r, const struct shell_word *word)
{
	return &r->of_words[word - r->shell->words];
}

static size_t end_of(const struct reading *r, const struct simple *simple)
{
	size_t end = simple->words[simple->count - 1]->end;
	const struct shell_command *command = &r->shell->commands[simple->command];

	return command->end > end && !command->background ? command->end : end;
}

static bool note_word_taints(
	struct reading *r, const struct simple *simple, const struct shell_word *word)
{
	const struct taints *taints = word_taints(r, word);

	note_taints(r, taints, simple->words[0]->start, end_of(r, simple));
	return taints_any(taints);
}

static void input_of_pipe(struct reading *r, const struct simple *simple)
{
	const struct shell *shell = r->shell;
	size_t from = shell->commands[simple->command].piped_from;
	size_t parent = shell->commands[simple->command].parent;
	size_t end = simple->words[simple->count - 1]->end;

	/* tee >(sh) */
	if (from == SHELL_NONE && parent != SHELL_NONE &&
		r->bytes[shell->words[parent].start] == '>')
		from = shell->words[parent].command;
	if (from == SHELL_NONE)
		return;
	const struct taints *taints = &r->of_commands[from];

	for (int t = 0; t < TAINT_COUNT; t++) {
		if (taints->is[t])
			note_add(r, taint_notes[t], taints->start[t], end, NULL);
	}
}

static bool note_file(struct reading *r, const struct simple *simple, const char *value)
{
	bool found = false;

	for (int t = 0; t < TAINT_COUNT; t++) {
		if (!strv_has(&r->files[t], plain_path(value)))
			continue;
		note_add(r, taint_notes[t], simple->words[0]->start, end_of(r, simple), NULL);
		found = true;
	}
	return found;
}

static void read_code(struct reading *r, const struct simple *simple, const struct shell_word *word)
{
	static const char *const runs[] = {"exec(", "eval(", "os.system(", "Function(", NULL};
	MEM_AUTO char *body = word->role != SHELL_HERE ? NULL
						       : mem_strndup(r->bytes + word->body_start,
								 word->body_end - word->body_start);
	const char *text = body != NULL ? body : word->value;

	if (is_shell(simple->name)) {
		read_word(r, word);
		return;
	}
	if (decodes_and_runs(text))
		note_add(r, NOTE_DECODED, simple->words[0]->start, end_of(r, simple), NULL);
	if (fetches(text) && holds_any(text, runs))
		note_add(r, NOTE_REMOTE, simple->words[0]->start, end_of(r, simple), NULL);
}

/* <<< and << and < <( ). */
static void input_of_words(struct reading *r, const struct simple *simple)
{
	const struct shell *shell = r->shell;
	size_t at = shell->commands[simple->command].first;

	for (; at != SHELL_NONE; at = shell->words[at].next) {
		const struct shell_word *word = &shell->words[at];

		if (word->op[0] != '<')
			continue;
		if (note_word_taints(r, simple, word))
			continue;
		if (word->role == SHELL_HERE || strcmp(word->op, "<<<") == 0)
			read_code(r, simple, word);
		else
			note_file(r, simple, word->value);
	}
}

static bool is_tool_directory(const char *value)
{
	static const char *const parts[] = {".venv/", "venv/", ".tox/", "node_modules/.bin/",
		"target/debug/", "target/release/", "build/"};

	if (path_climbs(value))
		return false;
	value = plain_path(value);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		const char *at = strstr(value, parts[i]);

		if (at == value || (at != NULL && at[-1] == '/'))
			return true;
	}
	return false;
}

static void note_unseen(struct reading *r, const struct shell_word *word)
{
	MEM_AUTO char *path = word_path(r, word->value);

	if (path != NULL && may_write(r, path) && !is_tool_directory(word->value))
		note_word(r, NOTE_FILE, word);
}

/* xargs sh -c: what comes through the pipe becomes words of the script. */
static bool is_fed_words(const struct reading *r, const struct simple *simple)
{
	static const char *const feeders[] = {"xargs", "parallel", NULL};
	size_t program = r->shell->commands[simple->command].program;

	return program != SHELL_NONE &&
	       name_in(path_basename(r->shell->words[program].value), feeders);
}

static void check_interpreter(struct reading *r, const struct simple *simple)
{
	struct call call = call_of(simple);

	if (is_fed_words(r, simple))
		input_of_pipe(r, simple);

	if (call.code != 0 && !note_word_taints(r, simple, simple->words[call.code]))
		read_code(r, simple, simple->words[call.code]);
	if (call.reads_input) {
		input_of_pipe(r, simple);
		input_of_words(r, simple);
	}
	if (call.script == 0)
		return;
	const struct shell_word *script = simple->words[call.script];

	if (note_word_taints(r, simple, script) || note_file(r, simple, script->value))
		return;
	if (is_shell(simple->name) && !(script->flags & (SHELL_EXPANDS | SHELL_PROCESS)))
		note_unseen(r, script);
}

static void check_source(struct reading *r, const struct simple *simple)
{
	if (simple->count < 2)
		return;
	const struct shell_word *script = simple->words[1];

	if (!note_word_taints(r, simple, script) && !note_file(r, simple, script->value) &&
		!(script->flags & SHELL_EXPANDS) &&
		strncmp(path_basename(script->value), ".env", 4) != 0)
		note_unseen(r, script);
}

static void check_eval(struct reading *r, const struct simple *simple)
{
	bool tainted = false;

	for (size_t i = 1; i < simple->count; i++)
		tainted |= note_word_taints(r, simple, simple->words[i]);
	if (tainted)
		return;
	note_simple(r, NOTE_BUILT, simple);
	for (size_t i = 1; i < simple->count; i++)
		read_word(r, simple->words[i]);
}

static bool is_list(const struct shell_word *word)
{
	const char *brace = strchr(word->value, '{');

	if (brace == NULL || strchr(brace, ',') == NULL || (word->flags & SHELL_QUOTED))
		return false;
	return brace == word->value || brace[-1] != '$';
}

/* A pattern as /bin/r[m]. */
static bool is_class(const struct shell_word *word)
{
	const char *open = strchr(word->value, '[');

	return open != NULL && strchr(open, ']') != NULL &&
	       !(word->flags & (SHELL_QUOTED | SHELL_EXPANDS));
}

/* To a shell without (( )) they are two ( ). */
static void read_arithmetic(struct reading *r, const struct shell_word *word)
{
	size_t base = r->base;

	if (word->end - word->start < 4)
		return;
	r->base += word->start + 2;
	read_text(r, r->bytes + word->start + 2, word->end - word->start - 4);
	r->base = base;
}

/* Parts of a variable, patterns, lists in braces: a program that has no name yet. */
static void check_program(struct reading *r, const struct simple *simple)
{
	const struct shell_word *word = simple->words[0];
	const char *value = word->value;

	if (strncmp(value, "((", 2) == 0) {
		read_arithmetic(r, word);
		return;
	}
	if (strcmp(value, "[") == 0)
		return;
	if ((word->flags & (SHELL_SUBSTITUTES | SHELL_EXPANDS)) &&
		note_word_taints(r, simple, word))
		return;
	if (note_file(r, simple, value))
		return;
	if ((word->flags & (SHELL_MANY | SHELL_GLOB)) || is_list(word) || is_class(word))
		note_simple(r, NOTE_BUILT, simple);
	else if (strchr(value, '/') != NULL && !(word->flags & SHELL_EXPANDS))
		note_unseen(r, word);
}

void check_run(struct reading *r, const struct simple *simple)
{
	static const char *const sources[] = {"source", ".", NULL};

	check_program(r, simple);
	if (is_interpreter(simple->name))
		check_interpreter(r, simple);
	else if (name_in(simple->name, sources))
		check_source(r, simple);
	else if (strcmp(simple->name, "eval") == 0)
		check_eval(r, simple);
	else if (strcmp(simple->name, "trap") == 0 && simple->count > 2)
		read_word(r, simple->words[1]);
	keep_files(r, simple);
}

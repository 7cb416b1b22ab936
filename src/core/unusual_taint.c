#include "config.h"

#include "core/unusual_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/path.h"

#define TAINT_DEPTH_MAX 4 /* texts in texts: each is read once more at each depth */

/* Where the text of each command and word comes from: the network, or an encoding. Known by the programs of a pipeline and
   handed on through pipes, $( ) and <( ). */

static bool is_fetcher(const char *name)
{
	static const char *const names[] = {"curl", "wget", "http", "https", "xh", "aria2c", "lynx",
		"w3m", "nc", "ncat", "netcat", "socat", "fetch", "lwp-request", "GET", NULL};

	return name_in(name, names);
}

bool holds_any(const char *text, const char *const parts[])
{
	for (size_t i = 0; parts[i] != NULL; i++) {
		if (strstr(text, parts[i]) != NULL)
			return true;
	}
	return false;
}

static const char *const decoders[] = {"b64decode", "base64", "decompress", "fromhex", "unhexlify",
	"decode_base64", "marshal.loads", "atob(", "codecs.decode", "unpack(", "rot13", "rot_13",
	"gzinflate", "b32decode", "bytes([", "b85decode", NULL};
static const char *const runners[] = {"exec(", "eval(", "eval ", "os.system(", "Function(",
	"system(", "subprocess", "execSync(", "popen(", NULL};

bool decodes(const char *text)
{
	return holds_any(text, decoders);
}

bool fetches(const char *text)
{
	static const char *const parts[] = {"urlopen(", "requests.get(", "fetch(", "LWP::Simple",
		"Net::HTTP", "open-uri", "file_get_contents(\"http", NULL};

	return holds_any(text, parts);
}

bool decodes_and_runs(const char *text)
{
	return decodes(text) && holds_any(text, runners);
}

/* printf '\x72\x6d' and its like: two codes or more. */
static bool has_codes(const struct shell_word *word)
{
	unsigned codes = 0;

	for (const char *at = strchr(word->value, '\\'); at != NULL; at = strchr(at + 1, '\\')) {
		if ((at[1] == 'x' && isxdigit((unsigned char)at[2])) ||
			(isdigit((unsigned char)at[1]) && isdigit((unsigned char)at[2])))
			codes++;
	}
	return codes >= 2;
}

/* What a program does with its options, in one pass over its words. */
struct use {
	bool reverses, codes, code_decodes, code_fetches, rot13;
};

static struct use use_of(const struct shell *shell, size_t command)
{
	struct use use = {0};
	size_t at = shell_next(shell, command, SHELL_NONE, SHELL_ARGUMENT);

	for (; at != SHELL_NONE; at = shell_next(shell, command, at, SHELL_ARGUMENT)) {
		const struct shell_word *word = &shell->words[at];
		const char *value = word->value;

		use.reverses |= strcmp(value, "--decode") == 0 || strcmp(value, "--reverse") == 0;
		use.reverses |= strcmp(value, "-revert") == 0;
		if (value[0] == '-' && value[1] != '-' && strlen(value) <= 4)
			use.reverses |= strpbrk(value, "dDr") != NULL;
		use.codes |= has_codes(word);
		use.code_decodes |= decodes(value);
		use.code_fetches |= fetches(value);
		use.rot13 |= strncasecmp(value, "n-za-m", 6) == 0;
	}
	return use;
}

static bool is_decoder(const char *name, const struct use *use)
{
	static const char *const reversing[] = {
		"base64", "base32", "basenc", "xxd", "openssl", "gpg", "uuencode", "b64", NULL};
	static const char *const always[] = {"uudecode", "rev", NULL};
	static const char *const printing[] = {"printf", "echo", NULL};

	if (name_in(name, always) || (use->reverses && name_in(name, reversing)))
		return true;
	if (use->codes && name_in(name, printing))
		return true;
	return (strcmp(name, "tr") == 0 && use->rot13) ||
	       (is_interpreter(name) && use->code_decodes);
}

/* A name anywhere among the words: sudo curl, env X=1 base64 -d. */
static const char *tainting_name(const struct shell *shell, size_t command)
{
	size_t program = shell->commands[command].program;

	if (program == SHELL_NONE)
		return "";
	const char *name = path_basename(shell->words[program].value);
	size_t at = shell_next(shell, command, SHELL_NONE, SHELL_ARGUMENT);

	if (!is_starter(name))
		return name;
	for (; at != SHELL_NONE; at = shell_next(shell, command, at, SHELL_ARGUMENT)) {
		const char *value = path_basename(shell->words[at].value);

		if (is_fetcher(value) || is_decoder(value, &(struct use){.reverses = true}))
			return value;
	}
	return name;
}

static void take_all(struct taints *to, const struct reading *from)
{
	for (size_t i = 0; i < from->shell->command_count; i++) {
		for (int t = 0; t < TAINT_COUNT; t++)
			to->is[t] |= from->of_commands[i].is[t];
	}
}

/* What any command of a script puts out may be what the script does. */
static void text_taints(const struct reading *r, const char *bytes, size_t len, struct taints *ret)
{
	struct shell shell = {0};
	struct reading inner = {.bytes = bytes, .shell = &shell, .taint_depth = r->taint_depth + 1};

	if (inner.taint_depth > TAINT_DEPTH_MAX)
		return;
	shell_read(bytes, len, true, &shell);
	inner.of_commands = mem_array(shell.command_count + 1, sizeof(struct taints));
	inner.of_words = mem_array(shell.word_count + 1, sizeof(struct taints));
	find_taints(&inner);
	take_all(ret, &inner);
	for (int t = 0; t < TAINT_COUNT; t++)
		strv_release(&inner.tainted[t]);
	free(inner.of_commands);
	free(inner.of_words);
	shell_release(&shell);
}

static bool is_code_option(const char *value)
{
	return value[0] == '-' && value[1] != '-' && strchr(value, 'c') != NULL;
}

/* sh -c TEXT, also behind sudo or env; eval TEXT; the here-document of a shell. */
static void script_taints(struct reading *r, size_t command, struct taints *ret)
{
	const struct shell *shell = r->shell;
	bool is_script = false, is_next = false;

	for (size_t at = shell->commands[command].first; at != SHELL_NONE;
		at = shell->words[at].next) {
		const struct shell_word *word = &shell->words[at];

		if (word->role == SHELL_HERE && is_script)
			text_taints(r, r->bytes + word->body_start,
				word->body_end - word->body_start, ret);
		if (word->role != SHELL_ARGUMENT && word->role != SHELL_IS_PROGRAM)
			continue;
		if (is_next)
			text_taints(r, word->value, strlen(word->value), ret);
		is_next = (is_next && strcmp(word->value, "--") == 0) ||
			  (is_script && is_code_option(word->value));
		is_script |= is_shell(path_basename(word->value));
		is_next |= word->role == SHELL_IS_PROGRAM && strcmp(word->value, "eval") == 0;
	}
}

static void own_taints(struct reading *r, size_t command)
{
	const char *name = tainting_name(r->shell, command);
	struct use use = use_of(r->shell, command);
	struct taints *taints = &r->of_commands[command];

	taints->is[TAINT_REMOTE] = is_fetcher(name) || (is_interpreter(name) && use.code_fetches);
	taints->is[TAINT_DECODED] = is_decoder(name, &use);
	script_taints(r, command, taints);
	for (int t = 0; t < TAINT_COUNT; t++)
		taints->start[t] = r->shell->commands[command].start;
}

static bool take(struct taints *to, const struct taints *from, size_t start)
{
	bool taken = false;

	for (int t = 0; t < TAINT_COUNT; t++) {
		if (!from->is[t] || to->is[t])
			continue;
		to->is[t] = true;
		to->start[t] = start != SHELL_NONE ? start : from->start[t];
		taken = true;
	}
	return taken;
}

/* False when there was nothing more to hand on. */
static bool one_round(struct reading *r)
{
	const struct shell *shell = r->shell;
	bool taken = false;

	for (size_t i = 0; i < shell->command_count; i++) {
		const struct shell_command *command = &shell->commands[i];

		if (command->piped_from != SHELL_NONE)
			taken |= take(&r->of_commands[i], &r->of_commands[command->piped_from],
				SHELL_NONE);
		if (command->piped_with != SHELL_NONE)
			taken |= take(&r->of_commands[command->piped_with], &r->of_commands[i],
				SHELL_NONE);
		if (command->parent != SHELL_NONE)
			taken |= take(&r->of_words[command->parent], &r->of_commands[i],
				shell->commands[shell->words[command->parent].command].start);
	}
	for (size_t i = 0; i < shell->word_count; i++)
		taken |= take(&r->of_commands[shell->words[i].command], &r->of_words[i],
			shell->commands[shell->words[i].command].start);
	return taken;
}

void find_taints(struct reading *r)
{
	for (size_t i = 0; i < r->shell->command_count; i++)
		own_taints(r, i);
	/* Ends: each round takes at least one, and as many as the $( ) are deep do. */
	while (one_round(r) || take_variables(r))
		;
}

#include "config.h"

#include "core/unusual_internal.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"

/* Variables that hold fetched or decoded text: x=$(curl ..), and read in a pipe. */

#define TAINTED_MAX 16 /* each $ is compared to all of them, in each round */

static bool keep_name(struct reading *r, const struct shell_word *word, int taint, char *name)
{
	struct strv *names = &r->tainted[taint];
	MEM_AUTO char *held = name;

	if (held[0] == '\0' || strv_has(names, held))
		return false;
	if (names->count < TAINTED_MAX) {
		strv_add(names, held);
		return true;
	}
	/* A text that is only looked at for what it puts out has no notes. */
	if (r->list != NULL)
		note_too_many(r, word);
	return false;
}

static bool keep_assigned(struct reading *r, size_t at)
{
	const struct shell_word *word = &r->shell->words[at];
	size_t len = strcspn(word->value, "=+[");
	bool kept = false;

	for (int t = 0; t < TAINT_COUNT; t++) {
		if (r->of_words[at].is[t])
			kept |= keep_name(r, word, t, mem_strndup(word->value, len));
	}
	return kept;
}

/* read a b */
static bool keep_read(struct reading *r, size_t command)
{
	static const char *const readers[] = {"read", "mapfile", "readarray", NULL};
	const struct shell *shell = r->shell;
	size_t at = shell->commands[command].program;
	bool kept = false;

	if (at == SHELL_NONE || !name_in(shell->words[at].value, readers))
		return false;
	while ((at = shell_next(shell, command, at, SHELL_ARGUMENT)) != SHELL_NONE) {
		const struct shell_word *word = &shell->words[at];

		for (int t = 0; t < TAINT_COUNT; t++) {
			if (word->value[0] != '-' && r->of_commands[command].is[t])
				kept |= keep_name(r, word, t, mem_strdup(word->value));
		}
	}
	return kept;
}

static bool names(const char *value, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = strchr(value, '$'); at != NULL; at = strchr(at + 1, '$')) {
		const char *from = at + 1 + (at[1] == '{');

		if (strncmp(from, name, len) == 0 && !isalnum((unsigned char)from[len]) &&
			from[len] != '_')
			return true;
	}
	return false;
}

static bool take_held(struct reading *r, size_t at)
{
	const struct shell_word *word = &r->shell->words[at];
	struct taints *taints = &r->of_words[at];
	bool taken = false;

	for (int t = 0; t < TAINT_COUNT; t++) {
		for (size_t i = 0; i < r->tainted[t].count && !taints->is[t]; i++) {
			if (!names(word->value, r->tainted[t].items[i]))
				continue;
			taints->is[t] = taken = true;
			taints->start[t] = r->shell->commands[word->command].start;
		}
	}
	return taken;
}

bool take_variables(struct reading *r)
{
	bool taken = false;

	for (size_t i = 0; i < r->shell->command_count; i++) {
		if (taints_any(&r->of_commands[i]))
			taken |= keep_read(r, i);
	}
	for (size_t i = 0; i < r->shell->word_count; i++) {
		const struct shell_word *word = &r->shell->words[i];

		if (word->value == NULL) /* the text ended inside of it */
			continue;
		if (word->flags & SHELL_EXPANDS)
			taken |= take_held(r, i);
		if (word->role == SHELL_ASSIGNMENT && taints_any(&r->of_words[i]))
			taken |= keep_assigned(r, i);
	}
	return taken;
}

#include "config.h"

#include "core/unusual_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"

/* The files that fetched or decoded text goes into, so that it is known when one of them is run. */

#define FILES_MAX 64 /* each program and script is compared to all of them */

const char *plain_path(const char *value)
{
	return strncmp(value, "./", 2) == 0 ? value + 2 : value;
}

bool taints_any(const struct taints *taints)
{
	return taints->is[TAINT_REMOTE] || taints->is[TAINT_DECODED];
}

static void keep_file(
	struct reading *r, const struct simple *simple, enum taint taint, const char *value)
{
	struct strv *files = &r->files[taint];

	value = plain_path(value);
	if (value[0] == '\0' || strv_has(files, value))
		return;
	if (files->count < FILES_MAX)
		strv_add(files, value);
	else
		note_too_many(r, simple->words[0]);
}

static void keep_url_name(struct reading *r, const struct simple *simple)
{
	for (size_t i = 1; i < simple->count; i++) {
		const char *value = simple->words[i]->value;

		if (strstr(value, "://") != NULL)
			keep_file(r, simple, TAINT_REMOTE, path_basename(value));
	}
}

/* -o FILE of curl, -O FILE of wget, alone or behind other letters: -fsSLo FILE. */
static bool names_output(const char *option, char letter)
{
	size_t len = strlen(option);

	if (strcmp(option, "--output") == 0)
		return true;
	return len > 1 && option[0] == '-' && option[1] != '-' && option[len - 1] == letter;
}

/* Where a fetcher puts what it gets. */
static void check_fetched(struct reading *r, const struct simple *simple)
{
	bool curl = strcmp(simple->name, "curl") == 0, named = false;

	if (!curl && strcmp(simple->name, "wget") != 0)
		return;
	for (size_t i = 1; i < simple->count; i++) {
		const char *value = simple->words[i]->value;

		if (strncmp(value, "--output=", 9) == 0)
			keep_file(r, simple, TAINT_REMOTE, value + 9);
		if (i + 1 >= simple->count || !names_output(value, curl ? 'o' : 'O'))
			continue;
		keep_file(r, simple, TAINT_REMOTE, simple->words[++i]->value);
		named = true;
	}
	if (curl ? simple_has_letter(simple, 'O') : !named)
		keep_url_name(r, simple);
}

static void check_output(struct reading *r, const struct simple *simple)
{
	const struct taints *taints = &r->of_commands[simple->command];
	size_t at = shell_next(r->shell, simple->command, SHELL_NONE, SHELL_TARGET);

	for (; at != SHELL_NONE && taints_any(taints);
		at = shell_next(r->shell, simple->command, at, SHELL_TARGET)) {
		for (int t = 0; t < TAINT_COUNT; t++) {
			if (taints->is[t] && strchr(r->shell->words[at].op, '>') != NULL)
				keep_file(r, simple, (enum taint)t, r->shell->words[at].value);
		}
	}
	if (strcmp(simple->name, "tee") != 0)
		return;
	for (size_t i = 1; i < simple->count; i++) {
		for (int t = 0; t < TAINT_COUNT; t++) {
			if (taints->is[t])
				keep_file(r, simple, (enum taint)t, simple->words[i]->value);
		}
	}
}

void keep_files(struct reading *r, const struct simple *simple)
{
	check_fetched(r, simple);
	check_output(r, simple);
}

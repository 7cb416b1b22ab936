#include "config.h"

#include "core/arguments.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/arguments_internal.h"

#define UNKNOWN "it is not known to leave the box closed"
#define NO_OPTION "it is not an option, so it would be taken for what is to be run"

/* One option as the program itself would read it. */
struct option {
	const struct argument_rule *rule; /* NULL: unknown */
	const char *value;                /* NULL: none came with it */
	size_t words;                     /* elements of the array that it takes */
};

/* Reads the option at args->items[at]; false: it is none. One word may hold several short options: *letter is where to go
   on in it, 0 at its end. */
typedef bool read_option(const struct strv *args, size_t at, size_t *letter, struct option *ret);

static const struct argument_rule *find(
	const struct argument_rule *rules, size_t count, const char *name, size_t len)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(rules[i].name, name, len) == 0 && rules[i].name[len] == '\0')
			return &rules[i];
	return NULL;
}

/* firejail compares whole words: "--name" or "--name=value", nothing apart and nothing abbreviated. */
static bool read_firejail(const struct strv *args, size_t at, size_t *letter, struct option *ret)
{
	const char *word = args->items[at];
	*letter = 0;
	*ret = (struct option){.words = 1};
	if (word[0] != '-' || strcmp(word, "--") == 0)
		return false;
	if (word[1] != '-')
		return true;
	size_t len = strcspn(word + 2, "=");
	ret->rule = find(firejail_rules, firejail_rule_count, word + 2, len);
	ret->value = word[2 + len] == '=' ? word + 2 + len + 1 : NULL;
	return true;
}

static const char *word_after(const struct strv *args, size_t at, struct option *ret)
{
	if (at + 1 >= args->count)
		return NULL;
	ret->words = 2;
	return args->items[at + 1];
}

static void read_docker_long(const struct strv *args, size_t at, struct option *ret)
{
	const char *name = args->items[at] + 2;
	size_t len = strcspn(name, "=");
	ret->rule = find(docker_rules, docker_rule_count, name, len);
	if (name[len] == '=')
		ret->value = name + len + 1;
	else if (ret->rule && !ret->rule->is_flag)
		ret->value = word_after(args, at, ret);
}

static const struct argument_rule *find_letter(char letter)
{
	for (size_t i = 0; i < docker_rule_count; i++)
		if (docker_rules[i].letter == letter)
			return &docker_rules[i];
	return NULL;
}

/* "-it" is two flags; "-vX", "-v=X" and "-v X" are one option with a value, "-itvX" all of it. */
static void read_docker_short(
	const struct strv *args, size_t at, size_t *letter, struct option *ret)
{
	const char *word = args->items[at];
	size_t here = *letter ? *letter : 1;
	const char *rest = word + here + 1;
	*letter = 0;
	ret->rule = find_letter(word[here]);
	if (rest[0] == '=') {
		ret->value = rest + 1;
	} else if (ret->rule && !ret->rule->is_flag) {
		ret->value = rest[0] ? rest : word_after(args, at, ret);
	} else if (rest[0]) {
		ret->words = 0;
		*letter = here + 1;
	}
}

static bool read_docker(const struct strv *args, size_t at, size_t *letter, struct option *ret)
{
	const char *word = args->items[at];
	*ret = (struct option){.words = 1};
	if (word[0] != '-' || word[1] == '\0' || strcmp(word, "--") == 0)
		return false;
	if (word[1] == '-')
		read_docker_long(args, at, ret);
	else
		read_docker_short(args, at, letter, ret);
	return true;
}

static bool is_among(const char *words, const char *value)
{
	size_t len = strlen(value);
	for (; *words; words += strspn(words, " ")) {
		size_t word = strcspn(words, " ");
		if (word == len && strncmp(words, value, len) == 0)
			return true;
		words += word;
	}
	return false;
}

/* NULL: it may stay. */
static const char *objection(const struct option *option)
{
	const struct argument_rule *rule = option->rule;
	const char *value = option->value;
	if (rule == NULL)
		return UNKNOWN;
	if (rule->fate == ARGUMENT_REFUSED)
		return rule->why;
	if (value == NULL && rule->is_flag)
		return NULL;
	if (rule->only && (value == NULL || !is_among(rule->only, value)))
		return rule->why;
	return NULL;
}

static int refuse(const char *word, const char *why, struct err *err)
{
	MEM_AUTO char *shown = text_escaped(word);
	return err_set(err, ERR_REFUSED, "%s is refused: %s", shown, why);
}

/* Checks when ret is NULL, else collects what is kept. */
static int walk(read_option *read, const struct strv *args, struct strv *ret, struct err *err)
{
	size_t letter = 0;
	for (size_t at = 0; at < args->count;) {
		struct option option;
		bool is_option = read(args, at, &letter, &option);
		const char *why = is_option ? objection(&option) : NO_OPTION;
		if (why)
			return refuse(args->items[at], why, err);
		/* Of a word with several short options none is kept before the last one was looked at. */
		if (ret && option.rule->fate == ARGUMENT_KEPT)
			for (size_t i = 0; i < option.words; i++)
				strv_add(ret, args->items[at + i]);
		at += option.words;
	}
	return 0;
}

int arguments_check_firejail(const struct strv *args, struct err *err)
{
	return walk(read_firejail, args, NULL, err);
}

int arguments_check_docker(const struct strv *args, struct err *err)
{
	return walk(read_docker, args, NULL, err);
}

void arguments_firejail(const struct strv *args, struct strv *ret)
{
	struct err err = ERR_INIT;
	walk(read_firejail, args, ret, &err);
}

void arguments_docker(const struct strv *args, struct strv *ret)
{
	struct err err = ERR_INIT;
	walk(read_docker, args, ret, &err);
}

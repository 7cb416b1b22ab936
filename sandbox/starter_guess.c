#include "config.h"

#include "sandbox/starter_guess.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"

#define TEXT_BYTES 65536

static enum guess by_name(const char *name, size_t len)
{
	static const struct {
		const char *name;
		enum guess guess;
	} rows[] = {{"landlock", GUESS_NATIVE}, {"auto", GUESS_NATIVE},
		{"bubblewrap", GUESS_BUBBLEWRAP}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (len == strlen(rows[i].name) && memcmp(name, rows[i].name, len) == 0)
			return rows[i].guess;
	return GUESS_OTHER;
}

enum guess guess_by_text(const char *text)
{
	static const char blanks[] = " \t";
	for (const char *line = text; line != NULL;
		line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *at = line + strspn(line, blanks);
		if (strncmp(at, "backend", 7) != 0)
			continue;
		at += 7;
		at += strspn(at, blanks);
		if (*at != '=')
			continue;
		at++;
		at += strspn(at, " \t\"'");
		return by_name(at, strcspn(at, "\"' \t\r\n#"));
	}
	return GUESS_NATIVE;
}

static const char *variable(char *const *envp, const char *name)
{
	size_t len = strlen(name);
	for (; *envp != NULL; envp++)
		if (strncmp(*envp, name, len) == 0 && (*envp)[len] == '=')
			return *envp + len + 1;
	return NULL;
}

static enum guess by_file(const char *path)
{
	FD_AUTO int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return GUESS_NATIVE;
	MEM_AUTO char *text = mem_array(TEXT_BYTES, 1);
	ssize_t len = read(fd, text, TEXT_BYTES - 1);
	text[len > 0 ? len : 0] = '\0';
	return guess_by_text(text);
}

static enum guess by_default_file(char *const *envp)
{
	const char *config = variable(envp, "XDG_CONFIG_HOME");
	const char *home = variable(envp, "HOME");
	bool named = config != NULL && config[0] == '/';
	if (!named && home == NULL)
		return GUESS_NATIVE;
	MEM_AUTO char *path = path_join(named ? config : home,
		named ? "exequatur/config.toml" : ".config/exequatur/config.toml");
	return by_file(path);
}

/* The value of an option in one word or in two. */
static const char *value_of(char *const *word, const char *letter, const char *name)
{
	size_t len = strlen(name);
	if (strcmp(*word, letter) == 0 || strcmp(*word, name) == 0)
		return word[1];
	if (strncmp(*word, name, len) == 0 && (*word)[len] == '=')
		return *word + len + 1;
	return strncmp(*word, letter, 2) == 0 && (*word)[1] != '-' ? *word + 2 : NULL;
}

enum guess guess_start(char *const *argv, char *const *envp)
{
	const char *config = NULL;
	for (char *const *word = argv; *word != NULL; word++) {
		const char *backend = value_of(word, "-b", "--backend");
		const char *file = value_of(word, "-c", "--config");
		if (backend != NULL)
			return by_name(backend, strlen(backend));
		config = file != NULL && config == NULL ? file : config;
	}
	return config != NULL ? by_file(config) : by_default_file(envp);
}

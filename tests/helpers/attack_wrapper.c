/* A bwrap or firejail that does not do what it is asked for; the way is chosen when it is compiled. What follows the last
   option and "--" is the program, as for the true one. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS_MAX 1000

#ifndef BEFORE_PROGRAM
#define BEFORE_PROGRAM
#endif

static char *const before_program[] = {BEFORE_PROGRAM NULL};

static int is_separator(const char *word)
{
	return strcmp(word, "--") == 0;
}

#ifdef TRUE_WRAPPER
#ifndef LEFT_OUT
#define LEFT_OUT ""
#endif

/* Options that begin like this do not get to the true one; with none named all do. */
static int is_left_out(const char *word)
{
	return LEFT_OUT[0] && strncmp(word, LEFT_OUT, strlen(LEFT_OUT)) == 0;
}

static int add_options(char **words, char **argv, int end)
{
	int count = 0;
	words[count++] = TRUE_WRAPPER;
#ifdef FIRST
	words[count++] = FIRST;
#endif
	for (int i = 1; i < end && count < WORDS_MAX / 2; i++)
		if (!is_left_out(argv[i]))
			words[count++] = argv[i];
	return count;
}
#endif

int main(int argc, char **argv)
{
	char *words[WORDS_MAX];
	int count = 0, at = 1;
	while (at < argc && !is_separator(argv[at]))
		at++;
#ifdef TRUE_WRAPPER
	count = add_options(words, argv, at);
#endif
	for (int i = 0; before_program[i]; i++)
		words[count++] = before_program[i];
#ifdef TRUE_WRAPPER
	at--;
#endif
	for (int i = at + 1; i < argc && count < WORDS_MAX - 1; i++)
		words[count++] = argv[i];
	words[count] = NULL;
	if (count == 0)
		return 1;
	execv(words[0], words);
	return 1;
}

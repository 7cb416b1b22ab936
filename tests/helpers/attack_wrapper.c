/* A bwrap that does not do what it is asked for; the way is chosen when it is compiled. What follows the last option and "--"
   is the program, as for the true one. */
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

int main(int argc, char **argv)
{
	char *words[WORDS_MAX];
	int count = 0, at = 1;
	while (at < argc && !is_separator(argv[at]))
		at++;
#ifdef TRUE_WRAPPER
	words[count++] = TRUE_WRAPPER;
	for (int i = 1; i < at && count < WORDS_MAX / 2; i++)
		words[count++] = argv[i];
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

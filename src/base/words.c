#include "config.h"

#include "base/words.h"

#include <libintl.h>
#include <string.h>

static bool begun;

void words_begin(const char *dir)
{
	bindtextdomain(WORDS_DOMAIN, dir);
	bind_textdomain_codeset(WORDS_DOMAIN, "UTF-8");
	begun = true;
}

void words_end(void)
{
	begun = false;
}

bool words_are_english(void)
{
	return !begun || strstr(dgettext(WORDS_DOMAIN, ""), "\nLanguage: ") == NULL;
}

/* The translation of "" is the head of the catalogue. */
const char *words_get(const char *text)
{
	return begun && text[0] != '\0' ? dgettext(WORDS_DOMAIN, text) : text;
}

const char *words_plural(const char *one, const char *many, unsigned long n)
{
	if (!begun)
		return n == 1 ? one : many;
	return dngettext(WORDS_DOMAIN, one, many, n);
}

const char *words_in(const char *key, const char *text)
{
	const char *found = begun ? dgettext(WORDS_DOMAIN, key) : key;

	return found != key ? found : text;
}

/* The person's language. What a person reads on the screen is written in English in the source and marked; agents, the record,
   answers and logs never pass here and always get English. Nothing is translated before words_begin(). */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <stdbool.h>

#define WORDS_DOMAIN "exequatur"

/* A text of ours, translated. Never foreign text: that a command equals one of our sentences must not change it. */
#define _(text) words_get(text)
/* Marks a text in a table; `_()` translates it where it is drawn. */
#define N_(text) text
/* Both are formats for n, or texts. */
#define P_(one, many, n) words_plural(one, many, n)
/* One English word that is two words elsewhere: the context (a literal) tells them apart. */
#define C_(context, text) words_in(context "\004" text, text)

/* dir: holds LANGUAGE/LC_MESSAGES/exequatur.mo. LC_MESSAGES and LANGUAGE of the environment choose; the caller has called
   setlocale(). Only for a screen that can show UTF-8. */
void words_begin(const char *dir);
void words_end(void);         /* English again */
bool words_are_english(void); /* as far as this catalogue goes */

/* The text itself where there is no translation; "" stays "". Never NULL. What it returns lives as long as the program. */
const char *words_get(const char *text) __attribute__((format_arg(1)));
const char *words_plural(const char *one, const char *many, unsigned long n)
	__attribute__((format_arg(1), format_arg(2)));
const char *words_in(const char *key, const char *text) __attribute__((format_arg(2)));

#endif

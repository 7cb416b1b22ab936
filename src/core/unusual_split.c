#include "config.h"

#include "core/unusual_internal.h"

#include <string.h>

#include "base/str.h"

/* env -S 'COMMAND WORD' WORD: the rest is read as one text, with the string without its quotes. */
static bool read_split(struct reading *r, const struct simple *simple, size_t at, const char *text)
{
	STR_AUTO struct str whole = STR_INIT;
	const struct shell_word *last = simple->words[simple->count - 1];
	size_t start = r->pin_start, end = r->pin_end;
	bool pinned = r->pinned;

	str_add(&whole, text);
	if (at + 1 < simple->count) {
		str_add_char(&whole, ' ');
		str_add_bytes(&whole, r->bytes + simple->words[at + 1]->start,
			last->end - simple->words[at + 1]->start);
	}
	if (!pinned) {
		r->pin_start = r->base + simple->words[0]->start;
		r->pin_end = r->base + last->end;
	}
	r->pinned = true;
	read_text(r, str_c(&whole), whole.len);
	r->pinned = pinned;
	r->pin_start = start;
	r->pin_end = end;
	return true;
}

bool check_split(struct reading *r, const struct simple *simple)
{
	if (strcmp(simple->name, "env") != 0)
		return false;
	for (size_t i = 1; i < simple->count && simple->words[i]->value[0] == '-'; i++) {
		const char *value = simple->words[i]->value;
		const char *split = value[1] != '-' ? strchr(value, 'S') : NULL;
		bool apart =
			(split != NULL && split[1] == '\0') || strcmp(value, "--split-string") == 0;

		if (strncmp(value, "--split-string=", 15) == 0)
			return read_split(r, simple, i, value + 15);
		if (split != NULL && !apart)
			return read_split(r, simple, i, split + 1);
		if (apart && i + 1 < simple->count)
			return read_split(r, simple, i + 1, simple->words[i + 1]->value);
		/* -u NAME, -C DIRECTORY */
		i += strcmp(value, "-u") == 0 || strcmp(value, "-C") == 0;
	}
	return false;
}

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

/* Where the text begins that this option splits; NULL: in no word of its own. *ret_apart: in the next. */
static const char *split_text(const char *value, bool *ret_apart)
{
	const char *split = value[1] != '-' ? strchr(value, 'S') : NULL;

	*ret_apart = (split != NULL && split[1] == '\0') || strcmp(value, "--split-string") == 0;
	if (strncmp(value, "--split-string=", 15) == 0)
		return value + 15;
	return split != NULL && !*ret_apart ? split + 1 : NULL;
}

bool check_split(struct reading *r, const struct simple *simple)
{
	static const char *const with_value[] = {"-u", "-C", NULL};

	if (strcmp(simple->name, "env") != 0)
		return false;
	for (size_t i = 1; i < simple->count && simple->words[i]->value[0] == '-'; i++) {
		bool apart;
		const char *text = split_text(simple->words[i]->value, &apart);

		if (text != NULL)
			return read_split(r, simple, i, text);
		if (apart && i + 1 < simple->count)
			return read_split(r, simple, i + 1, simple->words[i + 1]->value);
		i += name_in(simple->words[i]->value, with_value);
	}
	return false;
}

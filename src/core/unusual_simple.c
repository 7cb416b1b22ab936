#include "config.h"

#include "core/unusual_internal.h"

#include <string.h>

/* What is asked of the words of one command. */

bool name_in(const char *name, const char *const names[])
{
	for (size_t i = 0; names[i] != NULL; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

bool simple_has(const struct simple *simple, const char *argument)
{
	for (size_t i = 1; i < simple->count; i++) {
		if (strcmp(simple->words[i]->value, argument) == 0)
			return true;
	}
	return false;
}

bool simple_has_letter(const struct simple *simple, char letter)
{
	for (size_t i = 1; i < simple->count; i++) {
		const char *value = simple->words[i]->value;

		if (value[0] == '-' && value[1] != '-' && strchr(value, letter) != NULL)
			return true;
	}
	return false;
}

void check_by_name(
	struct reading *r, const struct simple *simple, const struct check_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(rows[i].name, simple->name) == 0)
			rows[i].check(r, simple);
	}
}

size_t simple_operand(const struct simple *simple, size_t from, const char *with_value)
{
	while (from < simple->count) {
		const char *value = simple->words[from]->value;

		if (value[0] != '-' || value[1] == '\0')
			return from;
		if (strcmp(value, "--") == 0)
			return from + 1 < simple->count ? from + 1 : simple->count;
		/* -n 5 has its value behind it, -n5 in it. */
		if (value[1] != '-' && value[2] == '\0' && strchr(with_value, value[1]) != NULL)
			from++;
		from++;
	}
	return simple->count;
}

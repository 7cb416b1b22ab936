#include "config.h"

#include "tui/term_signals.h"

#include <string.h>

static void add_bytes(struct term_strings *to, const char *bytes, size_t len)
{
	if (len > sizeof(to->bytes) - to->len)
		return;
	memcpy(to->bytes + to->len, bytes, len);
	to->len += len;
}

void term_strings_add(struct term_strings *to, const char *text)
{
	add_bytes(to, text, strlen(text));
}

void term_strings_add_cap(struct term_strings *to, const char *cap)
{
	while (*cap != '\0') {
		size_t len = strcspn(cap, "$");

		add_bytes(to, cap, len);
		cap += len;
		if (strncmp(cap, "$<", 2) == 0 && strchr(cap, '>') != NULL)
			cap = strchr(cap, '>') + 1;
		else if (*cap == '$')
			add_bytes(to, cap++, 1);
	}
}

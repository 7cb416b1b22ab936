#include "config.h"

#include "tui/seek.h"

#include <string.h>

#include "base/text.h"

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static void make_small(struct seek *seek)
{
	for (size_t i = 0; i < seek->bytes.len; i++)
		seek->bytes.data[i] = small(seek->bytes.data[i]);
}

void seek_begin(struct seek *seek, const char *typed)
{
	*seek = (struct seek){STR_INIT};
	/* What only looks like an escape stands for itself. */
	if (text_unescape(typed, strlen(typed), &seek->bytes, NULL) != 0) {
		str_clear(&seek->bytes);
		str_add(&seek->bytes, typed);
	}
	make_small(seek);
}

void seek_begin_shown(struct seek *seek, const char *typed)
{
	*seek = (struct seek){STR_INIT};
	str_add(&seek->bytes, typed);
	make_small(seek);
}

void seek_release(struct seek *seek)
{
	str_release(&seek->bytes);
}

static bool is_match(const struct seek *seek, const char *text)
{
	for (size_t i = 1; i < seek->bytes.len; i++) {
		if (small(text[i]) != seek->bytes.data[i])
			return false;
	}
	return true;
}

const char *seek_next(const struct seek *seek, const char *text, size_t len)
{
	size_t sought = seek->bytes.len;

	for (size_t at = 0; sought > 0 && at + sought <= len; at++) {
		if (small(text[at]) == seek->bytes.data[0] && is_match(seek, text + at))
			return text + at;
	}
	return NULL;
}

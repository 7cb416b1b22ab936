#include "config.h"

#include "app/record_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define STEM_BYTES 17 /* "20261130T132801Z-" */
#define PART_DIGITS_MAX 6

static bool all_of(const char *text, size_t len, const char *set)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\0' || strchr(set, text[i]) == NULL)
			return false;
	}
	return true;
}

/* The bytes of YYYYMMDDThhmmssZ-PID-xxxx at the start of name; 0: it does not begin so. */
static size_t session_length(const char *name)
{
	static const char digits[] = "0123456789";
	size_t len = strcspn(name, ".");
	const char *pid = name + STEM_BYTES;

	if (len < STEM_BYTES + 1 + 5 || len > STEM_BYTES + 10 + 5)
		return 0;
	const char *hex = name + len - 4;
	size_t pid_len = (size_t)(hex - pid) - 1;
	bool good = all_of(name, 8, digits) && name[8] == 'T' && all_of(name + 9, 6, digits) &&
		    name[15] == 'Z' && name[16] == '-' && all_of(pid, pid_len, digits) &&
		    hex[-1] == '-' && all_of(hex, 4, "0123456789abcdef");

	return good ? len : 0;
}

/* "" is the first part, ".2" the second; anything else 0. */
static unsigned read_part(const char *text, size_t len)
{
	unsigned part = 0;

	if (len == 0)
		return 1;
	if (text[0] != '.' || len < 2 || len > 1 + PART_DIGITS_MAX || text[1] == '0' ||
		!all_of(text + 1, len - 1, "0123456789"))
		return 0;
	for (size_t i = 1; i < len; i++)
		part = part * 10 + (unsigned)(text[i] - '0');
	return part > 1 ? part : 0;
}

unsigned record_name_part(const char *name)
{
	size_t session = session_length(name), len = strlen(name), suffix = strlen(RECORD_SUFFIX);

	if (session == 0 || len < session + suffix ||
		strcmp(name + len - suffix, RECORD_SUFFIX) != 0)
		return 0;
	return read_part(name + session, len - suffix - session);
}

char *record_name_of(const char *session, unsigned part)
{
	return part == 1 ? mem_printf("%s%s", session, RECORD_SUFFIX)
			 : mem_printf("%s.%u%s", session, part, RECORD_SUFFIX);
}

char *record_name_plain(const char *name)
{
	size_t len = strlen(name), packed = strlen(RECORD_PACKED);
	bool is_packed = len > packed && strcmp(name + len - packed, RECORD_PACKED) == 0;

	return mem_strndup(name, is_packed ? len - packed : len);
}

char *record_name_session(const char *name)
{
	MEM_AUTO char *plain = record_name_plain(name);

	return record_name_part(plain) == 0 ? NULL : mem_strndup(name, session_length(name));
}

bool record_name_follows(const char *before, const char *name)
{
	unsigned part = record_name_part(name);
	size_t len = session_length(name);

	return part > 1 && record_name_part(before) == part - 1 && session_length(before) == len &&
	       strncmp(before, name, len) == 0;
}

int record_name_compare(const char *a, const char *b)
{
	unsigned x = record_name_part(a), y = record_name_part(b);
	size_t len = session_length(a);

	if (x == 0 || y == 0 || session_length(b) != len || strncmp(a, b, len) != 0)
		return strcmp(a, b);
	return (x > y) - (x < y);
}

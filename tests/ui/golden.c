#include "config.h"

#include "golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static char *golden_path(const char *name)
{
	const char *source = getenv("EXQ_SOURCE");

	return mem_printf("%s/tests/golden/ui/%s.txt", source != NULL ? source : ".", name);
}

static void write_file(const char *path, const struct str *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(1, fwrite(text->data, text->len, 1, file));
	assert_int_equal(0, fclose(file));
}

static void read_file(const char *path, struct str *ret)
{
	FILE *file = fopen(path, "r");
	char buf[4096];
	size_t got;

	if (file == NULL)
		fail_msg("%s is not there: GOLDEN=update writes it", path);
	while ((got = fread(buf, 1, sizeof(buf), file)) > 0)
		str_add_bytes(ret, buf, got);
	fclose(file);
}

static const char *next_line(const char **at, size_t *ret_len)
{
	const char *line = *at;

	*ret_len = strcspn(line, "\n");
	*at = line + *ret_len + (line[*ret_len] == '\n');
	return line;
}

/* Both pictures line by line, where they differ. */
static unsigned print_differences(const char *name, const char *want, const char *have)
{
	unsigned differences = 0;

	for (unsigned row = 1; *want != '\0' || *have != '\0'; row++) {
		size_t want_len, have_len;
		const char *want_line = next_line(&want, &want_len);
		const char *have_line = next_line(&have, &have_len);

		if (want_len == have_len && memcmp(want_line, have_line, want_len) == 0)
			continue;
		differences++;
		print_error("%s row %u\n- %.*s\n+ %.*s\n", name, row, (int)want_len, want_line,
			(int)have_len, have_line);
	}
	return differences;
}

void golden_check(const char *name, const struct str *have)
{
	const char *mode = getenv("GOLDEN");
	STR_AUTO struct str want = STR_INIT;
	MEM_AUTO char *path = golden_path(name);

	if (mode != NULL && strcmp(mode, "update") == 0) {
		write_file(path, have);
		return;
	}
	read_file(path, &want);
	assert_int_equal(0, print_differences(name, str_c(&want), str_c(have)));
}

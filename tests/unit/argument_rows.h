/* Arrays of arguments and what is to be said about them. */
#ifndef TESTS_ARGUMENT_ROWS_H
#define TESTS_ARGUMENT_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/strv.h"
#include "core/arguments_internal.h"

#define WORDS 4

struct row {
	const char *words[WORDS]; /* one array of the configuration */
	const char *why;          /* a part of the sentence; NULL: accepted */
};

#define NETWORK "the network of a call is what its card says"
#define HOST "shows files of this machine"
#define UNKNOWN "not known to leave the box closed"
#define NO_OPTION "it is not an option"

static inline void fill(struct strv *args, const struct row *row)
{
	for (size_t i = 0; i < WORDS && row->words[i]; i++)
		strv_add(args, row->words[i]);
}

static inline void check_rows(
	const struct row *rows, size_t count, int (*check)(const struct strv *, struct err *))
{
	for (size_t i = 0; i < count; i++) {
		struct strv args STRV_AUTO = STRV_INIT;
		struct err err = ERR_INIT;
		fill(&args, &rows[i]);
		int result = check(&args, &err);
		if (result != (rows[i].why ? -1 : 0) ||
			(rows[i].why && !strstr(err.text, rows[i].why)))
			fail_msg("%s %s: %s", rows[i].words[0],
				rows[i].words[1] ? rows[i].words[1] : "", err.text);
		if (rows[i].why)
			assert_int_equal(err.code, ERR_REFUSED);
	}
}

static inline bool is_about(const char *word, const char *name)
{
	size_t len = strlen(name);
	return strncmp(word, "--", 2) == 0 && strncmp(word + 2, name, len) == 0 &&
	       (word[2 + len] == '\0' || word[2 + len] == '=');
}

/* So that a rule that somebody adds is tried as well. */
static inline void check_refusals_have_rows(
	const struct argument_rule *rules, size_t rule_count, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < rule_count; i++) {
		bool found = rules[i].fate != ARGUMENT_REFUSED;
		for (size_t k = 0; k < count && !found; k++)
			found = rows[k].why && is_about(rows[k].words[0], rules[i].name);
		if (!found)
			fail_msg("no row refuses --%s", rules[i].name);
	}
}

#endif

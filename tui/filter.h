/* The filter of the history: words that a call must have, all of them, and the time of its end. */
#ifndef TUI_FILTER_H
#define TUI_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/model.h"

enum filter_field {
	FILTER_ANY, /* command, agent or what came of it */
	FILTER_AGENT,
	FILTER_ENDED,
	FILTER_ENDED_WHOLE, /* "exit 2" is not "exit 20" */
	FILTER_FROM,        /* the number of its sender, as view 6 has it */
	FILTER_FIELD_COUNT
};
struct filter_word {
	enum filter_field field;
	char *text;
};
#define FILTER_WORDS_MAX 32
struct filter {
	struct filter_word words[FILTER_WORDS_MAX];
	size_t count;
	int64_t since_wall_ms, until_wall_ms; /* until: the first moment behind it */
};

/* Words with blanks between, "several words" in quotes, agent:NAME, from:NUMBER, ended:WORD, since:14:20, until:14:30; `exit 2` and `signal 9`
   are one word. Capitals do not matter (ASCII). Times are of this machine's day, the last ones before the model's last event.
   The caller releases *ret. Errors: ERR_INVALID, with what to type instead. */
int filter_parse(const char *text, const struct model *model, struct filter *ret, struct err *err);
void filter_release(struct filter *filter);
/* Costs O(words * texts); of a command only as much counts as a forgotten call keeps. */
bool filter_match(const struct filter *filter, const struct job *job);

#endif

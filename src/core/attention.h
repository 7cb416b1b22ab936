/* When a person who looks elsewhere is called, and with which words: counts and times, never a word of an agent
   (screens.md section 8, number 12). Pure: time is an argument. */
#ifndef CORE_ATTENTION_H
#define CORE_ATTENTION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model.h"

/* What the terminal said of its focus. Unknown until it says something: not every terminal does. */
enum focus { FOCUS_UNKNOWN, FOCUS_HERE, FOCUS_AWAY, FOCUS_COUNT };

#define ATTENTION_REST_MS 10000 /* at most one call in so long, and none so soon behind a key */
#define ATTENTION_LATE_MS 30000 /* a waiting call that has so long left is late */
#define ATTENTION_LOOK_MS 1000  /* deadlines are read at most so often, however much arrives */
#define ATTENTION_TITLE_MS 1000 /* and a title changes at most so often */
#define ATTENTION_WORDS 96

struct attention {
	unsigned waiting; /* at the last look */
	bool owed; /* somebody should have been called, and it was too soon behind the call before */
	bool stale; /* the model changed since deadlines were read */
	int64_t called_ms, read_ms;
	int64_t late_at_ms; /* when the next call will be late; -1 */
	int64_t title_ms;
	char title[ATTENTION_WORDS]; /* that the terminal shows; "": none of ours */
};

void attention_init(struct attention *a);
void attention_changed(struct attention *a); /* the model changed */
/* true: call the person now. typed_ms: of the last key of a person; a focus is none. Costs O(1), or once a second O(calls). */
bool attention_look(struct attention *a, const struct model *model, enum focus focus,
	int64_t typed_ms, int64_t now_ms);
/* The title to be shown now, or NULL when nothing is to be written. again: the terminal has lost it. */
const char *attention_title(
	struct attention *a, const struct model *model, bool again, int64_t now_ms);
/* When to look again if nothing happens; -1: not at all. */
int64_t attention_due(const struct attention *a, const struct model *model, int64_t now_ms);
/* "3 calls wait, the oldest 42 s" */
void attention_words(const struct model *model, int64_t now_ms, char ret[ATTENTION_WORDS]);

#endif

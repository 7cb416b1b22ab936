/* One line of text asked for on the screen: a reason, a typed word, a question. Editing keys only edit. */
#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum prompt_kind {
	PROMPT_NONE,
	PROMPT_REASON, /* reject */
	PROMPT_WORD,   /* the typed word(s) of a !! card */
	PROMPT_STOP,   /* question: y */
	PROMPT_QUIT,   /* question: y */
	PROMPT_KIND_COUNT
};
struct prompt {
	enum prompt_kind kind;
	uint64_t seq;	 /* which call it is about */
	struct str text; /* UTF-8 */
	size_t cursor;	 /* byte offset, at a character */
	size_t history;	 /* which earlier reason is shown; 0: none */
	int64_t opened_at_ms;
};

#endif

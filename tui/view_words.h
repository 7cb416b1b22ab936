/* Numbers with their units and the words for what came of a call (screens.md 8.7 and 10). Everything appends to `out`. */
#ifndef TUI_VIEW_WORDS_H
#define TUI_VIEW_WORDS_H

#include <stdint.h>

#include "base/str.h"
#include "core/job.h"
#include "core/model.h"

/* "42 s", from two minutes on "2 min"; rounded down, as all of these. */
void words_waited(int64_t ms, struct str *out);
/* "4 min", under two minutes in steps of 5 s, under 30 s each second and with "!". */
void words_left(int64_t ms, struct str *out);
/* "12.4 s", from a minute on "62 s". */
void words_took(int64_t ms, struct str *out);
/* "0.3 s", from ten seconds on "31 s", for a list; nothing for a call that did not run. */
void words_took_short(const struct job *job, struct str *out);
/* "12.4 of 60 s": how long a call that is over ran. */
void words_ran(const struct job *job, struct str *out);
/* "18 of 60 s": how long a call has been running. */
void words_running(const struct job *job, int64_t now_ms, struct str *out);
/* "31 bytes", "9 KiB", "1 MiB". */
void words_size(uint64_t bytes, struct str *out);
/* "88 of 512 MB", "5 of 10"; below 0: "not measured". */
void words_memory(int64_t bytes, int64_t limit, struct str *out);
void words_processes(int64_t count, int64_t limit, struct str *out);
/* "4,725". */
void words_count(uint64_t n, struct str *out);
/* "1 line", "2 lines": plural adds an s. */
void words_number(uint64_t n, const char *noun, struct str *out);
/* In rows: "exit 2", "signal 11", "time limit", "rejected", "expired". */
void words_outcome(const struct job *job, struct str *out);
/* The same in English whatever the language: what a filter can name. */
void words_outcome_english(const struct job *job, struct str *out);
/* Above a card: "ended: exit 2", "ended: signal 11 (SIGSEGV): no limit was reached", "refused: no sandbox works here". */
void words_head(const struct job *job, struct str *out);
/* "approved by you", "allowed by policy". */
void words_decided(const struct job *job, struct str *out);
/* In the history: "you, 22 s", "policy", "nobody". */
void words_decider(const struct job *job, struct str *out);
/* The first line of a command, for a list: at most `columns` wide, cut with a sign, and
   with the number of lines behind it. ascii: as of layout_card(). */
void words_command(const struct job *job, unsigned columns, bool ascii, struct str *out);
/* Foreign text as one field of at most so many columns, cut with a sign. */
void words_field(const char *text, unsigned columns, bool ascii, struct str *out);
/* The same for text that went through the rule already, or is ours. */
void words_shown(const char *shown, unsigned columns, struct str *out);
/* What can follow "; " in a sentence of ours: advice. NULL when there is none. */
const char *words_advice(const char *sentence);

#endif

/* A card, an output or the help page as rows of a given width. Every row of a card knows which bytes it shows, so that "seen" survives
   a new width. A whole card costs a few milliseconds at most, an output what its bytes cost to count (with an index: the new ones)
   plus the rows of one screen. tui/ui_cache.h keeps what was laid out. */
#ifndef TUI_LAYOUT_H
#define TUI_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/model.h"
#include "tui/style.h"

struct segment {
	enum style style;
	char *text; /* already through the safe-text rule; owned by the rows */
};
struct row {
	struct segment *segments; /* left to right, at most `width` columns in all */
	size_t count;
	/* Position in the card's own text: bytes of the command first, then of the facts, each fact line counted as at least
	   one. An empty range (blank row) needs no seeing. The ranges of the deciding part tile 0..total. */
	size_t start, end;
};
struct rows_chunk;
struct rows {
	struct row *items;
	size_t count, cap;
	size_t total;    /* length of the card's own text */
	size_t deciding; /* rows that belong to the deciding part; 0 when nothing is to be decided */
	struct rows_chunk *chunks; /* private: memory of segments and texts */
};
/* width: columns of the body without the bar. details: `v`. A call that waits, runs, was withdrawn or expired shows its
   card; one that ended, was rejected, refused or lost shows what came of it. ascii: a locale that is not UTF-8, so
   that foreign text above 7E is escaped (our signs stay: the frame turns them). ret is initialised by the call. */
void layout_card(const struct job *job, unsigned width, bool details, bool ascii, struct rows *ret);
void rows_release(struct rows *rows);
/* The first row that a window of so many rows shows when it is to begin at `top`: it does not go beyond the end. */
size_t rows_first(const struct rows *rows, size_t top, size_t count);

struct seek;
/* How far an output was counted, and where its rows begin: it only grows, and then only what is new is counted. Forgets what it
   knows when it is asked about another call, or about another look. */
struct output_index;
struct output_index *output_index_new(void);
void output_index_free(struct output_index *index);
/* How an output is shown. */
struct output_look {
	unsigned width; /* columns of the body without the bar */
	bool ascii;     /* as for a card */
	bool unfold; /* a line is one row, cut at both sides with a sign, from column `pan` of it on */
	size_t pan;
	struct output_index *index; /* NULL: all is counted each time */
	const struct seek *seek;    /* what is marked; NULL: nothing */
	bool colours; /* colour sequences colour the rest of their line, instead of being shown */
};
/* The whole output as rows. For tests: a screen uses layout_output_part(). */
void layout_output(const struct job *job, const struct output_look *look, struct rows *ret);
/* Rows first .. first + count - 1 alone (fewer at the end). Counting the rest builds nothing, so that a frame of 1 MiB of
   output stays cheap. */
void layout_output_part(const struct job *job, const struct output_look *look, size_t first,
	size_t count, struct rows *ret);
/* What a screen of `count` rows shows: from *top on, or, following, the end; *top becomes the first row that is really shown.
   Returns the number of all rows. */
size_t layout_output_window(const struct job *job, const struct output_look *look, bool following,
	size_t count, size_t *top, struct rows *ret);
/* The first row of the line that holds this byte. */
size_t layout_output_line_row(const struct job *job, const struct output_look *look, size_t byte);
/* How many rows layout_output() would make. */
size_t layout_output_rows(const struct job *job, const struct output_look *look);
/* Whether a row of an unfolded output goes on behind its right end. */
bool layout_output_goes_on(const struct row *row);

struct output_match {
	size_t byte;          /* of the output, where it begins */
	size_t number, count; /* the how manieth of all, from 1 */
	bool around; /* there was none in that direction: the search began at the other end */
	size_t row, column; /* column: as if the line were unfolded */
};
/* The match of look->seek that begins behind (back: before) byte `from`. false: nothing matches. */
bool layout_output_match(const struct job *job, const struct output_look *look, int64_t from,
	bool back, struct output_match *ret);

/* The help page of the view it was called from (ON_CARD ... of action.h). */
struct keymap;
void layout_help(unsigned where, unsigned width, const struct keymap *keys, struct rows *ret);

#endif

/* What the files of plain mode share. Private to plain*.c. */
#ifndef TUI_PLAIN_INTERNAL_H
#define TUI_PLAIN_INTERNAL_H

#include "tui/plain.h"

/* One typed line on its way to an effect. */
struct plain_turn {
	struct plain *p;
	const struct model *model;
	int64_t now_ms;
	bool alone;     /* no other line came with it */
	bool rested;    /* nor just before it, nor just behind what was printed */
	uint64_t seq;   /* its number; 0: none */
	const char *at; /* behind the number */
	struct str *out;
	struct intent *ret;
};

/* plain_page.c: papers, in parts. */
void plain_show(struct plain_turn *t);
void plain_details(struct plain_turn *t);
void plain_output(struct plain_turn *t);
void plain_more(struct plain_turn *t);
void plain_list(struct plain_turn *t);

/* plain_decide.c */
void plain_approve(struct plain_turn *t);
void plain_reject(struct plain_turn *t);
void plain_stop(struct plain_turn *t); /* one call, or all */
void plain_extend(struct plain_turn *t);
void plain_open_intake(struct plain_turn *t);
void plain_quit(struct plain_turn *t);
void plain_answer(struct plain_turn *t, const char *line); /* to the open question */

/* plain_words.c */
void plain_seconds(int64_t ms, struct str *out); /* "1 second", "42 seconds", "5 minutes" */
void plain_from(
	const struct plain *p, const struct job *job, struct str *out);  /* "docs-bot", in quotes */
void plain_left(const struct job *job, int64_t now_ms, struct str *out); /* "4 minutes left" */
void plain_waiting(
	const struct model *model, struct str *out); /* "Nothing waits." "2 wait." and a newline */
/* Whether what was printed is the card of this call as it is now; job may be NULL. */
bool plain_is_its_card(const struct plain_card *card, const struct job *job);
void plain_say_changed(uint64_t seq, struct str *out); /* a sentence and a newline */
/* Our sign for a cut is one that every terminal has. */
void plain_cut_sign(struct str *out, size_t from);
/* The rows of a text through `out`, each behind `head`. */
struct rows;
void plain_rows(const struct rows *rows, size_t from, size_t to, const char *head, struct str *out);

#endif

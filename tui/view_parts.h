/* The parts of a screen. Private to view*.c. */
#ifndef TUI_VIEW_PARTS_H
#define TUI_VIEW_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model.h"
#include "tui/action.h"
#include "tui/frame.h"
#include "tui/layout.h"
#include "tui/queue.h"
#include "tui/ui.h"

#define TITLE_ROW 0u
#define PROMPT_WORD_COLUMN 21u
#define CARD_HEAD_ROWS 4u /* title, who, facts, unusual */
#define LIST_HEAD_ROWS 2u /* title, rule */
#define FOOT_ROWS 3u      /* rule, gate, keys */

struct screen {
	const struct model *model;
	const struct ui *ui;
	int64_t now_ms;
	struct frame *frame;
	const struct keymap *keys;
	char lamp_approve[16], lamp_yes[16]; /* lit: "[a]" "[y]" */
	const struct job *job;               /* of the open card, of the output; NULL */
	bool pane;                           /* the frame is that of a pane: see draw_panes() */
};

/* A sentence that names the key of an action: as keymap_words(). */
void say_keyed(const struct screen *s, const char *text, enum action action, struct str *out);
/* Keys, lamps and the call of a screen whose other members are set. */
void screen_begin(struct screen *s, struct keymap *keys);
/* An empty frame of that size; of an earlier one its memory. */
void frame_fit(struct frame *frame, unsigned cols, unsigned rows, bool ascii);
void draw_too_small(const struct screen *s);
void draw_view(const struct screen *s); /* alone */
unsigned screen_gate_row(const struct screen *s);
/* The lock, or the field of a new passphrase, has the whole screen: draw_locked(). */
bool screen_is_locked(const struct ui *ui, const struct model *model);

/* Not all of the open card was on the screen: it changed, if a prompt is open on it. */
bool screen_has_unseen(const struct screen *s);

/* The three panes. Each is drawn by its view on a frame of its own, on which its text begins in the row where it does when it
   has the screen for itself; what a pane needs of that is copied. */
void draw_panes(const struct screen *s);
void draw_queue_pane(const struct screen *s); /* on all rows of its frame */
/* "running 1 of 4 places" */
void queue_head_words(const struct screen *s, enum queue_row_kind kind, struct str *out);
void draw_title(const struct screen *s);
void draw_queue(const struct screen *s);
void draw_empty(const struct screen *s, unsigned row);
/* view_flood.c: a line about a sender that floods, and the mark behind the head of the list. */
void draw_flood(const struct screen *s, unsigned row, const struct sender *sender, unsigned line);
void draw_flood_head(const struct screen *s, unsigned row, unsigned col);
/* What it calls itself, else its program, else its number. Foreign text. */
void sender_words(const struct model *model, const struct sender *sender, struct str *out);
void sender_rate_words(const struct sender *sender, struct str *out); /* "96 a second" */
void draw_card(const struct screen *s);
void draw_output(const struct screen *s);
void draw_help(const struct screen *s);
void draw_grants(const struct screen *s);
void draw_marked(const struct screen *s);
void draw_agents(const struct screen *s);
#define GRANT_PROMPT_ROWS 7u
void draw_grant_fact(const struct screen *s, unsigned row, const char *label, const char *text);
/* Its first line, and how many more there are. */
void grant_command_words(
	const struct screen *s, const char *command, unsigned columns, struct str *out);
/* Its lamp, with what the gate row says beside it. */
const char *grant_lamp(const struct screen *s, const char **ret_head, struct str *out);
/* "off  time limit 60 s   sandbox landlock" */
void grant_covers_words(
	enum card_network network, unsigned time_s, enum backend_id backend, struct str *out);
void draw_grant_prompt(const struct screen *s, unsigned row, unsigned count); /* below its rule */
void draw_stopped(const struct screen *s);
void draw_locked(const struct screen *s);
void draw_history(const struct screen *s);
void draw_find(const struct screen *s);                 /* its prompt, in place of the gate row */
void draw_prompt(const struct screen *s, unsigned row); /* from its rule on */
void draw_typed(
	const struct screen *s, unsigned col, unsigned row); /* the text of a prompt, on one row */
void draw_gate(const struct screen *s);
void draw_keys(const struct screen *s);
bool key_is_useful(const struct screen *s, enum action action);

/* "─ text ───┐": text may be NULL; it is cut with a sign where it does not fit. */
void draw_rule(const struct screen *s, unsigned row, enum style style, const char *text,
	const char *corner);
void draw_edge(const struct screen *s, unsigned row, unsigned count); /* "│" in the last column */
/* Rows top.. of a text, and the last column as a list's bar: what part of the whole is on the screen. */
void draw_rows(
	const struct screen *s, unsigned row, unsigned count, const struct rows *rows, size_t top);
/* What is sought in them has its style there. */
void draw_found(const struct screen *s, const char *find, unsigned row, unsigned count,
	const struct rows *rows, size_t top);
void draw_list_bar(const struct screen *s, unsigned row, unsigned count, size_t top, size_t total);
/* The names of the columns of a list, each cut before the next; column 0: not shown. */
struct list_head {
	unsigned col;
	const char *name;
};
void draw_heads(const struct screen *s, unsigned row, const struct list_head *heads, size_t count);
/* The mark of what is selected in a list, and the place of the cursor. */
void draw_selected(const struct screen *s, unsigned row, unsigned lines);
/* Flush with the last column, if it does not come nearer than two columns to column `left`. Returns whether it did. */
bool draw_right(
	const struct screen *s, unsigned row, unsigned left, enum style style, const char *text);
unsigned draw_text(
	const struct screen *s, unsigned col, unsigned row, enum style style, const char *text);
/* Foreign text as one field, cut with a sign. */
unsigned draw_field(const struct screen *s, unsigned col, unsigned row, unsigned columns,
	enum style style, const char *text);

/* A recording: view_film*.c, view_title.c */
struct film;
struct film_place;
void draw_film_title(const struct screen *s, const struct film *film);
/* Below the view: where in time it is. */
void draw_film_foot(
	const struct screen *s, const struct film *film, const struct film_place *place);
/* What the reviewer had on the screen, on a frame of its own. */
void draw_film_then(const struct screen *s, const struct film *film);

/* Rows that the open prompt takes from the body, its rule included; 0 without one. */
unsigned prompt_rows(const struct ui *ui, const struct job *job);
/* Rows of the page that an empty queue shows above its list; 0 when the queue is not empty. */
unsigned queue_empty_rows(const struct ui *ui, const struct model *model);
/* Rows below the list of the history: the selected call in short. */
unsigned history_short_rows(const struct ui *ui);
bool queue_is_empty(const struct model *model); /* nothing waits, nothing runs */
bool job_is_running(const struct job *job);     /* from the yes to its end */
enum style outcome_style(const struct job *job);

#endif

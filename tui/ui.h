/* What the screen remembers beside the model: view, selection, scroll, seen rows, prompt, the keys' rest. Pure: time is an argument. */
#ifndef TUI_UI_H
#define TUI_UI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "core/attention.h"
#include "core/intent.h"
#include "base/str.h"
#include "core/model.h"
#include "tui/keymap.h"
#include "tui/keys.h"
#include "tui/layout.h"
#include "tui/prompt.h"
#include "tui/style.h"

enum view {
	VIEW_QUEUE,
	VIEW_CARD,
	VIEW_OUTPUT,
	VIEW_HELP,
	VIEW_HISTORY,
	VIEW_GRANTS,
	VIEW_STOPPED,
	VIEW_MARKED, /* the cards of all marked calls, one under another */
	VIEW_AGENTS,
	VIEW_COUNT
};

#define UI_SEEN_MS 200    /* a row counts as seen after it stood so long */
#define UI_REST_MS 400    /* nothing from the terminal for so long before a deciding key */
#define UI_ALONE_MS 50    /* and nothing within so long after it */
#define UI_FIND_BYTES 400 /* what is sought, its NUL included */
#define UI_SECRET_BYTES 256
#define UI_OPEN_WORD "open" /* that O asks for */
#define UI_MARKS_MAX INTENT_CARDS_MAX
#define UI_SIDE_MAX                                                                                \
	1000 /* a larger terminal is used in part; a frame of cells must fit into memory */
#define UI_MIN_COLS 60
#define UI_MIN_ROWS 16

struct stood { /* one row that is on the screen now */
	size_t start, end;
	int64_t since_ms, counted_ms; /* since when; up to when its time was added */
};
struct seen { /* of one card, by byte of the card's own text; read it with ui_row_seen() */
	uint64_t seq;
	struct digest digest; /* of the card as it was last drawn */
	bool changed;         /* it was another card when it was first drawn */
	uint8_t *bits;        /* 8 bytes of text in each */
	uint32_t *stood_ms;   /* how long each byte was on the screen */
	size_t len;           /* bytes of text */
	struct stood *stood;
	size_t stood_count;
	unsigned frame; /* in which they stood */
	int64_t first_shown_ms;
};

enum gate { /* why approve is off, in the order of screens.md section 8.13 */
	GATE_RECORD,
	GATE_LOCKED,
	GATE_STOPPED,
	GATE_DECIDED,
	GATE_TOO_SMALL,
	GATE_OTHER_VIEW,
	GATE_PROMPT,
	GATE_CHANGED,
	GATE_NOT_SEEN,
	GATE_REST,
	GATE_READY,
	GATE_NOTHING /* no card, refused, withdrawn, expired */,
	GATE_COUNT
};

struct ui_cache;
struct ui {
	struct ui_cache *cache; /* private: changes nothing that is drawn */
	struct keymap keymap;   /* private: of the session, as the model has it */
	unsigned cols, rows;
	bool ascii, mono;
	enum theme theme;
	enum depth depth;
	enum view view, back;  /* back: where Esc leads from help */
	enum view output_back; /* and from an output */
	uint64_t selected;     /* seq; 0: nothing. Never moved by an arrival. */
	uint64_t card_seq;     /* the card that is open */
	uint64_t output_seq;   /* the call whose output is shown; 0: that of the card */
	size_t card_top, output_top, queue_top,
		help_top;             /* first row shown; in range: views draw from it */
	uint64_t marks[UI_MARKS_MAX]; /* by seq */
	unsigned mark_count;
	size_t marked_top;   /* first row of their long card */
	uint64_t marked_seq; /* private: of which card, and at which byte that row begins */
	size_t marked_byte;
	bool details, following;
	bool unfold;         /* lines of an output are not wrapped */
	bool output_colours; /* it may colour its text */
	size_t pan;          /* and begin at this column */
	struct seen *seen;   /* one for each card that was shown */
	size_t seen_count, seen_cap;
	unsigned seen_frame; /* the number of the newest; private */
	struct prompt prompt;
	char find[UI_FIND_BYTES];   /* sought in a text; "": nothing */
	int64_t found_byte;         /* where in the output it was found last; private */
	size_t found_card;          /* and which match on the card; private */
	char filter[UI_FIND_BYTES]; /* of the history; "": none */
	char find_queue[UI_FIND_BYTES], find_grants[UI_FIND_BYTES],
		find_agents[UI_FIND_BYTES]; /* sought in a list whose rows stay; "": nothing */
	char find_help[UI_FIND_BYTES];
	size_t found_help;        /* which match on the help page; private */
	struct digest grant_card; /* private: of the card that the prompt of `t` was opened on */
	uint64_t grant_number;    /* selected in the list of grants; 0: none */
	unsigned agent;           /* selected among the agents: number of a sender; 0: none */
	uint64_t reject_until;    /* of PROMPT_REASON_ALL: the youngest call that it is about */
	uint64_t history_seq;     /* selected there; 0: nothing */
	uint64_t history_top;     /* the call of its first row; 0: the newest */
	int64_t last_input_ms;    /* anything from the terminal, or a scroll, resize, change */
	int64_t drawn_at_ms;      /* when the last byte of the first frame after that was written */
	bool undrawn;             /* that frame is still to come: the rest has not begun */
	bool rest_drawing, rest_drawn; /* the frame that is being drawn, the newest one: with the
					  keys at rest, so that its lamp may be lit */
	struct intent pending;         /* a deciding key that waits for its 50 ms */
	int64_t pending_at_ms;         /* -1: none */
	enum action
		pending_key; /* to name if it does nothing after all; ACTION_NONE: Enter in a prompt */
	char message[200]; /* on the gate row until the next key */
	char **reasons;    /* earlier reject reasons, newest last */
	size_t reason_count, reason_cap;
	struct secret {
		char bytes[UI_SECRET_BYTES];
		size_t len;
	} typed,
		first; /* of a passphrase; wiped as soon as it was looked at, never drawn or written down */
	bool secret_typed;     /* something is in the field */
	int64_t key_at_ms;     /* when a person pressed a key last */
	enum focus focus;      /* of the window, by the terminal's own word */
	int64_t clock_ms;      /* private: when the clocks were due last */
	int64_t lock_after_ms; /* without one; 0: never */
	bool was_locked, was_stopped;
	char last_key
		[12]; /* that a person pressed; "text" in a line that is typed; never of a passphrase */
	/* It shows a recording (tui/film.h): nothing decides, and cols and rows are those of the live view in it. */
	bool film, film_own;           /* film_own: the person has left the reviewer's view */
	unsigned film_cols, film_rows; /* of the screen */
	/* Private: what was there at the last look, to notice a change or a new width. */
	size_t top_byte,
		output_byte; /* of the first row of the card, of the output that is drawn */
	bool reflow;
	enum job_state card_state;
	struct digest card_digest;
	uint64_t card_known;
};

void ui_init(struct ui *ui, unsigned cols, unsigned rows);
void ui_release(struct ui *ui);
/* One parsed key (or paste, or unknown sequence). Returns 1 and fills *ret when an intent is due at once (reject, redraw), else 0;
   deciding keys become due in ui_tick(). Never changes the model. */
int ui_key(struct ui *ui, const struct model *model, const struct key *key, int64_t now_ms,
	struct intent *ret);
/* Time passes: seen rows, rest, a pending deciding key. 1 when *ret is due. What the terminal has sent must have gone through
   ui_key() before: a key behind `a` that still lies unread would come too late to take the `a` back. */
int ui_tick(struct ui *ui, const struct model *model, int64_t now_ms, struct intent *ret);
/* Before a frame is drawn for this time. A deciding key counts only under a lamp that was lit: a loop that slept on its keys cannot
   tell when they were typed. */
void ui_drawing(struct ui *ui, int64_t now_ms);
/* The frame was written to its last byte. */
void ui_drawn(struct ui *ui, const struct model *model, int64_t now_ms);
/* When ui_tick has to be called next (absolute ms), -1: not at all. Clocks on the screen included. */
int64_t ui_next_tick(const struct ui *ui, const struct model *model, int64_t now_ms);
/* ui_follow() behind it finds the place in the text again, before the next frame. */
void ui_resize(struct ui *ui, unsigned cols, unsigned rows, int64_t now_ms);
/* Focus came back, Ctrl-L, back from Ctrl-Z: the rest starts again. Behind a stop it must be the first call: what ui_tick() sees
   before it would count the time of the stop as time on the screen. */
void ui_disturb(struct ui *ui, int64_t now_ms);
/* After model_apply: a first waiting call opens by itself only when nothing was ever selected; else nothing moves. */
void ui_follow(struct ui *ui, const struct model *model, int64_t now_ms);
void ui_say(struct ui *ui, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
enum gate ui_gate(const struct ui *ui, const struct model *model, int64_t now_ms);
/* Rows of the open card in all and still unseen at the present width. */
void ui_seen_rows(
	const struct ui *ui, const struct model *model, size_t *ret_total, size_t *ret_unseen);
/* Whether a row of the open card counts as seen: all its bytes; a blank row as the next one that has bytes. */
bool ui_row_seen(const struct ui *ui, const struct job *job, const struct rows *rows, size_t index);
/* The keys have rested: the question's and the prompt's lamp may be lit, and the card's when all was seen. */
bool ui_rested(const struct ui *ui, int64_t now_ms);
/* The open card; NULL. */
const struct job *ui_card_job(const struct ui *ui, const struct model *model);
/* What the keys are about: the selected call of a list, the call of the output, else the open card; NULL. */
const struct job *ui_open_job(const struct ui *ui, const struct model *model);
/* Whose output is shown, alone or as a pane; NULL. */
const struct job *ui_output_job(const struct ui *ui, const struct model *model);
/* The selected row of the queue stands for many calls of this sender; NULL. */
const struct sender *ui_group(const struct ui *ui, const struct model *model);
/* The one that is selected in view 6; NULL. */
const struct sender *ui_agent(const struct ui *ui, const struct model *model);
/* So many calls would be rejected by what is typed. */
size_t ui_rejected_count(const struct ui *ui, const struct model *model);
bool ui_is_marked(const struct ui *ui, uint64_t seq);
bool ui_too_small(const struct ui *ui); /* to decide: nothing is drawn but that */
/* `t` may be offered: it waits, and its card may have a grant. job may be NULL. */
bool ui_can_grant(const struct job *job);
/* The grant that is selected in view 5; NULL. */
const struct grant *ui_grant(const struct ui *ui, const struct model *model);
bool ui_grant_holds(const struct model *model, uint64_t number, int64_t now_ms);
/* Of the prompt of `t`: both numbers as they are typed, and which of them (0, 1) the digits go to. */
void ui_grant_texts(const struct ui *ui, char minutes[4], char times[4], unsigned *ret_field);
bool ui_grant_numbers(const struct ui *ui, unsigned *ret_minutes, unsigned *ret_times); /* fit */
/* `x` can stop it now. job may be NULL. */
bool ui_can_stop(const struct job *job);
/* `e` can change its command; and whether on the screen, or in an editor. job may be NULL for the first. */
bool ui_can_edit(const struct job *job);
bool ui_edits_here(const struct job *job);
/* Whom `x` stops: the call that the keys are about; beside the output of a running one, on a card that has nothing to stop, that. NULL. */
const struct job *ui_stop_job(const struct ui *ui, const struct model *model);
/* `+` can give it more time now. job may be NULL. */
bool ui_can_extend(const struct job *job);
/* `o` can save something of it. job may be NULL. */
bool ui_can_save(const struct job *job);
bool ui_open_typed(const struct ui *ui); /* the prompt holds the word of O */
/* The prompt holds exactly these words. */
bool ui_words_typed(const struct ui *ui, const struct card *card);
/* For EVENT_VIEW, EVENT_SEEN and EVENT_SESSION_END, and back (replay). */
struct json *ui_to_json(const struct ui *ui);
int ui_from_json(const struct json *v, struct ui *ret, struct err *err);
struct json *ui_seen_json(
	const struct ui *ui, const struct model *model); /* fields of EVENT_SEEN without ui */
struct json *ui_seen_json_of(const struct ui *ui, const struct model *model, uint64_t seq);

#endif

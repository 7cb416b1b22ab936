/* What a screen that plays a record shows beside the live views: where in time it is, what the film alone knows, what the reviewer had on the
   screen. A value that the player fills; drawn by view_draw_film(), which is as pure as view_draw(). */
#ifndef TUI_FILM_H
#define TUI_FILM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/frame.h"
#include "tui/ui.h"

/* A decision or a limit. What is one, and which letter it has: screens.md section 6. */
struct film_mark {
	uint64_t event; /* the number of its line */
	uint64_t seq;   /* of the call; 0: none */
	int64_t at_ms;
	char letter;                   /* one of FILM_LETTERS */
	int64_t after_ms, all_seen_ms; /* behind the call's arrival; -1: not known */
	char digest[8]; /* of the card that was decided, its beginning in hex, without NUL; "" */
};
#define FILM_LETTERS "!lxdrega"                      /* of two on one column the first is shown */
bool film_is_decision(const struct film_mark *mark); /* of somebody, or of a rule */
bool film_is_failure(const struct film_mark *mark);  /* a limit was reached, or all was stopped */

enum film_record {
	FILM_CHECKING,
	FILM_WHOLE,
	FILM_ALTERED,
	FILM_ENDS_EARLY,
	FILM_STILL_OPEN,
	FILM_UNPROVED
};

#define FILM_SPEED_MIN (-3) /* 1/8 */
#define FILM_SPEED_MAX 7    /* 128 */
struct film {
	bool paused, at_end, follows; /* follows: more may come behind the end */
	bool seeking;                 /* on its way to another place: event says how far it is */
	int speed;                    /* a power of two */
	bool cuts_waits;
	uint64_t event, events; /* the newest one applied; how many there are, as far as is known */
	bool counting;          /* and that is not all of them yet */
	int64_t at_ms, last_ms; /* the place; the time of the last event */
	int64_t start_wall_ms;
	const struct film_mark *marks; /* in the order of the record */
	size_t mark_count;
	enum film_record record;
	uint64_t record_line;  /* of FILM_ALTERED */
	const char *broken;    /* why nothing behind this can be played; NULL */
	const struct ui *then; /* what the reviewer had on the screen; NULL: nothing was recorded */
};
/* Of the marks: the first behind event, the last before it; NULL. */
const struct film_mark *film_next(
	const struct film *film, uint64_t event, bool (*is)(const struct film_mark *));
const struct film_mark *film_before(
	const struct film *film, uint64_t event, bool (*is)(const struct film_mark *));
/* The decision about a call that falls behind event; NULL. */
const struct film_mark *film_decision_of(const struct film *film, uint64_t event, uint64_t seq);

/* Where things are. */
struct film_place {
	unsigned cols,
		rows; /* of the live view with its head and foot: what the ui takes for the whole screen */
	unsigned right_cols; /* of the pane at the right with its edge; 0: none */
	unsigned rule_row;   /* below the view */
	unsigned bar_row;    /* 0: there is none */
	unsigned marks_row;  /* 0: there is none, nor the letters' meaning */
	unsigned status_row; /* 0: it is said in the rule */
	unsigned bar_col, bar_cols;
};
struct film_place film_place(unsigned cols, unsigned rows);
/* The column of the bar for a time, and the time for a column of the screen. */
unsigned film_bar_column(const struct film_place *place, int64_t at_ms, int64_t last_ms);

/* The ui is one that ui_film_begin() or ui_film_take() made. */
void view_draw_film(const struct model *model, const struct ui *ui, const struct film *film,
	struct frame *frame);

/* This screen shows a record: its keys move the film, and nothing decides. cols, rows: of the screen. */
void ui_film_begin(struct ui *ui, unsigned cols, unsigned rows);
void ui_film_resize(struct ui *ui, const struct model *model, unsigned cols, unsigned rows);
/* What the reviewer had seen of the card is known for this one too; takes it out of `then`. */
void ui_film_take_seen(struct ui *ui, struct ui *then);
/* Goes where the reviewer was: view, selection, place in the text. Until a key of the person goes elsewhere (ui->film_own). */
void ui_film_go(struct ui *ui, const struct model *model, const struct ui *then);
/* Behind events: what is remembered is brought up to the model. */
void ui_film_follow(struct ui *ui, const struct model *model);

#endif

/* A live session on a clock that the test turns, in a real record; and the same session out of that record. Each event's frame of then is
   kept, and compared with the one that the record makes. */
#ifndef TESTS_UNIT_LAW_H
#define TESTS_UNIT_LAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event.h"
#include "tests/unit/broker_desk.h"
#include "tui/frame.h"
#include "tui/keys.h"
#include "tui/ui.h"

extern int64_t law_now_ms; /* the clock, monotonic */

struct law_frame { /* as it was live, behind an event */
	uint64_t event;
	char *text;
};
/* What was compared so far: events by type, and those with a screen of their own by its view and prompt. */
extern struct law_tally {
	size_t events[EVENT_TYPE_COUNT], views[VIEW_COUNT], prompts[PROMPT_KIND_COUNT];
} law_tally;

struct law {
	struct desk desk;
	struct ui ui;
	struct ui then; /* what was recorded of it last */
	bool has_then;
	struct key_parser *keys;
	struct frame frame;
	char *last_view;
	int64_t drawn_ms, view_ms;
	int64_t slow_ms; /* so long takes the terminal to draw a frame */
	bool dirty, view_due;
	struct law_frame *frames;
	size_t frame_count, frame_cap;
	char *path; /* of the record */
};

/* key: "action=key" of the configuration; NULL: none. state: of record_setup(). */
void law_open(struct law *law, void **state, unsigned cols, unsigned rows, const char *key);
/* Typed at once. */
void law_type(struct law *law, const char *bytes);
void law_resize(struct law *law, unsigned cols, unsigned rows);
/* Time passes: whatever is due on the screen and of the record happens. */
void law_pass(struct law *law, int64_t ms);
/* The session ends with the screen that it has, and the record is closed. */
void law_end(struct law *law);
/* Plays the record, straight and, seed after seed, from event to event; fails the test where a frame is another than live. */
void law_compare(const struct law *law, unsigned seed);
void law_release(struct law *law);

#endif

/* What was on the screen, by its frames alone: for a test that must not believe what the screen remembers of them. */
#ifndef TESTS_UNIT_RACE_H
#define TESTS_UNIT_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "tests/unit/broker_desk.h"
#include "tui/frame.h"
#include "tui/keys.h"
#include "tui/ui.h"

#define ROWS_MAX 400
#define CARDS_MAX 32

extern int64_t race_now_ms; /* the clock, monotonic */

/* How long each row of a card stood on the screen. */
struct stood_card {
	struct digest digest;
	int64_t ms[ROWS_MAX];
};
struct shown { /* the newest frame */
	uint64_t seq;
	struct digest digest;
	char lamp[8];            /* "[a]" */
	size_t top, rows;        /* of the card */
	int64_t at_ms, since_ms; /* drawn; the same card without a break */
};
struct race {
	struct desk *d;
	struct ui ui;
	struct key_parser *keys;
	struct frame frame;
	struct shown shown, before_key; /* what stood there when the last key was read */
	struct stood_card cards[CARDS_MAX];
	size_t card_count;
	struct str typed; /* lies in the terminal, unread */
	int64_t key_ms, key_before_ms;
	char key;
	bool dirty;
};

/* A frame, and what is seen on it. */
void race_draw(struct race *r);
/* What must have been so for a yes, or a no, to be taken; fails the test. */
void race_check_yes(struct race *r, const struct intent *intent);
void race_check_no(const struct race *r, const struct intent *intent);

#endif

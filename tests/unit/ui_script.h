/* Scripts of keys: bytes and other things that happen, at given times, on one everyday card. */
#ifndef TESTS_UNIT_UI_SCRIPT_H
#define TESTS_UNIT_UI_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/ui_world.h"

enum deed {
	NOTHING,
	NARROW, /* a new width */
	SMALL,  /* below 60x16 */
	LARGE,  /* 80x24 again */
	WIDE,   /* 120x36: three panes */
	CHANGE, /* the card is another one */
	DANGER, /* and has a danger */
	TWO_DANGERS,
	WITHDRAW,
	EXPIRE,
	RUN,
	END,
	ARRIVE, /* a second call */
	BREAK_RECORD,
	DISTURB,
};
struct step {
	int64_t at_ms;
	const char *bytes;
	enum deed deed;
};
#define STEPS_MAX 16

struct script {
	const char *name;
	struct step steps[STEPS_MAX];
	const char *intents; /* all that came of it */
	const char *message; /* on the gate row at the end; NULL: not looked at */
};

/* One everyday card, drawn at 0: its lamp lights at 400. */
void script_open_card(struct world *world);
void script_act(struct world *world, enum deed deed);
/* Fails the test when another intent comes of one, or another message. in_pieces: each byte by itself, at the same time. */
void scripts_run(const struct script *scripts, size_t count, bool in_pieces);

#endif

/* A screen without a terminal and without a clock: bytes go in at given times, intents come out. */
#ifndef TESTS_UNIT_UI_WORLD_H
#define TESTS_UNIT_UI_WORLD_H

#include <stdint.h>

#include "base/str.h"
#include "core/model.h"
#include "tui/keys.h"
#include "tui/ui.h"

struct world {
	struct ui ui;
	struct model model;
	struct key_parser *keys;
	int64_t now_ms;
	struct str log;        /* "approve 1@450" and so on, separated by ", " */
	struct digest decided; /* of the last intent */
	unsigned ticks;        /* how often the loop woke by itself */
};

void world_init(struct world *world, unsigned cols, unsigned rows);
void world_release(struct world *world);
/* One more waiting call; facts: how many lines stand behind its command. Its digest is new. */
struct job *world_call(struct world *world, const char *command, unsigned facts);
void world_danger(struct job *job, const char *word);
void world_change(struct world *world, uint64_t seq); /* another card of the same call */
void world_state(struct world *world, uint64_t seq, enum job_state state);
/* The loop: wakes whenever the screen or the keys asked to be woken, draws after each event. */
void world_run(struct world *world, int64_t until_ms);
void world_type(struct world *world, int64_t at_ms, const char *bytes, size_t len);
void world_keys(struct world *world, int64_t at_ms, const char *bytes);
void world_follow(struct world *world); /* after a change of the model */
void world_draw(struct world *world);
enum gate world_gate(const struct world *world);
size_t world_unseen(const struct world *world);
size_t world_total(const struct world *world);

#endif

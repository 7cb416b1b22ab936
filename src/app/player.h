/* A film of a record: events of the file, one after the other and in their time, on a model like the live one. Pure but for the
   file: the world's time is an argument. */
#ifndef APP_PLAYER_H
#define APP_PLAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "app/player_clock.h"
#include "app/player_file.h"
#include "core/model.h"

struct player {
	struct player_file *file;
	struct model model;
	struct player_clock clock;
	struct event next; /* read, and not applied yet */
	uint64_t next_line;
	bool has_next;
	uint64_t event;  /* line of the newest one that was applied; 0: none */
	uint64_t seq;    /* the call that it is about; 0: none */
	int64_t last_ms; /* its time */
	uint64_t
		ui_event; /* the newest one that told what the reviewer had on the screen; 0: none */
	bool at_end;      /* nothing behind it, or nothing yet */
	bool follows;     /* more may come: look again */
	bool broken;      /* what lies behind cannot be played */
	struct err err;   /* why, with file and line */
	/* On the way (seeking): up to this event, this time, the first event of this call; the others are at their most, or 0. */
	void *ctx;
	void (*on_applied)(
		void *ctx, const struct event *event); /* NULL, or: each event, behind the model */
	bool seeking;
	uint64_t to_event, to_seq;
	int64_t to_ms;
};

/* Errors: not there, no record by the rules of `audit verify`. What is wrong with a line shows when it comes. */
int player_open(const char *path, struct player *ret, struct err *err);
void player_close(struct player *player);
/* 1: one event more. 0: none is there (yet). -1: broken. The clock stands where it is. */
int player_step(struct player *player);
/* Everything that is due; true when something happened. At most `most` events, so that keys are heard. */
bool player_run(struct player *player, int64_t mono_ms, unsigned most);
int64_t player_due(const struct player *player); /* ms of the world; -1: not by itself */
/* Goes there, forwards or, from the beginning, backwards; player_work() does it. */
void player_seek_event(struct player *player, uint64_t event);
void player_seek_ms(struct player *player, int64_t at_ms);
void player_seek_call(struct player *player, uint64_t seq);
/* A part of the way; true when it is done, and the clock stands at the newest event. */
bool player_work(struct player *player, int64_t mono_ms, unsigned most);
/* "412", "#14", "14:35", "14:35:02" (a time of day in the session): the way begins. ERR_INVALID: none of those. */
int player_seek_text(struct player *player, const char *text, struct err *err);

#endif

/* A film on the terminal: keys in, frames out, in the loop. */
#ifndef APP_PLAYER_SCREEN_H
#define APP_PLAYER_SCREEN_H

#include "app/player.h"
#include "core/config.h"

struct player_options {
	bool once;   /* ends with the record */
	bool paused; /* begins so */
	int speed;
	int64_t max_wait_ms;
};
/* Plays until the person quits. player is open, and may be on its way to a place; path: of its file. Returns an exit status, after a
   message on standard error where there is something to say. */
int player_screen(struct player *player, const char *path, const struct config *config,
	const struct player_options *options);

#endif

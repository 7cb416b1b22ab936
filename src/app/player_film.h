/* From a player to its screen: what the views show of it. */
#ifndef APP_PLAYER_FILM_H
#define APP_PLAYER_FILM_H

#include "app/player.h"
#include "app/player_marks.h"
#include "tui/film.h"

struct player_film {
	struct ui ui;   /* of the person who looks at it */
	struct ui then; /* the reviewer's, by the newest event that told it */
	bool has_then;
	uint64_t then_event; /* which that was */
	struct film film;
};

void player_film_init(struct player_film *pf, unsigned cols, unsigned rows);
void player_film_release(struct player_film *pf);
/* Before a frame is drawn: brings all of it up to the player. Costs a look at the newest screen that was recorded, if it is another. */
void player_film_update(
	struct player_film *pf, const struct player *player, const struct player_marks *marks);
/* FILM_WHOLE and so on, and of an altered one the line (0: of another file), from what verify_path() gave. */
enum film_record player_film_record(
	const char *path, int status, const char *report, uint64_t *ret_line);

#endif

/* What the keys of a film do to its player. */
#ifndef APP_PLAYER_STEPS_H
#define APP_PLAYER_STEPS_H

#include "app/player_film.h"
#include "core/intent.h"

/* Carries an INTENT_FILM out; what there is to say is said on the gate row. */
void player_step_film(struct player *player, struct player_film *pf, const struct intent *intent,
	int64_t mono_ms);

#endif

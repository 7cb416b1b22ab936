/* A record as plain text: no terminal, no control byte but the end of a line. */
#ifndef APP_PLAYER_DUMP_H
#define APP_PLAYER_DUMP_H

#include <stdio.h>

#include "app/player.h"

/* Events from `from` on (0: all), of call seq alone (0: all). follow: goes on while the session is written. Text of commands goes through the
   safe-text rule. Returns an exit status; what is wrong with the record is said on standard error. */
int player_dump(struct player *player, uint64_t from, uint64_t seq, bool follow, FILE *out);

#endif

/* Cards in the record: most rows of a card repeat from call to call, so a card may be written like one that was recorded whole
   before, in the same file. */
#ifndef CORE_CARD_LIKE_H
#define CORE_CARD_LIKE_H

#include "core/card.h"

/* Whole cards of a file, the newest ones. They count from 1, those that were edited not. */
#define CARD_WHOLE_MAX 8
struct card_whole {
	struct card *items
		[CARD_WHOLE_MAX]; /* number n in [(n - 1) % CARD_WHOLE_MAX]; owned; without command, agent, notes */
	uint64_t count;
};
void card_whole_release(struct card_whole *whole); /* a new file */
void card_whole_add(struct card_whole *whole, const struct card *card);

/* card_to_json(), or, when enough of it stands in a whole card:
     {"like":NUMBER, members of the head that differ, "facts":ROWS, "details":ROWS}
   without seq and digest, which the event has, and without command when it is the one given (what was received).
   ROWS: for each fact its number in the whole card from 0 when it is the same; [number, LINES...] when its label is; or
   the fact. LINES: a line, or [from,count] of the whole card's fact. A span of three texts, [kind,before,behind]: the command stands
   between. */
struct json *card_to_record(
	const struct card *card, const char *command, const struct card_whole *whole);
/* And back: the seq and the digest of the event, the command that was received (NULL: none was). ERR_INVALID for anything else, and
   for more than one card can be. */
int card_from_record(const struct json *v, uint64_t seq, const char *digest, const char *command,
	const struct card_whole *whole, bool live, struct card *ret, struct err *err);

#endif

/* The order in which calls wait: senders take turns, the oldest first within one. A sender's place in the ring is from when it
   began to wait or had a call decided last, whichever was later: each oldest call is among the first as many rows as there are
   senders, and no newcomer comes before one that waits already. */
#ifndef CORE_TURNS_H
#define CORE_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model.h"

#define TURNS_FOLDED 3 /* rows of a sender that floods: two calls, and one for all others */

struct turns {
	const struct sender **ring;
	size_t count; /* senders that wait */
	size_t total; /* rows */
	bool folded;
	size_t steps; /* taken by the functions below, for a test that none walks along the calls */
};

/* folded: what a flooding sender has beyond its first two calls is one row. */
void turns_make(const struct model *model, bool folded, struct turns *ret);
void turns_release(struct turns *turns);
/* The call of a row; of a folded row the oldest in it. NULL: there are not so many. ret_folded: how many calls the row stands
   for, 0 when it is no folded one; may be NULL. Costs O(senders x log calls), as the next does. */
const struct job *turns_at(struct turns *turns, size_t row, size_t *ret_folded);
/* The row of a call that waits; of any other the row that is next behind it. */
size_t turns_find(struct turns *turns, const struct job *job);

#endif

/* Grants: a person's yes that also holds for the identical call again, for some minutes and some times. The list is part of the
   model: only events change it, and it ends with the session. Time is an argument. */
#ifndef CORE_GRANT_H
#define CORE_GRANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/err.h"
#include "core/card.h"

/* Ceilings of one grant, and of how many hold at once: a yes that nobody remembers giving is no yes. */
#define GRANT_MINUTES_MAX 60u
#define GRANT_TIMES_MAX 20u
#define GRANTS_MAX 64u
#define GRANT_MINUTES_FIRST 10u /* what the prompt proposes */
#define GRANT_TIMES_FIRST 5u

enum grant_state { GRANT_HOLDS, GRANT_USED_UP, GRANT_EXPIRED, GRANT_REVOKED, GRANT_STATE_COUNT };
const char *grant_state_word(enum grant_state state); /* "holds" "used up" "expired" "revoked" */

struct grant {
	uint64_t number;      /* from 1 */
	uint64_t seq;         /* the call whose card it was given on */
	struct digest digest; /* of everything that must be the same: grant_inputs() */
	unsigned peer;        /* the sender by its connection, whatever it calls itself */
	char *agent;          /* what it called itself then; NULL */
	char *command;
	char *directory; /* as on the card; NULL */
	enum card_network network;
	enum backend_id backend;
	unsigned time_s;
	unsigned minutes, times, used;
	int64_t made_at_ms, made_wall_ms;
	uint64_t last_seq; /* the call that used it last; 0: none */
	int64_t last_wall_ms;
	char *revoked_why; /* NULL: it was not */
	int64_t revoked_wall_ms;
};
struct grants {
	struct grant *items; /* by number, ascending; owned */
	size_t count, cap;
	uint64_t last; /* number of the newest that ever was */
};

void grants_release(struct grants *grants);
/* Numbers a person may give. */
bool grant_numbers_fit(int64_t minutes, int64_t times);
/* A yes to this card may be given for a while: never when it asks for a typed word, when the command reaches services of this
   machine, or when a person edited it: no agent asks for that again. */
bool grant_possible(const struct card *card);
enum grant_state grant_state(const struct grant *grant, int64_t now_ms);
int64_t grant_left_ms(const struct grant *grant, int64_t now_ms);       /* at least 0 */
struct grant *grants_get(const struct grants *grants, uint64_t number); /* NULL */
size_t grants_holding(const struct grants *grants, int64_t now_ms);
/* The oldest one that holds for this sender; digest NULL: whatever it covers. NULL when there is none. */
const struct grant *grants_find(
	const struct grants *grants, unsigned peer, const struct digest *digest, int64_t now_ms);
/* Takes *grant over, under the next number. When GRANTS_MAX are there the oldest that holds no more is dropped. ERR_LIMIT when all hold, ERR_INVALID when
   its figures do not fit; then *grant is still the caller's. */
int grants_add(struct grants *grants, struct grant *grant, int64_t now_ms, struct err *err);
void grant_release(struct grant *grant);
/* The inputs of a card with all that may differ between two identical calls left out: number, time of the proof, line and id, the
   sender's words. The digest of the card that is built of *ret is the grant's. *ret, *request and *offer borrow from in. */
void grant_inputs(const struct card_inputs *in, struct request *request, struct offer *offer,
	struct card_inputs *ret);

#endif

/* What a key means, once it counts: the screen returns it, the broker carries it out. */
#ifndef CORE_INTENT_H
#define CORE_INTENT_H

#include <stdint.h>

#include "base/digest.h"

enum intent_kind {
	INTENT_NONE,
	INTENT_APPROVE, /* seq, digest; text: the typed word of a !! card, else NULL */
	INTENT_REJECT,  /* seq, digest, text: the reason */
	INTENT_STOP,    /* seq */
	INTENT_QUIT,    /* confirmed */
	INTENT_REDRAW,
	INTENT_COUNT
};

struct intent {
	enum intent_kind kind;
	uint64_t seq;
	struct digest digest;
	char *text; /* owned */
};
void intent_release(struct intent *intent);

#endif

/* What a key means, once it counts: the screen returns it, the broker carries it out. */
#ifndef CORE_INTENT_H
#define CORE_INTENT_H

#include <stdint.h>

#include "base/digest.h"

enum intent_kind {
	INTENT_NONE,
	INTENT_APPROVE,     /* seq, digest; text: the typed word of a !! card, else NULL */
	INTENT_REJECT,      /* seq, digest, text: the reason */
	INTENT_EDIT,        /* seq, digest, text: the new command */
	INTENT_EDITOR,      /* seq, digest, text: what to begin with */
	INTENT_GRANT,       /* as INTENT_APPROVE, and again: minutes, times */
	INTENT_REVOKE,      /* seq: number of the grant */
	INTENT_STOP,        /* seq */
	INTENT_EXTEND,      /* seq: more time for what runs */
	INTENT_QUIT,        /* confirmed */
	INTENT_STOP_ALL,    /* confirmed */
	INTENT_OPEN_INTAKE, /* the word was typed */
	INTENT_LOCK,   /* text: the new passphrase, NULL when there is one; seq 1: by lock_after */
	INTENT_UNLOCK, /* text: the passphrase, or the new one when there is none yet */
	INTENT_SAVE,   /* seq; text: the name of the file for its output */
	INTENT_REDRAW,
	INTENT_COUNT
};

struct intent {
	enum intent_kind kind;
	uint64_t seq;
	struct digest digest;
	unsigned minutes, times; /* of INTENT_GRANT */
	char *text;              /* owned */
};
void intent_release(struct intent *intent); /* wipes the text: it may be a passphrase */

#endif

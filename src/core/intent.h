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
	INTENT_REJECT_ALL, /* seq: number of a sender; until, text: the reason for all its calls up to there that wait */
	INTENT_REFUSE_SENDER,  /* seq: number of a sender, whose new calls are refused */
	INTENT_TAKE_SENDER,    /* seq: of one, whose new calls are taken again */
	INTENT_APPROVE_MARKED, /* cards: all of them or none */
	INTENT_REJECT_MARKED,  /* the same, text: the reason of each */
	INTENT_FILM, /* of a recording: seq: enum film_step; text: of FILM_GOTO; until: of FILM_BAR, in millionths of the session */
	INTENT_REDRAW,
	INTENT_COUNT
};

enum film_step {
	FILM_PAUSE,
	FILM_EVENT_ON,
	FILM_EVENT_BACK,
	FILM_DECISION_ON,
	FILM_DECISION_BACK,
	FILM_FAILURE_ON,
	FILM_SLOWER,
	FILM_FASTER,
	FILM_GOTO,
	FILM_BAR,
	FILM_STEP_COUNT
};

#define INTENT_CARDS_MAX 9

struct intent {
	enum intent_kind kind;
	uint64_t seq, until;
	struct digest digest;
	unsigned minutes, times; /* of INTENT_GRANT */
	struct intent_card {
		uint64_t seq;
		struct digest digest;
	} cards[INTENT_CARDS_MAX]; /* of the marked ones */
	unsigned card_count;
	char *text; /* owned */
};
void intent_release(struct intent *intent); /* wipes the text: it may be a passphrase */

#endif

/* Plain mode: questions and answers as lines, for screen readers and for terminals that cannot place the cursor. What the screen
   holds by keys and lamps is held here by what was printed and what was typed behind it. Pure: text out, intents out. */
#ifndef TUI_PLAIN_H
#define TUI_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/str.h"
#include "core/intent.h"
#include "core/model.h"

#define PLAIN_PART_ROWS 20u
/* A line that comes so soon behind a part of a card, a question or another line was not typed in answer to it. */
#define PLAIN_REST_MS 400

enum plain_ask {
	PLAIN_ASK_NOTHING,
	PLAIN_ASK_REASON,
	PLAIN_ASK_STOP,
	PLAIN_ASK_STOP_ALL,
	PLAIN_ASK_QUIT
};
enum plain_paper { PLAIN_PAPER_NONE, PLAIN_PAPER_CARD, PLAIN_PAPER_DETAILS, PLAIN_PAPER_OUTPUT };

/* A call that was announced, until it is over. */
struct plain_told {
	uint64_t seq;
	enum job_state state;
	struct digest digest;
	size_t output_rows; /* printed while it runs */
	bool output_more;   /* and that there is more was said */
};

struct plain {
	unsigned cols;
	bool ascii;
	/* The card that was printed last: it alone can be approved. */
	struct plain_card {
		uint64_t seq; /* 0: none */
		struct digest digest;
		unsigned cols;
		size_t next, count; /* rows printed, of how many */
		int64_t at_ms;      /* its last part was written then */
	} card;
	enum plain_paper paper; /* that `more` goes on with */
	uint64_t paper_seq;
	size_t paper_next;
	enum plain_ask ask;
	uint64_t ask_seq;
	struct digest ask_digest;
	bool drop;               /* what was typed before this was written answers nothing */
	int64_t written_ms;      /* of what an answer must not come too soon behind */
	int64_t line_ms;         /* the last line came then */
	struct plain_told *told; /* by seq, ascending */
	size_t told_count, told_cap;
};

void plain_init(struct plain *p, unsigned cols, bool ascii);
void plain_release(struct plain *p);
/* The first line. All functions append whole lines to `out`. */
void plain_hello(const struct model *model, struct str *out);
/* What happened since the last time; nothing while a question is open. */
void plain_follow(struct plain *p, const struct model *model, int64_t now_ms, struct str *out);
/* One typed line without its newline; any bytes. alone: no other line came with it. An intent in *ret (zeroed before; the caller
   releases it) is due at once; else its kind is INTENT_NONE. */
void plain_line(struct plain *p, const struct model *model, int64_t now_ms, const char *line,
	size_t len, bool alone, struct str *out, struct intent *ret);
/* An intent was carried out, or `refused` says why not (NULL: it was). */
void plain_done(struct plain *p, const struct model *model, const struct intent *intent,
	const char *refused, struct str *out);
/* All that was said is written. true: throw away what was typed until now. */
bool plain_written(struct plain *p, int64_t now_ms);
/* The fields of a `seen` event for a decision about this call; the caller owns it. */
struct json *plain_seen_json(
	const struct plain *p, const struct model *model, uint64_t seq, int64_t now_ms);

#endif

/* The card: all that a person is shown before deciding, as one value with one digest. Facts are our
   words, with foreign text in spans of its own; a view only wraps and colours them. */
#ifndef CORE_CARD_H
#define CORE_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/json.h"
#include "core/confine.h"
#include "core/offer.h"
#include "core/policy.h"
#include "core/request.h"

enum span_kind {
	SPAN_OURS,    /* our own words */
	SPAN_RISK,    /* "!..." our word for something unusual (style note) */
	SPAN_DANGER,  /* "!!..." (style danger) */
	SPAN_FOREIGN, /* a path, a name, a value: goes through the safe-text rule */
	SPAN_AGENT,   /* the agent's words: rule, style agent, in quotes that are ours */
	SPAN_KIND_COUNT
};
const char *span_kind_name(enum span_kind kind);

struct span {
	enum span_kind kind;
	char *text; /* raw, not escaped */
};
struct line { /* one logical line of a fact; a view wraps it */
	struct span *spans;
	size_t count, cap;
};
struct fact {
	char *label; /* "network", "may write"; "" continues the fact above */
	struct line *lines;
	size_t count, cap;
};
struct facts {
	struct fact *items;
	size_t count, cap;
};
struct fact *facts_add(struct facts *facts, const char *label);
struct line *fact_line(struct fact *fact); /* appends an empty line */
void line_add(struct line *line, enum span_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void line_copy(const struct line *from, struct line *to); /* appends its spans */
void facts_release(struct facts *facts);

enum severity { SEVERITY_NOTE = 1 /* ! */, SEVERITY_DANGER = 2 /* !! asks for a typed word */ };

struct unusual {
	enum severity severity;
	unsigned line;     /* of the command, from 1 */
	unsigned at;       /* character of the line, from 0 */
	bool line_long;    /* longer than a row of the card: then "line 1 at 32" */
	size_t start, len; /* bytes of the command that it points to */
	char *what;        /* "turns the reading order around" */
	char *words;       /* raw text to quote; NULL */
	char *summary; /* for the unusual row: "hides characters" "mixes scripts" "empty lines" */
	const char *word; /* to type: "hidden"; NULL for SEVERITY_NOTE */
};
struct unusual_list {
	struct unusual *items;
	size_t count, cap;
};
/* What is unusual about a command: what the safe-text rule finds by itself (reading order, hidden, terminal control, mixed
   scripts, empty lines, long blanks), and what a shell would do (rights, deletion, writing outside, fetched and decoded text
   that is run, startup files, hooks, CI, credentials, survival, odd spelling). Danger first, then by position. place: where
   it may write and where it starts; NULL: not known, relative paths count as its own. *ret is empty at the start. */
struct confinement;
void unusual_find(
	const char *command, size_t len, const struct confinement *place, struct unusual_list *ret);
#define UNUSUAL_OUTLIVES "means to outlive its end" /* the card says behind it when it cannot */
void unusual_release(struct unusual_list *list);
/* The list asks for a typed word. */
bool unusual_has_danger(const struct unusual_list *list);
/* "! 1 unusual: line 1 changes a CI file" / "!! 4 unusual: lines 1, 2, 3 hide characters; line 4
   mixes scripts". Appends. */
void unusual_row(const struct unusual_list *list, struct str *out);

struct card;
/* The words that the dangers of a card ask for, each once, one blank between; nothing for a card without. Appends. */
void card_words(const struct card *card, struct str *out);
/* typed (NULL: nothing) are those words, blanks aside. Without a danger only an empty text matches. */
bool card_words_match(const struct card *card, const char *typed);

enum card_network {
	CARD_NETWORK_OFF,
	CARD_NETWORK_ON, /* granted, not to this machine */
	/* reaches services of this machine: granted so, or nothing cuts it (backend none) */
	CARD_NETWORK_ON_HOST,
	CARD_NETWORK_NONE, /* no card was made: "-" */
	CARD_NETWORK_COUNT
};
const char *card_network_name(
	enum card_network network); /* "off" "on" "on_host" "none": in the record */

struct card {
	uint64_t seq;
	char *command;
	char *asked;  /* what the agent asked for, when a person edited it; NULL: command */
	char *editor; /* where; NULL: on the screen, or never */
	char *agent;  /* label; NULL: none */
	struct unusual_list unusual;
	enum card_network network;
	unsigned writes; /* places */
	enum hold sandbox;
	unsigned time_s;
	unsigned time_asked_s; /* 0, or the larger time that was asked for */
	unsigned grace_s;      /* between SIGTERM and SIGKILL */
	unsigned env_kept, env_cut;
	bool unsandboxed;
	enum backend_id backend;
	struct facts
		facts; /* the deciding part behind the command, in the fixed order of screens.md */
	struct facts details; /* behind `v` */
	struct digest digest;
};

struct card_inputs {
	const char *session;
	uint64_t seq;
	const struct request *request;
	const char *asked;     /* NULL: not edited */
	const char *editor;    /* NULL: edited on the screen */
	const char *edited_at; /* "14:36:02" */
	const struct ruling *ruling;
	const struct confinement *confinement;
	const struct offer *offer;
	const struct passed_list *passed;
	const void *plan_bytes;
	size_t plan_len;
	const char *plan_text;        /* plan_print(), for the details */
	const char *came_from;        /* "stdin, line 14, id 14" */
	const struct digest *helpers; /* identities of our programs */
	const char *details_key;      /* that opens the details; NULL: v */
	const char *user;             /* login name, for the row of backend none; NULL: the uid */
};

void card_init(struct card *card);
void card_release(struct card *card);
/* Pure. Fills everything, the digest last: design.md section 5. */
void card_build(const struct card_inputs *in, struct card *ret);
/* For the record and back. card_from_json: ERR_INVALID for anything that card_to_json does not
   write; live: v was written by it a moment ago, which is not proved once more. */
struct json *card_to_json(const struct card *card);
int card_from_json(const struct json *v, bool live, struct card *ret, struct err *err);
/* A person's edit lies between two cards of one call; before may be NULL. */
bool card_was_edited(const struct card *card, const struct card *before);
void card_short_digest(const struct card *card, char buf[12]); /* "3f9a 20c4" */

#endif

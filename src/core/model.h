/* The model: everything a view may show. Changed by model_apply() alone, live and in replay alike.
   */
#ifndef CORE_MODEL_H
#define CORE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/strv.h"
#include "core/card.h"
#include "core/card_like.h"
#include "core/event.h"
#include "core/grant.h"
#include "core/job.h"
#include "core/job_list.h"
#include "core/reason.h"
#include "core/result.h"

struct job {
	uint64_t seq;
	enum job_state state;
	bool answered, delivered;
	bool allowed; /* policy allows it without a person */
	uint64_t line_no;
	char *id_text; /* for came from and history; NULL */
	char *agent;   /* label; NULL */
	char *agent_reason;
	char *command; /* NULL for a line that was no call */
	char *raw;     /* such a line, escaped */
	unsigned peer;
	unsigned sender; /* of the peer, when it came */
	unsigned
		more; /* refusals of the same sender for the same reason that this one stands for */
	struct card *card;     /* NULL: refused before a card */
	struct card *old_card; /* before its last change; NULL */
	bool card_changed;
	char *edited_how; /* "inline" or the editor's path; NULL: never edited. card->asked: what was asked for */
	int64_t edited_wall_ms;
	int64_t received_at_ms, decided_at_ms, started_at_ms, stopping_at_ms,
		ended_at_ms; /* -1: not */
	int64_t received_wall_ms, decided_wall_ms, ended_wall_ms;
	int64_t deadline_at_ms; /* of the wait; -1 */
	int64_t wall_limit_ms;  /* of the run, extensions included */
	int64_t wall_most_ms;   /* what they can reach; 0: not known */
	enum decision decision;
	enum decider decided_by;
	char *decision_text;            /* the reason of a reject; NULL */
	unsigned rows_seen, rows_total; /* at the decision; 0: not known */
	enum backend_id backend;        /* launched; BACKEND_AUTO before */
	enum reason reason;
	char *sentence;
	int exit_code, signal; /* -1, 0: none */
	int64_t duration_ms;
	unsigned notes;
	struct passed_list *tried; /* for a refusal; NULL: none */
	struct strv git_changed;
	struct str output; /* capped raw bytes */
	uint64_t output_bytes, output_dropped;
	uint64_t output_unrecorded; /* of these; the record holds only that they were */
	size_t output_lines;        /* LF counted */
	struct job_usage {          /* of the whole tree; -1: not measured */
		int64_t cpu_ms, cpu_percent;
		int64_t memory, memory_peak; /* bytes */
		int64_t processes, processes_peak;
		int64_t memory_limit, processes_limit;
	} used;
	/* Decided by a grant: which, the how manieth use of it, of how many; on which call it was given. 0: not. */
	uint64_t grant, grant_seq;
	unsigned grant_use, grant_times;
	uint64_t grant_given; /* the one that was given on this card; 0: none */
	char *requeued_why;
	uint64_t first_event, last_event;
	bool forgotten; /* its card, its output and the end of its long texts are in the record alone */
};

/* A session of many calls must not need more and more memory: so many of those that are over are kept whole, and so many at
   all. */
#define MODEL_WHOLE_MAX 64
#define MODEL_OUTPUT_BYTES                                                                         \
	(2u << 20) /* of their outputs together; the newest is kept in any case */
#define MODEL_JOBS_MAX 10000

/* The panic key: what it did, until intake is opened again. */
#define MODEL_STOP_LIST 16 /* of each list so many calls are remembered, the others are counted */
struct stop_all {
	bool on;
	int64_t at_ms, wall_ms;
	uint64_t last_seq; /* the youngest call then */
	uint64_t ended[MODEL_STOP_LIST], rejected[MODEL_STOP_LIST];
	unsigned ended_count, rejected_count;
	unsigned refused; /* calls since then */
	uint64_t refused_last;
	int64_t refused_wall_ms;
	int64_t left; /* processes that the count found alive; -1: not counted yet */
	int64_t left_wall_ms;
};

enum lock_why { LOCK_BY_PERSON, LOCK_IDLE, LOCK_AT_START, LOCK_WHY_COUNT };
const char *lock_why_name(enum lock_why why); /* as in the record */
struct lock {
	bool on, set; /* set: there is a passphrase */
	enum lock_why why;
	unsigned minutes; /* without a key, of LOCK_IDLE */
	int64_t wall_ms;
	unsigned tries;        /* wrong passphrases since */
	int64_t wait_until_ms; /* before that no other is looked at */
};

/* Who sends calls: standard input, the person of `run`, or one connection of the socket. */
enum peer_kind { PEER_STDIN, PEER_OPERATOR, PEER_SOCKET, PEER_KIND_COUNT };
const char *peer_kind_name(enum peer_kind kind); /* as in the record */
struct peer {
	unsigned number;
	unsigned
		sender; /* peers of one process are one sender: number of the first; for quotas and order */
	enum peer_kind kind;
	int64_t uid, pid, start; /* -1: not known */
	bool own_uid;            /* not the uid of the console */
	int64_t most;            /* calls of its sender that may wait at once; 0: not known */
	char *program;           /* foreign; NULL */
	int64_t joined_at_ms, joined_wall_ms;
	int64_t left_at_ms, left_wall_ms; /* -1: still here */
	char *left_why;                   /* NULL */
};
/* Connections come and go for as long as a session lasts: so many are remembered. */
#define MODEL_PEERS_MAX 1024

/* All peers of one process. */
#define SENDER_PAUSE_MS 60000 /* without a call for so long: a new burst */
#define SENDER_FLOOD 16       /* calls refused because too many wait: then it floods */
#define SENDER_CALM 3         /* and until no more than so many wait */
struct sender {
	unsigned number;
	char *label;             /* that it gave itself last, its end cut off; NULL */
	unsigned here;           /* connections now */
	struct job_list waiting; /* in that order; owns no call */
	uint64_t turn;           /* place in the ring of those that wait: the lowest is next */
	unsigned running;        /* and what has a yes and waits for a place */
	uint64_t calls, done;    /* all there ever were */
	uint64_t refused, full;  /* of these; full: as queue_full */
	uint64_t crowd_full;     /* so since it began to flood */
	uint64_t folded_seq;     /* the refused call that stands for those behind it; 0: none */
	int64_t burst_at_ms, last_at_ms; /* of its calls since its last pause */
	uint64_t burst_calls;
	bool shut; /* a person refuses its new calls */
	int64_t shut_wall_ms;
};
bool sender_floods(const struct sender *sender); /* and is named on the screen */

struct model {
	char *session;          /* whole id */
	char session_short[32]; /* "4121-9c3e" */
	char *version, *host, *user;
	char *workspace;
	struct strv keys;    /* "action=key": what the configuration bound, for the screen */
	char *backend_title; /* "landlock", "firejail is not built in yet" ... */
	bool no_sandbox;     /* standing danger: !NO SANDBOX */
	bool unsandboxed, root, terminal;
	struct passed_list passed;
	unsigned max_running;
	int64_t approval_timeout_ms;
	int64_t now_at_ms; /* of the last event */
	int64_t start_wall_ms;
	struct job **jobs; /* by seq, ascending; owned */
	size_t count, cap;
	size_t jobs_gone; /* room before the first: of calls that were there */
	struct job_list active,
		over;            /* approved to stopping; what is over. What waits: see senders */
	struct sender **senders; /* by number, ascending; owned */
	size_t sender_count, sender_cap;
	uint64_t turns;                  /* that were given in the ring of senders */
	uint64_t whole[MODEL_WHOLE_MAX]; /* answered ones that are not forgotten, in that order */
	size_t whole_count;
	unsigned waiting, running,
		done; /* counts for the title; running includes starting and stopping */
	bool intake_open;
	char *intake_why;
	struct stop_all stop;
	struct lock lock;
	char *listening;     /* path of the socket; NULL: there is none */
	struct peer **peers; /* by number, ascending; owned */
	size_t peer_count, peer_cap;
	unsigned connected;  /* peers of the socket that have not left */
	char *record_failed; /* "disk full"; NULL: ok */
	bool ended;
	struct grants grants;
	uint64_t last_event;
	struct probe_fact {
		enum backend_id backend;
		bool ok;
		char why[200];
		int64_t at_wall_ms;
		enum hold facets[FACET_COUNT];
		bool tried;
	} probe;
	struct card_whole whole_cards; /* of this file; its later ones are written like them */
	struct json *last_ui;          /* of the last view/seen event */
	char *found_open;              /* one line about a dead session, or about several; NULL */
	unsigned found_open_count;
	bool after_gap; /* it began with a gap: calls of the file before are unknown */
};

void model_init(struct model *model);
void model_release(struct model *model);
/* The fields are those of core/event.h; types of later issues (and EVENT_TYPE_COUNT, an unknown
   one) change nothing. Errors: ERR_INVALID for an impossible state or fields that do not fit; then
   only now_at_ms and last_event have moved. Costs O(log calls + fields); the output of a call is
   kept up to LIMIT_OUTPUT_BYTES and copied once. */
int model_apply(struct model *model, const struct event *event, struct err *err);
struct job *model_job(const struct model *model, uint64_t seq); /* NULL when there is none */
/* NULL: never joined, or left long ago. */
struct peer *model_peer(const struct model *model, unsigned number);
/* NULL: it never asked for anything, or left long ago. */
struct sender *model_sender(const struct model *model, unsigned number);
/* Next waiting call behind seq in the order of core/turns.h (0: the first); 0 when none. back: before seq. */
uint64_t model_next_waiting(const struct model *model, uint64_t seq, bool back);
/* For a title or a pipe error: the record broke (not an event: it cannot be written). */
void model_set_record_failed(struct model *model, const char *why);
/* Lists of a model whose calls were put in by hand: each peer is a sender. */
void model_relist(struct model *model);

#endif

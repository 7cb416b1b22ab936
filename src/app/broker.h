/* The broker: it alone makes events. Every arrow of design.md section 4 passes through broker_emit(): stamp, write, apply, redraw. */
#ifndef APP_BROKER_H
#define APP_BROKER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "app/anchor.h"
#include "app/audit.h"
#include "app/call_ids.h"
#include "app/masker.h"
#include "app/peer_id.h"
#include "app/sealer.h"
#include "app/session.h"
#include "base/password.h"
#include "core/intent.h"
#include "core/model.h"
#include "core/policy.h"
#include "core/request.h"
#include "core/result.h"
#include "sandbox/git_guard.h"
#include "sandbox/left_over.h"

#define BROKER_APPROVED_WAIT_MS                                                                    \
	60000 /* an approval that found no free place goes back to the queue after this */
#define BROKER_ALLOWED_BACKLOG                                                                     \
	64 /* calls that policy allowed and that wait for a place: then the stream is not read on */
#define BROKER_PREPARED 64u /* oldest waiting calls of a sender that have their cards */
#define BROKER_PEER_STDIN 1u
#define BROKER_PEER_OPERATOR 2u

enum broker_phase { BROKER_OPEN, BROKER_CLOSING, BROKER_DONE };

/* The supervisor's last word: MSG_ENDED or MSG_FAILED. */
struct ending {
	bool failed;
	enum stage stage;
	int error_number;
	uint64_t value;
	int wait_status;
	enum stop_cause cause;
	unsigned flags;
	int64_t elapsed_ms;
	uint64_t cpu_us;
	struct message_usage usage;
	char text[160];
};

/* A person changed the command of a call. */
struct call_edit {
	char *asked;  /* what the agent asked for; NULL: nobody changed it */
	char *editor; /* NULL: on the screen */
	char at[16];  /* time of day */
};

/* One call while it lives: what the model's job does not hold. */
struct call {
	struct broker *broker;
	uint64_t seq;
	unsigned peer;
	struct request request; /* its command is what would run: see edit */
	struct call_edit edit;
	struct ruling ruling;
	struct confinement confinement;
	struct pins pins;
	const struct backend *backend;
	struct offer offer;
	struct passed_list passed;
	struct str plan;
	bool planned; /* the plan that was sent a moment ago: the first card needs no second look */
	struct str plan_sent; /* to a launcher that waited, before the card; empty: none was */
	struct digest digest; /* of the newest card */
	struct git_snapshot *git_before;
	struct child child;
	struct watch *watch; /* loop handles of one launch; NULL: none */
	bool launched, go_given, go_sent, started, output_at_end, finished;
	bool delivered; /* its answer goes out */
	bool answered;  /* and is on its way: it waits for nothing any more */
	struct call_id id;
	bool unheard;    /* its peer has left: nobody reads the answer */
	uint64_t proofs; /* plan_proof bits the launcher reported */
	int64_t received_ms, decided_ms, deadline_ms; /* monotonic; -1 */
	int64_t extended_ms;                          /* added to its time so far */
	bool approved_by_person;                      /* also by a grant of one */
	uint64_t grant;                               /* the one that decided; 0: none did */
	uint64_t usage_ms, usage_cpu_us;              /* of the last word about it */
	struct ending end;
	bool end_known;
	enum reason stop_reason; /* why we stopped it, when we did */
	struct result result;
	int stdin_fd; /* -1: /dev/null */
};

struct keeper;

struct broker_hooks {
	void *ctx;
	void (*changed)(void *ctx); /* the model changed: draw */
	void (*answer)(void *ctx, struct call *call,
		struct str *line); /* one answer line, recorded already; may be taken over */
	void (*output)(void *ctx, struct call *call, const char *bytes,
		size_t len);     /* raw, in order, before the cap */
	void (*idle)(void *ctx); /* nothing is open any more */
	/* NULL or: this peer reads its answers, so more of its calls may come */
	bool (*room)(void *ctx, unsigned peer);
	/* NULL: the log. Something about the record that a person should see; it is recorded already */
	void (*told)(void *ctx, const char *why);
	/* NULL or: it is still there: asked at once and not in the next turn of the loop */
	bool (*heard)(void *ctx, unsigned peer);
};

struct broker {
	uv_loop_t *loop;
	struct session *session;
	struct audit *audit;
	struct masker masker;
	struct model model;
	struct broker_hooks hooks;
	struct call **calls;   /* live ones, by number */
	struct call *expected; /* the one of `run`, until it is requested; among those */
	size_t call_count, call_cap;
	uint64_t next_seq;
	int64_t start_ms; /* monotonic */
	uv_timer_t timer;
	uv_idle_t clearing; /* runs while clear_due */
	enum broker_phase phase;
	bool reviewer;      /* a person can decide */
	bool answers_ascii; /* they go to a terminal */
	bool can_run;       /* false after a failed write */
	bool ends_with_answer; /* the end of this process is the answer: broker_close() syncs before it; no line */
	bool intake_closed;
	bool stopped;          /* by the panic key: nothing starts, each new call is refused */
	struct left_over left; /* processes of what it stopped */
	bool left_none;        /* and none of them is alive */
	int64_t left_again_ms; /* monotonic: when they are counted again; 0: they need not */
	char passphrase[PASSWORD_HASH_BYTES]; /* of the lock, hashed; "": none yet */
	bool parks;          /* a screen shows the cards: those of calls far back are made later */
	struct call_ids ids; /* of those that have no answer yet, parked ones too */
	struct parking {     /* see broker_parked.c */
		struct parked_slot {
			uint64_t seq;
			struct parked *parked; /* NULL: taken out */
		} * slots;                     /* by number, from `first` to before `end` */
		size_t first, end, cap, count;
		struct parked_peer **peers;
		size_t peer_count, peer_cap;
		bool due; /* a call may have come so near that it needs its card */
	} parking;
	/* What goes together, in turns: see broker_clear.c. */
	struct answers {
		struct call **items; /* recorded, and not sent yet */
		size_t count, cap;
		unsigned holds; /* who holds them back */
	} answers;
	bool clear_due;         /* a turn ended before all was cleared */
	uint64_t stopped_until; /* the youngest call that the panic key rejected */
	char *shut_why;         /* what is said to each that waits still, and its reason */
	enum reason shut_reason;
	struct reject_all { /* a no to all of a sender, carried out in turns; text NULL: there is none */
		unsigned sender;
		uint64_t until; /* the youngest call that it is about */
		char *text;
	} reject_all;
	struct sealer sealer;
	struct str seal_told; /* what the last crash left, until it is said */
	uint64_t seal_epoch;
	struct anchor anchor;
	uint64_t anchored; /* the event whose digest was given away last */
	bool reader_gone;
	unsigned socket_peers;   /* so many have joined */
	struct keeper *keeper;   /* compresses and prunes; NULL: none does now */
	const char *input;       /* of session_start; not owned */
	struct digest *profiles; /* recorded already, in this file of the session */
	size_t profile_count, profile_cap;
	int64_t proved_wall_ms; /* 0: not yet */
	enum backend_id proved_backend;
};

/* What needs no record. */
void broker_begin(struct broker *broker, uv_loop_t *loop, struct session *session,
	const struct broker_hooks *hooks, bool reviewer);
/* In place of broker_open: nothing was recorded, and what was begun is ended. */
void broker_abandon(struct broker *broker);
/* Opens the record and emits session_start (and found_open). input: "stdin", "operator", or "none": the socket alone. Errors: the record cannot be written; nothing is left to close. */
int broker_open(struct broker *broker, const char *input, struct err *err);
/* Before that, for the one call of `run`: the supervisor that waits gets the plan that the card will most likely have, and its
   launcher, or bwrap, makes the mounts meanwhile. What it makes is its own; it proves, and runs nothing before the go byte. */
void broker_expect(
	struct broker *broker, unsigned peer, const struct request *request, int stdin_fd);
/* session_end and the CHAIN line; ui may be NULL (owned). */
void broker_close(struct broker *broker, const char *why, struct json *ui);

/* stamp = write = apply = redraw. fields are owned. -1: not written; nothing may run. */
int broker_emit(struct broker *broker, enum event_type type, uint64_t seq, struct json *fields);
int broker_sync(struct broker *broker);
int64_t broker_at_ms(const struct broker *broker); /* model time now */

/* The launch at start that never got its go byte. */
void broker_proved(struct broker *broker, const struct offer *offer, enum backend_id id, bool ok,
	const char *why);

/* One line of an agent (or too_long). */
void broker_line(struct broker *broker, unsigned peer, uint64_t line_no, const char *line,
	size_t len, bool too_long);
/* A call that a person asked for at the terminal (`run`); request is copied. */
void broker_request(
	struct broker *broker, unsigned peer, const struct request *request, int stdin_fd);
bool broker_wants_more(const struct broker *broker, unsigned peer); /* false: do not read on */
/* A connection of the socket; its number. */
unsigned broker_peer_joined(struct broker *broker, const struct peer_id *id);
/* Of any kind. What waits of it is withdrawn; what runs is ended, or finishes, as on_disconnect says. */
void broker_peer_left(struct broker *broker, unsigned peer, const char *why);
bool broker_peer_has_calls(const struct broker *broker, unsigned peer);
void broker_listens(struct broker *broker, const char *path);
/* A person refuses the new calls of a sender, or takes them again; what waits and runs of it stays. false with *ret_text. */
bool broker_refuse_sender(struct broker *broker, uint64_t number, bool refuse, char **ret_text);
bool broker_is_refused(const struct broker *broker, unsigned peer);
void broker_intake_end(struct broker *broker, const char *why);
/* Carries an intent out; *ret_text (caller frees) says what happened when it could not, and where there is more to say. */
bool broker_intent(
	struct broker *broker, const struct intent *intent, struct json *seen, char **ret_text);
/* The panic key: rejects what waits, ends what runs, refuses what comes, until intake is opened. false with *ret_text: nothing
   to do. */
bool broker_stop_all(struct broker *broker, char **ret_text);
bool broker_open_intake(struct broker *broker, char **ret_text);
/* The screen locks: text is a new passphrase where there is none yet. It is wiped by the caller. */
bool broker_lock(struct broker *broker, const char *text, bool idle, char **ret_text);
bool broker_unlock(struct broker *broker, const char *text, char **ret_text);
bool broker_lock_at_start(
	struct broker *broker); /* before anything is shown; asks for a new passphrase */
/* Rejects what waits and ends what runs: quit, SIGTERM, a reader that went away. */
void broker_shut(struct broker *broker, enum reason reason, const char *why);
void broker_reader_gone(struct broker *broker);
bool broker_idle(const struct broker *broker);

/* Between the files of the broker. */
/* true: an intent about the lock or the panic key, carried out, or one that a locked screen must not give. */
bool broker_screen_intent(struct broker *broker, const struct intent *intent, char **ret_text);
void broker_look_for_left(struct broker *broker); /* counts when the last stopped command is gone */
/* In a new file of the record: what goes on holding from the one before. */
void broker_say_standing(struct broker *broker);
void broker_say_peers(struct broker *broker);
/* Behind a sync: a session whose file is full goes on in the next one. */
void broker_turn_file(struct broker *broker);
/* Closed files are compressed and pruned as configured, beside what goes on. What an earlier crash left half done is told. */
void broker_keep(struct broker *broker);
void broker_keep_end(struct broker *broker); /* waits for it */
/* Seals and anchors: whether they can be made (before the record is opened); behind session_start; behind a sync; before
   session_end; behind CHAIN's end line. */
int broker_seals_open(struct broker *broker, struct err *err);
void broker_seals_begin(struct broker *broker);
void broker_seals_look(struct broker *broker);
void broker_seals_stop(struct broker *broker);
void broker_seals_close(struct broker *broker, uint64_t events);
/* A no to all that waits of a sender, up to intent->until. */
bool broker_reject_all(struct broker *broker, const struct intent *intent, char **ret_text);
/* The first peer of the same process: who counts, however many connections it makes. */
unsigned broker_sender(const struct broker *broker, unsigned peer);
unsigned broker_sender_most(
	const struct broker *broker, unsigned peer); /* calls that may wait for a person */
/* Before a person's yes counts: a call whose agent went away this very moment is withdrawn. */
void broker_check_heard(struct broker *broker, const struct call *call);
void broker_peer_words(const struct call *call, struct str *out); /* for the card */
void broker_say_lock(struct broker *
		broker); /* of that the lock: also what was tried, and how long the next try waits */
struct call *broker_call(const struct broker *broker, uint64_t seq);
struct call *broker_add_call(
	struct broker *broker, unsigned peer, uint64_t seq); /* seq 0: a new one */
void broker_drop_call(struct call *call); /* frees it, and nothing follows from that */
/* Calls without a card yet. Each that is taken out is a call as any other, waiting without a card. */
bool broker_parks(
	const struct call *call); /* so many of its sender wait that its card can be made later */
void broker_park(struct call *call);                             /* frees it */
struct call *broker_unpark(struct broker *broker, uint64_t seq); /* NULL: it is not there */
struct call *broker_unpark_first(
	struct broker *broker, uint64_t until);         /* the oldest, up to this number; NULL */
struct call *broker_unpark_left(struct broker *broker); /* one whose peer has left; NULL */
void broker_parked_leave(struct broker *broker, unsigned peer); /* those of this peer */
bool broker_has_parked(const struct broker *broker, unsigned peer);
/* A person opens it: its card is made now. false: it was not there, is about to go, or was refused. */
bool broker_prepare(struct broker *broker, uint64_t seq);
void broker_prepare_some(struct broker *broker);
int64_t broker_parked_due(
	const struct broker *broker); /* when one expires, or needs its card; -1 */
struct call *broker_parked_late(struct broker *broker, int64_t now); /* one that expired; NULL */
void broker_parking_release(struct broker *broker);
/* Stops what runs and refuses what waits with a card; the answers are held by the caller. */
void broker_end_calls(struct broker *broker, enum reason reason, const char *why);
/* Answers that are recorded from here on are held back until broker_send_answers(), which makes all of them durable at once,
   and then sends them. These nest. A call whose answer is held back is finished, and still among the calls. */
void broker_hold_answers(struct broker *broker);
void broker_send_answers(struct broker *broker);
/* One turn of what goes in turns, each with its answer: what waits when all is stopped or shut, when its peer has left, when it
   is late, when a person rejects all of a sender. The loop comes back for the rest. */
void broker_clear_some(struct broker *broker);
void broker_clear_begin(struct broker *broker); /* its handle, until uv_close() */
void broker_hold_answer(struct call *call);
void broker_send_answer(struct call *call); /* recorded and synced; drops the call */
void broker_stop_waiting(struct call *call);
void broker_withdraw(struct call *call);
bool broker_reject_one(struct broker *broker); /* false: there is none to reject */
void broker_expire(struct call *call);
void broker_remove_call(struct call *call); /* frees it */
void broker_made_room(
	struct broker *broker); /* behind calls that were dropped: what may go on now does */
void broker_unwatch(struct call *call);           /* closes the handles of a launch */
void broker_arm(struct broker *broker);           /* the timer, for the nearest deadline */
void broker_admit(struct call *call);             /* policy, confinement, backend, card */
int broker_card(struct call *call, bool changed); /* 0, or -1 with the call refused */
/* Builds it once more: 0 the card is the same, 1 a changed card was emitted, -1 refused. */
int broker_recheck(struct call *call);
void broker_requeue(struct call *call, const char *why); /* undecided again */
void broker_decide(struct call *call, enum decision decision, enum decider by, const char *text,
	struct json *seen);
/* The same without starting anything. 0, or -1: it is not in the record. */
int broker_record_decision(struct call *call, enum decision decision, enum decider by,
	const char *text, struct json *seen);
/* The call (NULL: gone) still waits with the card of the intent; broker_may_approve() also that it may run. false with *ret_text. */
bool broker_bound_to_card(const struct call *call, const struct intent *intent, char **ret_text);
bool broker_may_approve(const struct call *call, const struct intent *intent, char **ret_text);
/* All of the marked cards, each bound to its own digest, or none. Owns seen: by number of the call, the fields of each EVENT_SEEN. */
bool broker_decide_marked(
	struct broker *broker, const struct intent *intent, struct json *seen, char **ret_text);
/* The card of this plan. again: with what may differ between two identical calls left out (grant_inputs()). */
void broker_build_card(const struct call *call, const struct offer *offer,
	const struct str *encoded, bool again, struct card *ret);
int broker_encode_plan(
	const struct call *call, const struct offer *offer, struct str *out, struct err *err);
/* true: a grant covers the call that has just got its card, and it is decided. */
bool broker_use_grant(struct call *call);
/* The yes of a person that also holds for the identical call again: recorded, then decided. Owns seen. */
bool broker_give_grant(
	struct call *call, const struct intent *intent, struct json *seen, char **ret_text);
/* What it covered and has not started yet goes back to the queue. false: there is none that holds. */
bool broker_revoke(struct broker *broker, uint64_t number, const char *why);
void broker_revoke_all(struct broker *broker, const char *why);
void broker_schedule(struct broker *broker); /* starts what may start */
void broker_plan_ahead(struct call *call);
/* Ends the launcher that has another plan than the card's. */
void broker_check_plan_ahead(struct call *call);
void broker_launch(struct call *call);
void broker_launch_failed(struct call *call, enum reason reason, const char *sentence);
void broker_on_message(struct call *call, const struct message *message);
void broker_on_lost(struct call *call);
void broker_finish(struct call *call); /* ended: outcome, record, answer */
void broker_refuse(struct call *call, enum reason reason, const char *sentence);
void broker_answer(struct call *call);
/* INTENT_EDIT: the text becomes a new card of the same call, or *ret_text (caller frees) says why nothing changed. editor: its
   path; NULL: on the screen. */
bool broker_edit(
	struct broker *broker, const struct intent *intent, const char *editor, char **ret_text);
/* `+`: its time once more, up to the ceiling. *ret_text says what it has now, or why not. */
bool broker_extend(struct call *call, char **ret_text);
void broker_stop_call(struct call *call, enum reason reason, const char *by);
void broker_output(struct call *call, const char *bytes, size_t len);
void broker_record_broke(struct broker *broker, const struct err *err);
/* Refuses and ends everything that the broken record does not hold whole. */
void broker_sweep(struct broker *broker);

#endif

/* Events: facts that happened. Only model_apply() changes a model, and only by one of these.

   A line of the record (record.md; exequatur-audit(5)):
     {"prev":HEX,"v":1,"event":N,"at":MS,"wall":"2026-11-30T13:28:01.123Z","type":NAME
      [,"seq":N],FIELDS...}
   FIELDS may not use those seven names. In the list below: text unless a type is named; [x] may be
   absent; "digest", "plan" and the like are 64 hex digits; a list of notes or reasons holds the
   names of protocol.md; null counts as absent, and so does a number -1. What the list does not name
   is kept in the record and ignored by the model. model_apply() refuses an event (ERR_INVALID) when
   a field that it needs is missing or of another type, when `seq` is unknown, or when job_next()
   says that it cannot happen. */
#ifndef CORE_EVENT_H
#define CORE_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#define EVENT_FORMAT_VERSION 1
#define EVENT_LINE_BYTES (8u << 20)

enum event_type {
	/* Of the session: no seq. */

	/* session [chain: digest of the session's start line in CHAIN] [version host user uid(int)
	   pid(int) config_digest workspace] [backend: the title's word] [backend_set]
	   [no_sandbox(bool)] [passed[{backend,why}]] [unsandboxed(bool) root(bool) terminal(bool)]
	   [input: "stdin" "none" "operator"] [max_running(int) approval_timeout_s(int)]
	   [keys["action=key"]: what the configuration bound] */
	EVENT_SESSION_START,
	/* backend(name) ok(bool) [why] [facets{facet_name: hold_name}] [stage]; with seq: during
	   that call's start, which it does not change */
	EVENT_PROBE,
	/* peer(int) kind: "stdin" "operator" "socket"; [uid(int)] [pid(int)]; of a socket: as the
	   kernel told at connect; [start(int): clock ticks after the boot, names the process even
	   when its pid is used again] [program: its foreign name] [own_uid(bool): not the uid of
	   the console] [sender(int): the first peer of the same process, for quotas and order;
	   absent: itself] [most(int): calls of the sender that may wait]. A number that is known already is said again behind a gap */
	EVENT_PEER,
	/* peer(int) [why: "closed" "does not read"] */
	EVENT_PEER_LEFT,
	/* path: of the socket */
	EVENT_LISTENING,
	/* sender(int: number of its first peer) refuse(bool): from here on a person refuses its new calls, or takes them again */
	EVENT_SENDER,
	/* profile(digest) env[] cut{group:[names]} limits{} argv[]; kept, not applied */
	EVENT_PROFILE,
	/* [epoch(int): that the next seal ends] [why: what a crash left and how it was ended, or why a seal could not be made];
	   kept, not applied */
	EVENT_SEALS,
	/* [digest number(int): of the event before, that was given away] [why: it was not taken]; kept, not applied */
	EVENT_ANCHOR,

	/* Of a call: seq. */

	/* peer(int) line(int) [id(text or int)] [agent] [agent_reason], then either command
	   [timeout(int)] [working_dir] [network(bool)] [ignored[]], or for a bad line raw(through
	   the safe-text rule, of at most 4096 bytes) [raw_bytes(int)]. seq: above all before */
	EVENT_RECEIVED,
	/* reason(name) sentence [by(decider)] [tried[{backend,why}]] */
	EVENT_REFUSED,
	/* verdict(name) [rule] */
	EVENT_RULED,
	/* Nothing: it waits, and its card is made later, when those of the same sender before it are decided, or when a person
	   opens it */
	EVENT_QUEUED,
	/* card{card_to_record()} digest [old(digest, when it changed)]; digest equals the card's */
	EVENT_CARD,
	/* by(decider) how: "inline" or the editor's path; command: the new one; old(digest of the card that was edited); the
	   card of the new command follows */
	EVENT_EDITED,
	/* ui{}; no seq */
	EVENT_VIEW,
	/* rows[[start,end,ms]..](ints; bytes of the card's text, stood ms) total(int) [lines(int)
	   lines_seen(int): as counted on the screen] [ui{}] */
	EVENT_SEEN,
	/* decision: "approved" "allowed" "rejected"; by(decider) [text] [after_ms(int)] [digest]; by "grant" also
	   grant(int) use(int: the how manieth, from 1);
	   in the record it comes after `seen` */
	EVENT_DECIDED,
	/* why; the wait begins anew */
	EVENT_REQUEUED,
	/* backend(name) [profile(digest)] [plan(digest)] */
	EVENT_LAUNCHING,
	/* [proofs] [enforced{limit: enforcer or null}] [memory_limit(int, bytes)]
	   [processes_limit(int)] [wall_most_ms(int): what extensions can reach] */
	EVENT_STARTED,
	/* by: "operator" "deadline" "console"; [why] */
	EVENT_STOPPING,
	/* by_ms(int) */
	EVENT_EXTENDED,
	/* text (valid UTF-8 without NUL) or base64: event_output_fields(); or bytes(int) digest alone: not recorded.
	   Of any event: [masked{kinds[] count(int) digest}]: its secrets are masked, redact_fields() */
	EVENT_OUTPUT,
	/* ms(int) cpu_ms(int) [cpu_percent(int): of all CPUs, lately] [memory(int, bytes)] [memory_peak(int)] [processes(int)]
	   [processes_peak(int)]: of the whole tree; what was not measured is left out */
	EVENT_USAGE,
	/* [cap(int)]: the output reached it */
	EVENT_TRUNCATED,
	/* name: "memory" "processes"; figure(int): the limit; kept, not applied */
	EVENT_LIMIT,
	/* reason(name; "" or absent: success) [sentence] [exit_code(int)] [signal(int)]
	   [duration_ms(int)] [output_bytes(int)] [dropped(int)] [notes[]] [kill_ms(int)]
	   [cpu_ms(int)] [memory_peak(int)] [processes_peak(int)] */
	EVENT_ENDED,
	/* paths[]: at most 64, and a line that counts the others */
	EVENT_GIT_CHANGED,
	/* [reason] [success(bool)] [delivered(bool)] [decision] [by(decider)] [notes[]] */
	EVENT_ANSWERED,
	/* why */
	EVENT_WITHDRAWN,
	/* [after_ms(int)] */
	EVENT_EXPIRED,
	/* grant(int: its number, the next one) digest minutes(int) times(int): the yes to this card that follows
	   holds also for the identical call of the same peer again */
	EVENT_GRANT,
	/* grant(int) why; no seq */
	EVENT_REVOKED,

	/* Of the session again. */

	/* open(bool) [why] [stop_all(bool): everything was stopped, until false is said]
	   [left(int): so many processes of the stopped commands are alive, counted now] */
	EVENT_INTAKE,
	/* locked(bool) [why: "operator" "idle" "start" "passphrase"] [minutes(int): without a key]
	   [set(bool): there is a passphrase] [tries(int): wrong ones since] [wait_ms(int): until the
	   next one is looked at]; never the passphrase, its hash or its length */
	EVENT_LOCKED,
	/* why [keys["action=key"]]; first line of the file that follows one that could not be written. audit_append()
	   adds session, chain, before(file name) and before_digest(of its last whole line). As the
	   first event of a model: calls of the file before are unknown, and events about them are
	   ignored */
	EVENT_GAP,
	/* First line of the next file of a session, when the one before was full. Numbers go on, and so does `prev`. All of
	   session_start, as it holds now; calls[{seq(int),state(job_state_name)}]: those without an answer; [ui{}]. audit_append() adds
	   part(int: the how manieth file) and before(file name). What stands is said behind it. As the first
	   event of a model it is session_start, and calls of the files before are unknown; later it changes nothing */
	EVENT_CONTINUED,
	/* file digest torn(bool) [damaged(bool)] calls[{seq(int),state(job_state_name),reason}], or of a file that was closed:
	   file unfinished: what its session, or a prune, had begun with it and how it was ended now */
	EVENT_FOUND_OPEN,
	/* [why] [ui{}] */
	EVENT_SESSION_END,
	EVENT_TYPE_COUNT
};
const char *event_type_name(enum event_type type);                /* "session_start" */
int event_type_from_name(const char *name, enum event_type *ret); /* 0 or -1 */

struct event {
	enum event_type type;
	uint64_t number; /* from 1 in its file; 0: not in the record */
	int64_t at_ms;   /* since the session's start */
	int64_t wall_ms;
	uint64_t seq;        /* of the call; 0: none */
	struct json *fields; /* an object; owned */
	bool live;           /* made here a moment ago, not read from a file */
};

void event_release(struct event *event);
/* One line without newline, pure ASCII, as above. fields may be NULL. Appends. */
void event_print(const struct event *event, const struct digest *prev, struct str *out);
/* Hostile input: one line without newline. ERR_LIMIT over EVENT_LINE_BYTES, ERR_INVALID for what
   event_print() does not write. An unknown type gives ERR_NOT_FOUND with *ret filled (type
   EVENT_TYPE_COUNT; kept, not applied; the caller releases it). */
int event_parse(
	const char *line, size_t len, struct event *ret, struct digest *ret_prev, struct err *err);
/* Output bytes into an EVENT_OUTPUT's fields and back (appends). ERR_INVALID when it holds neither
   or both. */
struct json *event_output_fields(const char *bytes, size_t len);
int event_output_bytes(const struct json *fields, struct str *out, struct err *err);

#endif

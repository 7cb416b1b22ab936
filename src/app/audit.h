/* The writer of a session's record (record.md): one file of events with a digest chain, and CHAIN
   beside it. */
#ifndef APP_AUDIT_H
#define APP_AUDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strv.h"
#include "core/event.h"

struct audit; /* opaque */

/* A call that a dead session left open. */
struct found_call {
	uint64_t seq;
	char state[16]; /* job_state_name */
};
struct found_open { /* a session file without an end line in CHAIN whose lock is free */
	char *file;
	struct digest digest; /* of its last whole line */
	bool torn;
	bool damaged; /* its chain does not hold: said, never repaired */
	struct found_call *calls;
	size_t call_count;
};
struct found_list {
	struct found_open *items;
	size_t count;
};
void found_list_release(struct found_list *found);

/* The directory: log_path, or $XDG_STATE_HOME/exequatur/audit, or ~/.local/state/...; made 0700
   when absent; refused when a symlink, not ours, or open to others. Caller frees *ret. */
int audit_directory(const char *log_path, const char *xdg_state_home, const char *home, char **ret,
	struct err *err);
/* The same path, neither made nor looked at: for readers. */
int audit_directory_path(const char *log_path, const char *xdg_state_home, const char *home,
	char **ret, struct err *err);
/* Creates the session file (0600 whatever the umask, O_EXCL, O_NOFOLLOW, O_APPEND, locked), appends
   its start line to CHAIN and looks for dead sessions; *ret_chain is the digest of CHAIN's last
   line before, for session_start. */
int audit_open(const char *dir, int64_t wall_ms, struct audit **ret, struct digest *ret_chain,
	struct found_list *ret_found, struct err *err);
const char *audit_session(const struct audit *audit); /* file name without .jsonl */
const struct digest *audit_chain(
	const struct audit *audit); /* of the line in CHAIN that began its file */
/* Writes one whole line; sets event->number. After a failure nothing may run until audit_recover().
   */
int audit_append(struct audit *audit, struct event *event, struct err *err);
/* Begins to make CHAIN's line durable, beside what the caller does until audit_sync(): the disk takes longer than all else at a
   start. */
void audit_sync_ahead(struct audit *audit);
int audit_sync(
	struct audit *audit, struct err *err); /* fdatasync; may be called from another thread */
/* What the last sync made durable: so many lines of a file, counted through the session's files. */
struct audit_point {
	char file[64]; /* "": nothing yet */
	uint64_t events;
	struct digest digest; /* of the last of them */
};
void audit_point(const struct audit *audit, struct audit_point *ret);
bool audit_dirty(const struct audit *audit); /* lines behind the last sync */
bool audit_failed(const struct audit *audit);
/* A session's file that grew over so many bytes goes on in a next one; 0, and before this: never. */
void audit_limit(struct audit *audit, uint64_t bytes);
/* It has grown so far, and all of it is durable: the moment at which the next file costs one sync only, that of CHAIN. */
bool audit_wants_next(const struct audit *audit);
/* Begins the next file; the caller emits `continued` into it first. -1: nothing changed, and the file grows on. */
int audit_next(struct audit *audit, struct err *err);
/* A new file after a failure; the caller emits the `gap` event first. 0 when writing works again.
   */
int audit_recover(struct audit *audit, int64_t wall_ms, struct err *err);
/* The end line in CHAIN (session_end must have been appended). Frees. */
int audit_close(struct audit *audit, struct err *err);

#endif

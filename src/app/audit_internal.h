/* The writer's inside. Private to audit*.c. */
#ifndef APP_AUDIT_INTERNAL_H
#define APP_AUDIT_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "app/audit.h"
#include "app/found.h"
#include "base/str.h"

struct audit {
	int dir_fd, chain_fd, fd;
	char *file, *session;
	char *previous;      /* the session's file before this one, until `continued` is written */
	unsigned part;       /* of the session: its how manieth file */
	uint64_t most_bytes; /* a file that is larger is followed by the next; 0: never */
	uint64_t next_at;    /* the same, moved on when it could not be followed */
	struct digest chain; /* of this file's start line in CHAIN */
	struct digest last;  /* of the last line written; zero: none */
	uint64_t number;     /* of that line, counted through the session's files */
	uint64_t bytes;      /* of this file's lines */
	bool ended;          /* the last line is session_end */
	struct str line;
	/* Shared with the thread that syncs. */
	_Atomic uint64_t appended, synced;
	_Atomic bool failed;
	bool chain_synced;
	struct audit_point durable;
	/* Syncs the start line in CHAIN while the session goes on; until it was joined. */
	pthread_t chain_thread;
	bool chain_thread_runs;
	int chain_errno;
	/* Dead files, until their found_open is written. */
	struct found_file *dead;
	size_t dead_count;
	/* After audit_recover(): the file that broke, until the gap is written. */
	char *before;
	struct digest before_digest, before_torn_digest;
	uint64_t before_events;
	bool before_torn;
	int before_fd;
};

/* Opens `dir` and refuses one that is a symlink, not ours, or open to others. */
int audit_open_directory(const char *dir, int *ret_fd, struct err *err);
/* The empty file, under a name that is free: 0600 whatever the umask, locked for as long as it is open. The descriptor, or -1: errno
   is EEXIST when the name is taken. */
int audit_create(int dir_fd, const char *file, struct err *err);
/* A new session file and its start line in CHAIN, both or neither. Fills fd, file, session, part and
   chain. */
int audit_begin_file(struct audit *audit, int64_t wall_ms, struct err *err);
/* The file is where its name says, or is put back there. ERR_SYSTEM: it was removed; ERR_REFUSED: another one has its name. */
int audit_hold_name(struct audit *audit, struct err *err);
/* Looks for dead files; keeps them locked in audit->dead. Clones what is told into *ret. */
int audit_find_dead(struct audit *audit, struct found_list *ret, struct err *err);
/* FOUND lines, when the event that tells of the file has been written. */
int audit_chain_found(struct audit *audit, const struct event *event, struct err *err);
int audit_chain_before(struct audit *audit, struct err *err);

#endif

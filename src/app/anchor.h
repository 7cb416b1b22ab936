/* The outside anchor: the newest digest of the record is given away every so many events, so that a tail that is cut off shows even
   to somebody without a key. Digests and counts alone. Nothing here blocks a call. */
#ifndef APP_ANCHOR_H
#define APP_ANCHOR_H

#include "app/notifier.h"
#include "base/digest.h"

#define ANCHOR_SYSLOG "/dev/log"

struct anchor {
	bool on; /* else nothing here does anything */
	bool to_syslog;
	const char *syslog_path; /* ANCHOR_SYSLOG */
	struct notifier command;
	void *ctx;
	void (*trouble)(void *ctx, const char *why);
};

/* Before anything is recorded: 0, also when none is configured; else why anchor_command cannot be used. */
int anchor_check(const struct session *session, struct err *err);
void anchor_begin(struct anchor *anchor, uv_loop_t *loop, const struct session *session, void *ctx,
	void (*trouble)(void *ctx, const char *why));
bool anchor_is_busy(
	const struct anchor *anchor); /* its program runs: the next digest waits for its end */
/* Gives it away: "DIGEST COUNT". Troubles come later, too. */
void anchor_give(
	struct anchor *anchor, const struct digest *digest, uint64_t count, int64_t wall_ms);
/* What runs, and the last one, are waited for, 5 s each at most. 0, or what failed. */
int anchor_close(struct anchor *anchor, const struct digest *digest, uint64_t count,
	int64_t wall_ms, struct err *err);

/* One line to a syslog socket, as the C library writes one but never waiting. */
int anchor_syslog(const char *path, const char *words, int64_t wall_ms, struct err *err);

#endif

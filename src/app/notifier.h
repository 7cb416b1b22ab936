/* notify_command: a program of the person that is told, in our words, that calls wait; anchor_command: one that is given digests.
   Outside the sandbox, so at most one at a time, for so long, with few variables, and never a word of an agent. */
#ifndef APP_NOTIFIER_H
#define APP_NOTIFIER_H

#include <uv.h>

#include "app/session.h"

#define NOTIFIER_MS 10000 /* then it is ended, with all it started in its group */

#define NOTIFIER_LAST_MS 5000

struct notice;

struct notifier {
	uv_loop_t *loop; /* NULL: not begun, or ended */
	const struct session *session;
	const struct strv *command; /* its program and first arguments */
	const char *name;           /* the key of the configuration */
	struct notice *running;     /* NULL: none */
	unsigned limit_ms;          /* NOTIFIER_MS */
	void *ctx;
	void (*trouble)(void *ctx,
		const char *why); /* it could not start, or ended with something else than 0 */
};

/* Before anything is shown: 0, also when none is configured; else why notify_command cannot be used. */
int notifier_check(const struct session *session, struct err *err);
void notifier_begin(struct notifier *notifier, uv_loop_t *loop, const struct session *session,
	void *ctx, void (*trouble)(void *ctx, const char *why));
/* The same for another key than notify_command. */
int notifier_check_command(const struct session *session, const struct strv *command,
	const char *name, struct err *err);
void notifier_begin_command(struct notifier *notifier, const struct strv *command, const char *name,
	uv_loop_t *loop, const struct session *session, void *ctx,
	void (*trouble)(void *ctx, const char *why));
/* Without a loop, at the end of a session: waits for the one that runs, NOTIFIER_LAST_MS at most, and ends it for good; starts
   the last one and waits for it as long. 0, or why it failed. */
int notifier_finish(struct notifier *notifier, struct err *err);
int notifier_call_last(struct notifier *notifier, const char *words, struct err *err);
/* Starts it with the words as its last argument; nothing while the one before still runs, or when none is configured. */
void notifier_call(struct notifier *notifier, const char *words);
void notifier_end(struct notifier *notifier); /* ends what runs; may be called twice */

#endif

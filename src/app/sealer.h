/* Seals a session's record while it goes on (sign_events): in a thread of its own, as a seal waits for the disk several times and
   for other sessions. One at a time. */
#ifndef APP_SEALER_H
#define APP_SEALER_H

#include <pthread.h>
#include <stdbool.h>
#include <uv.h>

#include "app/audit.h"
#include "app/seals.h"

struct sealer {
	bool on; /* else nothing here does anything */
	int dir_fd;
	uv_async_t ended;
	pthread_t thread;
	bool runs;
	/* What the thread works on, and what it leaves. */
	struct audit_point point;
	int64_t wall_ms;
	struct str told;
	struct err err;
	int status;
	/* The last try. */
	struct audit_point tried;
	void *ctx;
	void (*trouble)(void *ctx,
		const char *why); /* a seal could not be made, or what a crash left was mended */
};

/* Whether seals can be made. Fills *sealer; ret_epoch: the first one that ends here; *told: what a crash had left (appended).
   Nothing is left to close when it fails. */
int sealer_open(struct sealer *sealer, const char *dir, uint64_t *ret_epoch, struct str *told,
	struct err *err);
void sealer_begin(struct sealer *sealer, uv_loop_t *loop, void *ctx,
	void (*trouble)(void *ctx, const char *why));
/* Behind a sync: seals when `every` events, or another file, have come since the last one. */
void sealer_look(struct sealer *sealer, const struct audit *audit, unsigned every);
/* Waits for the thread; before the loop ends. */
void sealer_stop(struct sealer *sealer);
/* The last one, behind the end line in CHAIN. Frees. */
int sealer_close(struct sealer *sealer, int64_t wall_ms, struct str *told, struct err *err);

#endif

/* Answers to a descriptor that others may share: never O_NONBLOCK, never a blocking write to a pipe that is full. */
#ifndef APP_OUTLET_H
#define APP_OUTLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/str.h"

struct outlet {
	int fd;
	struct str queue;
	size_t sent;
	bool polled, held, gone;
	int64_t moved_ms; /* monotonic: when it took bytes, or when they began to wait */
	uv_poll_t poll;
	void *ctx;
	void (*on_gone)(void *ctx);    /* nobody reads any more (once) */
	void (*on_drained)(void *ctx); /* the queue became empty */
};

/* hold: keep everything until outlet_release() (a terminal that shows the screen). */
void outlet_start(struct outlet *outlet, uv_loop_t *loop, int fd, bool hold, void *ctx,
	void (*on_gone)(void *ctx), void (*on_drained)(void *ctx));
/* Takes the line over: a long one is not copied while it waits. */
void outlet_write(struct outlet *outlet, struct str *line);
bool outlet_empty(
	const struct outlet *outlet);       /* true too when held or gone: nothing to wait for */
void outlet_release(struct outlet *outlet); /* after the screen: writes what was held, blocking */
size_t outlet_waiting(const struct outlet *outlet); /* bytes that nobody has taken yet */
/* Asks now, and not in the next turn of the loop: nobody can read what is written here. */
bool outlet_is_dead(const struct outlet *outlet);
/* Closes its handle. The loop needs the memory until on_closed, which may be NULL. true: it will be called. */
bool outlet_stop(struct outlet *outlet, uv_close_cb on_closed);

#endif

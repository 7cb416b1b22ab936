/* The event loop: what every long-lived command sets up and takes down alike. */
#ifndef APP_LOOP_H
#define APP_LOOP_H

#include <uv.h>

struct signals { /* SIGTERM, SIGHUP, SIGINT */
	uv_signal_t handles[3];
	void *ctx;
	void (*on_signal)(void *ctx, int number);
};

/* Before anything else: SIGPIPE and SIGXFSZ are errors of write(), descriptors 0 to 2 are open, nobody may trace us or read our memory. */
void loop_prepare(void);
void signals_start(struct signals *signals, uv_loop_t *loop, void *ctx,
	void (*on_signal)(void *ctx, int number));
void signals_stop(struct signals *signals);
/* Runs what is closing to its end and closes the loop. */
void loop_end(uv_loop_t *loop);

#endif

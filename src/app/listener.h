/* The socket of the console: one console on it, 0600 from the first moment, gone when the console is. */
#ifndef APP_LISTENER_H
#define APP_LISTENER_H

#include <stdbool.h>
#include <uv.h>

#include "base/err.h"

struct listener {
	int fd, dir_fd, lock_fd;
	char *path;
	const char *name;
	char *lock_name;
	dev_t dev; /* of the socket that we made */
	ino_t ino;
	uv_poll_t poll;
	bool started, deaf; /* deaf: there was no descriptor left for one more */
	void *ctx;
	void (*on_connection)(void *ctx, int fd); /* owns fd */
};

void listener_init(struct listener *listener);
/* Takes the lock, puts a socket that a dead console left out of the way, and listens. ERR_REFUSED with a sentence: another
   console, another program, or what is no socket is there; nothing of it was touched. path is owned. */
int listener_open(struct listener *listener, char *path, char **envp, struct err *err);
void listener_start(struct listener *listener, uv_loop_t *loop, void *ctx,
	void (*on_connection)(void *ctx, int fd));
void listener_poke(struct listener *listener); /* a descriptor became free */
/* Removes the socket, if it is still ours, and closes the handle. For every way out; may be called without listener_open(). */
void listener_close(struct listener *listener);

#endif

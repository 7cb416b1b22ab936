/* Requests from a descriptor: pipe, socket, file or /dev/null; never changes the flags of a descriptor that others share. */
#ifndef APP_INTAKE_H
#define APP_INTAKE_H

#include <stdbool.h>
#include <uv.h>

#include "app/broker.h"
#include "base/linebuf.h"

struct intake {
	struct broker *broker;
	int fd;
	unsigned peer;
	struct linebuf lines;
	uv_poll_t poll;
	uv_idle_t
		idle; /* a turn of the loop each: chunks of a regular file, and lines that are left over */
	bool polled, paused, more, ended, lines_at_end;
	void *ctx;
	void (*on_end)(void *ctx); /* every line was handed over */
};

void intake_start(struct intake *intake, struct broker *broker, int fd, unsigned peer, void *ctx,
	void (*on_end)(void *ctx));
void intake_poke(struct intake *intake); /* a place became free: read on when the stream was held */
void intake_stop(struct intake *intake); /* closes its handles; call once */

#endif

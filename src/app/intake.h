/* Requests from descriptors: pipe, socket, file or /dev/null; never changes the flags of a descriptor that others share. */
#ifndef APP_INTAKE_H
#define APP_INTAKE_H

#include <stdbool.h>
#include <uv.h>

#include "app/broker.h"
#include "base/linebuf.h"

struct intake;

/* All of one console. They take turns: a turn of the loop hands over for so many milliseconds, whoever sends. */
struct intakes {
	struct broker *broker;
	uv_idle_t idle; /* runs while there is one in the row */
	struct intake *first, *last;
};

enum intake_state {
	INTAKE_WATCHED, /* for bytes */
	INTAKE_READY,   /* in the row: there are bytes, or lines that are left over */
	INTAKE_HELD,    /* the broker has enough of this sender */
	INTAKE_ENDED
};

struct intake {
	struct intakes *all;
	struct intake *next; /* in the row */
	int fd;
	unsigned peer;
	struct linebuf lines;
	uv_poll_t poll;
	enum intake_state state;
	bool polled, more, lines_at_end; /* more: whole lines may be left over */
	void *ctx;
	void (*on_end)(void *ctx); /* every line was handed over */
};

void intakes_start(struct intakes *all, struct broker *broker);
void intakes_stop(struct intakes *all); /* behind the last of them */

void intake_start(struct intake *intake, struct intakes *all, int fd, unsigned peer, void *ctx,
	void (*on_end)(void *ctx));
void intake_poke(struct intake *intake); /* a place became free: read on when the stream was held */
/* Closes its handle; call once. The loop needs the memory until on_closed, which may be NULL. true: it will be called. */
bool intake_stop(struct intake *intake, uv_close_cb on_closed);

#endif

/* Who sends calls and gets their answers: standard input and output, and each connection of the socket. */
#ifndef APP_CONN_H
#define APP_CONN_H

#include <stdbool.h>
#include <uv.h>

#include "app/broker.h"
#include "app/intake.h"
#include "app/outlet.h"
#include "core/model.h"

#define CONNS_MOST 256 /* of the socket at once; who comes then is told, and let go */
/* An agent that does not read its answers cannot fill our memory with more of them: its calls are not read on behind so many
   bytes that nobody took. */
#define CONN_ROOM_BYTES (8u << 20)
/* And what was asked before cannot either: a connection is closed when more than this waits, or when something waits and
   nothing of it was taken for so long. */
#define CONN_ANSWERS_BYTES (16u << 20)
#define CONNS_ANSWERS_BYTES (64u << 20) /* of all together: then it is the one with the most */
#define CONN_READER_MS 10000

struct conn;
struct conns {
	struct broker *broker;
	struct intakes intakes;
	struct conn *first; /* of the socket, those that have not left */
	struct conn *stdio; /* NULL: standard input is a terminal */
	unsigned count;     /* of the socket, those whose memory is in use too */
	bool listening;
	void *ctx;
	void (*on_stdin_end)(void *ctx);
	void (*on_reader_gone)(void *ctx); /* of standard output, when there is no socket */
	void (*on_quiet)(void *ctx);       /* an answer was taken, or a connection is gone */
};

struct conn {
	struct conns *all;
	struct conn *next;
	enum peer_kind kind;
	unsigned peer;
	int in_fd, out_fd;
	struct intake intake;
	struct outlet outlet;
	uv_timer_t timer; /* for a reader that does not read, and to leave in a turn of its own */
	const char *doom; /* why it leaves then; NULL: it stays */
	unsigned open_handles;
};

void conns_start(struct conns *conns, struct broker *broker, bool listening);
/* Standard input and output. hold: answers wait for the end of the screen. */
void conns_add_stdio(struct conns *conns, bool hold);
void conns_add_socket(struct conns *conns, int fd);                      /* owns fd */
void conns_answer(struct conns *conns, unsigned peer, struct str *line); /* may take it over */
void conns_poke(struct conns *conns); /* a place became free: streams that were held are read on */
bool conns_has_room(struct conns *conns, unsigned peer);
bool conns_heard(struct conns *conns, unsigned peer);
bool conns_flushed(const struct conns *conns); /* nothing waits for a reader */
void conns_close(struct conns *conns);         /* at the end of all, behind broker_close() */

#endif

#include "config.h"

#include "app/conn.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

static struct conn *find(const struct conns *conns, unsigned peer)
{
	if (peer == BROKER_PEER_STDIN)
		return conns->stdio;
	for (struct conn *conn = conns->first; conn != NULL; conn = conn->next)
		if (conn->peer == peer)
			return conn;
	return NULL;
}

static void free_conn(struct conn *conn)
{
	if (conn->kind == PEER_SOCKET) {
		conn->all->count--;
		fd_close(&conn->in_fd);
		fd_close(&conn->out_fd);
	}
	free(conn);
}

static void on_closed(struct conn *conn)
{
	if (--conn->open_handles == 0)
		free_conn(conn);
}

static void on_intake_closed(uv_handle_t *handle)
{
	struct intake *intake = handle->data;
	on_closed(intake->ctx);
}

static void on_outlet_closed(uv_handle_t *handle)
{
	struct outlet *outlet = handle->data;
	on_closed(outlet->ctx);
}

static void on_timer_closed(uv_handle_t *handle)
{
	on_closed(handle->data);
}

static void close_conn(struct conn *conn)
{
	conn->open_handles = 1;
	conn->open_handles += intake_stop(&conn->intake, on_intake_closed) ? 1 : 0;
	conn->open_handles += outlet_stop(&conn->outlet, on_outlet_closed) ? 1 : 0;
	uv_close((uv_handle_t *)&conn->timer, on_timer_closed);
}

static void unlink_conn(struct conns *conns, struct conn *conn)
{
	if (conns->stdio == conn)
		conns->stdio = NULL;
	for (struct conn **at = &conns->first; *at != NULL; at = &(*at)->next) {
		if (*at == conn) {
			*at = conn->next;
			return;
		}
	}
}

static void leave(struct conn *conn)
{
	struct conns *conns = conn->all;
	unlink_conn(conns, conn);
	/* What runs may still end into this very answer: from here on nobody finds the way to it. */
	broker_peer_left(conns->broker, conn->peer, conn->doom);
	close_conn(conn);
	conns->on_quiet(conns->ctx);
}

static void on_timer(uv_timer_t *timer);

/* In a turn of its own: we may be called from the middle of its own line, or of an answer. */
static void doom(struct conn *conn, const char *why)
{
	if (conn->doom != NULL)
		return;
	conn->doom = why;
	uv_timer_start(&conn->timer, on_timer, 0, 0);
}

/* Who says that it sends no more still gets what it asked for, and then the end. */
static void maybe_done(struct conn *conn)
{
	if (conn->all->listening && conn->intake.state == INTAKE_ENDED &&
		outlet_empty(&conn->outlet) && !conn->outlet.held &&
		!broker_peer_has_calls(conn->all->broker, conn->peer))
		doom(conn, "closed");
}

static void on_timer(uv_timer_t *timer)
{
	struct conn *conn = timer->data;
	if (conn->doom != NULL) {
		leave(conn);
		return;
	}
	int64_t waited_ms = clock_mono_ms() - conn->outlet.moved_ms;
	if (outlet_empty(&conn->outlet))
		return;
	if (waited_ms >= CONN_READER_MS)
		doom(conn, "does not read");
	else
		uv_timer_start(timer, on_timer, (uint64_t)(CONN_READER_MS - waited_ms), 0);
}

static void on_end(void *ctx)
{
	struct conn *conn = ctx;
	if (conn->kind == PEER_STDIN)
		conn->all->on_stdin_end(conn->all->ctx);
	maybe_done(conn);
}

static void on_gone(void *ctx)
{
	struct conn *conn = ctx;
	if (conn->all->listening)
		doom(conn, "closed");
	else
		conn->all->on_reader_gone(conn->all->ctx);
}

static void on_drained(void *ctx)
{
	struct conn *conn = ctx;
	maybe_done(conn);
	conn->all->on_quiet(conn->all->ctx);
}

static void start(struct conn *conn, bool hold)
{
	struct conns *conns = conn->all;
	uv_loop_t *loop = conns->broker->loop;
	uv_timer_init(loop, &conn->timer);
	conn->timer.data = conn;
	outlet_start(&conn->outlet, loop, conn->out_fd, hold, conn, on_gone, on_drained);
	intake_start(&conn->intake, &conns->intakes, conn->in_fd, conn->peer, conn, on_end);
}

void conns_start(struct conns *conns, struct broker *broker, bool listening)
{
	conns->broker = broker;
	conns->listening = listening;
	intakes_start(&conns->intakes, broker);
}

static struct conn *make(struct conns *conns, enum peer_kind kind)
{
	struct conn *conn = mem_alloc(sizeof(*conn));
	conn->all = conns;
	conn->kind = kind;
	return conn;
}

void conns_add_stdio(struct conns *conns, bool hold)
{
	struct conn *conn = make(conns, PEER_STDIN);
	conn->peer = BROKER_PEER_STDIN;
	conn->in_fd = STDIN_FILENO;
	conn->out_fd = STDOUT_FILENO;
	conns->stdio = conn;
	start(conn, hold);
}

static void turn_away(int fd)
{
	struct result result;
	struct str line STR_AUTO = STR_INIT;
	result_init(&result);
	result.reason = REASON_QUEUE_FULL;
	result.decision = DECISION_REFUSED;
	result.decided_by = DECIDER_CONSOLE;
	result.sentence = mem_printf(
		"%u agents are connected already; come again when one has left", CONNS_MOST);
	result_print(&result, NULL, 0, &line);
	(void)!send(fd, line.data, line.len, MSG_DONTWAIT | MSG_NOSIGNAL);
	result_release(&result);
	close(fd);
}

void conns_add_socket(struct conns *conns, int fd)
{
	struct peer_id id;
	/* One descriptor more: the loop watches each for one thing alone. */
	int out_fd = conns->count < CONNS_MOST ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
	if (out_fd < 0) {
		turn_away(fd);
		return;
	}
	struct conn *conn = make(conns, PEER_SOCKET);
	peer_id_of(fd, &id);
	conn->in_fd = fd;
	conn->out_fd = out_fd;
	conn->peer = broker_peer_joined(conns->broker, &id);
	conn->next = conns->first;
	conns->first = conn;
	conns->count++;
	start(conn, false);
}

static void bound_them_all(struct conns *conns)
{
	size_t waiting = 0;
	struct conn *worst = NULL;
	for (struct conn *conn = conns->first; conn != NULL; conn = conn->next) {
		size_t own = conn->doom == NULL ? outlet_waiting(&conn->outlet) : 0;
		waiting += own;
		if (worst == NULL || own > outlet_waiting(&worst->outlet))
			worst = conn;
	}
	if (waiting > CONNS_ANSWERS_BYTES)
		doom(worst, "does not read");
}

void conns_answer(struct conns *conns, unsigned peer, struct str *line)
{
	struct conn *conn = find(conns, peer);
	if (conn == NULL)
		return;
	outlet_write(&conn->outlet, line);
	if (!conns->listening || conn->doom != NULL || outlet_empty(&conn->outlet))
		return;
	if (outlet_waiting(&conn->outlet) > CONN_ANSWERS_BYTES)
		doom(conn, "does not read");
	else if (!uv_is_active((uv_handle_t *)&conn->timer))
		uv_timer_start(&conn->timer, on_timer, CONN_READER_MS, 0);
	bound_them_all(conns);
}

void conns_poke(struct conns *conns)
{
	if (conns->stdio != NULL) {
		intake_poke(&conns->stdio->intake);
		maybe_done(conns->stdio);
	}
	for (struct conn *conn = conns->first; conn != NULL; conn = conn->next) {
		intake_poke(&conn->intake);
		maybe_done(conn);
	}
}

bool conns_has_room(struct conns *conns, unsigned peer)
{
	const struct conn *conn = find(conns, peer);
	return conn != NULL && conn->doom == NULL &&
	       (conn->outlet.held || outlet_waiting(&conn->outlet) < CONN_ROOM_BYTES);
}

bool conns_heard(struct conns *conns, unsigned peer)
{
	const struct conn *conn = find(conns, peer);
	if (!conns->listening)
		return true; /* the end of the only reader is the end of the console */
	return conn != NULL && conn->doom == NULL && !outlet_is_dead(&conn->outlet);
}

bool conns_flushed(const struct conns *conns)
{
	if (conns->stdio != NULL && !outlet_empty(&conns->stdio->outlet))
		return false;
	for (const struct conn *conn = conns->first; conn != NULL; conn = conn->next)
		if (!outlet_empty(&conn->outlet))
			return false;
	return true;
}

void conns_close(struct conns *conns)
{
	if (conns->broker == NULL)
		return;
	intakes_stop(&conns->intakes);
	struct conn *stdio = STEAL(conns->stdio);
	if (stdio != NULL) {
		outlet_release(&stdio->outlet);
		close_conn(stdio);
	}
	while (conns->first != NULL) {
		struct conn *conn = conns->first;
		conns->first = conn->next;
		close_conn(conn);
	}
}

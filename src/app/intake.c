#include "config.h"

#include "app/intake.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"

#define INTAKE_CHUNK_BYTES 65536
/* A chunk can hold thousands of lines, each with its answer synced to the disk: no agent may keep the keys, the running
   commands and the clocks waiting for all of them. */
#define INTAKE_TURN_MS 20

static void deafen(struct intake *intake)
{
	if (intake->polled)
		uv_poll_stop(&intake->poll);
	uv_idle_stop(&intake->idle);
}

enum handed { HANDED_ALL, HANDED_HELD /* the broker has enough */, HANDED_LATER };

static enum handed hand_over(struct intake *intake)
{
	int64_t end = clock_mono_ms() + INTAKE_TURN_MS;
	const char *line = NULL;
	size_t len = 0;
	while (broker_wants_more(intake->broker)) {
		enum linebuf_status status =
			linebuf_next(&intake->lines, intake->lines_at_end, &line, &len);
		if (status == LINEBUF_NONE)
			return HANDED_ALL;
		/* Of a line that was too long nothing is kept: `line` is still the one before. */
		bool too_long = status == LINEBUF_TOO_LONG;
		broker_line(intake->broker, intake->peer, intake->lines.line_no,
			too_long ? "" : line, too_long ? 0 : len, too_long);
		if (clock_mono_ms() >= end)
			return HANDED_LATER;
	}
	return HANDED_HELD;
}

static void end(struct intake *intake)
{
	if (intake->ended)
		return;
	intake->ended = true;
	deafen(intake);
	broker_intake_end(intake->broker, "end of input");
	intake->on_end(intake->ctx);
}

static void on_poll(uv_poll_t *poll, int status, int events);
static void on_idle(uv_idle_t *idle);

static void listen_on(struct intake *intake)
{
	deafen(intake);
	if (intake->polled && !intake->more)
		uv_poll_start(&intake->poll, UV_READABLE | UV_DISCONNECT, on_poll);
	else
		uv_idle_start(&intake->idle, on_idle);
}

static void proceed(struct intake *intake)
{
	enum handed handed = hand_over(intake);
	intake->more = handed == HANDED_LATER;
	intake->paused = handed == HANDED_HELD;
	if (intake->paused)
		deafen(intake);
	else if (handed == HANDED_ALL && intake->lines_at_end)
		end(intake);
	else
		listen_on(intake);
}

static void take_chunk(struct intake *intake)
{
	char buffer[INTAKE_CHUNK_BYTES];
	ssize_t n = read(intake->fd, buffer, sizeof(buffer));
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0)
		linebuf_feed(&intake->lines, buffer, (size_t)n);
	else
		intake->lines_at_end = true;
	proceed(intake);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	(void)status; /* an error shows in read() */
	(void)events;
	take_chunk(poll->data);
}

static void on_idle(uv_idle_t *idle)
{
	struct intake *intake = idle->data;
	if (intake->more)
		proceed(intake);
	else
		take_chunk(intake);
}

void intake_start(struct intake *intake, struct broker *broker, int fd, unsigned peer, void *ctx,
	void (*on_end)(void *ctx))
{
	*intake = (struct intake){
		.broker = broker, .fd = fd, .peer = peer, .ctx = ctx, .on_end = on_end};
	linebuf_init(&intake->lines, REQUEST_LINE_BYTES);
	/* epoll refuses regular files and /dev/null; those never block. */
	intake->polled = uv_poll_init(broker->loop, &intake->poll, fd) == 0;
	intake->poll.data = intake;
	uv_idle_init(broker->loop, &intake->idle);
	intake->idle.data = intake;
	listen_on(intake);
}

void intake_poke(struct intake *intake)
{
	if (!intake->paused || intake->ended || !broker_wants_more(intake->broker))
		return;
	/* In a turn of its own: we are called in the middle of an answer. */
	intake->paused = false;
	intake->more = true;
	listen_on(intake);
}

void intake_stop(struct intake *intake)
{
	if (intake->polled)
		uv_close((uv_handle_t *)&intake->poll, NULL);
	uv_close((uv_handle_t *)&intake->idle, NULL);
	linebuf_release(&intake->lines);
}

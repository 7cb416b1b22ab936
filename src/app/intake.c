#include "config.h"

#include "app/intake.h"

#include <errno.h>
#include <unistd.h>

#define INTAKE_CHUNK_BYTES 65536

static void deafen(struct intake *intake)
{
	if (intake->polled)
		uv_poll_stop(&intake->poll);
	else
		uv_idle_stop(&intake->idle);
}

/* Hands lines over until the broker has enough. false: held. */
static bool hand_over(struct intake *intake, bool at_end)
{
	const char *line = NULL;
	size_t len = 0;
	while (broker_wants_more(intake->broker)) {
		enum linebuf_status status = linebuf_next(&intake->lines, at_end, &line, &len);
		if (status == LINEBUF_NONE)
			return true;
		broker_line(intake->broker, intake->peer, intake->lines.line_no, line, len,
			status == LINEBUF_TOO_LONG);
	}
	return false;
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
	if (!hand_over(intake, intake->lines_at_end)) {
		intake->paused = true;
		deafen(intake);
	} else if (intake->lines_at_end) {
		end(intake);
	}
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	(void)status; /* an error shows in read() */
	(void)events;
	take_chunk(poll->data);
}

static void on_idle(uv_idle_t *idle)
{
	take_chunk(idle->data);
}

static void listen_on(struct intake *intake)
{
	if (intake->polled)
		uv_poll_start(&intake->poll, UV_READABLE | UV_DISCONNECT, on_poll);
	else
		uv_idle_start(&intake->idle, on_idle);
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
	intake->paused = false;
	if (!hand_over(intake, intake->lines_at_end))
		intake->paused = true;
	else if (intake->lines_at_end)
		end(intake);
	else
		listen_on(intake);
}

void intake_stop(struct intake *intake)
{
	if (intake->polled)
		uv_close((uv_handle_t *)&intake->poll, NULL);
	uv_close((uv_handle_t *)&intake->idle, NULL);
	linebuf_release(&intake->lines);
}

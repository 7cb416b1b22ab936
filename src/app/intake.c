#include "config.h"

#include "app/intake.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"

#define INTAKE_CHUNK_BYTES 65536
/* A chunk can hold thousands of lines, each with its answer synced to the disk: no agent, and no crowd of them, may keep the
   keys, the running commands and the clocks waiting for all of them. */
#define INTAKE_TURN_MS 20
#define INTAKE_SHARE_MS 4 /* of that for one, while others stand behind it */

static void on_idle(uv_idle_t *idle);

static void put_last(struct intake *intake)
{
	struct intakes *all = intake->all;
	intake->state = INTAKE_READY;
	intake->next = NULL;
	if (all->last != NULL)
		all->last->next = intake;
	else
		all->first = intake;
	all->last = intake;
	uv_idle_start(&all->idle, on_idle);
}

static struct intake *take_first(struct intakes *all)
{
	struct intake *intake = all->first;
	all->first = intake->next;
	if (all->first == NULL)
		all->last = NULL;
	return intake;
}

static void take_out(struct intake *intake)
{
	struct intake *last = NULL;
	for (struct intake **at = &intake->all->first; *at != NULL;) {
		if (*at == intake)
			*at = intake->next;
		if (*at == NULL)
			break;
		last = *at;
		at = &(*at)->next;
	}
	intake->all->last = last;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct intake *intake = poll->data;
	(void)status; /* an error shows in read() */
	(void)events;
	uv_poll_stop(&intake->poll);
	put_last(intake);
}

static void watch(struct intake *intake)
{
	if (!intake->polled) {
		put_last(intake);
		return;
	}
	intake->state = INTAKE_WATCHED;
	uv_poll_start(&intake->poll, UV_READABLE | UV_DISCONNECT, on_poll);
}

enum handed { HANDED_ALL, HANDED_HELD /* the broker has enough */, HANDED_LATER };

static enum handed hand_over(struct intake *intake, int64_t end_ms)
{
	struct broker *broker = intake->all->broker;
	const char *line = NULL;
	size_t len = 0;
	while (broker_wants_more(broker, intake->peer)) {
		enum linebuf_status status =
			linebuf_next(&intake->lines, intake->lines_at_end, &line, &len);
		if (status == LINEBUF_NONE)
			return HANDED_ALL;
		/* Of a line that was too long nothing is kept: `line` is still the one before. */
		bool too_long = status == LINEBUF_TOO_LONG;
		broker_line(broker, intake->peer, intake->lines.line_no, too_long ? "" : line,
			too_long ? 0 : len, too_long);
		if (clock_mono_ms() >= end_ms)
			return HANDED_LATER;
	}
	return HANDED_HELD;
}

static void end(struct intake *intake)
{
	intake->state = INTAKE_ENDED;
	intake->on_end(intake->ctx);
}

static void proceed(struct intake *intake, int64_t end_ms)
{
	enum handed handed = hand_over(intake, end_ms);
	intake->more = handed == HANDED_LATER;
	if (handed == HANDED_HELD)
		intake->state = INTAKE_HELD;
	else if (intake->more)
		put_last(intake);
	else if (intake->lines_at_end)
		end(intake);
	else
		watch(intake);
}

static void take_chunk(struct intake *intake, int64_t end_ms)
{
	char buffer[INTAKE_CHUNK_BYTES];
	ssize_t n = read(intake->fd, buffer, sizeof(buffer));
	if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
		watch(intake);
		return;
	}
	if (n > 0)
		linebuf_feed(&intake->lines, buffer, (size_t)n);
	else
		intake->lines_at_end = true;
	proceed(intake, end_ms);
}

/* Once round the row at most; who has more goes to its end. */
static void on_idle(uv_idle_t *idle)
{
	struct intakes *all = idle->data;
	const struct intake *last = all->last;
	int64_t now = clock_mono_ms(), end_ms = now + INTAKE_TURN_MS;
	for (const struct intake *done = NULL; done != last && all->first != NULL && now < end_ms;
		now = clock_mono_ms()) {
		struct intake *intake = take_first(all);
		int64_t share = all->first != NULL ? INTAKE_SHARE_MS : INTAKE_TURN_MS;
		done = intake;
		if (intake->more)
			proceed(intake, now + share < end_ms ? now + share : end_ms);
		else
			take_chunk(intake, now + share < end_ms ? now + share : end_ms);
	}
	if (all->first == NULL)
		uv_idle_stop(&all->idle);
}

void intakes_start(struct intakes *all, struct broker *broker)
{
	*all = (struct intakes){.broker = broker};
	uv_idle_init(broker->loop, &all->idle);
	all->idle.data = all;
}

void intakes_stop(struct intakes *all)
{
	uv_close((uv_handle_t *)&all->idle, NULL);
}

void intake_start(struct intake *intake, struct intakes *all, int fd, unsigned peer, void *ctx,
	void (*on_end)(void *ctx))
{
	*intake = (struct intake){.all = all, .fd = fd, .peer = peer, .ctx = ctx, .on_end = on_end};
	linebuf_init(&intake->lines, REQUEST_LINE_BYTES);
	/* epoll refuses regular files and /dev/null; those never block. */
	intake->polled = uv_poll_init(all->broker->loop, &intake->poll, fd) == 0;
	intake->poll.data = intake;
	watch(intake);
}

void intake_poke(struct intake *intake)
{
	if (intake->state != INTAKE_HELD || !broker_wants_more(intake->all->broker, intake->peer))
		return;
	/* In a turn of its own: we are called in the middle of an answer. */
	intake->more = true;
	put_last(intake);
}

bool intake_stop(struct intake *intake, uv_close_cb on_closed)
{
	if (intake->state == INTAKE_READY)
		take_out(intake);
	intake->state = INTAKE_ENDED;
	linebuf_release(&intake->lines);
	if (intake->polled)
		uv_close((uv_handle_t *)&intake->poll, on_closed);
	return intake->polled;
}

#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/broker_desk.h"

/* What a call costs to let in and to answer when all are ended together, with few waiting and with many: "in-N NANOSECONDS ANSWERS" and
   "out-N NANOSECONDS FDATASYNCS", a line each, a call. For bench.py queue. */

static unsigned answers, syncs;

int __wrap_fdatasync(int fd);
int __real_fdatasync(int fd);

int __wrap_fdatasync(int fd)
{
	syncs++;
	return __real_fdatasync(fd);
}

static void on_answer(void *ctx, struct call *call, struct str *line)
{
	(void)ctx;
	(void)call;
	(void)line;
	answers++;
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void measure(unsigned calls)
{
	struct desk d;
	void *state = NULL;

	record_setup(&state);
	desk_open(&d, &state);
	d.session.config.max_pending = d.session.config.max_pending_per_sender = calls * 2;
	d.session.config.approval_timeout_s = 3600;
	d.broker.hooks.answer = on_answer;
	d.broker.parks = true;
	for (unsigned i = 0; i < BROKER_PREPARED; i++)
		ask(&d, NULL, 0);
	answers = 0;
	int64_t begun = now_ns();

	for (unsigned i = 0; i < calls; i++) {
		MEM_AUTO char *line = mem_printf("{\"id\":\"call-%u\",\"name\":\"shell\","
						 "\"arguments\":{\"command\":\"ls %u\"}}",
			i, i);

		broker_line(&d.broker, BROKER_PEER_STDIN, i + 1, line, strlen(line), false);
	}
	int64_t let_in = now_ns();

	printf("in-%u %lld %u\n", calls, (long long)(let_in - begun) / calls, answers);
	syncs = 0;
	broker_shut(&d.broker, REASON_CONSOLE_CLOSED, "you quit");
	while (d.broker.clear_due)
		uv_run(&d.loop, UV_RUN_ONCE);
	printf("out-%u %lld %u\n", calls, (long long)(now_ns() - let_in) / calls, syncs);
	assert_int_equal(answers, calls + BROKER_PREPARED);
	desk_close(&d);
	record_teardown(&state);
}

int main(void)
{
	/* The first of them pays for what all use. */
	measure(1000);
	measure(10000);
	measure(40000);
	return 0;
}

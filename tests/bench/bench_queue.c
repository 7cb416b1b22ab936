#include "config.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/ui/fixture.h"
#include "tui/view.h"

/* What a key costs with ten calls waiting and with 100,000, its frame included, and what such a call needs in the model:
   "NAME MEDIAN 99TH" in nanoseconds and "bytes CALL TEXT", a line each. For bench.py queue. */

#define KEYS 600
#define FIRSTS 50

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void say(const char *name, unsigned calls, int64_t *times, size_t count)
{
	qsort(times, count, sizeof(*times), ascending);
	printf("%s-%u %lld %lld\n", name, calls, (long long)times[count / 2],
		(long long)times[count * 99 / 100]);
}

static size_t one_waits(struct fixture *f, uint64_t seq)
{
	struct call_spec spec = {.seq = seq,
		.agent = "scraper",
		.command = "python3 fetch.py --page 1",
		.peer = 1 + (unsigned)(seq % 4),
		.at_ms = (int64_t)seq / 100};

	/* As in a session: those that come first have their cards. */
	fixture_receive(f, &spec);
	if (seq <= 4 * 64)
		fixture_made(f, &spec);
	else
		fixture_event(f, EVENT_QUEUED, seq, spec.at_ms, json_new_object());
	return strlen(spec.command) + strlen(spec.agent) + 2;
}

static void press(const char *name, unsigned calls, struct fixture *f, char ch)
{
	static int64_t times[KEYS];

	for (size_t i = 0; i < KEYS; i++) {
		f->now_ms += 500;
		int64_t begun = now_ns();

		fixture_char(f, ch);
		fixture_draw(f);
		ui_next_tick(&f->ui, &f->model, f->now_ms);
		times[i] = now_ns() - begun;
	}
	say(name, calls, times, KEYS);
}

static void first_frames(unsigned calls, struct fixture *f)
{
	static int64_t times[FIRSTS];

	for (size_t i = 0; i < FIRSTS; i++) {
		struct ui ui;
		int64_t begun = now_ns();

		ui_init(&ui, 80, 24);
		ui_follow(&ui, &f->model, f->now_ms);
		view_draw(&f->model, &ui, f->now_ms, &f->frame);
		times[i] = now_ns() - begun;
		ui_release(&ui);
	}
	say("first", calls, times, FIRSTS);
}

static void measure(unsigned calls)
{
	struct fixture f;
	size_t before, text = 0, few = 4 * 64;

	fixture_open(&f, 80, 24);
	f.now_ms = 2000;
	before = mallinfo2().uordblks;
	for (uint64_t seq = 1; seq <= calls; seq++) {
		if (seq == few + 1) {
			before = mallinfo2().uordblks;
			text = 0;
		}
		text += one_waits(&f, seq);
	}
	size_t counted = calls > few ? calls - few : calls;

	printf("bytes-%u %zu %zu\n", calls, (mallinfo2().uordblks - before) / counted,
		text / counted);
	first_frames(calls, &f);
	ui_follow(&f.ui, &f.model, f.now_ms);
	fixture_press(&f, "1");
	press("down", calls, &f, 'j');
	press("up", calls, &f, 'k');
	press("next", calls, &f, 'J');
	fixture_press(&f, "1");
	press("last", calls, &f, 'G');
	fixture_close(&f);
}

int main(void)
{
	measure(10);
	measure(100000);
	return 0;
}

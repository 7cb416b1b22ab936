#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/attention.h"

#define MINUTES_5 300000
#define NEVER_TYPED (-1000000)

/* A model of nothing but calls that wait, or do not any more. */
struct desk {
	struct model model;
	struct attention attention;
	enum focus focus;
	int64_t now_ms, typed_ms;
};

static int set_up(void **state)
{
	struct desk *d = mem_alloc(sizeof(*d));

	attention_init(&d->attention);
	d->typed_ms = NEVER_TYPED;
	*state = d;
	return 0;
}

static int tear_down(void **state)
{
	struct desk *d = *state;

	for (size_t i = 0; i < d->model.count; i++)
		free(d->model.jobs[i]);
	for (size_t i = 0; i < d->model.sender_count; i++) {
		free(d->model.senders[i]->waiting.items);
		free(d->model.senders[i]);
	}
	free(d->model.senders);
	free(d->model.jobs);
	free(d);
	return 0;
}

static struct sender *sender_of(struct desk *d, unsigned number)
{
	struct model *m = &d->model;

	for (size_t i = 0; i < m->sender_count; i++)
		if (m->senders[i]->number == number)
			return m->senders[i];
	mem_grow(&m->senders, &m->sender_cap, m->sender_count, sizeof(struct sender *));
	struct sender *sender = mem_alloc(sizeof(*sender));
	*sender = (struct sender){.number = number};
	return m->senders[m->sender_count++] = sender;
}

static struct job *arrive(struct desk *d, unsigned peer, int64_t timeout_ms)
{
	struct model *m = &d->model;
	struct job *job = mem_alloc(sizeof(*job));

	mem_grow(&m->jobs, &m->cap, m->count, sizeof(struct job *));
	*job = (struct job){.seq = m->count + 1,
		.state = JOB_WAITING,
		.peer = peer,
		.received_at_ms = d->now_ms,
		.deadline_at_ms = d->now_ms + timeout_ms};
	m->jobs[m->count++] = job;
	m->waiting++;
	struct job_list *list = &sender_of(d, peer)->waiting;
	mem_grow(&list->items, &list->cap, list->count, sizeof(struct job *));
	list->items[list->count++] = job;
	attention_changed(&d->attention);
	return job;
}

static void leave(struct desk *d, struct job *job)
{
	if (job->state != JOB_WAITING)
		return;
	struct job_list *list = &sender_of(d, job->peer)->waiting;
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i] != job)
			list->items[kept++] = list->items[i];
	list->count = kept;
	job->state = JOB_ENDED;
	d->model.waiting--;
	attention_changed(&d->attention);
}

static bool look(struct desk *d, int64_t now_ms)
{
	d->now_ms = now_ms;
	return attention_look(&d->attention, &d->model, d->focus, d->typed_ms, now_ms);
}

/* Sleeps from one due moment to the next, as the loop does; how often the person was called until then. */
static unsigned calls_until(struct desk *d, int64_t end_ms)
{
	unsigned calls = 0;

	for (;;) {
		int64_t due = attention_due(&d->attention, &d->model, d->now_ms);

		if (due < 0 || due > end_ms)
			break;
		calls += look(d, due);
		attention_title(&d->attention, &d->model, false, due);
	}
	calls += look(d, end_ms);
	return calls;
}

static void the_first_call_of_an_empty_queue_rings_and_the_next_does_not(void **state)
{
	struct desk *d = *state;

	assert_false(look(d, 1000));
	struct job *first = arrive(d, 1, MINUTES_5);
	assert_true(look(d, 1000));
	arrive(d, 2, MINUTES_5);
	assert_int_equal(calls_until(d, 60000), 0);
	leave(d, first);
	leave(d, d->model.jobs[1]);
	assert_false(look(d, 61000));
	arrive(d, 1, MINUTES_5);
	assert_true(look(d, 62000));
}

static void a_call_that_has_30_s_left_rings_once_when_the_time_comes(void **state)
{
	struct desk *d = *state;

	arrive(d, 1, MINUTES_5);
	assert_true(look(d, 0));
	assert_int_equal(calls_until(d, MINUTES_5 - 30001), 0);
	assert_int_equal(calls_until(d, MINUTES_5 - 30000), 1);
	assert_int_equal(calls_until(d, MINUTES_5 + 60000), 0);
}

static void nobody_is_called_who_is_at_the_keys_or_looks_at_the_window(void **state)
{
	struct desk *d = *state;

	d->typed_ms = 1000;
	d->now_ms = 1000;
	struct job *job = arrive(d, 1, MINUTES_5);
	assert_int_equal(calls_until(d, 200000), 0);
	leave(d, job);
	look(d, 200000);
	d->focus = FOCUS_HERE;
	job = arrive(d, 1, MINUTES_5);
	assert_int_equal(calls_until(d, 400000), 0);
	leave(d, job);
	look(d, 400000);
	d->focus = FOCUS_AWAY;
	arrive(d, 1, MINUTES_5);
	assert_true(look(d, 400000));
}

static void a_call_that_comes_and_goes_does_not_make_the_next_one_silent(void **state)
{
	struct desk *d = *state;
	struct job *bait = arrive(d, 1, MINUTES_5);

	assert_true(look(d, 1000));
	leave(d, bait);
	assert_false(look(d, 2000));
	arrive(d, 2, MINUTES_5);
	assert_false(look(d, 3000));
	assert_int_equal(attention_due(&d->attention, &d->model, 3000), 3000);
	attention_title(&d->attention, &d->model, false, 3000);
	assert_int_equal(calls_until(d, 10999), 0);
	assert_int_equal(calls_until(d, 11000), 1);
}

static void what_is_put_off_is_dropped_with_its_call(void **state)
{
	struct desk *d = *state;
	struct job *bait = arrive(d, 1, MINUTES_5);

	assert_true(look(d, 1000));
	leave(d, bait);
	look(d, 2000);
	bait = arrive(d, 1, MINUTES_5);
	assert_false(look(d, 3000));
	leave(d, bait);
	assert_int_equal(calls_until(d, 100000), 0);
}

/* One new call each 2 s, each with 60 s: always some of them late. */
static void a_sender_whose_calls_run_out_without_end_rings_once_and_covers_up_no_other(void **state)
{
	struct desk *d = *state;
	unsigned calls = 0;

	assert_false(look(d, 0));
	for (int64_t t = 0; t < 200000; t += 2000) {
		d->now_ms = t;
		arrive(d, 1, 60000);
		for (size_t i = 0; i < d->model.count; i++)
			if (d->model.jobs[i]->deadline_at_ms <= t)
				leave(d, d->model.jobs[i]);
		calls += calls_until(d, t + 1999);
	}
	assert_int_equal(calls, 2); /* the first one, and the first late one */
	arrive(d, 2, 40000);
	assert_int_equal(calls_until(d, 209998), 0);
	assert_int_equal(calls_until(d, 210999), 1);
}

static void a_flood_of_1000_calls_rings_once_and_reads_deadlines_once_a_second(void **state)
{
	struct desk *d = *state;
	unsigned calls = 0;
	unsigned titles = 0;
	unsigned reads = 0;

	for (int64_t t = 0; t < 1000; t++) {
		int64_t before = d->attention.read_ms;

		d->now_ms = t * 3;
		arrive(d, 1, MINUTES_5);
		calls += look(d, t * 3);
		titles += attention_title(&d->attention, &d->model, false, t * 3) != NULL;
		reads += d->attention.read_ms != before;
	}
	assert_int_equal(calls, 1);
	assert_in_range(titles, 3, 5);
	assert_in_range(reads, 3, 4);
	calls = calls_until(d, MINUTES_5 - 1);
	assert_int_equal(calls, 1);
}

static void with_nothing_waiting_nothing_is_due(void **state)
{
	struct desk *d = *state;

	assert_string_equal(attention_title(&d->attention, &d->model, false, 0), "Exequatur");
	assert_int_equal(attention_due(&d->attention, &d->model, 0), -1);
	struct job *job = arrive(d, 1, MINUTES_5);
	look(d, 10);
	assert_string_equal(
		attention_title(&d->attention, &d->model, false, 10), "Exequatur: 1 waiting");
	calls_until(d, 5000);
	/* A call that waits: nothing before it is late. */
	assert_int_equal(attention_due(&d->attention, &d->model, 5000), MINUTES_5 - 30000);
	leave(d, job);
	look(d, 6000);
	assert_string_equal(attention_title(&d->attention, &d->model, false, 6000), "Exequatur");
	assert_int_equal(attention_due(&d->attention, &d->model, 6000), -1);
	assert_null(attention_title(&d->attention, &d->model, false, 7000));
	assert_string_equal(attention_title(&d->attention, &d->model, true, 7000), "Exequatur");
}

static const struct {
	unsigned waiting;
	int64_t waited_ms;
	const char *words;
} said[] = {
	{0, 0, "nothing waits"},
	{1, 999, "1 call waits, 0 s so far"},
	{3, 42999, "3 calls wait, the oldest 42 s"},
	{2, 119999, "2 calls wait, the oldest 119 s"},
	{102, 240000, "102 calls wait, the oldest 4 min"},
};

static void words_are_counts_and_times(void **state)
{
	struct desk *d = *state;
	char words[ATTENTION_WORDS];

	for (size_t i = 0; i < ARRAY_LEN(said); i++) {
		d->now_ms = 0;
		for (size_t j = 0; j < d->model.count; j++)
			leave(d, d->model.jobs[j]);
		for (unsigned j = 0; j < said[i].waiting; j++)
			arrive(d, 1, MINUTES_5)->agent = (char *)"\x1B]0;me\a";
		attention_words(&d->model, said[i].waited_ms, words);
		assert_string_equal(words, said[i].words);
	}
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void step_at_random(struct desk *d, uint32_t *seed)
{
	uint32_t what = next_random(seed) % 8;

	if (what < 3)
		arrive(d, next_random(seed) % 100, next_random(seed) % 90000 + 1);
	else if (what < 5 && d->model.count > 0)
		leave(d, d->model.jobs[next_random(seed) % d->model.count]);
	else if (what == 5)
		d->focus = (enum focus)(next_random(seed) % FOCUS_COUNT);
	else if (what == 6 && next_random(seed) % 4 == 0)
		d->typed_ms = d->now_ms;
}

static void whatever_happens_calls_are_rare_and_meant_for_who_looks_elsewhere(void **state)
{
	struct desk *d = *state;
	uint32_t seed = 7;
	int64_t last_ms = -ATTENTION_REST_MS;
	unsigned calls = 0;

	for (int i = 0; i < 3000; i++) {
		int64_t now_ms = d->now_ms + next_random(&seed) % 4000;

		step_at_random(d, &seed);
		int64_t due = attention_due(&d->attention, &d->model, d->now_ms);
		assert_true(due == -1 || due >= d->now_ms);
		if (!look(d, now_ms))
			continue;
		calls++;
		assert_true(now_ms - last_ms >= ATTENTION_REST_MS);
		assert_true(now_ms - d->typed_ms >= ATTENTION_REST_MS);
		assert_true(d->focus != FOCUS_HERE && d->model.waiting > 0);
		last_ms = now_ms;
	}
	assert_true(calls > 20);
}

#define AT_A_DESK(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		AT_A_DESK(the_first_call_of_an_empty_queue_rings_and_the_next_does_not),
		AT_A_DESK(a_call_that_has_30_s_left_rings_once_when_the_time_comes),
		AT_A_DESK(nobody_is_called_who_is_at_the_keys_or_looks_at_the_window),
		AT_A_DESK(a_call_that_comes_and_goes_does_not_make_the_next_one_silent),
		AT_A_DESK(what_is_put_off_is_dropped_with_its_call),
		AT_A_DESK(
			a_sender_whose_calls_run_out_without_end_rings_once_and_covers_up_no_other),
		AT_A_DESK(a_flood_of_1000_calls_rings_once_and_reads_deadlines_once_a_second),
		AT_A_DESK(with_nothing_waiting_nothing_is_due),
		AT_A_DESK(words_are_counts_and_times),
		AT_A_DESK(whatever_happens_calls_are_rare_and_meant_for_who_looks_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include "launch_table.h"
#include "launch_users.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/mem.h"

/* A shell stands in for pasta, and fails as pasta could. */

#define MARK "99871"

static void init(struct launch *l, enum way way, const char *stand_in)
{
	static const unsigned none = PLAN_PROOF_NETNS,
			      needed = PLAN_PROOF_OWN_NET | PLAN_PROOF_PASTA;
	launch_init(l, way, "echo ran");
	l->plan.filter = PLAN_FILTER_NETWORK;
	l->plan.proofs = (l->plan.proofs & ~none) | needed;
	strv_add(&l->plan.pasta, "pasta");
	strv_add(&l->plan.pasta, "-c");
	strv_add(&l->plan.pasta, stand_in);
	l->network_fd = open("/bin/sh", O_PATH | O_CLOEXEC);
}

static void fails(enum way way, const char *stand_in, const char *words, uint64_t value)
{
	struct launch l;
	init(&l, way, stand_in);
	launch_start(&l);
	const struct message *failed = launch_expect(&l, MSG_FAILED);
	assert_int_equal(failed->stage, STAGE_NETWORK);
	assert_string_equal(failed->text, words);
	assert_int_equal(failed->value, value);
	launch_reap(&l);
	assert_string_equal(str_c(&l.output), "");
	launch_release(&l);
}

static void one_that_gives_up_is_lost_with_its_last_words(void **state)
{
	fails(WAY(state),
		"echo >&2 first; echo >&2 'Failed to send 7 bytes to syslog'; echo >&2 last; "
		"echo >&2 'Failed to send 5 bytes to syslog'; exit 1",
		"pasta: last", LOST_PASTA);
}

static void one_without_a_word_is_lost(void **state)
{
	fails(WAY(state), "exit 0", "pasta: it ended without a word", LOST_PASTA);
}

/* Want of memory says nothing about the next time. */
static void one_that_is_killed_is_not_lost_for_good(void **state)
{
	fails(WAY(state), "kill -KILL $$", "pasta: it ended without a word", 0);
}

static void one_that_says_ready_without_a_device_is_lost(void **state)
{
	fails(WAY(state), "echo 1; exec sleep " MARK, "pasta has no tap device", LOST_PASTA);
}

/* It is our child only, and gone with us: it has the descriptor that the test holds the other end of. */
static void one_that_is_never_ready_ends_with_the_call(void **state)
{
	struct launch l;
	enum way way = WAY(state);
	init(&l, way, "exec sleep " MARK);
	launch_start(&l);
	launch_tell(&l, MSG_STOP, STOP_OPERATOR);
	launch_expect(&l, MSG_FAILED);
	assert_int_equal(launch_reap(&l), 0);
	launch_release(&l);
}

static void it_has_the_namespace_two_pipes_and_nothing_else(void **state)
{
	fails(WAY(state),
		"cd /proc/$$/fd; set -- *; for i; do [ -e $i ] && printf >&2 \"$i \"; done; "
		"readlink 0 | cut -c 1-3 >&2; [ -z \"$HOME$USER$LANG\" ] || echo >&2 unclean; exit "
		"1",
		"pasta: 0 1 2 net", LOST_PASTA);
}

static void a_plan_without_its_program_is_refused(void **state)
{
	struct launch l;
	enum way way = WAY(state);
	init(&l, way, "exit 0");
	close(l.network_fd);
	l.network_fd = -1;
	launch_start(&l);
	const struct message *failed = launch_expect(&l, MSG_FAILED);
	assert_int_equal(failed->stage, STAGE_PLAN);
	assert_string_equal(failed->text, "the descriptor of pasta is missing");
	launch_reap(&l);
	launch_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONFINED_WAYS(one_that_gives_up_is_lost_with_its_last_words),
		CONFINED_WAYS(one_without_a_word_is_lost),
		CONFINED_WAYS(one_that_is_killed_is_not_lost_for_good),
		CONFINED_WAYS(one_that_says_ready_without_a_device_is_lost),
		CONFINED_WAYS(one_that_is_never_ready_ends_with_the_call),
		CONFINED_WAYS(it_has_the_namespace_two_pipes_and_nothing_else),
		CONFINED_WAYS(a_plan_without_its_program_is_refused),
	};
	return run_as_both_users(tests, ARRAY_LEN(tests));
}

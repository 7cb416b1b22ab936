#include "config.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/mem.h"
#include "launch_table.h"
#include "launch_users.h"
#include "sandbox/fork_filter.h"

#define PROCESSES 10

/* Starts as many as it can, and says how many were alive when one was refused. */
#define FILL                                                                                       \
	"import os, time\n"                                                                        \
	"n = 0\n"                                                                                  \
	"try:\n"                                                                                   \
	"    while n < 40:\n"                                                                      \
	"        if os.fork() == 0:\n"                                                             \
	"            time.sleep(600)\n"                                                            \
	"        n += 1\n"                                                                         \
	"except BlockingIOError:\n"                                                                \
	"    print('refused after', n)\n"

static void limit_processes(struct launch *l, uint32_t count)
{
	l->plan.max_processes = count;
	l->plan.counting = PLAN_COUNT_ASKED;
}

static void python(struct launch *l, const char *program)
{
	free(l->plan.command);
	l->plan.command = mem_printf("exec python3 -c \"%s\"", program);
}

static void the_eleventh_process_is_refused(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state), "");
	limit_processes(&l, PROCESSES);
	python(&l, FILL);
	launch_until_started(&l);
	const struct message *limit = launch_expect(&l, MSG_LIMIT);
	assert_int_equal(limit->value, LIMIT_HIT_PROCESSES);
	const struct message *ended = launch_expect(&l, MSG_ENDED);
	assert_int_equal(ended->wait_status, 0);
	assert_int_equal(ended->usage.processes_refused, 1);
	assert_int_equal(ended->usage.processes_peak, PROCESSES);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "refused after 10\n");
	launch_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ALL_WAYS(the_eleventh_process_is_refused),
	};
	return run_as_both_users(tests, ARRAY_LEN(tests));
}

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
#include "launch.h"
#include "launch_users.h"

static enum way way_of(void **state)
{
	return *(enum way *)*state;
}

static void exit_statuses_come_through(void **state)
{
	static const struct {
		const char *command;
		int status; /* as from waitpid */
	} cases[] = {{"true", 0}, {"exit 42", 42 << 8}, {"exit 137", 137 << 8},
		{"no-such-program-anywhere", 127 << 8}, {"kill -9 $$", SIGKILL},
		{"kill -TERM $$", SIGTERM}, {"ulimit -c unlimited; kill -SEGV $$", SIGSEGV}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct launch l;
		launch_init(&l, way_of(state), cases[i].command);
		const struct message *ended = launch_run(&l);
		assert_int_equal(ended->wait_status, cases[i].status);
		assert_int_equal(ended->flags, ENDED_SHELL);
		assert_int_equal(ended->cause, STOP_NONE);
		assert_int_equal(launch_reap(&l), 0);
		launch_release(&l);
	}
}

static void output_comes_in_order_and_unchanged(void **state)
{
	struct launch l;
	launch_init(&l, way_of(state),
		"i=0; while [ $i -lt 500 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done");
	launch_run(&l);
	STR_AUTO struct str expected = STR_INIT;
	for (int i = 0; i < 500; i++)
		str_printf(&expected, "out %d\nerr %d\n", i, i);
	assert_string_equal(str_c(&l.output), str_c(&expected));
	launch_release(&l);
}

int main(void)
{
	static enum way native = NATIVE, wrapped = WRAPPED, bare = BARE;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(exit_statuses_come_through, &native),
		cmocka_unit_test_prestate(exit_statuses_come_through, &wrapped),
		cmocka_unit_test_prestate(exit_statuses_come_through, &bare),
		cmocka_unit_test_prestate(output_comes_in_order_and_unchanged, &native),
		cmocka_unit_test_prestate(output_comes_in_order_and_unchanged, &wrapped),
		cmocka_unit_test_prestate(output_comes_in_order_and_unchanged, &bare),
	};
	return run_as_both_users(tests, ARRAY_LEN(tests));
}

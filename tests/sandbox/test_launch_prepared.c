#include "config.h"

#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fd.h"
#include "base/mem.h"
#include "launch.h"
#include "launch_users.h"

#define ALL_NAMESPACES                                                                             \
	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)

/* The proof stays in the plan: it would hold in the namespaces that were prepared. */
static void what_the_plan_does_not_ask_for_is_not_used(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, PREPARED, "echo ran");
	l.plan.namespaces &= ~(unsigned)CLONE_NEWIPC;
	launch_start(&l);
	const struct message *failed = launch_expect(&l, MSG_FAILED);
	assert_int_equal(failed->stage, STAGE_VERIFY);
	assert_non_null(strstr(failed->text, "the IPC namespace is the host's"));
	launch_release(&l);
}

static void a_plan_for_another_user_is_started_anew(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, PREPARED, "id -u; id -g");
	l.plan.uid = 1234;
	l.plan.gid = 1235;
	assert_int_equal(launch_run(&l)->wait_status, 0);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "1234\n1235\n");
	launch_release(&l);
}

static void a_plan_without_namespaces_is_started_anew(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, BARE, "echo ran");
	l.prepare = ALL_NAMESPACES;
	assert_int_equal(launch_run(&l)->wait_status, 0);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "ran\n");
	launch_release(&l);
}

/* Nothing is told of it: the plan's own start says what this machine refuses. */
static void what_cannot_be_prepared_is_no_failure(void **state)
{
	static const unsigned cases[] = {
		CLONE_NEWUSER | CLONE_THREAD, CLONE_FS | CLONE_NEWUSER, 0xffffffffu};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct launch l;
		launch_init(&l, NATIVE, "echo ran");
		l.prepare = cases[i];
		assert_int_equal(launch_run(&l)->wait_status, 0);
		launch_release(&l);
	}
}

static pid_t only_child(pid_t parent)
{
	STR_AUTO struct str text = STR_INIT;
	char path[64];
	struct err err = ERR_INIT;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
	/* It is there a moment after the message was sent; the supervisor cannot be asked. */
	for (int i = 0; i < WATCHDOG_MS; i++) {
		str_clear(&text);
		assert_int_equal(fd_read_file(path, 4096, &text, &err), 0);
		if (text.len > 0)
			return (pid_t)strtol(text.data, NULL, 10);
		poll(NULL, 0, 1);
	}
	return -1;
}

static void without_a_plan_nothing_is_left_of_it(void **state)
{
	struct launch l;
	struct err err = ERR_INIT;
	(void)state;
	launch_init(&l, PREPARED, "echo ran");
	assert_int_equal(spawn_supervisor(&l.helpers, &l.child, &err), 0);
	assert_int_equal(spawn_prepare(&l.child, &l.helpers, l.prepare, &err), 0);
	pid_t launcher = only_child(l.child.pid);
	assert_true(launcher > 1);
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, launcher, 0), .events = POLLIN};
	assert_true(end.fd >= 0);
	child_end(&l.child);
	assert_int_equal(poll(&end, 1, 0), 1);
	close(end.fd);
	launch_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_plan_does_not_ask_for_is_not_used),
		cmocka_unit_test(a_plan_for_another_user_is_started_anew),
		cmocka_unit_test(a_plan_without_namespaces_is_started_anew),
		cmocka_unit_test(what_cannot_be_prepared_is_no_failure),
		cmocka_unit_test(without_a_plan_nothing_is_left_of_it),
	};
	return run_as_both_users(tests, ARRAY_LEN(tests));
}

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "launch_table.h"
#include "launch_users.h"

/* A tree that leaves its session and its parents, ignores SIGTERM, and does or does not hold the output. */
#define STUBBORN                                                                                   \
	"trap '' TERM; (setsid sh -c 'trap \"\" TERM; (sleep 1000 <&3 & ) ; sleep 1000 <&3' &) ; "
#define SILENT "exec >/dev/null 2>&1; "

/* How an ended command was, whoever ended it: nothing is left at the moment of the answer. */
static void expect_ended(struct launch *l, enum stop_cause cause, unsigned flags, int wait_status)
{
	const struct message *ended = launch_expect(l, MSG_ENDED);
	assert_true(launch_nobody_alive(l));
	assert_int_equal(ended->cause, cause);
	assert_int_equal(ended->flags, flags);
	assert_int_equal(ended->wait_status, wait_status);
	launch_until_silence(l);
	assert_int_equal(launch_reap(l), 0);
}

static void begin(struct launch *l, enum way way, const char *command)
{
	launch_init(l, way, command);
	launch_watch_alive(l);
}

static void a_deadline_ends_a_tree_that_ignores_sigterm(void **state)
{
	struct launch l;
	begin(&l, WAY(state), HELD STUBBORN "echo ready; while :; do sleep 1000; done");
	l.plan.wall_ms = 100;
	l.plan.grace_ms = 100;
	launch_until_started(&l);
	const struct message *stopping = launch_expect(&l, MSG_STOPPING);
	assert_int_equal(stopping->value, STOP_DEADLINE);
	expect_ended(&l, STOP_DEADLINE, ENDED_SHELL | ENDED_BY_KILL, SIGKILL);
	launch_release(&l);
}

static void a_handler_of_sigterm_runs_to_its_end(void **state)
{
	struct launch l;
	begin(&l, WAY(state),
		"trap 'sleep 0.15; echo cleaned; exit 7' TERM; echo set; while :; do sleep 0.01; "
		"done");
	launch_until_started(&l);
	launch_until_output(&l, "set");
	launch_tell(&l, MSG_STOP, STOP_OPERATOR);
	assert_int_equal(launch_expect(&l, MSG_STOPPING)->value, STOP_OPERATOR);
	expect_ended(&l, STOP_OPERATOR, ENDED_SHELL, 7 << 8);
	assert_non_null(strstr(str_c(&l.output), "cleaned"));
	launch_release(&l);
}

static void sigterm_reaches_a_process_that_is_stopped(void **state)
{
	struct launch l;
	begin(&l, WAY(state), "trap 'echo cleaned; exit 0' TERM; echo set; kill -STOP $$");
	launch_until_started(&l);
	launch_until_output(&l, "set");
	launch_tell(&l, MSG_STOP, STOP_OPERATOR);
	launch_expect(&l, MSG_STOPPING);
	expect_ended(&l, STOP_OPERATOR, ENDED_SHELL, 0);
	launch_release(&l);
}

static void a_deadline_can_be_moved(void **state)
{
	struct launch l;
	begin(&l, WAY(state), "sleep 1.7; echo done");
	l.plan.wall_ms = 1500;
	launch_until_started(&l);
	launch_tell(&l, MSG_EXTEND, 10 * WATCHDOG_MS);
	expect_ended(&l, STOP_NONE, ENDED_SHELL, 0);
	assert_string_equal(str_c(&l.output), "done\n");
	launch_release(&l);
}

static void an_endless_extension_does_not_wrap(void **state)
{
	struct launch l;
	begin(&l, WAY(state), "sleep 0.05");
	launch_until_started(&l);
	launch_tell(&l, MSG_EXTEND, UINT64_MAX);
	launch_tell(&l, MSG_EXTEND, UINT64_MAX);
	expect_ended(&l, STOP_NONE, ENDED_SHELL, 0);
	launch_release(&l);
}

static void a_background_process_that_holds_the_output_is_ended(void **state)
{
	struct launch l;
	begin(&l, WAY(state), HELD "setsid sleep 1000 <&3 & echo hi");
	launch_until_started(&l);
	expect_ended(&l, STOP_NONE, ENDED_SHELL | ENDED_BACKGROUND, 0);
	assert_string_equal(str_c(&l.output), "hi\n");
	launch_release(&l);
}

static void a_background_process_without_the_output_is_ended_at_once(void **state)
{
	struct launch l;
	begin(&l, WAY(state), HELD "setsid sleep 1000 <&3 >/dev/null 2>&1 & exit 3");
	l.plan.drain_ms = 10 * WATCHDOG_MS; /* would be waited for, were the output held */
	launch_until_started(&l);
	expect_ended(&l, STOP_NONE, ENDED_SHELL | ENDED_BACKGROUND, 3 << 8);
	launch_release(&l);
}

static void fifty_background_processes_are_ended(void **state)
{
	struct launch l;
	begin(&l, WAY(state),
		HELD "i=0; while [ $i -lt 50 ]; do (sleep 1000 <&3 &); i=$((i+1)); done; echo hi");
	launch_until_started(&l);
	expect_ended(&l, STOP_NONE, ENDED_SHELL | ENDED_BACKGROUND, 0);
	launch_release(&l);
}

static void processes_that_keep_forking_are_ended(void **state)
{
	struct launch l;
	begin(&l, WAY(state),
		HELD SILENT "relay() { (relay &) ; }; i=0; while [ $i -lt 4 ]; do (relay <&3 &) ; "
			    "i=$((i+1)); done; sleep 0.02");
	launch_until_started(&l);
	const struct message *ended = launch_expect(&l, MSG_ENDED);
	assert_true(launch_nobody_alive(&l));
	assert_true(ended->flags & ENDED_SHELL);
	launch_release(&l);
}

static void what_ends_within_the_drain_is_no_background(void **state)
{
	struct launch l;
	begin(&l, WAY(state), "(sleep 0.03; echo late) & echo early");
	l.plan.drain_ms = WATCHDOG_MS;
	launch_until_started(&l);
	expect_ended(&l, STOP_NONE, ENDED_SHELL, 0);
	assert_string_equal(str_c(&l.output), "early\nlate\n");
	launch_release(&l);
}

static void the_output_may_end_long_before_the_shell(void **state)
{
	struct launch l;
	begin(&l, WAY(state), "echo hi; exec >&- 2>&-; sleep 0.1; exit 9");
	launch_until_started(&l);
	launch_until_silence(&l);
	expect_ended(&l, STOP_NONE, ENDED_SHELL, 9 << 8);
	launch_release(&l);
}

static void a_stop_before_the_go_runs_nothing(void **state)
{
	struct launch l;
	begin(&l, WAY(state), "echo ran");
	launch_start(&l);
	launch_expect(&l, MSG_READY);
	launch_tell(&l, MSG_STOP, STOP_OPERATOR);
	const struct message *failed = launch_expect(&l, MSG_FAILED);
	assert_int_equal(failed->stage, STAGE_GO);
	assert_int_equal(failed->cause, STOP_OPERATOR);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "");
	assert_int_equal(launch_reap(&l), 0);
	launch_release(&l);
}

/* --- hang-ups ------------------------------------------------------------------------------ */

static void close_control(struct launch *l)
{
	close(l->child.control_fd);
	l->child.control_fd = -1;
}

static void without_a_console_nothing_runs(void **state)
{
	struct launch l;
	begin(&l, WAY(state), "echo ran");
	launch_start(&l);
	launch_expect(&l, MSG_READY);
	close_control(&l);
	launch_until_silence(&l);
	assert_int_equal(launch_reap(&l), 0);
	assert_string_equal(str_c(&l.output), "");
	launch_release(&l);
}

static void the_end_of_the_console_ends_everything(void **state)
{
	struct launch l;
	begin(&l, WAY(state), HELD STUBBORN "echo ready; while :; do sleep 1000; done");
	launch_until_started(&l);
	launch_until_output(&l, "ready");
	close_control(&l);
	launch_until_nobody_alive(&l);
	launch_until_silence(&l);
	assert_int_equal(launch_reap(&l), 0);
	launch_release(&l);
}

static void kill_supervisor(struct launch *l)
{
	assert_int_equal(syscall(SYS_pidfd_send_signal, l->child.pidfd, SIGKILL, NULL, 0), 0);
}

static void the_end_of_the_supervisor_ends_everything(void **state)
{
	struct launch l;
	begin(&l, WAY(state), HELD STUBBORN "echo ready; while :; do sleep 1000; done");
	launch_until_started(&l);
	launch_until_output(&l, "ready");
	kill_supervisor(&l);
	launch_until_nobody_alive(&l);
	launch_until_silence(&l);
	assert_int_equal(launch_reap(&l), SIGKILL);
	launch_release(&l);
}

static void the_end_of_the_supervisor_before_the_go_runs_nothing(void **state)
{
	struct launch l;
	begin(&l, WAY(state), "echo ran");
	launch_start(&l);
	launch_expect(&l, MSG_READY);
	kill_supervisor(&l);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "");
	launch_reap(&l);
	launch_release(&l);
}

static void the_end_of_both_ends_everything(void **state)
{
	struct launch l;
	begin(&l, WAY(state), HELD STUBBORN "echo ready; while :; do sleep 1000; done");
	launch_until_started(&l);
	launch_until_output(&l, "ready");
	kill_supervisor(&l);
	close_control(&l);
	launch_until_nobody_alive(&l);
	launch_until_silence(&l);
	launch_reap(&l);
	launch_release(&l);
}

static void a_console_that_does_not_read_holds_nothing_up(void **state)
{
	struct launch l;
	begin(&l, WAY(state), HELD STUBBORN "while :; do sleep 1000; done");
	l.plan.wall_ms = 100;
	l.plan.grace_ms = 50;
	launch_until_started(&l);
	/* Not one message is taken until all is over. */
	launch_until_nobody_alive(&l);
	launch_expect(&l, MSG_STOPPING);
	expect_ended(&l, STOP_DEADLINE, ENDED_SHELL | ENDED_BY_KILL, SIGKILL);
	launch_release(&l);
}

static void nonsense_from_the_console_ends_everything(void **state)
{
	struct launch l;
	begin(&l, WAY(state), HELD "echo ready; sleep 1000 <&3");
	launch_until_started(&l);
	launch_until_output(&l, "ready");
	assert_int_equal(send(l.child.control_fd, "?", 1, 0), 1);
	launch_until_nobody_alive(&l);
	assert_int_equal(launch_reap(&l), 0);
	launch_release(&l);
}

static void a_killed_launcher_is_told_as_an_end_without_a_shell(void **state)
{
	struct launch l;
	begin(&l, WAY(state), HELD "sleep 1000 <&3 & kill -9 $PPID; sleep 1000");
	launch_until_started(&l);
	expect_ended(&l, STOP_NONE, 0, 0);
	launch_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ALL_WAYS(a_deadline_ends_a_tree_that_ignores_sigterm),
		ALL_WAYS(a_handler_of_sigterm_runs_to_its_end),
		ALL_WAYS(sigterm_reaches_a_process_that_is_stopped),
		WAY_TEST(a_deadline_can_be_moved, native),
		WAY_TEST(an_endless_extension_does_not_wrap, native),
		ALL_WAYS(a_background_process_that_holds_the_output_is_ended),
		ALL_WAYS(a_background_process_without_the_output_is_ended_at_once),
		ALL_WAYS(fifty_background_processes_are_ended),
		ALL_WAYS(processes_that_keep_forking_are_ended),
		ALL_WAYS(what_ends_within_the_drain_is_no_background),
		ALL_WAYS(the_output_may_end_long_before_the_shell),
		ALL_WAYS(a_stop_before_the_go_runs_nothing),
		ALL_WAYS(without_a_console_nothing_runs),
		ALL_WAYS(the_end_of_the_console_ends_everything),
		ALL_WAYS(the_end_of_the_supervisor_ends_everything),
		ALL_WAYS(the_end_of_the_supervisor_before_the_go_runs_nothing),
		ALL_WAYS(the_end_of_both_ends_everything),
		ALL_WAYS(a_console_that_does_not_read_holds_nothing_up),
		WAY_TEST(nonsense_from_the_console_ends_everything, native),
		WAY_TEST(a_killed_launcher_is_told_as_an_end_without_a_shell, bare),
	};
	return run_as_both_users(tests, ARRAY_LEN(tests));
}

#include "config.h"

#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fd.h"
#include "base/mem.h"
#include "launch.h"
#include "launch_users.h"

#define ALL_NAMESPACES                                                                             \
	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)

static int kill_by_pidfd(int pidfd, int sig)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
}

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

/* Its first mount is another one, or there is one more than in the plan. */
static void a_plan_that_begins_otherwise_is_started_anew(void **state)
{
	static const char *const targets[] = {"/elsewhere", NULL};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
		struct launch l;
		launch_init(&l, PREPARED, "ls -d /elsewhere /zzz 2>/dev/null; echo ran");
		struct plan other = {.backend = l.plan.backend,
			.cwd = l.plan.cwd,
			.command = l.plan.command,
			.shell = l.plan.shell};
		for (size_t m = 0; m < l.plan.mount_count; m++)
			if (!(l.plan.mounts[m].flags & PLAN_CHECK))
				plan_add_mount(&other, l.plan.mounts[m].kind,
					l.plan.mounts[m].flags, l.plan.mounts[m].source,
					m == 0 && targets[i] ? targets[i]
							     : l.plan.mounts[m].target);
		plan_add_mount(&other, PLAN_DIR, 0, NULL, "/zzz");
		launch_base(&other, other.mount_count, &l.base);
		other.backend = other.cwd = other.command = other.shell = NULL;
		plan_release(&other);
		assert_int_equal(launch_run(&l)->wait_status, 0);
		launch_until_silence(&l);
		assert_string_equal(str_c(&l.output), "ran\n");
		launch_release(&l);
	}
}

static void a_beginning_that_cannot_be_made_is_told(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, PREPARED, "echo ran");
	struct plan_mount *last = plan_add_mount(&l.plan, PLAN_BIND, 0, "/nonexistent", "/zzz");
	const struct plan_mount missing = *last, first = l.plan.mounts[0];
	/* Behind the root, which has to come first. */
	memmove(&l.plan.mounts[2], &l.plan.mounts[1],
		(l.plan.mount_count - 2) * sizeof(l.plan.mounts[0]));
	l.plan.mounts[0] = first;
	l.plan.mounts[1] = missing;
	launch_start(&l);
	const struct message *failed = launch_expect(&l, MSG_FAILED);
	assert_int_equal(failed->stage, STAGE_MOUNTS);
	assert_non_null(strstr(failed->text, "/nonexistent"));
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "");
	launch_release(&l);
}

static void a_beginning_without_a_launcher_is_passed_over(void **state)
{
	struct launch l;
	struct err err = ERR_INIT;
	STR_AUTO struct str bytes = STR_INIT;
	(void)state;
	launch_init(&l, NATIVE, "echo ran");
	launch_base(&l.plan, 1, &l.base);
	plan_encode(&l.plan, &bytes);
	assert_int_equal(spawn_supervisor(&l.helpers, &l.child, &err), 0);
	assert_int_equal(spawn_base(&l.child, &l.base, &err), 0);
	assert_int_equal(spawn_plan(&l.child, &l.helpers, &bytes, -1, PLAN_PROGRAMS_NONE, &err), 0);
	launch_expect(&l, MSG_READY);
	launch_tell(&l, MSG_GO, 0);
	launch_expect(&l, MSG_STARTED);
	assert_int_equal(launch_expect(&l, MSG_ENDED)->wait_status, 0);
	launch_release(&l);
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

/* The supervisor has been told to prepare; it ends what it started when we hang up. */
static void expect_nothing_left(struct launch *l)
{
	pid_t started = only_child(l->child.pid);
	assert_true(started > 1);
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, started, 0), .events = POLLIN};
	assert_true(end.fd >= 0);
	child_end(&l->child);
	assert_int_equal(poll(&end, 1, 0), 1);
	close(end.fd);
	launch_release(l);
}

static void without_a_plan_nothing_is_left_of_it(void **state)
{
	struct launch l;
	struct err err = ERR_INIT;
	(void)state;
	launch_init(&l, PREPARED, "echo ran");
	assert_int_equal(spawn_supervisor(&l.helpers, &l.child, &err), 0);
	assert_int_equal(spawn_prepare(&l.child, &l.helpers, l.prepare, &err), 0);
	expect_nothing_left(&l);
}

/* --- a wrapper that waits for its options ---------------------------------------------------------- */

/* The plan's own pid 1 below the very process that was there before the plan, which nothing else could be. */
static void a_wrapper_that_waits_becomes_the_plans_own(void **state)
{
	struct launch l;
	struct err err = ERR_INIT;
	STR_AUTO struct str bytes = STR_INIT;
	(void)state;
	if (!can_run(WAITING))
		skip();
	launch_init(&l, WAITING, "echo ran; exit 3");
	plan_encode(&l.plan, &bytes);
	assert_int_equal(spawn_supervisor(&l.helpers, &l.child, &err), 0);
	assert_int_equal(spawn_prepare_wrapper(&l.child, &l.helpers, l.waiting_fd, &err), 0);
	pid_t wrapper = only_child(l.child.pid);
	const struct plan_programs named = {l.wrapper_fd, -1};
	assert_int_equal(spawn_plan(&l.child, &l.helpers, &bytes, -1, named, &err), 0);
	launch_expect(&l, MSG_READY);
	assert_int_equal(only_child(l.child.pid), wrapper);
	launch_tell(&l, MSG_GO, 0);
	launch_expect(&l, MSG_STARTED);
	assert_int_equal(WEXITSTATUS(launch_expect(&l, MSG_ENDED)->wait_status), 3);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "ran\n");
	launch_release(&l);
}

/* Options that change nothing, as many as make this many bytes. */
static void lengthen(struct strv *argv, size_t bytes)
{
	struct strv longer = STRV_INIT;
	char name[256] = "/tmp/";
	memset(name + 5, 'x', 200);
	strv_add(&longer, argv->items[0]);
	for (size_t len = 0; len < bytes; len += strlen(name)) {
		strv_add(&longer, "--dir");
		strv_add(&longer, name);
	}
	for (size_t i = 1; i < argv->count; i++)
		strv_add(&longer, argv->items[i]);
	strv_release(argv);
	*argv = longer;
}

/* Another program, no wrapper at all, or more options than a pipe holds: the one that waits is ended, and nothing differs. */
static void a_wrapper_that_does_not_fit_is_ended(void **state)
{
	static const struct {
		enum way way;
		const char *program;
		size_t more;
	} rows[] = {{WRAPPED, "/bin/cat", 0}, {NATIVE, "/usr/bin/bwrap", 0},
		{PREPARED, "/usr/bin/bwrap", 0}, {BARE, "/usr/bin/bwrap", 0},
		{WRAPPED, "/usr/bin/bwrap", 70000}};
	(void)state;
	if (!can_run(WAITING))
		skip();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct launch l;
		launch_init(&l, rows[i].way, "echo ran");
		launch_wait_with(&l, rows[i].program);
		if (rows[i].more > 0)
			lengthen(&l.plan.wrapper, rows[i].more);
		assert_int_equal(launch_run(&l)->wait_status, 0);
		launch_until_silence(&l);
		assert_string_equal(str_c(&l.output), "ran\n");
		launch_release(&l);
	}
}

static void without_a_plan_nothing_is_left_of_a_wrapper(void **state)
{
	struct launch l;
	struct err err = ERR_INIT;
	(void)state;
	if (!can_run(WAITING))
		skip();
	launch_init(&l, WAITING, "echo ran");
	assert_int_equal(spawn_supervisor(&l.helpers, &l.child, &err), 0);
	assert_int_equal(spawn_prepare_wrapper(&l.child, &l.helpers, l.waiting_fd, &err), 0);
	expect_nothing_left(&l);
}

/* --- the go byte ----------------------------------------------------------------------------- */

static void a_go_that_comes_before_ready_counts_from_then_on(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, PREPARED, "echo ran");
	launch_start(&l);
	launch_tell(&l, MSG_GO, 0);
	launch_expect(&l, MSG_READY);
	launch_expect(&l, MSG_STARTED);
	assert_int_equal(launch_expect(&l, MSG_ENDED)->wait_status, 0);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "ran\n");
	launch_release(&l);
}

/* The supervisor may have failed and ended before we speak: then it hears nothing, and its word is in our socket. */
static void tell_go_if_it_listens(struct launch *l)
{
	struct err err = ERR_INIT;
	(void)spawn_tell(&l->child, MSG_GO, 0, &err);
}

/* The directory of the card is not the one that is bound. */
static void an_early_go_lets_nothing_go_that_does_not_match(void **state)
{
	static const enum way ways[] = {NATIVE, PREPARED, WAITING};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct launch l;
		if (!can_run(ways[i]))
			continue;
		launch_init(&l, ways[i], "echo ran");
		for (size_t m = 0; m < l.plan.check_count; m++)
			l.plan.checks[m].ino++;
		for (size_t m = 0; m < l.plan.mount_count; m++)
			if (l.plan.mounts[m].flags & PLAN_CHECK)
				l.plan.mounts[m].ino++;
		launch_start(&l);
		tell_go_if_it_listens(&l);
		assert_int_equal(launch_expect(&l, MSG_FAILED)->stage, STAGE_PLACES);
		launch_until_silence(&l);
		assert_string_equal(str_c(&l.output), "");
		launch_release(&l);
	}
}

static void an_early_go_lets_nothing_go_that_is_not_proved(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, NATIVE, "echo ran");
	l.plan.namespaces &= ~(unsigned)CLONE_NEWNET;
	launch_start(&l);
	tell_go_if_it_listens(&l);
	assert_int_equal(launch_expect(&l, MSG_FAILED)->stage, STAGE_VERIFY);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "");
	launch_release(&l);
}

/* Both lie in the socket when the supervisor reads its plan: mostly the stop is read before the launcher can be ready. */
static void a_stop_behind_an_early_go_holds(void **state)
{
	struct launch l;
	struct err err = ERR_INIT;
	STR_AUTO struct str bytes = STR_INIT;
	(void)state;
	launch_init(&l, NATIVE, "echo ran");
	plan_encode(&l.plan, &bytes);
	assert_int_equal(spawn_supervisor(&l.helpers, &l.child, &err), 0);
	assert_int_equal(kill_by_pidfd(l.child.pidfd, SIGSTOP), 0);
	assert_int_equal(spawn_plan(&l.child, &l.helpers, &bytes, -1, PLAN_PROGRAMS_NONE, &err), 0);
	launch_tell(&l, MSG_GO, 0);
	launch_tell(&l, MSG_STOP, STOP_OPERATOR);
	assert_int_equal(kill_by_pidfd(l.child.pidfd, SIGCONT), 0);
	bool ready = false;
	const struct message *last = launch_next(&l);
	for (; last->kind != MSG_FAILED && last->kind != MSG_ENDED; last = launch_next(&l))
		ready |= last->kind == MSG_READY;
	assert_int_equal(last->cause, STOP_OPERATOR);
	launch_until_silence(&l);
	if (!ready) {
		assert_int_equal(last->kind, MSG_FAILED);
		assert_int_equal(last->stage, STAGE_GO);
		assert_string_equal(str_c(&l.output), "");
	}
	launch_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_plan_does_not_ask_for_is_not_used),
		cmocka_unit_test(a_plan_for_another_user_is_started_anew),
		cmocka_unit_test(a_plan_without_namespaces_is_started_anew),
		cmocka_unit_test(what_cannot_be_prepared_is_no_failure),
		cmocka_unit_test(a_plan_that_begins_otherwise_is_started_anew),
		cmocka_unit_test(a_beginning_that_cannot_be_made_is_told),
		cmocka_unit_test(a_beginning_without_a_launcher_is_passed_over),
		cmocka_unit_test(without_a_plan_nothing_is_left_of_it),
		cmocka_unit_test(a_wrapper_that_waits_becomes_the_plans_own),
		cmocka_unit_test(a_wrapper_that_does_not_fit_is_ended),
		cmocka_unit_test(without_a_plan_nothing_is_left_of_a_wrapper),
		cmocka_unit_test(a_go_that_comes_before_ready_counts_from_then_on),
		cmocka_unit_test(an_early_go_lets_nothing_go_that_does_not_match),
		cmocka_unit_test(an_early_go_lets_nothing_go_that_is_not_proved),
		cmocka_unit_test(a_stop_behind_an_early_go_holds),
	};
	return run_as_both_users(tests, ARRAY_LEN(tests));
}

#include "config.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/tree.h"

#define WATCHDOG_MS 30000

/* Everything runs below a child of the test, which is the subreaper: what a broken tree leaves behind goes to it and ends
   with its pipe, not with the machine. */
static int below_subreaper(int (*body)(int held))
{
	int ends[2], status;
	assert_int_equal(pipe(ends), 0);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		sigset_t set;
		close(ends[0]);
		sigemptyset(&set);
		sigaddset(&set, SIGCHLD);
		sigprocmask(SIG_BLOCK, &set, NULL);
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		_exit(body(ends[1]));
	}
	close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* Every process of the tree held the write end. */
	struct pollfd held = {.fd = ends[0]};
	if (poll(&held, 1, WATCHDOG_MS) != 1)
		fail_msg("a process is left");
	close(ends[0]);
	return status;
}

_Noreturn static void wait_for_ever(void)
{
	for (;;)
		pause();
}

/* A process that tells when it stands; the last of a chain of `depth`. */
_Noreturn static void chain(int depth, int ready)
{
	while (depth-- > 0)
		if (fork() != 0)
			wait_for_ever();
	setsid();
	signal(SIGTERM, SIG_IGN);
	if (write(ready, "x", 1) != 1)
		_exit(1);
	wait_for_ever();
}

static void start_chains(int count, int depth)
{
	int ready[2];
	if (pipe(ready) != 0)
		_exit(90);
	for (int i = 0; i < count; i++)
		if (fork() == 0)
			chain(depth, ready[1]);
	char c;
	for (int i = 0; i < count; i++)
		if (read(ready[0], &c, 1) != 1)
			_exit(91);
	close(ready[0]);
	close(ready[1]);
}

static int end_chains(int held)
{
	(void)held;
	start_chains(5, 4);
	if (tree_signal(getpid(), -1, 0) != 25)
		return 1;
	tree_end();
	return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : 2;
}

static void a_deep_tree_is_counted_and_ended(void **state)
{
	(void)state;
	assert_int_equal(below_subreaper(end_chains), 0);
}

/* Each forks the next and ends: there is never a parent to be found, only the subreaper. */
_Noreturn static void relay(void)
{
	for (;;)
		if (fork() != 0)
			_exit(0);
}

static int end_relays(int held)
{
	(void)held;
	for (int i = 0; i < 8; i++)
		if (fork() == 0)
			relay();
	tree_end();
	return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : 2;
}

static void processes_that_flee_from_the_walk_are_ended(void **state)
{
	(void)state;
	assert_int_equal(below_subreaper(end_relays), 0);
}

/* Forks one that waits, and says by its own end whether SIGTERM ended that one. */
_Noreturn static void parent_of_one(int ready)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		if (write(ready, "x", 1) != 1)
			_exit(1);
		wait_for_ever();
	}
	waitpid(child, &status, 0);
	_exit(status == SIGTERM ? 33 : 34);
}

/* SIGTERM reaches descendants of one process, not it, not its siblings. */
static int signal_some(int held)
{
	int ready[2], status;
	char c;
	(void)held;
	if (pipe(ready) != 0)
		return 90;
	pid_t sibling = fork();
	if (sibling == 0)
		wait_for_ever();
	pid_t root = fork();
	if (root == 0)
		parent_of_one(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		return 91;
	int pidfd = (int)syscall(SYS_pidfd_open, root, 0);
	size_t seen = tree_signal(root, pidfd, SIGTERM);
	if (waitpid(root, &status, 0) != root || status != 33 << 8)
		return 1;
	/* Gone and reaped: its number is nobody's, or a stranger's. */
	if (tree_signal(root, pidfd, SIGKILL) != 0)
		return 2;
	if (waitpid(sibling, &status, WNOHANG) != 0)
		return 3;
	tree_end();
	return seen == 1 ? 0 : 4;
}

static void a_signal_reaches_descendants_alone(void **state)
{
	(void)state;
	assert_int_equal(below_subreaper(signal_some), 0);
}

#define LARGE (256u << 20)

/* A helper that is larger than the whole tree. */
static int count_without_helper(int held)
{
	int ready[2];
	char c;
	(void)held;
	if (pipe(ready) != 0)
		return 90;
	pid_t helper = fork();
	if (helper == 0) {
		char *bytes = malloc(LARGE);
		if (bytes == NULL)
			_exit(1);
		memset(bytes, 1, LARGE);
		if (write(ready[1], bytes, 1) != 1)
			_exit(1);
		wait_for_ever();
	}
	if (read(ready[0], &c, 1) != 1)
		return 91;
	start_chains(2, 1);
	struct tree_used used = {.apart = helper}, all = used;
	tree_end_counted(&used);
	if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD)
		return 1;
	tree_used_add(&all, &(struct rusage){.ru_utime.tv_usec = 7, .ru_maxrss = 3});
	tree_used_add(&all, &(struct rusage){.ru_stime.tv_sec = 1, .ru_maxrss = 2});
	if (all.cpu_us != 1000007 || all.largest_bytes != 3072)
		return 2;
	return used.largest_bytes > 0 && used.largest_bytes < LARGE / 2 ? 0 : 3;
}

static void a_helper_is_ended_and_not_counted(void **state)
{
	(void)state;
	assert_int_equal(below_subreaper(count_without_helper), 0);
}

/* More than the kernel lists in one page. */
#define MANY 1500

static int count_many(int held)
{
	(void)held;
	start_chains(MANY, 0);
	size_t seen = tree_signal(getpid(), -1, 0);
	tree_end();
	return seen == MANY ? 0 : 1;
}

static void a_long_list_of_children_is_read_to_its_end(void **state)
{
	(void)state;
	assert_int_equal(below_subreaper(count_many), 0);
}

static int count_zombie(int held)
{
	siginfo_t info;
	(void)held;
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	return tree_signal(getpid(), -1, 0) == 0 ? 0 : 1;
}

static void a_zombie_does_not_run(void **state)
{
	(void)state;
	assert_int_equal(below_subreaper(count_zombie), 0);
}

/* 0: it says that nobody could be found. */
static int check_without_proc(int held)
{
	struct err err = ERR_INIT;
	(void)held;
	if (tree_check(&err) != 0)
		return 1;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
		return 77;
	if (mount("none", "/proc", "tmpfs", 0, NULL) != 0)
		return 77;
	if (tree_check(&err) == 0)
		return 2;
	return strstr(err.text, "/proc does not show children") ? 0 : 3;
}

static void nothing_is_started_that_could_not_be_found(void **state)
{
	(void)state;
	int status = below_subreaper(check_without_proc);
	if (status == 77 << 8)
		skip();
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deep_tree_is_counted_and_ended),
		cmocka_unit_test(processes_that_flee_from_the_walk_are_ended),
		cmocka_unit_test(a_signal_reaches_descendants_alone),
		cmocka_unit_test(a_zombie_does_not_run),
		cmocka_unit_test(a_helper_is_ended_and_not_counted),
		cmocka_unit_test(nothing_is_started_that_could_not_be_found),
		cmocka_unit_test(a_long_list_of_children_is_read_to_its_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

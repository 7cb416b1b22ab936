#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "launch_table.h"
#include "launch_users.h"

/* The launch fails there, with these words, and nothing ran. */
static void expect_refused(struct launch *l, enum stage stage, const char *words)
{
	launch_start(l);
	const struct message *failed = launch_expect(l, MSG_FAILED);
	if (failed->stage != stage || !strstr(failed->text, words))
		fail_msg("%s: %s", stage_words(failed->stage), failed->text);
	launch_until_silence(l);
	assert_string_equal(str_c(&l->output), "");
	assert_int_equal(launch_reap(l), 0);
	launch_release(l);
}

static void a_bound_directory_that_is_not_the_one_on_the_card_is_refused(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state), "echo ran");
	struct plan_mount *place =
		l.plan.check_count ? &l.plan.checks[0] : &l.plan.mounts[l.plan.mount_count - 1];
	assert_true(place->flags & PLAN_CHECK);
	place->ino++;
	expect_refused(&l, STAGE_PLACES, l.work);
}

static void a_directory_that_was_replaced_is_refused(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state), "echo ran");
	STR_AUTO struct str aside = STR_INIT;
	str_printf(&aside, "%s.aside", l.work);
	assert_int_equal(rename(l.work, str_c(&aside)), 0);
	assert_int_equal(mkdir(l.work, 0700), 0);
	expect_refused(&l, STAGE_PLACES, "exq-work");
	assert_int_equal(rmdir(str_c(&aside)), 0);
}

static void a_symlink_on_the_way_to_a_bound_directory_is_refused(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state), "echo ran");
	struct plan_mount *place = &l.plan.mounts[l.plan.mount_count - 1];
	STR_AUTO struct str link = STR_INIT;
	str_printf(&link, "%s/a", l.work);
	assert_int_equal(symlink(l.work, str_c(&link)), 0);
	free(place->source);
	place->source = str_steal(&link);
	expect_refused(&l, STAGE_PLACES, "/a");
}

static void each_missing_namespace_is_found_by_the_proof(void **state)
{
	static const struct {
		unsigned flag;
		const char *words;
	} cases[] = {{CLONE_NEWNET, "the network namespace is the host's"},
		{CLONE_NEWIPC, "the IPC namespace is the host's"},
		{CLONE_NEWUTS, "the host name namespace is the host's"}};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct launch l;
		launch_init(&l, NATIVE, "echo ran");
		l.plan.namespaces &= ~cases[i].flag;
		expect_refused(&l, STAGE_VERIFY, cases[i].words);
	}
}

/* Without a pid namespace of its own, an ordinary namespace may not mount /proc at all, so the proof is reached bare. */
static void proofs_fail_where_nothing_is_isolated(void **state)
{
	static const struct {
		unsigned proof;
		const char *words;
	} cases[] = {
		{PLAN_PROOF_USERNS, "the user namespace is the host's"},
		{PLAN_PROOF_MOUNTNS, "the mount namespace is the host's"},
		{PLAN_PROOF_PIDNS, "the process namespace is the host's"},
		{PLAN_PROOF_SECCOMP, "no system call filter"},
		{PLAN_PROOF_LANDLOCK, "Landlock"},
		{1u << 11 | PLAN_PROOF_SECCOMP, "no system call filter"},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct launch l;
		launch_init(&l, BARE, "echo ran");
		l.plan.proofs = cases[i].proof;
		expect_refused(&l, STAGE_VERIFY, cases[i].words);
	}
}

static void an_unknown_namespace_of_the_host_proves_nothing(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, NATIVE, "echo ran");
	l.plan.host_ns[PLAN_NS_NET] = 0;
	expect_refused(&l, STAGE_VERIFY, "not known");
}

static void a_home_that_shows_files_is_found(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, NATIVE, "echo ran");
	/* As if the host's home directory had been bound: a directory with files that no place of the plan explains. */
	plan_add_mount(&l.plan, PLAN_BIND, PLAN_RO, "/usr/share", "/home/other");
	plan_add_rule(&l.plan, PLAN_ACCESS_READ, "/home/other");
	free(l.plan.home);
	l.plan.home = mem_strdup("/home/other");
	expect_refused(&l, STAGE_VERIFY, "shows files of the host");
}

static void a_writable_place_that_is_no_place_of_the_plan_is_found(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, NATIVE, "echo ran");
	struct plan_mount *mount = plan_add_mount(&l.plan, PLAN_TMPFS, 0, NULL, "/srv");
	mount->mode = 01777;
	/* Without Landlock, which would refuse it once more. */
	l.plan.landlock = false;
	l.plan.proofs &= ~(unsigned)PLAN_PROOF_LANDLOCK;
	expect_refused(&l, STAGE_VERIFY, "/srv can be written");
}

static void a_landlock_proof_without_landlock_fails(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, NATIVE, "echo ran");
	if (!l.plan.landlock) {
		launch_release(&l);
		skip();
	}
	l.plan.landlock = false;
	expect_refused(&l, STAGE_VERIFY, "Landlock does not refuse");
}

static void a_source_that_is_not_there_is_refused_by_name(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, NATIVE, "echo ran");
	plan_add_mount(&l.plan, PLAN_BIND, PLAN_RO, "/no/such/directory", "/mnt");
	expect_refused(&l, STAGE_MOUNTS, "/no/such/directory");
}

static void mount_points_are_never_made_on_the_host(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, NATIVE, "echo ran");
	STR_AUTO struct str below = STR_INIT;
	str_printf(&below, "%s/made", l.work);
	plan_add_mount(&l.plan, PLAN_TMPFS, 0, NULL, str_c(&below));
	launch_start(&l);
	assert_int_equal(launch_expect(&l, MSG_FAILED)->stage, STAGE_PLACES);
	assert_int_equal(access(str_c(&below), F_OK), -1);
	launch_release(&l);
}

static void a_wrapper_that_fails_is_quoted(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state), "echo ran");
	free(l.plan.wrapper.items[1]);
	l.plan.wrapper.items[1] = mem_strdup("--no-such-option");
	expect_refused(&l, STAGE_WRAPPER, "--no-such-option");
}

static void a_program_that_is_no_wrapper_is_a_failed_launch(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state), "echo ran");
	fd_close(&l.wrapper_fd);
	l.wrapper_fd = open("/bin/true", O_PATH | O_CLOEXEC);
	expect_refused(&l, STAGE_WRAPPER, "ended with status 0");
}

static void bytes_that_are_no_plan_are_refused(void **state)
{
	struct launch l;
	struct err err = ERR_INIT;
	(void)state;
	launch_init(&l, NATIVE, "echo ran");
	STR_AUTO struct str bytes = STR_INIT;
	plan_encode(&l.plan, &bytes);
	bytes.len--;
	assert_int_equal(spawn_supervisor(&l.helpers, &l.child, &err), 0);
	assert_int_equal(spawn_plan(&l.child, &l.helpers, &bytes, -1, PLAN_PROGRAMS_NONE, &err), 0);
	assert_int_equal(launch_expect(&l, MSG_FAILED)->stage, STAGE_PLAN);
	launch_reap(&l);
	launch_release(&l);
}

static void a_missing_descriptor_of_the_wrapper_is_refused(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state), "echo ran");
	fd_close(&l.wrapper_fd);
	expect_refused(&l, STAGE_PLAN, "wrapper");
}

/* --- namespaces that the host refuses ------------------------------------------------------ */

static int write_file(const char *path, const char *text)
{
	FD_AUTO int fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
}

/* In a user namespace of its own a process may lower what is left to make below it. */
static int enter_poor_namespace(const char *limit)
{
	char map[40];
	uid_t uid = geteuid();
	gid_t gid = getegid();
	if (unshare(CLONE_NEWUSER) != 0 || write_file("/proc/self/setgroups", "deny"))
		return -1;
	snprintf(map, sizeof(map), "0 %u 1", uid);
	if (write_file("/proc/self/uid_map", map))
		return -1;
	snprintf(map, sizeof(map), "0 %u 1", gid);
	if (write_file("/proc/self/gid_map", map))
		return -1;
	return write_file(limit, "0");
}

/* Exit status: 0 as expected, 77 when it cannot be tried, 1 otherwise. */
static int launch_in_poor_namespace(const char *limit, unsigned refused, const char *words)
{
	struct launch l;
	launch_init(&l, NATIVE, "echo ran");
	if (enter_poor_namespace(limit)) {
		launch_release(&l);
		return 77;
	}
	launch_start(&l);
	const struct message *failed = launch_next(&l);
	int good = failed->kind == MSG_FAILED && failed->stage == STAGE_NAMESPACES &&
		   failed->value == refused && strstr(failed->text, words);
	if (!good)
		fprintf(stderr, "%u %s: %s\n", failed->kind, stage_words(failed->stage),
			failed->text);
	launch_reap(&l);
	launch_release(&l);
	return good ? 0 : 1;
}

static void a_refused_namespace_is_named(void **state)
{
	static const struct {
		const char *limit;
		unsigned refused;
		const char *words;
	} cases[] = {{"/proc/sys/user/max_net_namespaces", 1u << PLAN_NS_NET, "network"},
		{"/proc/sys/user/max_ipc_namespaces", 1u << PLAN_NS_IPC, "IPC"},
		{"/proc/sys/user/max_user_namespaces", 1u << PLAN_NS_USER, "user"}};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int status;
		fflush(stdout);
		pid_t pid = fork();
		if (pid == 0)
			_exit(launch_in_poor_namespace(
				cases[i].limit, cases[i].refused, cases[i].words));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status == 77 << 8)
			skip();
		assert_int_equal(status, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONFINED_WAYS(a_bound_directory_that_is_not_the_one_on_the_card_is_refused),
		CONFINED_WAYS(a_directory_that_was_replaced_is_refused),
		WAY_TEST(a_symlink_on_the_way_to_a_bound_directory_is_refused, native),
		cmocka_unit_test(each_missing_namespace_is_found_by_the_proof),
		cmocka_unit_test(proofs_fail_where_nothing_is_isolated),
		cmocka_unit_test(an_unknown_namespace_of_the_host_proves_nothing),
		cmocka_unit_test(a_home_that_shows_files_is_found),
		cmocka_unit_test(a_writable_place_that_is_no_place_of_the_plan_is_found),
		cmocka_unit_test(a_landlock_proof_without_landlock_fails),
		cmocka_unit_test(a_source_that_is_not_there_is_refused_by_name),
		cmocka_unit_test(mount_points_are_never_made_on_the_host),
		WAY_TEST(a_wrapper_that_fails_is_quoted, wrapped),
		WAY_TEST(a_program_that_is_no_wrapper_is_a_failed_launch, wrapped),
		WAY_TEST(a_missing_descriptor_of_the_wrapper_is_refused, wrapped),
		cmocka_unit_test(bytes_that_are_no_plan_are_refused),
		cmocka_unit_test(a_refused_namespace_is_named),
	};
	return run_as_both_users(tests, ARRAY_LEN(tests));
}

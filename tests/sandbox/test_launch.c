#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/path.h"
#include "launch_table.h"
#include "launch_users.h"

static void exit_statuses_come_through(void **state)
{
	static const struct {
		const char *command;
		int status; /* as from waitpid */
	} cases[] = {{"true", 0}, {"exit 42", 42 << 8}, {"exit 137", 137 << 8},
		{"no-such-program-anywhere", 127 << 8}, {"kill -9 $$", SIGKILL},
		{"kill -TERM $$", SIGTERM}, {"ulimit -c unlimited; kill -SEGV $$", SIGSEGV}};
	enum way way = WAY(state);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct launch l;
		launch_init(&l, way, cases[i].command);
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
	launch_init(&l, WAY(state),
		"i=0; while [ $i -lt 500 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done");
	launch_run(&l);
	launch_until_silence(&l);
	STR_AUTO struct str expected = STR_INIT;
	for (int i = 0; i < 500; i++)
		str_printf(&expected, "out %d\nerr %d\n", i, i);
	assert_string_equal(str_c(&l.output), str_c(&expected));
	launch_release(&l);
}

/* Runs a command whose output must be exactly this. */
static void check_output(enum way way, const char *command, const char *output)
{
	struct launch l;
	launch_init(&l, way, command);
	const struct message *ended = launch_run(&l);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), output);
	assert_int_equal(ended->wait_status, 0);
	launch_release(&l);
}

static void the_environment_is_the_plans(void **state)
{
	check_output(WAY(state), "tr '\\0' '\\n' < /proc/$$/environ",
		"PATH=/usr/bin:/bin\nHOME=/home/tester\n");
}

static void nothing_is_inherited(void **state)
{
	enum way way = WAY(state);
	check_output(way,
		"i=0; while [ $i -lt 64 ]; do [ -e /proc/$$/fd/$i ] && echo $i; i=$((i+1)); done; "
		":",
		"0\n1\n2\n");
	check_output(way, "umask; ulimit -n; ulimit -c", "0022\n256\n0\n");
	check_output(way, "grep -E '^Sig(Blk|Ign)' /proc/self/status | cut -f2",
		"0000000000000000\n0000000000000000\n");
	check_output(way, "cat; readlink /proc/$$/fd/0", "/dev/null\n");
	/* session and group are the shell's own, and there is no terminal */
	check_output(
		way, "set -- $(cat /proc/$$/stat); [ $5 = $$ ] && [ $6 = $$ ] && echo $7", "0\n");
	check_output(way, "grep NoNewPrivs /proc/self/status | cut -f2", "1\n");
}

static void no_capability_is_left(void **state)
{
	check_output(WAY(state), "grep ^Cap /proc/self/status | cut -f2 | sort -u",
		"0000000000000000\n");
}

static void the_command_is_one_argument(void **state)
{
	enum way way = WAY(state);
	check_output(way, "-x 2>/dev/null; echo after", "after\n");
	check_output(
		way, "printf '%s|' \"a  b\" '$HOME' \"`echo q`\"; # no newline", "a  b|$HOME|q|");
	check_output(way, "tr '\\0' '|' < /proc/$$/cmdline; :",
		"sh|-c|--|tr '\\0' '|' < /proc/$$/cmdline; :|");
}

static void standard_input_is_passed(void **state)
{
	struct launch l;
	int ends[2];
	launch_init(&l, WAY(state), "read line; echo got $line; cat");
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	l.stdin_fd = ends[0];
	assert_int_equal(write(ends[1], "one\ntwo\n", 8), 8);
	close(ends[1]);
	launch_run(&l);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "got one\ntwo\n");
	launch_release(&l);
}

static void the_working_directory_is_entered(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state), "pwd; echo x > file");
	launch_run(&l);
	launch_until_silence(&l);
	MEM_AUTO char *file = path_join(l.work, "file");
	STR_AUTO struct str expected = STR_INIT;
	str_printf(&expected, "%s\n", l.work);
	assert_string_equal(str_c(&l.output), str_c(&expected));
	assert_int_equal(access(file, F_OK), 0);
	launch_release(&l);
}

static void a_missing_working_directory_is_made_when_asked(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state), "pwd");
	free(l.plan.cwd);
	l.plan.cwd = path_join(l.work, "made/below");
	l.plan.cwd_make = true;
	launch_run(&l);
	struct stat st;
	assert_int_equal(stat(l.plan.cwd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	launch_release(&l);
}

static void expect_failure(struct launch *l, enum stage stage, const char *words)
{
	launch_start(l);
	launch_expect(l, MSG_READY);
	launch_tell(l, MSG_GO, 0);
	const struct message *failed = launch_expect(l, MSG_FAILED);
	assert_int_equal(failed->stage, stage);
	assert_non_null(strstr(failed->text, words));
	launch_until_silence(l);
	assert_string_equal(str_c(&l->output), "");
	assert_int_equal(launch_reap(l), 0);
	launch_release(l);
}

static void a_working_directory_that_is_gone_runs_nothing(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state), "echo ran");
	free(l.plan.cwd);
	l.plan.cwd = path_join(l.work, "gone");
	expect_failure(&l, STAGE_CWD, "gone");
}

static void a_symlink_in_place_of_the_working_directory_is_not_followed(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state), "echo ran");
	free(l.plan.cwd);
	l.plan.cwd = path_join(l.work, "a/below");
	l.plan.cwd_make = true;
	MEM_AUTO char *link = path_join(l.work, "a");
	assert_int_equal(symlink("/tmp", link), 0);
	expect_failure(&l, STAGE_CWD, "a/below");
}

static void a_shell_that_is_not_there_is_a_failed_exec(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state), "echo ran");
	free(l.plan.shell);
	l.plan.shell = mem_strdup("/bin/no-such-shell");
	expect_failure(&l, STAGE_EXEC, "No such file");
}

static void the_longest_command_runs_and_one_byte_more_is_named(void **state)
{
	static const struct {
		size_t len;
		bool runs;
	} cases[] = {{131071, true}, {131072, false}};
	enum way way = WAY(state);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		MEM_AUTO char *command = mem_alloc(cases[i].len + 1);
		memset(command, '#', cases[i].len);
		memcpy(command, "echo ran\n", 9);
		struct launch l;
		launch_init(&l, way, command);
		if (!cases[i].runs) {
			expect_failure(&l, STAGE_EXEC, "Argument list too long");
			continue;
		}
		launch_run(&l);
		launch_until_output(&l, "ran\n");
		launch_release(&l);
	}
}

static void the_usage_of_the_tree_is_measured(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state), "(i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done); :");
	const struct message *ended = launch_run(&l);
	assert_true(ended->cpu_us > 1000);
	assert_true(ended->elapsed_ms < WATCHDOG_MS);
	launch_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ALL_WAYS(exit_statuses_come_through),
		ALL_WAYS(output_comes_in_order_and_unchanged),
		ALL_WAYS(the_environment_is_the_plans),
		ALL_WAYS(nothing_is_inherited),
		CONFINED_WAYS(no_capability_is_left),
		ALL_WAYS(the_command_is_one_argument),
		ALL_WAYS(standard_input_is_passed),
		ALL_WAYS(the_working_directory_is_entered),
		ALL_WAYS(a_missing_working_directory_is_made_when_asked),
		ALL_WAYS(a_working_directory_that_is_gone_runs_nothing),
		ALL_WAYS(a_symlink_in_place_of_the_working_directory_is_not_followed),
		ALL_WAYS(a_shell_that_is_not_there_is_a_failed_exec),
		ALL_WAYS(the_longest_command_runs_and_one_byte_more_is_named),
		ALL_WAYS(the_usage_of_the_tree_is_measured),
	};
	return run_as_both_users(tests, ARRAY_LEN(tests));
}

#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/notifier.h"
#include "base/fd.h"
#include "base/mem.h"

/* A loop, a session of nothing but the command, and what the notifier complained about. */
struct bench {
	uv_loop_t loop;
	struct session session;
	struct notifier notifier;
	char dir[64], out[96], work[96];
	char trouble[200];
	unsigned troubles;
};

static char *environment[] = {"PATH=/usr/bin:/bin", "HOME=/nowhere", "AGENT_SECRET=1", NULL};

static void on_trouble(void *ctx, const char *why)
{
	struct bench *b = ctx;

	b->troubles++;
	snprintf(b->trouble, sizeof(b->trouble), "%s", why);
	uv_stop(&b->loop);
}

static int set_up(void **state)
{
	struct bench *b = mem_alloc(sizeof(*b));
	const char *tmp = getenv("TMPDIR");

	snprintf(b->dir, sizeof(b->dir), "%s/exq-notifier-XXXXXX", tmp != NULL ? tmp : "/tmp");
	assert_non_null(mkdtemp(b->dir));
	snprintf(b->out, sizeof(b->out), "%s/out", b->dir);
	b->session.envp = environment;
	snprintf(b->work, sizeof(b->work), "%s/work", b->dir);
	assert_int_equal(mkdir(b->work, 0700), 0);
	b->session.base.workspace = b->work;
	uv_loop_init(&b->loop);
	notifier_begin(&b->notifier, &b->loop, &b->session, b, on_trouble);
	b->notifier.limit_ms = 60000;
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	notifier_end(&b->notifier);
	notifier_end(&b->notifier);
	uv_run(&b->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&b->loop), 0);
	/* Nothing is left to wait for. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	unlink(b->out);
	rmdir(b->work);
	rmdir(b->dir);
	strv_release(&b->session.config.notify_command);
	free(b);
	return 0;
}

/* sh -c SCRIPT OUT WORDS: $0 is the file for what it has to say, $1 the words. */
static void use(struct bench *b, const char *script)
{
	struct strv *argv = &b->session.config.notify_command;
	struct err err = ERR_INIT;

	strv_add(argv, "/bin/sh");
	strv_add(argv, "-c");
	strv_add(argv, script);
	strv_add(argv, b->out);
	assert_int_equal(notifier_check(&b->session, &err), 0);
}

static void assert_said(const struct bench *b, const char *wanted)
{
	struct str text STR_AUTO = STR_INIT;
	FD_AUTO int fd = open(b->out, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(fd_read_all(fd, 4096, &text, NULL), 0);
	assert_string_equal(str_c(&text), wanted);
}

static void it_is_told_our_words_as_one_argument_and_reaped(void **state)
{
	struct bench *b = *state;

	use(b, "echo \"$# $1 $HOME $AGENT_SECRET\" >> \"$0\"");
	notifier_call(&b->notifier, "3 calls wait; $(x) the oldest 42 s");
	uv_run(&b->loop, UV_RUN_DEFAULT);
	assert_null(b->notifier.running);
	assert_said(b, "1 3 calls wait; $(x) the oldest 42 s /nowhere \n");
	assert_int_equal(b->troubles, 0);
}

static void while_one_runs_no_other_is_started_however_often_it_is_called(void **state)
{
	struct bench *b = *state;

	use(b, "echo once >> \"$0\"; read line < \"$0.fifo\"");
	char *fifo MEM_AUTO = mem_printf("%s.fifo", b->out);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	for (int i = 0; i < 1000; i++)
		notifier_call(&b->notifier, "words");
	assert_non_null(b->notifier.running);
	int fd = open(fifo, O_WRONLY | O_CLOEXEC); /* until it reads */
	assert_int_equal(write(fd, "\n", 1), 1);
	close(fd);
	uv_run(&b->loop, UV_RUN_DEFAULT);
	assert_said(b, "once\n");
	notifier_call(&b->notifier, "words");
	fd = open(fifo, O_WRONLY | O_CLOEXEC);
	close(fd);
	notifier_end(&b->notifier);
	assert_said(b, "once\nonce\n");
	unlink(fifo);
}

static void one_that_does_not_end_is_ended_with_its_group_and_that_is_said(void **state)
{
	struct bench *b = *state;

	/* Its child holds the writing end of the FIFO: only when both are gone it is at its end. */
	char *fifo MEM_AUTO = mem_printf("%s.fifo", b->out);
	char byte;

	use(b, "trap '' TERM HUP; exec 3> \"$0.fifo\"; sleep 1000 & wait; sleep 1000");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	FD_AUTO int fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	b->notifier.limit_ms = 300;
	notifier_call(&b->notifier, "words");
	uv_run(&b->loop, UV_RUN_DEFAULT);
	assert_null(b->notifier.running);
	assert_string_equal(b->trouble, "notify_command did not end in time and was ended");
	/* Blocking: the test would stand here for as long as one of them lives. */
	fcntl(fd, F_SETFL, 0);
	assert_int_equal(read(fd, &byte, 1), 0);
	unlink(fifo);
}

static void what_goes_wrong_is_said(void **state)
{
	struct bench *b = *state;

	use(b, "exit 7");
	notifier_call(&b->notifier, "words");
	uv_run(&b->loop, UV_RUN_DEFAULT);
	assert_string_equal(b->trouble, "notify_command ended with exit 7");
	strv_release(&b->session.config.notify_command);
	strv_add(&b->session.config.notify_command, "/usr/bin/no-such-notifier");
	notifier_call(&b->notifier, "words");
	assert_string_equal(
		b->trouble, "notify_command: /usr/bin/no-such-notifier: it is not installed");
	assert_null(b->notifier.running);
}

static void nothing_is_started_where_nothing_is_configured_or_all_is_over(void **state)
{
	struct bench *b = *state;
	struct err err = ERR_INIT;

	assert_int_equal(notifier_check(&b->session, &err), 0);
	notifier_call(&b->notifier, "words");
	assert_null(b->notifier.running);
	use(b, "echo late >> \"$0\"");
	notifier_end(&b->notifier);
	notifier_call(&b->notifier, "words");
	assert_null(b->notifier.running);
	assert_int_equal(access(b->out, F_OK), -1);
	assert_int_equal(b->troubles, 0);
}

static void refused(struct bench *b, const char *program, const char *argument, const char *why)
{
	struct strv *argv = &b->session.config.notify_command;
	struct err err = ERR_INIT;

	strv_release(argv);
	strv_add(argv, program);
	strv_add(argv, argument);
	assert_int_equal(notifier_check(&b->session, &err), -1);
	assert_non_null(strstr(err.text, why));
	b->trouble[0] = '\0';
	notifier_call(&b->notifier, "words");
	assert_null(b->notifier.running);
	assert_string_equal(b->trouble, err.text);
}

static void one_that_a_command_could_have_written_is_not_used_nor_its_script(void **state)
{
	struct bench *b = *state;
	char *inside MEM_AUTO = mem_printf("%s/script", b->work);
	char *option MEM_AUTO = mem_printf("--file=%s/script", b->work);
	char *link MEM_AUTO = mem_printf("%s/link", b->dir);
	char *other MEM_AUTO = mem_printf("%s/other", b->dir);
	int fd = open(inside, O_CREAT | O_WRONLY | O_CLOEXEC, 0755);

	close(fd);
	assert_int_equal(symlink(b->work, link), 0);
	char *through MEM_AUTO = mem_printf("%s/script", link);
	refused(b, inside, "x", inside);
	refused(b, "/bin/sh", inside, "its argument 1 names a place that commands may write");
	refused(b, "/bin/sh", option, "its argument 1 names");
	refused(b, "/bin/sh", through, "its argument 1 names");
	struct err err = ERR_INIT;
	strv_release(&b->session.config.notify_command);
	strv_add(&b->session.config.notify_command, "/bin/sh");
	strv_add(&b->session.config.notify_command, other);
	assert_int_equal(notifier_check(&b->session, &err), 0);
	unlink(link);
	unlink(inside);
}

#define ON_A_BENCH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_A_BENCH(it_is_told_our_words_as_one_argument_and_reaped),
		ON_A_BENCH(while_one_runs_no_other_is_started_however_often_it_is_called),
		ON_A_BENCH(one_that_does_not_end_is_ended_with_its_group_and_that_is_said),
		ON_A_BENCH(what_goes_wrong_is_said),
		ON_A_BENCH(nothing_is_started_where_nothing_is_configured_or_all_is_over),
		ON_A_BENCH(one_that_a_command_could_have_written_is_not_used_nor_its_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

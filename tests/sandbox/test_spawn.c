#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/path.h"
#include "sandbox/spawn.h"
#include "sandbox/starter.h"
#include "sandbox/starter_guess.h"

static const char *const names[] = {"exequatur-supervisor", "exequatur-launcher"};
static char dir[32];

static void put_programs(mode_t mode)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		MEM_AUTO char *path = path_join(dir, names[i]);
		int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
		assert_true(fd >= 0);
		close(fd);
		assert_int_equal(chmod(path, mode), 0);
	}
}

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/exq-spawn-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		MEM_AUTO char *path = path_join(dir, names[i]);
		unlink(path);
	}
	return rmdir(dir);
}

static void programs_that_others_may_write_are_refused(void **state)
{
	static const struct {
		mode_t mode;
		enum err_code code;
	} cases[] = {{0755, ERR_NONE}, {0700, ERR_NONE}, {0775, ERR_REFUSED}, {0757, ERR_REFUSED}};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct helpers helpers;
		struct err err = ERR_INIT;
		put_programs(cases[i].mode);
		int result = helpers_open_in(dir, &helpers, &err);
		assert_int_equal(err.code, cases[i].code);
		assert_int_equal(result, cases[i].code == ERR_NONE ? 0 : -1);
		if (result == 0)
			helpers_close(&helpers);
	}
}

static void missing_programs_are_named(void **state)
{
	struct helpers helpers;
	struct err err = ERR_INIT;
	(void)state;
	assert_int_equal(helpers_open_in(dir, &helpers, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_non_null(strstr(err.text, names[0]));
}

static void a_program_that_cannot_be_executed_leaves_no_process(void **state)
{
	struct helpers helpers;
	struct child child = CHILD_INIT;
	struct err err = ERR_INIT;
	(void)state;
	put_programs(0600);
	assert_int_equal(helpers_open_in(dir, &helpers, &err), 0);
	assert_int_equal(spawn_supervisor(&helpers, &child, &err), -1);
	assert_int_equal(err.saved_errno, EACCES);
	assert_int_equal(child.pid, -1);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	helpers_close(&helpers);
}

/* --- messages ------------------------------------------------------------------------------ */

static void what_is_no_message_is_a_hang_up(void **state)
{
	union message_buffer good = {.message = {.kind = MSG_READY, .check_count = 2}};
	size_t len = sizeof(good.ready.message) + 2 * sizeof(struct message_check);
	struct {
		union message_buffer bytes;
		size_t len;
		int result;
	} cases[] = {{good, len, 1}, {good, len - 1, -1}, {good, len + 1, -1}, {good, 1, -1},
		{good, len, -1}, {good, len, -1}, {good, len, -1}, {good, len, -1}};
	(void)state;
	cases[4].bytes.message.kind = MSG_KIND_COUNT;
	cases[5].bytes.message.check_count = UINT32_MAX;
	memset(cases[6].bytes.message.text, 'x', sizeof(good.message.text));
	cases[7].bytes.message.stage = STAGE_COUNT;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		union message_buffer got;
		int pair[2];
		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
		assert_int_equal(message_receive(pair[1], &got, NULL), 0);
		assert_int_equal(
			send(pair[0], cases[i].bytes.bytes, cases[i].len, 0), cases[i].len);
		assert_int_equal(message_receive(pair[1], &got, NULL), cases[i].result);
		close(pair[0]);
		assert_int_equal(message_receive(pair[1], &got, NULL), -1);
		close(pair[1]);
	}
}

static void the_last_word_of_a_peer_is_heard_though_it_left_something_unread(void **state)
{
	union message_buffer got;
	int pair[2];
	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	assert_int_equal(message_send(pair[1], &(struct message){.kind = MSG_EXTEND}), 1);
	assert_int_equal(message_send(pair[0], &(struct message){.kind = MSG_ENDED}), 1);
	close(pair[0]);
	assert_int_equal(message_receive(pair[1], &got, NULL), 1);
	assert_int_equal(got.message.kind, MSG_ENDED);
	assert_int_equal(message_receive(pair[1], &got, NULL), -1);
	close(pair[1]);
}

static void a_full_socket_is_told_and_never_waited_for(void **state)
{
	int pair[2], sent = 1;
	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	while (sent == 1)
		sent = message_send(pair[0], &(struct message){.kind = MSG_USAGE});
	assert_int_equal(sent, 0);
	close(pair[1]);
	assert_int_equal(message_send(pair[0], &(struct message){.kind = MSG_USAGE}), -1);
	close(pair[0]);
}

static void words_are_cut_at_a_whole_character(void **state)
{
	struct message message;
	char text[400];
	(void)state;
	for (size_t i = 0; i + 3 < sizeof(text); i += 3)
		memcpy(text + i, "\xe2\x82\xac", 4);
	message_say(&message, text);
	assert_int_equal(strlen(message.text), 159);
	text[0] = 'x';
	memmove(text + 1, text + 3, sizeof(text) - 3);
	message_say(&message, text);
	assert_int_equal(strlen(message.text), 157);
	message_say(&message, "short");
	assert_string_equal(message.text, "short");
}

/* A child that ends when its end of the pair is closed, as a supervisor does. */
static void begin_child(struct child *ret)
{
	int pair[2];
	*ret = (struct child)CHILD_INIT;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	ret->pid = fork();
	if (ret->pid == 0) {
		char byte;
		close(pair[0]);
		_exit(read(pair[1], &byte, 1) == 0 ? 0 : 1);
	}
	assert_true(ret->pid > 0);
	close(pair[1]);
	ret->control_fd = pair[0];
	ret->pidfd = (int)syscall(SYS_pidfd_open, ret->pid, 0);
	assert_true(ret->pidfd >= 0);
}

static char *argument_of(const struct child *child, unsigned supervisor_dev, unsigned launcher_ino)
{
	return mem_printf(STARTER_EARLY "1,%d,%d,%d,%u,2,3,%u", (int)child->pid, child->pidfd,
		child->control_fd, supervisor_dev, launcher_ino);
}

static const struct helpers expected = {
	.supervisor_dev = 1, .supervisor_ino = 2, .launcher_dev = 3, .launcher_ino = 4};

static void what_was_started_before_us_is_taken_over(void **state)
{
	struct child child, taken = CHILD_INIT;
	bool native = false;
	(void)state;
	begin_child(&child);
	MEM_AUTO char *argument = argument_of(&child, 1, 4);
	assert_int_equal(starter_take(argument, &expected, &taken, &native), 0);
	assert_true(native);
	assert_int_equal(taken.pid, child.pid);
	assert_int_equal(fcntl(taken.pidfd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(taken.control_fd, F_GETFD), FD_CLOEXEC);
	child_end(&taken);
	assert_int_equal(waitpid(child.pid, NULL, WNOHANG), -1);
}

static void what_comes_of_other_helpers_is_ended(void **state)
{
	static const struct {
		unsigned dev, ino;
		bool any;
	} rows[] = {{9, 4, true}, {1, 9, true}, {1, 4, false}};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct child child, taken = CHILD_INIT;
		bool native;
		begin_child(&child);
		MEM_AUTO char *argument = argument_of(&child, rows[i].dev, rows[i].ino);
		assert_int_equal(
			starter_take(argument, rows[i].any ? &expected : NULL, &taken, &native),
			-1);
		assert_int_equal(taken.pid, -1);
		assert_int_equal(waitpid(child.pid, NULL, WNOHANG), -1);
		assert_int_equal(errno, ECHILD);
	}
}

/* A number that is no child of ours is neither signalled nor waited for, and no descriptor of it is closed. */
static void what_is_no_child_is_left_alone(void **state)
{
	static const char *const arguments[] = {STARTER_EARLY, STARTER_EARLY "1,1,2,3,1,2,3,4",
		STARTER_EARLY "1,0,1,2,1,2,3,4", STARTER_EARLY "1,-1,1,2,1,2,3,4",
		STARTER_EARLY "1,1,2,3,1,2,3", STARTER_EARLY "1,1,2,3,1,2,3,4,5",
		STARTER_EARLY "1,1,2,3,1,2,3,4x", "--early", ""};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(arguments); i++) {
		struct child taken = CHILD_INIT;
		bool native;
		assert_int_equal(starter_take(arguments[i], &expected, &taken, &native), -1);
		assert_int_equal(taken.pid, -1);
		assert_int_equal(fcntl(2, F_GETFD), 0);
	}
}

static void a_configuration_tells_whether_a_launcher_is_worth_its_start(void **state)
{
	static const struct {
		const char *text;
		enum guess guess;
	} rows[] = {{"", GUESS_NATIVE}, {"backend = \"landlock\"\n", GUESS_NATIVE},
		{"backend=auto", GUESS_NATIVE},
		{"[security.sandbox]\n  backend = \"bubblewrap\"\n", GUESS_BUBBLEWRAP},
		{"# backend = \"docker\"\nbackends = \"x\"\n", GUESS_NATIVE},
		{"backend = 'none' # for now\n", GUESS_OTHER}, {"backend", GUESS_NATIVE},
		{"backend =", GUESS_OTHER}, {"backend = \"landlock", GUESS_NATIVE}};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(guess_by_text(rows[i].text), rows[i].guess);
}

static void an_option_tells_it_before_the_configuration(void **state)
{
	static const struct {
		char *argv[6];
		enum guess guess;
	} rows[] = {{{"exequatur", "run", "-b", "docker", "true"}, GUESS_OTHER},
		{{"exequatur", "run", "-b", "bubblewrap"}, GUESS_BUBBLEWRAP},
		{{"exequatur", "run", "-bdocker", "true"}, GUESS_OTHER},
		{{"exequatur", "run", "--backend=auto", "true"}, GUESS_NATIVE},
		{{"exequatur", "run", "--backend", "firejail", "true"}, GUESS_OTHER},
		{{"exequatur", "run", "-b"}, GUESS_NATIVE},
		{{"exequatur", "run", "-c", "/nonexistent", "true"}, GUESS_NATIVE},
		{{"exequatur", "run", "true"}, GUESS_NATIVE},
		{{"exequatur", "run", "--", "-b-b"}, GUESS_OTHER}};
	static char *const none[] = {NULL}, *const relative[] = {"XDG_CONFIG_HOME=x", NULL};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_int_equal(guess_start(rows[i].argv, none), rows[i].guess);
		assert_int_equal(guess_start(rows[i].argv, relative), rows[i].guess);
	}
}

static void the_configuration_is_found_where_the_console_finds_it(void **state)
{
	char *const words[] = {"exequatur", "run", "true", NULL};
	(void)state;
	MEM_AUTO char *below = mem_printf("%s/exequatur", dir);
	MEM_AUTO char *path = mem_printf("%s/config.toml", below);
	MEM_AUTO char *config_home = mem_printf("XDG_CONFIG_HOME=%s", dir);
	char *const envp[] = {config_home, "HOME=/nonexistent", NULL};
	assert_int_equal(guess_start(words, envp), GUESS_NATIVE);
	assert_int_equal(mkdir(below, 0700), 0);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "backend = \"docker\"\n", 19), 19);
	close(fd);
	assert_int_equal(guess_start(words, envp), GUESS_OTHER);
	unlink(path);
	rmdir(below);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			programs_that_others_may_write_are_refused, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(missing_programs_are_named, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(
			a_program_that_cannot_be_executed_leaves_no_process, make_dir, remove_dir),
		cmocka_unit_test(what_is_no_message_is_a_hang_up),
		cmocka_unit_test(the_last_word_of_a_peer_is_heard_though_it_left_something_unread),
		cmocka_unit_test(a_full_socket_is_told_and_never_waited_for),
		cmocka_unit_test(words_are_cut_at_a_whole_character),
		cmocka_unit_test(what_was_started_before_us_is_taken_over),
		cmocka_unit_test(what_comes_of_other_helpers_is_ended),
		cmocka_unit_test(what_is_no_child_is_left_alone),
		cmocka_unit_test(a_configuration_tells_whether_a_launcher_is_worth_its_start),
		cmocka_unit_test(an_option_tells_it_before_the_configuration),
		cmocka_unit_test_setup_teardown(
			the_configuration_is_found_where_the_console_finds_it, make_dir,
			remove_dir),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

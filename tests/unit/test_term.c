#include "config.h"

#include "tui/term.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/pty.h"

#define ALT_ON "\x1B[?1049h"
#define ALT_OFF "\x1B[?1049l"

/* In the child: a terminal with one frame on it. */
static bool without_mouse; /* of the next child */

static struct term *open_term(struct pty_child *child, struct frame *frame)
{
	struct err err = ERR_INIT;
	struct term *term = NULL;
	enum depth depth;

	(void)child;
	term_use_mouse(!without_mouse);
	if (term_open(THEME_DARK, &depth, &term, &err) != 0)
		_exit(93);
	frame_init(frame, 80, 24);
	frame_put(frame, 0, 0, 80, STYLE_TITLE, "the title row");
	frame_put(frame, 0, 10, 80, STYLE_PLAIN, "the body");
	frame_put(frame, 0, 22, 80, STYLE_KEY, "the gate row");
	if (term_put(term, frame, false, &err) != 0)
		_exit(94);
	return term;
}

static const char *last(const char *in, const char *what)
{
	const char *found = NULL;

	for (const char *at = in; (at = strstr(at, what)) != NULL; at++)
		found = at;
	return found;
}

static void assert_left(const struct pty *pty)
{
	const char *wire = str_c(&pty->wire);

	assert_non_null(strstr(wire, ALT_ON));
	assert_true(last(wire, ALT_OFF) > last(wire, ALT_ON));
	assert_true(last(wire, "\x1B[?25h") > last(wire, "\x1B[?25l"));
	assert_true(last(wire, "\x1B[?2004l") > last(wire, "\x1B[?2004h"));
	assert_true(last(wire, "\x1B[?1004l") > last(wire, "\x1B[?1004h"));
	assert_true(last(wire, "\x1B[?1006l") > last(wire, "\x1B[?1006h"));
	assert_true(last(wire, "\x1B[?1000l") > last(wire, "\x1B[?1000h"));
	assert_int_equal(without_mouse, strstr(wire, "\x1B[?1000h") == NULL);
	/* Empty where nobody kept the old title, the old one elsewhere. */
	assert_true(last(wire, "\x1B]2;\x1B\\\x1B[23;2t") > last(wire, "\x1B[22;2t"));
	assert_ptr_equal(last(wire, "\x1B]2;"), last(wire, "\x1B]2;\x1B\\\x1B[23;2t"));
	assert_true(pty_modes_are_as_before(pty));
}

static int open_and_close(struct pty_child *child)
{
	struct frame frame;
	struct term *term = open_term(child, &frame);

	pty_say(child, 'o');
	pty_await(child, 'c');
	term_close(term);
	term_close(term);
	frame_release(&frame);
	return 0;
}

/* Until the child has said that its terminal is open. */
static void opened(struct pty *pty, const char *term, int (*body)(struct pty_child *))
{
	pty_start(pty, term, false, body);
	pty_expect(pty, 'o');
}

/* Until the child has closed it and ended well. */
static void closed(struct pty *pty)
{
	pty_tell(pty, 'c');
	assert_int_equal(pty_wait(pty, 0), 0);
}

static void the_terminal_is_restored_when_it_is_closed(void **state)
{
	struct pty pty;

	(void)state;
	opened(&pty, "xterm-256color", open_and_close);
	assert_non_null(strstr(str_c(&pty.wire), "the body"));
	assert_false(pty_modes_are_as_before(&pty));
	closed(&pty);
	assert_left(&pty);
	pty_end(&pty);
}

static void a_mouse_that_is_not_wanted_is_not_asked_for(void **state)
{
	without_mouse = true;
	the_terminal_is_restored_when_it_is_closed(state);
	without_mouse = false;
}

/* The kernel's own console has no second screen: what was shown is wiped away. */
static void a_terminal_without_a_second_screen_is_cleared(void **state)
{
	struct pty pty;

	(void)state;
	opened(&pty, "linux", open_and_close);
	assert_null(strstr(str_c(&pty.wire), "1049"));
	assert_null(strstr(str_c(&pty.wire), "22;2t"));
	closed(&pty);
	assert_null(strstr(str_c(&pty.wire), "\x1B]"));
	assert_true(last(str_c(&pty.wire), "\x1B[J") > last(str_c(&pty.wire), "the body"));
	assert_true(pty_modes_are_as_before(&pty));
	pty_end(&pty);
}

static int say_depth(struct pty_child *child)
{
	struct err err = ERR_INIT;
	struct term *term = NULL;
	enum depth depth;

	(void)child;
	if (term_open(THEME_DARK, &depth, &term, &err) != 0)
		return 93;
	term_close(term);
	return (int)depth;
}

static int say_depth_without_colour(struct pty_child *child)
{
	setenv("NO_COLOR", "1", 1);
	return say_depth(child);
}

static void colours_are_those_of_the_terminal_and_none_with_no_color(void **state)
{
	static const struct {
		const char *term;
		int (*body)(struct pty_child *);
		enum depth depth;
	} cases[] = {
		{"xterm-256color", say_depth, DEPTH_256},
		{"xterm", say_depth, DEPTH_16},
		{"vt100", say_depth, DEPTH_MONO},
		{"xterm-256color", say_depth_without_colour, DEPTH_MONO},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct pty pty;

		pty_start(&pty, cases[i].term, false, cases[i].body);
		int status = pty_wait(&pty, 0);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), cases[i].depth);
		pty_end(&pty);
	}
}

static int crash(struct pty_child *child)
{
	struct frame frame;

	open_term(child, &frame);
	/* A page that nobody may read, rather than NULL, which a sanitizer would catch first. */
	volatile int *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return *page;
}

static int end_by_abort(struct pty_child *child)
{
	struct frame frame;

	open_term(child, &frame);
	abort();
}

static void a_crash_restores_the_terminal_and_stays_a_crash(void **state)
{
	static const struct {
		int (*body)(struct pty_child *);
		int sig;
	} ways[] = {{crash, SIGSEGV}, {end_by_abort, SIGABRT}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct pty pty;

		pty_start(&pty, "xterm-256color", false, ways[i].body);
		int status = pty_wait(&pty, 0);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), ways[i].sig);
		assert_left(&pty);
		pty_end(&pty);
	}
}

/* Waits in the loop's way: for a key, or for the signal that the handler raises behind SIGCONT. */
static void on_winch(int sig)
{
	(void)sig;
}

static int stop_and_go_on(struct pty_child *child)
{
	struct frame frame;
	struct err err = ERR_INIT;
	struct sigaction action = {.sa_handler = on_winch};
	char key[8];

	sigaction(SIGWINCH, &action, NULL);
	struct term *term = open_term(child, &frame);
	struct pollfd one = {.fd = term_fd(term), .events = POLLIN};
	pty_say(child, 'o');
	while (!term_take_resumed(term))
		poll(&one, 1, -1);
	if (term_take_resumed(term) || term_read(term, key, sizeof(key)) != 0)
		return 1;
	if (term_put(term, &frame, true, &err) != 0)
		return 2;
	pty_say(child, 'r');
	pty_await(child, 'c');
	term_close(term);
	frame_release(&frame);
	return 0;
}

static void ctrl_z_gives_the_terminal_back_and_takes_it_again(void **state)
{
	struct pty pty;
	int status;

	(void)state;
	opened(&pty, "xterm-256color", stop_and_go_on);
	pty_type(&pty, "\x1A");
	status = pty_wait(&pty, WUNTRACED);
	assert_true(WIFSTOPPED(status));
	assert_left(&pty);
	pty_type(&pty, "a\r"); /* meant for the shell */
	pty_await_typed(&pty);
	str_clear(&pty.wire);
	assert_int_equal(kill(pty.child, SIGCONT), 0);
	pty_expect(&pty, 'r');
	assert_non_null(strstr(str_c(&pty.wire), ALT_ON));
	assert_non_null(strstr(str_c(&pty.wire), "the body"));
	assert_false(pty_modes_are_as_before(&pty));
	closed(&pty);
	assert_left(&pty);
	pty_end(&pty);
}

static int must_refuse(struct pty_child *child)
{
	struct err err = ERR_INIT;
	struct term *term = NULL;
	enum depth depth;

	(void)child;
	if (term_open(THEME_DARK, &depth, &term, &err) == 0 || err.code != ERR_UNAVAILABLE)
		return 1;
	return err.text[0] == '\0' || term != NULL;
}

static int must_refuse_in_background(struct pty_child *child)
{
	pid_t pid = fork();
	int status = 1;

	if (pid == 0) {
		setpgid(0, 0);
		_exit(must_refuse(child));
	}
	waitpid(pid, &status, 0);
	return status;
}

static void what_cannot_be_a_screen_is_refused_untouched(void **state)
{
	static const struct {
		const char *term;
		bool without_tty;
		int (*body)(struct pty_child *);
	} cases[] = {
		{NULL, false, must_refuse},
		{"", false, must_refuse},
		{"dumb", false, must_refuse},
		{"no-such-terminal", false, must_refuse},
		{"xterm-256color", true, must_refuse},
		{"xterm-256color", false, must_refuse_in_background},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct pty pty;

		pty_start(&pty, cases[i].term, cases[i].without_tty, cases[i].body);
		assert_int_equal(pty_wait(&pty, 0), 0);
		assert_true(pty_modes_are_as_before(&pty));
		assert_null(strchr(str_c(&pty.wire), '\x1B'));
		pty_end(&pty);
	}
}

static int wait_for_hang_up(struct pty_child *child)
{
	struct frame frame;
	struct err err = ERR_INIT;
	char key[8];
	int n;

	signal(SIGHUP, SIG_IGN);
	struct term *term = open_term(child, &frame);
	struct pollfd one = {.fd = term_fd(term), .events = POLLIN};
	pty_say(child, 'o');
	do {
		poll(&one, 1, -1);
		n = term_read(term, key, sizeof(key));
	} while (n == 0);
	if (n != -1 || term_put(term, &frame, true, &err) == 0)
		return 1;
	term_close(term);
	frame_release(&frame);
	return 0;
}

static void a_terminal_that_hangs_up_is_told(void **state)
{
	struct pty pty;

	(void)state;
	opened(&pty, "xterm-256color", wait_for_hang_up);
	close(pty.master);
	pty.master = -1;
	assert_int_equal(pty_wait(&pty, 0), 0);
	pty_end(&pty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_terminal_is_restored_when_it_is_closed),
		cmocka_unit_test(a_mouse_that_is_not_wanted_is_not_asked_for),
		cmocka_unit_test(a_terminal_without_a_second_screen_is_cleared),
		cmocka_unit_test(colours_are_those_of_the_terminal_and_none_with_no_color),
		cmocka_unit_test(a_crash_restores_the_terminal_and_stays_a_crash),
		cmocka_unit_test(ctrl_z_gives_the_terminal_back_and_takes_it_again),
		cmocka_unit_test(what_cannot_be_a_screen_is_refused_untouched),
		cmocka_unit_test(a_terminal_that_hangs_up_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

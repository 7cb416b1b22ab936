#include "config.h"

#include "tests/unit/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* What takes longer hangs: no test here waits for more than a process to start and a frame to be written. */
#define WATCHDOG_MS 30000
#define PUMP_MS 20

static void take_terminal(const char *path)
{
	int fd = open(path, O_RDWR);

	if (fd < 0 || ioctl(fd, TIOCSCTTY, 0) < 0)
		_exit(90);
	close(fd);
}

static void child_main(const struct pty *pty, const char *path, const char *term,
	struct pty_child *ends, int (*body)(struct pty_child *))
{
	static const struct rlimit no_core = {0, 0};
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(WATCHDOG_MS / 1000);
	close(pty->master);
	close(pty->from_child);
	close(pty->to_child);
	dup2(null, 0);
	setsid();
	if (path != NULL)
		take_terminal(path);
	setrlimit(RLIMIT_CORE, &no_core);
	setlocale(LC_CTYPE, "C.UTF-8");
	unsetenv("NO_COLOR");
	if (term == NULL)
		unsetenv("TERM");
	else
		setenv("TERM", term, 1);
	_exit(body(ends));
}

void pty_start(struct pty *pty, const char *term, bool without_tty, int (*body)(struct pty_child *))
{
	struct winsize size = {.ws_col = 80, .ws_row = 24};
	int up[2], down[2];
	char path[64];

	*pty = (struct pty){.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
	assert_true(pty->master >= 0);
	assert_int_equal(grantpt(pty->master), 0);
	assert_int_equal(unlockpt(pty->master), 0);
	assert_int_equal(ptsname_r(pty->master, path, sizeof(path)), 0);
	assert_int_equal(ioctl(pty->master, TIOCSWINSZ, &size), 0);
	assert_int_equal(tcgetattr(pty->master, &pty->before), 0);
	assert_int_equal(pipe(up), 0);
	assert_int_equal(pipe(down), 0);
	pty->from_child = up[0];
	pty->to_child = down[1];
	struct pty_child ends = {.to_parent = up[1], .from_parent = down[0]};
	pty->child = fork();
	assert_true(pty->child >= 0);
	if (pty->child == 0)
		child_main(pty, without_tty ? NULL : path, term, &ends, body);
	close(up[1]);
	close(down[0]);
}

/* False at the end of the terminal: the child closed it. */
static bool read_wire(struct pty *pty)
{
	char buf[4096];
	ssize_t n = read(pty->master, buf, sizeof(buf));

	if (n > 0)
		str_add_bytes(&pty->wire, buf, (size_t)n);
	return n > 0;
}

static void drain(struct pty *pty)
{
	struct pollfd one = {.fd = pty->master, .events = POLLIN};

	while (pty->master >= 0 && poll(&one, 1, 0) > 0 && (one.revents & POLLIN) != 0 &&
		read_wire(pty))
		;
}

char pty_expect_any(struct pty *pty)
{
	struct pollfd fds[] = {
		{.fd = pty->from_child, .events = POLLIN}, {.fd = pty->master, .events = POLLIN}};
	char got = 0;

	for (;;) {
		assert_true(poll(fds, 2, WATCHDOG_MS) > 0);
		if ((fds[1].revents & POLLIN) != 0)
			read_wire(pty);
		else if (fds[1].revents != 0)
			fds[1].fd = -1;
		if (fds[0].revents != 0)
			break;
	}
	assert_int_equal(read(pty->from_child, &got, 1), 1);
	drain(pty);
	return got;
}

void pty_expect(struct pty *pty, char fact)
{
	assert_int_equal(pty_expect_any(pty), fact);
}

void pty_expect_wire(struct pty *pty, const char *text)
{
	struct pollfd one = {.fd = pty->master, .events = POLLIN};

	while (strstr(str_c(&pty->wire), text) == NULL) {
		assert_true(poll(&one, 1, WATCHDOG_MS) > 0);
		assert_true(read_wire(pty));
	}
}

void pty_pump(struct pty *pty)
{
	struct pollfd one = {.fd = pty->master, .events = POLLIN};

	if (poll(&one, 1, PUMP_MS) > 0 && (one.revents & POLLIN) != 0)
		read_wire(pty);
}

void pty_tell(struct pty *pty, char fact)
{
	assert_int_equal(write(pty->to_child, &fact, 1), 1);
}

void pty_type(struct pty *pty, const char *bytes)
{
	assert_int_equal(write(pty->master, bytes, strlen(bytes)), strlen(bytes));
}

void pty_await_typed(struct pty *pty)
{
	char path[64];

	assert_int_equal(ptsname_r(pty->master, path, sizeof(path)), 0);
	struct pollfd one = {.fd = open(path, O_RDONLY | O_NOCTTY), .events = POLLIN};
	assert_true(one.fd >= 0);
	assert_int_equal(poll(&one, 1, WATCHDOG_MS), 1);
	close(one.fd);
}

int pty_wait(struct pty *pty, int options)
{
	int status = 0;
	pid_t got;

	/* Between two looks at the child its terminal is read, else it could not write. */
	while ((got = waitpid(pty->child, &status, options | WNOHANG)) == 0) {
		struct pollfd one = {.fd = pty->master, .events = POLLIN};

		if (poll(&one, 1, 5) > 0 && (one.revents & POLLIN) != 0)
			read_wire(pty);
	}
	assert_int_equal(got, pty->child);
	if (!WIFSTOPPED(status))
		pty->child = -1;
	drain(pty);
	return status;
}

bool pty_modes_are_as_before(const struct pty *pty)
{
	const struct termios *was = &pty->before;
	struct termios now;

	assert_int_equal(tcgetattr(pty->master, &now), 0);
	return now.c_iflag == was->c_iflag && now.c_oflag == was->c_oflag &&
	       now.c_cflag == was->c_cflag && now.c_lflag == was->c_lflag &&
	       memcmp(now.c_cc, was->c_cc, sizeof(now.c_cc)) == 0;
}

void pty_end(struct pty *pty)
{
	if (pty->child > 0) {
		kill(pty->child, SIGKILL);
		waitpid(pty->child, NULL, 0);
	}
	if (pty->master >= 0)
		close(pty->master);
	close(pty->from_child);
	close(pty->to_child);
	str_release(&pty->wire);
}

void pty_say(struct pty_child *child, char fact)
{
	if (write(child->to_parent, &fact, 1) != 1)
		_exit(91);
}

void pty_await(struct pty_child *child, char fact)
{
	char got = 0;
	ssize_t n;

	do {
		n = read(child->from_parent, &got, 1);
	} while (n < 0 && errno == EINTR);
	if (n != 1 || got != fact)
		_exit(92);
	/* The watchdog is of each step, however many there are. */
	alarm(WATCHDOG_MS / 1000);
}

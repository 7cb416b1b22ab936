#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/anchor.h"
#include "base/fd.h"
#include "base/mem.h"

#define WALL 1796045281123

/* A socket where a syslog would be. */
struct log {
	char dir[64], path[80];
	int fd;
};

static int set_up(void **state)
{
	struct log *log = mem_alloc(sizeof(*log));
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *tmp = getenv("TMPDIR");

	snprintf(log->dir, sizeof(log->dir), "%s/exq-anchor-XXXXXX", tmp != NULL ? tmp : "/tmp");
	assert_non_null(mkdtemp(log->dir));
	snprintf(log->path, sizeof(log->path), "%s/log", log->dir);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", log->path);
	log->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(log->fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	*state = log;
	return 0;
}

static int tear_down(void **state)
{
	struct log *log = *state;

	fd_close(&log->fd);
	unlink(log->path);
	int status = rmdir(log->dir);

	free(log);
	return status;
}

static void a_line_for_the_syslog_is_a_digest_and_a_count(void **state)
{
	const struct log *log = *state;
	char line[512] = "", end[64];
	struct err err = ERR_INIT;

	if (anchor_syslog(log->path, "0a1b 77", WALL, &err) != 0)
		fail_msg("%s", err.text);
	assert_true(recv(log->fd, line, sizeof(line) - 1, 0) > 0);
	snprintf(end, sizeof(end), " exequatur[%d]: record 0a1b 77", (int)getpid());
	/* <auth.notice>, then the time in the form of RFC 3164. */
	assert_memory_equal(line, "<37>", 4);
	assert_non_null(strstr(line, end));
	assert_int_equal(strlen(line), strlen("<37>Nov 30 13:28:01") + strlen(end));
}

static void a_syslog_that_does_not_read_holds_up_nobody(void **state)
{
	const struct log *log = *state;
	struct err err = ERR_INIT;
	unsigned sent = 0;

	/* Its queue is of some lines; whoever waited for room would never come back. */
	while (sent < 100000 && anchor_syslog(log->path, "0a1b 77", WALL, &err) == 0)
		sent++;
	assert_int_equal(err.code, ERR_SYSTEM);
	assert_true(sent < 100000);
}

static void no_syslog_is_an_error_by_its_path(void **state)
{
	const struct log *log = *state;
	struct err err = ERR_INIT;
	MEM_AUTO char *path = mem_printf("%s-none", log->path);

	assert_int_equal(anchor_syslog(path, "0a1b 77", WALL, &err), -1);
	assert_non_null(strstr(err.text, path));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_line_for_the_syslog_is_a_digest_and_a_count),
		TEST(a_syslog_that_does_not_read_holds_up_nobody),
		TEST(no_syslog_is_an_error_by_its_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include "launch_users.h"

#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "launch.h"

#define NOBODY 65534

static int run(const struct CMUnitTest *tests, size_t count, const char *name)
{
	return _cmocka_run_group_tests(name, tests, count, NULL, NULL);
}

static int become_nobody(void)
{
	if (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 ||
		setresuid(NOBODY, NOBODY, NOBODY) != 0)
		return -1;
	/* A change of uid closes /proc/self; a process that was started as nobody finds it open. */
	return prctl(PR_SET_DUMPABLE, 1);
}

static int run_as_nobody(const struct CMUnitTest *tests, size_t count)
{
	int status;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		int failed = become_nobody() ? 1 : run(tests, count, "as nobody");
		fflush(stdout);
		_exit(failed ? 1 : 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return status != 0;
}

int run_as_both_users(const struct CMUnitTest *tests, size_t count)
{
	if (launch_prepare()) {
		fprintf(stderr, "the programs cannot be copied\n");
		return 1;
	}
	int failed = run(tests, count, geteuid() == 0 ? "as root" : "as ourselves");
	if (geteuid() == 0)
		failed += run_as_nobody(tests, count);
	launch_clean_up();
	return failed != 0;
}

#include "config.h"

#include "launch_users.h"

#include <grp.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "launch.h"

#define NOBODY 65534

static int run(const struct CMUnitTest *tests, size_t count, const char *name)
{
	return _cmocka_run_group_tests(name, tests, count, NULL, NULL);
}

/* What the user of the second run is called, and where its home is. */
static char place[] = "/tmp/exq-user-XXXXXX";

static int copy_others(const char *text, FILE *to)
{
	char own[16];
	snprintf(own, sizeof(own), ":%d:", NOBODY);
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		MEM_AUTO char *one = mem_strndup(line, len);
		if (strstr(one, own) == NULL)
			fprintf(to, "%s\n", one);
		line += len + (line[len] == '\n');
	}
	return fprintf(to, "ordinary:x:%d:%d::%s/home:/bin/sh\n", NOBODY, NOBODY, place) > 0 ? 0
											     : -1;
}

/* A password database of our own over the machine's, for this process and its children: firejail turns away whoever is
   called nobody, and empties the home that it finds there. Its file stays until the end: over one without a name nothing
   can be mounted. */
static int name_nobody(void)
{
	STR_AUTO struct str text = STR_INIT;
	struct err err = ERR_INIT;
	MEM_AUTO char *path = path_join(place, "passwd");
	FILE *file = fopen(path, "we");
	if (file == NULL)
		return -1;
	int failed = fd_read_file("/etc/passwd", 1u << 20, &text, &err) ||
		     copy_others(str_c(&text), file);
	if (fclose(file) != 0 || failed || unshare(CLONE_NEWNS) != 0)
		return -1;
	return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	       mount(path, "/etc/passwd", NULL, MS_BIND, NULL);
}

static int make_place(void)
{
	if (mkdtemp(place) == NULL || chmod(place, 0755) != 0)
		return -1;
	MEM_AUTO char *home = path_join(place, "home");
	return mkdir(home, 0755) || chown(home, NOBODY, NOBODY);
}

static void remove_place(void)
{
	MEM_AUTO char *home = path_join(place, "home");
	MEM_AUTO char *path = path_join(place, "passwd");
	rmdir(home);
	unlink(path);
	rmdir(place);
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
	if (make_place())
		return 1;
	pid_t pid = fork();
	if (pid == 0) {
		int failed = name_nobody() || become_nobody() ? 1 : run(tests, count, "as nobody");
		fflush(stdout);
		_exit(failed ? 1 : 0);
	}
	bool ended = pid > 0 && waitpid(pid, &status, 0) == pid;
	remove_place();
	return !ended || status != 0;
}

int run_as_both_users(const struct CMUnitTest *tests, size_t count)
{
	/* a pattern like "*(native)" */
	if (getenv("EXQ_TESTS"))
		cmocka_set_test_filter(getenv("EXQ_TESTS"));
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

#include "config.h"

#include <dirent.h>
#include <inttypes.h>
#include <fcntl.h>
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

#include "base/mem.h"
#include "launch_table.h"
#include "launch_users.h"
#include "sandbox/cgroup.h"
#include "sandbox/namespaces.h"
#include "scratch.h"

#define MIB (1ull << 20)

/* Another /sys/fs/cgroup, of files: it answers what is read, and takes what is written. */
static const struct find_case {
	const char *what, *own;
	const char *files[8][2]; /* name, text */
	const char *memory, *cpu;
	bool v2;
	const char *written[2]; /* a file, and what it holds afterwards */
} cases[] = {
	{.what = "nothing at all", .own = "0::/a\n"},
	{.what = "version 1 of both",
		.own = "4:memory:/a/b\n2:cpu,cpuacct:/\n0::/\n",
		.files = {{"memory/a/b/memory.limit_in_bytes", "1"}, {"memory/a/b/tasks", ""},
			{"cpu,cpuacct/cpu.cfs_quota_us", "-1"}, {"cpu,cpuacct/tasks", ""},
			{"unified/cgroup.controllers", "hugetlb\n"},
			{"unified/cgroup.subtree_control", "\n"}, {"unified/cgroup.procs", "1\n"}},
		.memory = "memory/a/b",
		.cpu = "cpu,cpuacct"},
	{.what = "version 1 without the limit",
		.own = "4:memory:/\n",
		.files = {{"memory/tasks", ""}}},
	{.what = "version 2, delegated above us",
		.own = "0::/user/app/scope\n",
		.files = {{"cgroup.controllers", "cpu memory\n"},
			{"user/app/scope/cgroup.controllers", "\n"},
			{"user/app/scope/cgroup.subtree_control", "\n"},
			{"user/app/scope/cgroup.procs", "1\n2\n"},
			{"user/app/cgroup.subtree_control", "cpu memory pids\n"},
			{"user/app/cgroup.procs", ""}},
		.memory = "user/app",
		.cpu = "user/app",
		.v2 = true},
	{.what = "version 2, handed down above us: our own group stays as it is",
		.own = "0::/user/scope\n",
		.files = {{"cgroup.controllers", "cpu memory\n"},
			{"user/scope/cgroup.controllers", "cpu memory\n"},
			{"user/scope/cgroup.subtree_control", "\n"},
			{"user/scope/cgroup.procs", "1\n"},
			{"user/cgroup.subtree_control", "cpu memory\n"}, {"user/cgroup.procs", ""}},
		.memory = "user",
		.cpu = "user",
		.v2 = true,
		.written = {"user/scope/cgroup.subtree_control", "\n"}},
	{.what = "version 2 without the CPU",
		.own = "0::/user\n",
		.files = {{"cgroup.controllers", "cpu memory\n"},
			{"user/cgroup.controllers", "memory\n"},
			{"user/cgroup.subtree_control", "memory\n"}, {"user/cgroup.procs", ""}},
		.memory = "user",
		.v2 = true},
	/* It does not stand in the file afterwards as the kernel would write it: so nothing is found, but it was asked for. */
	{.what = "version 2 where the controllers are turned on",
		.own = "0::/user\n",
		.files = {{"cgroup.controllers", "cpu memory\n"},
			{"user/cgroup.controllers", "memory\n"},
			{"user/cgroup.subtree_control", "\n"}, {"user/cgroup.procs", ""}},
		.written = {"user/cgroup.subtree_control", "+memory"}},
};

static char *below(const struct scratch *s, const char *name)
{
	return name ? scratch_path(s, name) : mem_strdup("nothing");
}

static void check_case(const struct find_case *it)
{
	struct scratch *s = scratch_begin();
	struct cgroup_site site;
	for (size_t i = 0; i < ARRAY_LEN(it->files) && it->files[i][0]; i++)
		free(scratch_write(s, it->files[i][0], it->files[i][1]));
	cgroup_find_in(s->dir, it->own, &site);
	MEM_AUTO char *memory = below(s, it->memory);
	MEM_AUTO char *cpu = below(s, it->cpu);
	if (strcmp(site.memory_dir ? site.memory_dir : "nothing", memory) != 0 ||
		strcmp(site.cpu_dir ? site.cpu_dir : "nothing", cpu) != 0 || site.v2 != it->v2)
		fail_msg("%s: memory %s, cpu %s", it->what, site.memory_dir, site.cpu_dir);
	if (it->written[0]) {
		MEM_AUTO char *path = scratch_path(s, it->written[0]);
		char text[32] = "";
		int fd = open(path, O_RDONLY);
		assert_true(read(fd, text, sizeof(text) - 1) > 0);
		close(fd);
		assert_memory_equal(text, it->written[1], strlen(it->written[1]));
	}
	cgroup_site_release(&site);
	scratch_end(s);
}

static void a_place_for_groups_is_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_case(&cases[i]);
}

static void what_a_killed_supervisor_left_is_taken_away(void **state)
{
	struct scratch *s = scratch_begin();
	struct cgroup_site site;
	(void)state;
	free(scratch_write(s, "memory/memory.limit_in_bytes", "1"));
	free(scratch_write(s, "memory/tasks", ""));
	uint64_t pidns;
	struct err err = ERR_INIT;
	assert_int_equal(namespace_inode(PLAN_NS_PID, &pidns, &err), 0);
	/* The pid of nobody here, of us, of somebody in another pid namespace, and one that cannot be. */
	MEM_AUTO char *gone = mem_printf("memory/" CGROUP_PREFIX "99999999-1-%" PRIu64, pidns);
	MEM_AUTO char *own =
		mem_printf("memory/" CGROUP_PREFIX "%d-1-%" PRIu64, (int)getpid(), pidns);
	MEM_AUTO char *left = scratch_make_dir(s, gone);
	MEM_AUTO char *living = scratch_make_dir(s, own);
	MEM_AUTO char *apart = scratch_make_dir(s, "memory/" CGROUP_PREFIX "99999999-1-1");
	MEM_AUTO char *unknown = scratch_make_dir(s, "memory/" CGROUP_PREFIX "99999999-1");
	MEM_AUTO char *other = scratch_make_dir(s, "memory/other");
	cgroup_find_in(s->dir, "4:memory:/\n", &site);
	assert_int_not_equal(access(left, F_OK), 0);
	assert_int_equal(access(living, F_OK), 0);
	assert_int_equal(access(apart, F_OK), 0);
	assert_int_equal(access(unknown, F_OK), 0);
	assert_int_equal(access(other, F_OK), 0);
	cgroup_site_release(&site);
	scratch_end(s);
}

/* --- with the kernel ------------------------------------------------------------------------- */

static struct cgroup_site here;

static void use_groups(struct launch *l)
{
	l->plan.cgroup_memory = mem_strdup(here.memory_dir);
	l->plan.cgroup_cpu = mem_strdup(here.cpu_dir);
	l->plan.cgroup_v2 = here.v2;
	l->plan.memory_bytes = 160 * MIB;
	l->plan.cpu_percent = 30;
}

/* No group of this supervisor, which has ended. */
static void assert_nothing_left(const char *dir, pid_t supervisor)
{
	MEM_AUTO char *prefix = mem_printf(CGROUP_PREFIX "%d-", (int)supervisor);
	DIR *entries = opendir(dir);
	assert_non_null(entries);
	for (struct dirent *entry; (entry = readdir(entries));)
		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
			fail_msg("%s is left", entry->d_name);
	closedir(entries);
}

/* False: nobody may make one here. Only a machine without any is a reason to skip. */
static bool groups_are_here(void)
{
	cgroup_site_release(&here);
	cgroup_find(&here);
	if ((!here.memory_dir || !here.cpu_dir) && geteuid() == 0)
		skip();
	return here.memory_dir && here.cpu_dir;
}

static void a_group_holds_memory(void **state)
{
	static const char *const programs[] = {
		"b = bytearray(300 << 20)",
		"import os\nfor i in range(30): os.write(os.memfd_create('m'), bytes(10 << 20))",
		"import os, time\n"
		"for i in range(6):\n"
		"    if os.fork() == 0:\n"
		"        b = bytearray(50 << 20)\n"
		"        time.sleep(600)\n"
		"time.sleep(600)",
	};
	enum way way = WAY(state);
	for (size_t i = 0; groups_are_here() && i < ARRAY_LEN(programs); i++) {
		struct launch l;
		launch_python(&l, way, programs[i]);
		use_groups(&l);
		pid_t supervisor = 0;
		launch_until_started(&l);
		supervisor = l.child.pid;
		assert_int_equal(launch_expect(&l, MSG_LIMIT)->value, LIMIT_HIT_MEMORY);
		const struct message *ended = launch_expect(&l, MSG_ENDED);
		assert_int_equal(ended->cause, STOP_MEMORY);
		assert_true(ended->usage.memory_peak_bytes <= 170 * MIB);
		child_end(&l.child);
		assert_nothing_left(here.memory_dir, supervisor);
		assert_nothing_left(here.cpu_dir, supervisor);
		launch_release(&l);
	}
}

static void a_group_holds_the_cpu_share(void **state)
{
	struct launch l;
	enum way way = WAY(state);
	if (!groups_are_here())
		return;
	launch_python(&l, way,
		"import os, time\n"
		"end = time.monotonic() + 3\n"
		"pid = os.fork()\n"
		"while time.monotonic() < end: pass\n"
		"if pid: os.wait()");
	use_groups(&l);
	const struct message *ended = launch_run(&l);
	assert_int_equal(ended->wait_status, 0);
	assert_true(ended->cpu_us < ended->elapsed_ms * 1000 * 30 / 100 + 400000);
	assert_true(ended->cpu_us > 100000);
	assert_true(ended->usage.measured & MEASURED_MEMORY);
	launch_release(&l);
}

/* The cache of files is not what a command needs. */
static void reading_a_large_file_is_no_use_of_memory(void **state)
{
	struct launch l;
	enum way way = WAY(state);
	if (!groups_are_here())
		return;
	launch_init(&l, way,
		"dd if=/dev/zero of=large bs=1M count=250 2>/dev/null; cat large large > "
		"/dev/null; "
		"rm large; echo read");
	use_groups(&l);
	const struct message *ended = launch_run(&l);
	assert_int_equal(ended->cause, STOP_NONE);
	assert_true(ended->usage.memory_peak_bytes < 100 * MIB);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "read\n");
	launch_release(&l);
}

static void a_group_that_cannot_be_made_is_named(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state), "echo ran");
	use_groups(&l);
	free(l.plan.cgroup_memory);
	l.plan.cgroup_memory = mem_strdup("/proc/self/fd");
	launch_start(&l);
	const struct message *failed = launch_expect(&l, MSG_FAILED);
	assert_int_equal(failed->stage, STAGE_LIMITS);
	assert_int_equal(failed->value, LOST_CGROUP);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "");
	launch_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_for_groups_is_found),
		cmocka_unit_test(what_a_killed_supervisor_left_is_taken_away),
		ALL_WAYS(a_group_holds_memory),
		ALL_WAYS(a_group_holds_the_cpu_share),
		ALL_WAYS(reading_a_large_file_is_no_use_of_memory),
		ALL_WAYS(a_group_that_cannot_be_made_is_named),
	};
	int failed = run_as_both_users(tests, ARRAY_LEN(tests));
	cgroup_site_release(&here);
	return failed;
}

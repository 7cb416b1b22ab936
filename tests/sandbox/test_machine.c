#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sandbox/machine_mounts.h"
#include "sandbox/machine_read.h"
#include "sandbox/protocol.h"
#include "scratch.h"

/* Files of a made-up machine. */
struct made {
	const char *path, *text;
};

static void read_made(
	struct scratch *s, const struct made *files, size_t count, struct machine *ret)
{
	for (size_t i = 0; i < count; i++)
		free(scratch_write(s, files[i].path, files[i].text));
	machine_read(s->dir, ret);
}

#define PLAIN_MOUNTS                                                                               \
	"22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"                                  \
	"23 22 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:12 - proc proc rw\n"            \
	"24 23 0:30 / /proc/sys/fs/binfmt_misc rw,relatime shared:14 - autofs systemd-1 rw\n"

static void a_machine_of_ubuntu_is_read(void **state)
{
	static const struct made files[] = {
		{"proc/sys/kernel/osrelease", "6.8.0-45-generic\n"},
		{"proc/sys/kernel/unprivileged_userns_clone", "1\n"},
		{"proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n"},
		{"proc/sys/user/max_user_namespaces", "63420\n"},
		{"proc/sys/user/max_net_namespaces", "63420\n"},
		{"proc/sys/dev/tty/legacy_tiocsti", "0\n"},
		{"proc/self/status",
			"Name:\texequatur\nNoNewPrivs:\t0\nSeccomp:\t0\nSeccomp_filters:\t0\n"},
		{"proc/self/uid_map", "         0          0 4294967295\n"},
		{"proc/self/attr/apparmor/current", "unconfined\n"},
		{"proc/self/mountinfo", PLAIN_MOUNTS},
		{"sys/kernel/security/lsm", "lockdown,capability,landlock,yama,apparmor\n"},
		{"tmp/x", ""},
	};
	struct scratch *s = scratch_begin();
	struct machine m;
	(void)state;
	read_made(s, files, ARRAY_LEN(files), &m);
	assert_string_equal(m.kernel, "6.8.0-45-generic");
	assert_int_equal(m.kernel_major, 6);
	assert_int_equal(m.kernel_minor, 8);
	assert_int_equal(m.apparmor_userns, 1);
	assert_int_equal(m.userns_clone, 1);
	assert_int_equal(m.user_namespaces_max, 63420);
	assert_int_equal(m.legacy_tiocsti, 0);
	assert_string_equal(m.no_namespaces, "");
	assert_string_equal(m.apparmor_profile, "");
	assert_string_equal(m.proc_covered, "");
	assert_false(
		m.no_new_privs || m.filtered || m.user_namespace || m.changed_root || m.no_tmp);
	scratch_end(s);
}

static void a_container_of_docker_is_read(void **state)
{
	static const struct made files[] = {
		{"proc/sys/kernel/osrelease", "5.10\n"},
		{"proc/sys/user/max_user_namespaces", "0\n"},
		{"proc/sys/user/max_mnt_namespaces", "10\n"},
		{"proc/sys/user/max_pid_namespaces", "0\n"},
		{"proc/sys/user/max_uts_namespaces", "0\n"},
		{"proc/self/status", "Name:\tx\nNoNewPrivs:\t1\nSeccomp:\t2\n"},
		{"proc/self/uid_map", "0 100000 65536\n"},
		{"proc/self/attr/current", "docker-default (enforce)\n"},
		{"proc/self/mountinfo", "600 500 0:50 / / rw - overlay overlay rw,lowerdir=/a:/b\n"
					"601 600 0:51 / /proc rw - proc proc rw\n"
					"602 601 0:51 /bus /proc/bus ro,nosuid - proc proc rw\n"
					"603 601 0:52 / /proc/acpi ro - tmpfs tmpfs ro\n"},
		{"sys/kernel/security/lsm", "capability,apparmor\n"},
	};
	struct scratch *s = scratch_begin();
	struct machine m;
	(void)state;
	read_made(s, files, ARRAY_LEN(files), &m);
	assert_int_equal(m.kernel_major, 5);
	assert_int_equal(m.kernel_minor, 10);
	assert_int_equal(m.user_namespaces_max, 0);
	assert_string_equal(m.no_namespaces, "pid");
	assert_string_equal(m.apparmor_profile, "docker-default");
	assert_string_equal(m.proc_covered, "/proc/bus");
	assert_true(m.no_new_privs && m.filtered && m.user_namespace && m.no_tmp);
	assert_false(m.changed_root);
	scratch_end(s);
}

static void what_is_not_there_is_not_known(void **state)
{
	struct scratch *s = scratch_begin();
	struct machine m;
	(void)state;
	read_made(s, NULL, 0, &m);
	assert_int_equal(m.apparmor_userns, MACHINE_NOT_KNOWN);
	assert_int_equal(m.userns_clone, MACHINE_NOT_KNOWN);
	assert_int_equal(m.user_namespaces_max, MACHINE_NOT_KNOWN);
	assert_int_equal(m.legacy_tiocsti, MACHINE_NOT_KNOWN);
	assert_string_equal(m.kernel, "");
	assert_true(machine_is_older(&m, 2, 6));
	assert_false(m.changed_root || m.user_namespace || m.filtered);
	scratch_end(s);
}

static void a_profile_that_confines_nothing_is_none(void **state)
{
	static const struct {
		const char *lsm, *attribute, *text, *profile;
	} cases[] = {
		{"apparmor", "proc/self/attr/apparmor/current", "firefox (enforce)\n", "firefox"},
		{"apparmor", "proc/self/attr/apparmor/current", "unconfined\n", ""},
		{"apparmor", "proc/self/attr/apparmor/current",
			"exequatur-supervisor (unconfined)\n", ""},
		{"apparmor", "proc/self/attr/current", "snap.x (complain)\n", "snap.x"},
		/* another module's words */
		{"selinux", "proc/self/attr/current", "unconfined_u:unconfined_r\n", ""},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct made files[] = {{"sys/kernel/security/lsm", cases[i].lsm},
			{cases[i].attribute, cases[i].text}};
		struct scratch *s = scratch_begin();
		struct machine m;
		read_made(s, files, ARRAY_LEN(files), &m);
		assert_string_equal(m.apparmor_profile, cases[i].profile);
		scratch_end(s);
	}
}

static void a_masked_proc_and_a_changed_root_show_in_the_mounts(void **state)
{
	static const struct {
		const char *mounts, *covered;
		bool changed_root;
	} cases[] = {
		{PLAIN_MOUNTS, "", false},
		{"", "", false},
		{"junk\n1 2\n" PLAIN_MOUNTS, "", false},
		{PLAIN_MOUNTS "30 23 0:5 /null /proc/kcore rw - devtmpfs dev rw\n", "/proc/kcore",
			false},
		/* a /proc over the masked one */
		{PLAIN_MOUNTS "30 23 0:5 /null /proc/kcore rw - devtmpfs dev rw\n"
			      "31 23 0:60 / /proc rw - proc proc rw\n",
			"", false},
		{"22 1 8:1 / / rw - ext4 /dev/sda1 rw\n23 22 0:21 / /proc ro - proc proc rw\n",
			"/proc", false},
		{"22 1 8:1 / / rw - ext4 /dev/sda1 rw\n23 22 0:21 /x /proc rw - proc proc rw\n",
			"/proc", false},
		{"23 22 0:21 / /proc rw shared:1 master:2 - proc proc rw\n"
		 "24 22 8:1 /usr /usr rw - ext4 /dev/sda1 rw\n",
			"", true},
		/* begins like it */
		{PLAIN_MOUNTS "30 22 8:2 / /process rw - ext4 /dev/sdb rw\n", "", false},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct machine m = {0};
		machine_mounts(cases[i].mounts, &m);
		if (strcmp(m.proc_covered, cases[i].covered) != 0 ||
			m.changed_root != cases[i].changed_root)
			fail_msg("case %zu: %s", i, m.proc_covered);
	}
}

static void the_group_of_the_engine_tells_who_may_use_it(void **state)
{
	static const struct {
		unsigned gid;
		bool has_it;
		const char *user, *group;
		bool joined;
	} cases[] = {
		{998, false, "mira", "docker", true},
		{998, true, "mira", "docker", false},
		{998, false, "max", "docker", false},
		{998, false, "mir", "docker", false},
		{100, false, "mira", "users", false},
		{0, false, "mira", "", false}, /* nobody is to join root's own */
		{4711, false, "mira", "", false},
	};
	struct scratch *s = scratch_begin();
	(void)state;
	free(scratch_write(
		s, "etc/group", "root:x:0:mira\nusers:x:100:\nbroken\ndocker:x:998:otto,mira\n"));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct machine m = {0};
		machine_of_engine(s->dir, cases[i].gid, cases[i].has_it, cases[i].user, &m);
		assert_string_equal(m.engine_group, cases[i].group);
		assert_int_equal(m.engine_group_joined, cases[i].joined);
	}
	scratch_end(s);
}

static void what_was_lost_by_a_launch_counts_as_not_there(void **state)
{
	struct host host = {.fork_questions = true,
		.cgroups.memory_dir = mem_strdup("/sys/fs/cgroup/x"),
		.landlock_abi = 3,
		.processes_hidden = true};
	struct machine m = {0};
	(void)state;
	machine_of_host(&host, &m);
	assert_true(m.fork_questions && m.control_groups && m.processes_hidden);
	assert_int_equal(m.landlock_abi, 3);
	host.lost_limits = LOST_FORK_QUESTIONS | LOST_CGROUP;
	machine_of_host(&host, &m);
	assert_false(m.fork_questions || m.control_groups);
	free(host.cgroups.memory_dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_of_ubuntu_is_read),
		cmocka_unit_test(a_container_of_docker_is_read),
		cmocka_unit_test(what_is_not_there_is_not_known),
		cmocka_unit_test(a_profile_that_confines_nothing_is_none),
		cmocka_unit_test(a_masked_proc_and_a_changed_root_show_in_the_mounts),
		cmocka_unit_test(the_group_of_the_engine_tells_who_may_use_it),
		cmocka_unit_test(what_was_lost_by_a_launch_counts_as_not_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "sandbox/backend.h"
#include "sandbox/host_wrapper.h"
#include "sandbox/person_program.h"
#include "scratch.h"

static void a_wrapper_that_is_to_run_as_root_must_be_set_to_that(void **state)
{
	static const struct {
		const char *name, *why; /* NULL: kept */
	} cases[] = {
		{"passwd", NULL},
		{"env", "/usr/bin/env is not setuid root"},
		{"no-such-program", "not installed"},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct wrapper w;
		wrapper_find(cases[i].name, "/usr/bin", NULL, &w);
		wrapper_needs_root(&w);
		assert_int_equal(w.path == NULL, cases[i].why != NULL);
		assert_int_equal(w.fd < 0, cases[i].why != NULL);
		if (cases[i].why)
			assert_string_equal(w.why, cases[i].why);
		free(w.path);
		fd_close(&w.fd);
	}
}

static void a_wrapper_that_others_could_replace_is_not_trusted(void **state)
{
	static const struct {
		const char *search; /* the scratch directory stands for @ */
		const char *why;    /* NULL: found */
	} cases[] = {
		{"/usr/bin", NULL},
		{"@/bin:/usr/bin", NULL}, /* passed over, the next one is taken */
		{"@/bin", "others can change"},
		{"@/open", "can be written by others"},
		{"@/script", "is a script"},
		{"bin:.::/nowhere", "not installed"},
		{"", "not installed"},
		{"@/dir", "not installed"},
	};
	(void)state;
	struct scratch *s = scratch_begin();
	MEM_AUTO char *tool = scratch_write(s, "bin/env", "program");
	MEM_AUTO char *open_one = scratch_write(s, "open/env", "program");
	MEM_AUTO char *script = scratch_write(s, "script/env", "#!/bin/sh\n");
	free(scratch_make_dir(s, "dir/env"));
	MEM_AUTO char *bin = scratch_path(s, "bin");
	assert_int_equal(chmod(tool, 0755), 0);
	assert_int_equal(chmod(bin, 0777), 0);
	assert_int_equal(chmod(open_one, 0777), 0);
	assert_int_equal(chmod(script, 0755), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *search = cases[i].search;
		MEM_AUTO char *path =
			search[0] == '@' ? path_join(s->dir, search + 2) : mem_strdup(search);
		struct wrapper w;
		wrapper_find("env", path, NULL, &w);
		bool right = cases[i].why ? !w.path && strstr(w.why, cases[i].why)
					  : w.path && strcmp(w.path, "/usr/bin/env") == 0 && w.ino;
		if (!right)
			fail_msg("case %zu: %s %s", i, w.path ? w.path : "none", w.why);
		free(w.path);
		fd_close(&w.fd);
	}
	scratch_end(s);
}

static void a_program_that_a_person_chose_may_be_a_script_or_have_a_whole_path(void **state)
{
	static const struct {
		const char *line, *path, *why; /* why: NULL when it is found */
		unsigned words;
	} cases[] = {
		{"env", "/usr/bin/env", NULL, 1},
		{"/usr/bin/env", "/usr/bin/env", NULL, 1},
		{"  env\t-u  X ", "/usr/bin/env", NULL, 3},
		{"bin/env", NULL, "neither a name nor an absolute path", 1},
		{"./env", NULL, "neither a name nor an absolute path", 1},
		{"no-such-program", NULL, "not installed", 1},
		{"/tmp", NULL, "not installed", 1},
		{" ", NULL, "no program is named", 0},
		{"$(env)", NULL, "not installed", 1},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct person_program program;
		struct err err = ERR_INIT;
		int bad = person_program_find(cases[i].line, "bin:/usr/bin", NULL, &program, &err);
		assert_int_equal(bad, cases[i].why ? -1 : 0);
		assert_int_equal(program.argv.count, cases[i].words);
		if (cases[i].why)
			assert_non_null(strstr(err.text, cases[i].why));
		else
			assert_string_equal(program.path, cases[i].path);
		person_program_release(&program);
	}
}

static void a_program_that_a_command_could_have_put_there_is_not_started_for_a_person(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct strv writable CLEANUP(strv_release) = STRV_INIT;
	MEM_AUTO char *tool = scratch_write(s, "bin/ed", "#!/bin/sh\n");
	struct person_program program;
	struct err err = ERR_INIT;
	assert_int_equal(chmod(tool, 0755), 0);
	strv_take(&writable, scratch_path(s, "bin"));
	assert_int_equal(person_program_find(tool, NULL, &writable, &program, &err), -1);
	assert_string_equal(err.text, "it lies in a place that commands may write");
	person_program_release(&program);
	scratch_end(s);
}

static void a_wrapper_in_a_writable_place_is_not_trusted(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct strv writable CLEANUP(strv_release) = STRV_INIT;
	struct wrapper w;
	strv_take(&writable, scratch_link(s, "alias", "/usr/bin"));
	wrapper_find("env", "/usr/bin", &writable, &w);
	assert_null(w.path);
	assert_non_null(strstr(w.why, "lies in a place that commands may write"));
	scratch_end(s);
}

static void the_switch_is_taken_only_as_one_and_outside_a_service(void **state)
{
	MEM_AUTO char *own = mem_printf("SYSTEMD_EXEC_PID=%ld", (long)getpid());
	char *const cases[][3] = {
		{NULL},
		{"EXEQUATUR_ALLOW_UNSANDBOXED=1", NULL},
		{"EXEQUATUR_ALLOW_UNSANDBOXED=yes", NULL},
		{"EXEQUATUR_ALLOW_UNSANDBOXED=1", own, NULL},
		{"EXEQUATUR_ALLOW_UNSANDBOXED=1", "SYSTEMD_EXEC_PID=1", NULL},
	};
	static const struct {
		bool allowed;
		const char *why;
	} expected[] = {{false, ""}, {true, ""}, {false, "its value is not 1"},
		{false, "inside a service"}, {true, ""}};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct host host;
		host_begin(&host);
		host_probe(cases[i], NULL, &host);
		assert_int_equal(host.allow_unsandboxed, expected[i].allowed);
		assert_string_equal(host.switch_why, expected[i].why);
		host_release(&host);
	}
}

static void the_machine_is_looked_at_once(void **state)
{
	char *const envp[] = {"PATH=/usr/bin:/bin", "container=podman", NULL};
	struct host host;
	struct stat st;
	(void)state;
	host_begin(&host);
	host_probe(envp, NULL, &host);
	assert_true(host.cpus >= 1);
	assert_true(host.in_container);
	assert_int_equal(stat("/proc/self/ns/net", &st), 0);
	assert_int_equal(host.own_ns[PLAN_NS_NET], st.st_ino);
	assert_true(host.landlock_abi > 0 || host.landlock_errno != 0);
	assert_true(host.bwrap_path || host.bwrap_why[0]);
	host_release(&host);
}

static const struct base_entry *entry_of(const struct base_set *set, const char *target)
{
	for (size_t i = 0; i < set->count; i++)
		if (strcmp(set->items[i].target, target) == 0)
			return &set->items[i];
	return NULL;
}

static void the_base_set_is_there_and_holds_no_secrets(void **state)
{
	static const char *const never[] = {"/etc", "/etc/shadow", "/etc/gshadow", "/etc/ssl",
		"/etc/ssl/private", "/etc/ssh", "/etc/sudoers", "/etc/machine-id", "/opt"};
	struct base_set set;
	struct stat st;
	(void)state;
	base_set_collect(&set);
	assert_non_null(entry_of(&set, "/usr"));
	assert_non_null(entry_of(&set, "/etc/passwd"));
	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		assert_null(entry_of(&set, never[i]));
	for (size_t i = 0; i < set.count; i++) {
		const struct base_entry *entry = &set.items[i];
		assert_true((entry->source == NULL) != (entry->link == NULL));
		if (entry->source) /* nothing dangling, no symlink left in a source */
			assert_int_equal(lstat(entry->source, &st), 0);
		if (entry->source)
			assert_false(S_ISLNK(st.st_mode));
	}
	const struct base_entry *bin = entry_of(&set, "/bin");
	if (bin && lstat("/bin", &st) == 0 && S_ISLNK(st.st_mode))
		assert_non_null(bin->link);
	base_set_release(&set);
	assert_true(base_set_holds("/usr/share"));
	assert_true(base_set_holds("/lib64"));
	assert_false(base_set_holds("/library"));
}

static void a_later_reason_replaces_the_earlier_one(void **state)
{
	struct host host = {.bwrap_fd = -1};
	(void)state;
	host_note_failed(&host, BACKEND_LANDLOCK, "one");
	host_note_failed(&host, BACKEND_BUBBLEWRAP, "two");
	host_note_failed(&host, BACKEND_LANDLOCK, "three");
	assert_int_equal(host.failed.count, 2);
	assert_string_equal(host.failed.items[0].why, "three");
	host_release(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wrapper_that_is_to_run_as_root_must_be_set_to_that),
		cmocka_unit_test(a_wrapper_that_others_could_replace_is_not_trusted),
		cmocka_unit_test(
			a_program_that_a_person_chose_may_be_a_script_or_have_a_whole_path),
		cmocka_unit_test(
			a_program_that_a_command_could_have_put_there_is_not_started_for_a_person),
		cmocka_unit_test(a_wrapper_in_a_writable_place_is_not_trusted),
		cmocka_unit_test(the_switch_is_taken_only_as_one_and_outside_a_service),
		cmocka_unit_test(the_machine_is_looked_at_once),
		cmocka_unit_test(the_base_set_is_there_and_holds_no_secrets),
		cmocka_unit_test(a_later_reason_replaces_the_earlier_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include "core/cause.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "cause_machine.h"

/* Those that a row of this file has expected: each cause must be among them. */
static uint64_t expected_somewhere;

struct row {
	const char *causes; /* by name, in their order; "": none */
	struct machine machine;
	struct examined examined;
};

static char *names_of(uint64_t causes)
{
	struct str out STR_AUTO = STR_INIT;
	for (enum cause i = CAUSE_NONE + 1; i < CAUSE_COUNT; i++)
		if (causes & CAUSE_BIT(i))
			str_printf(&out, "%s%s", out.len ? " " : "", cause_name(i));
	str_add(&out, "");
	return str_steal(&out);
}

static void assert_causes(uint64_t found, const char *causes)
{
	MEM_AUTO char *names = names_of(found);
	assert_string_equal(names, causes);
	expected_somewhere |= found;
}

static void assert_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_causes(causes_of(&rows[i].machine, &rows[i].examined), rows[i].causes);
}

static void each_setting_that_refuses_namespaces_is_named(void **state)
{
	const struct examined native = failed(BACKEND_LANDLOCK, FAILING_NAMESPACES, EPERM);
	const struct examined flat = working_flat(native);
	const struct examined bwrap = said(BACKEND_BUBBLEWRAP, FAILING_WRAPPER,
		"bwrap: setting up uid map: Permission denied");
	const struct examined maps = failed(BACKEND_LANDLOCK, FAILING_FILES, EACCES);
	const struct examined full = failed(BACKEND_LANDLOCK, FAILING_NAMESPACES, ENOSPC);
	const struct examined deep = said(BACKEND_BUBBLEWRAP, FAILING_WRAPPER,
		"bwrap: Creating new namespace failed: nesting depth or "
		"/proc/sys/user/max_*_namespaces exceeded (ENOSPC)");
	const struct row rows[] = {
		{"apparmor_userns partial_not_accepted",
			MACHINE(m->apparmor_userns = 1, m->accepts_partial = false), native},
		{"apparmor_userns", MACHINE(m->apparmor_userns = 1), native},
		{"apparmor_userns",
			MACHINE(m->apparmor_userns = 1, m->accepts_partial = false,
				m->landlock_abi = 5, m->fork_questions = false),
			native},
		{"apparmor_userns", MACHINE(m->apparmor_userns = 1), flat},
		{"apparmor_userns", MACHINE(m->apparmor_userns = 1), bwrap},
		{"apparmor_userns", MACHINE(m->apparmor_userns = 1), maps},
		{"not_explained", MACHINE(m->apparmor_userns = 1, m->uid = 0), native},
		{"not_explained", MACHINE(m->apparmor_userns = 0), native},
		{"unprivileged_userns_clone", MACHINE(m->userns_clone = 0), native},
		{"not_explained", MACHINE(m->userns_clone = 0, m->uid = 0), native},
		{"max_user_namespaces", MACHINE(m->user_namespaces_max = 0), full},
		{"max_user_namespaces", MACHINE(m->user_namespaces_max = 0), deep},
		{"max_namespaces", MACHINE(strcpy(m->no_namespaces, "pid")), full},
		{"max_namespaces", MACHINE(strcpy(m->no_namespaces, "net")),
			lacking(BACKEND_LANDLOCK, FACET_NETWORK)},
		{"max_namespaces", MACHINE(strcpy(m->no_namespaces, "ipc")),
			said(BACKEND_FIREJAIL, FAILING_WRAPPER, "Error clone")},
		{"namespaces_used_up", MACHINE(), full},
		{"namespaces_used_up", MACHINE(m->filtered = m->in_container = true), deep},
		{"changed_root", MACHINE(m->changed_root = true), native},
	};
	(void)state;
	assert_rows(rows, ARRAY_LEN(rows));
}

static void what_lies_above_the_program_is_named(void **state)
{
	const struct examined native = failed(BACKEND_LANDLOCK, FAILING_NAMESPACES, EPERM);
	const struct examined proc = failed(BACKEND_LANDLOCK, FAILING_FILES, EPERM);
	const struct examined crowded = failed(BACKEND_LANDLOCK, FAILING_NAMESPACES, EAGAIN);
	const struct examined firejail =
		said(BACKEND_FIREJAIL, FAILING_WRAPPER, "Error clone: Operation not permitted");
	const struct examined bwrap = said(BACKEND_BUBBLEWRAP, FAILING_WRAPPER, "bwrap: no");
	const struct row rows[] = {
		{"syscall_filter", MACHINE(m->filtered = true), native},
		{"syscall_filter", MACHINE(m->filtered = true), firejail},
		{"syscall_filter", MACHINE(m->filtered = true),
			lacking(BACKEND_BUBBLEWRAP, FACET_HOSTNAME)},
		{"", MACHINE(m->filtered = true), holding(BACKEND_LANDLOCK)},
		{"apparmor_profile", MACHINE(strcpy(m->apparmor_profile, "docker-default")), proc},
		{"container", MACHINE(m->in_container = true), native},
		{"syscall_filter container", MACHINE(m->filtered = m->in_container = true), bwrap},
		{"", MACHINE(m->in_container = true), holding(BACKEND_LANDLOCK)},
		{"proc_masked", MACHINE(strcpy(m->proc_covered, "/proc/acpi")), proc},
		{"proc_masked", MACHINE(strcpy(m->proc_covered, "/proc/acpi")), bwrap},
		{"", MACHINE(strcpy(m->proc_covered, "/proc/kcore")), holding(BACKEND_BUBBLEWRAP)},
		{"tmp_missing", MACHINE(m->no_tmp = true), bwrap},
		{"not_explained", MACHINE(m->no_tmp = true), native},
		{"partial_not_accepted not_explained", MACHINE(m->accepts_partial = false), native},
		{"tmp_not_usable", MACHINE(m->no_private_place = true), native},
		{"not_explained", MACHINE(m->no_private_place = true, m->accepts_partial = false),
			native},
		{"too_many_processes", MACHINE(m->filtered = m->in_container = true), crowded},
		{"too_many_processes", MACHINE(),
			said(BACKEND_FIREJAIL, FAILING_WRAPPER,
				"Error fork: Resource temporarily unavailable")},
		{"not_explained", MACHINE(), failed(BACKEND_LANDLOCK, FAILING_ISOLATION, 0)},
		/* refused in words, before anything was started */
		{"", MACHINE(), said(BACKEND_FIREJAIL, FAILING_LOOK, "a name with a star")},
	};
	(void)state;
	assert_rows(rows, ARRAY_LEN(rows));
}

static void each_way_to_miss_landlock_is_named(void **state)
{
	const struct examined e = said(BACKEND_LANDLOCK, FAILING_LOOK, "none");
	const struct row rows[] = {
		{"landlock_kernel",
			MACHINE(m->landlock_abi = 0, m->landlock_errno = ENOSYS,
				m->kernel_major = 5, m->kernel_minor = 10),
			e},
		{"landlock_off", MACHINE(m->landlock_abi = 0, m->landlock_errno = EOPNOTSUPP), e},
		{"landlock_filtered",
			MACHINE(m->landlock_abi = 0, m->landlock_errno = ENOSYS,
				m->filtered = true),
			e},
		{"landlock_filtered",
			MACHINE(m->landlock_abi = 0, m->landlock_errno = EPERM, m->filtered = true),
			e},
		{"landlock_not_built", MACHINE(m->landlock_abi = 0, m->landlock_errno = ENOSYS), e},
		{"", MACHINE(m->landlock_abi = 0, m->landlock_errno = ENOSYS),
			holding(BACKEND_BUBBLEWRAP)},
	};
	(void)state;
	assert_rows(rows, ARRAY_LEN(rows));
}

static void each_trouble_with_firejail_is_named(void **state)
{
	const struct examined open = said(BACKEND_FIREJAIL, FAILING_ISOLATION,
		"firejail isolated nothing, as it does inside a container");
	const struct examined clone = said(BACKEND_FIREJAIL, FAILING_WRAPPER, "Error clone");
	const struct row rows[] = {
		{"firejail_container", MACHINE(m->in_container = true), open},
		{"firejail_user_namespace", MACHINE(m->user_namespace = true), clone},
		{"not_explained", MACHINE(m->no_new_privs = true, m->uid = 0), clone},
		{"firejail_user", MACHINE(),
			said(BACKEND_FIREJAIL, FAILING_WRAPPER,
				"Error: the user is not allowed to use Firejail.")},
	};
	(void)state;
	assert_rows(rows, ARRAY_LEN(rows));
}

static void what_a_backend_itself_says_is_named(void **state)
{
	static const struct {
		enum backend_id backend;
		enum cause cause;
	} cases[] = {
		{BACKEND_BUBBLEWRAP, CAUSE_BUBBLEWRAP_ABSENT},
		{BACKEND_FIREJAIL, CAUSE_FIREJAIL_ABSENT},
		{BACKEND_DOCKER, CAUSE_DOCKER_ABSENT},
		{BACKEND_BUBBLEWRAP, CAUSE_PROGRAM_NOT_TRUSTED},
		{BACKEND_FIREJAIL, CAUSE_FIREJAIL_NOT_SETUID},
		{BACKEND_FIREJAIL, CAUSE_FIREJAIL_NO_NEW_PRIVS},
		{BACKEND_DOCKER, CAUSE_DOCKER_NOT_RUNNING},
		{BACKEND_DOCKER, CAUSE_DOCKER_HANGS},
		{BACKEND_DOCKER, CAUSE_DOCKER_REMOTE},
		{BACKEND_DOCKER, CAUSE_DOCKER_SOCKET_NOT_TRUSTED},
		{BACKEND_DOCKER, CAUSE_DOCKER_IS_PODMAN},
		{BACKEND_DOCKER, CAUSE_DOCKER_NO_ENGINE},
		{BACKEND_DOCKER, CAUSE_DOCKER_RENAMES_USERS},
		{BACKEND_DOCKER, CAUSE_DOCKER_IMAGE_ABSENT},
		{BACKEND_DOCKER, CAUSE_DOCKER_IMAGE_UNFIT},
		{BACKEND_NONE, CAUSE_SWITCH_REFUSED},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct row row = {cause_name(cases[i].cause), healthy_machine(),
			told(cases[i].backend, cases[i].cause)};
		assert_rows(&row, 1);
	}
}

static void a_user_without_the_group_is_told_apart_from_an_old_login(void **state)
{
	const struct examined forbidden = told(BACKEND_DOCKER, CAUSE_DOCKER_FORBIDDEN);
	const struct row rows[] = {
		{"docker_forbidden", MACHINE(), forbidden},
		{"docker_login", MACHINE(m->engine_group_joined = true), forbidden},
		{"", MACHINE(m->engine_group_joined = true), holding(BACKEND_DOCKER)},
	};
	(void)state;
	assert_rows(rows, ARRAY_LEN(rows));
}

static void what_makes_a_sandbox_weaker_is_named(void **state)
{
	const struct {
		const char *causes;
		struct machine machine;
	} machines[] = {
		{"", MACHINE()},
		{"root", MACHINE(m->uid = 0)},
		{"landlock_old", MACHINE(m->landlock_abi = 5)},
		{"", MACHINE(m->landlock_abi = 6)},
		{"", MACHINE(m->landlock_abi = 0)},
		{"no_control_group", MACHINE(m->control_groups = false)},
		{"no_fork_questions", MACHINE(m->fork_questions = false)},
		{"processes_hidden", MACHINE(m->processes_hidden = true)},
		{"network_shared", MACHINE(m->network_why[0] = '?')},
		{"legacy_tiocsti", MACHINE(m->legacy_tiocsti = 1)},
		{"legacy_tiocsti",
			MACHINE(m->legacy_tiocsti = MACHINE_NOT_KNOWN, m->kernel_minor = 1)},
		{"", MACHINE(m->legacy_tiocsti = MACHINE_NOT_KNOWN)},
	};
	const struct row rows[] = {
		{"memory_not_watched", MACHINE(), not_limiting(BACKEND_NONE, LIMIT_MEMORY)},
		{"", MACHINE(m->processes_hidden = true), not_limiting(BACKEND_NONE, LIMIT_MEMORY)},
		{"engine_limits", MACHINE(), not_limiting(BACKEND_DOCKER, LIMIT_MEMORY)},
		{"engine_limits", MACHINE(), not_limiting(BACKEND_DOCKER, LIMIT_CPU)},
		/* what is of the machine is not said of each backend */
		{"", MACHINE(m->control_groups = false, m->uid = 0), holding(BACKEND_LANDLOCK)},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(machines); i++)
		assert_causes(causes_of_machine(&machines[i].machine), machines[i].causes);
	assert_rows(rows, ARRAY_LEN(rows));
}

static void every_cause_was_expected_somewhere(void **state)
{
	(void)state;
	for (enum cause i = CAUSE_NONE + 1; i < CAUSE_COUNT; i++)
		if (!(expected_somewhere & CAUSE_BIT(i)))
			fail_msg("no row of this file expects %s", cause_name(i));
}

static const struct cause_names names = {.user = "mira",
	.image = "prx-sandbox:latest",
	.socket = "/run/docker.sock",
	.profile_file = "/usr/share/exequatur/apparmor/exequatur-supervisor",
	.supervisor = "/usr/libexec/exequatur/exequatur-supervisor",
	.profiled = "/usr/libexec/exequatur/exequatur-supervisor"};

static bool is_name(const char *name)
{
	return name[0] != '\0' && strspn(name, "abcdefghijklmnopqrstuvwxyz_") == strlen(name);
}

static void every_cause_has_a_name_of_its_own_words_and_a_way_out(void **state)
{
	struct machine machine = MACHINE(strcpy(m->proc_covered, "/proc/acpi"),
		strcpy(m->no_namespaces, "net"), strcpy(m->apparmor_profile, "docker-default"),
		strcpy(m->engine_group, "docker"), strcpy(m->network_why, "pasta: not there"));
	(void)state;
	for (enum cause i = CAUSE_NONE + 1; i < CAUSE_COUNT; i++) {
		STRV_AUTO struct strv lines = STRV_INIT;
		MEM_AUTO char *words = cause_words(i, &machine, &names);
		cause_way_out(i, &machine, &names, &lines);
		assert_true(is_name(cause_name(i)));
		for (enum cause j = CAUSE_NONE + 1; j < i; j++)
			assert_string_not_equal(cause_name(i), cause_name(j));
		assert_true(strlen(words) > 15);
		assert_null(strpbrk(words, "{}"));
		assert_true(lines.count > 0);
		for (size_t j = 0; j < lines.count; j++)
			assert_null(strpbrk(lines.items[j], "{}"));
	}
}

static void assert_way_out(enum cause cause, const struct machine *machine,
	const struct cause_names *with, const char *expected)
{
	STRV_AUTO struct strv lines = STRV_INIT;
	STR_AUTO struct str all = STR_INIT;
	cause_way_out(cause, machine, with, &lines);
	for (size_t i = 0; i < lines.count; i++)
		str_printf(&all, "%s\n", lines.items[i]);
	assert_string_equal(str_c(&all), expected);
}

#define FOR_ALL                                                                                    \
	"or, for every program of this machine, as root: sysctl -w "                               \
	"kernel.apparmor_restrict_unprivileged_userns=0\n"
#define INSTALL_PROFILE                                                                            \
	"as root: install -m 644 /usr/share/exequatur/apparmor/exequatur-supervisor "              \
	"/etc/apparmor.d/exequatur-supervisor && apparmor_parser -r "                              \
	"/etc/apparmor.d/exequatur-supervisor\n"

static void the_lines_that_install_the_profile_are_exact(void **state)
{
	const struct machine machine = healthy_machine();
	struct cause_names elsewhere = names, without = names;
	(void)state;
	assert_way_out(CAUSE_APPARMOR_USERNS, &machine, &names, INSTALL_PROFILE FOR_ALL);
	elsewhere.supervisor = "/home/mira/exequatur/build/exequatur-supervisor";
	assert_way_out(CAUSE_APPARMOR_USERNS, &machine, &elsewhere,
		"first install Exequatur: the profile is for "
		"/usr/libexec/exequatur/exequatur-supervisor, and "
		"/home/mira/exequatur/build/exequatur-supervisor is in use\n" INSTALL_PROFILE
			FOR_ALL);
	without.profile_file = NULL;
	assert_way_out(CAUSE_APPARMOR_USERNS, &machine, &without, FOR_ALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_setting_that_refuses_namespaces_is_named),
		cmocka_unit_test(what_lies_above_the_program_is_named),
		cmocka_unit_test(each_way_to_miss_landlock_is_named),
		cmocka_unit_test(each_trouble_with_firejail_is_named),
		cmocka_unit_test(what_a_backend_itself_says_is_named),
		cmocka_unit_test(a_user_without_the_group_is_told_apart_from_an_old_login),
		cmocka_unit_test(what_makes_a_sandbox_weaker_is_named),
		cmocka_unit_test(every_cause_was_expected_somewhere),
		cmocka_unit_test(every_cause_has_a_name_of_its_own_words_and_a_way_out),
		cmocka_unit_test(the_lines_that_install_the_profile_are_exact),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

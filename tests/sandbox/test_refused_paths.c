#include "config.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fd.h"
#include "base/mem.h"
#include "scratch.h"

#define W REFUSED_AS_WRITABLE
#define R REFUSED_AS_READONLY

/* NULL: allowed. A path that this machine does not have is passed over. */
static const struct system_case {
	const char *path;
	enum refused_use use;
	const char *words;
} system_cases[] = {
	{"/", W, "it is /"},
	{"/", R, "it is /"},
	{"/usr", W, "it is or is below /usr"},
	{"/usr/local/bin", W, "below /usr"},
	{"/usr/share", R, NULL},
	{"/bin", W, "below /bin"},
	{"/lib", W, "below /lib"},
	{"/etc", W, "below /etc"},
	{"/etc/ssl", W, "below /etc"},
	{"/etc", R, "it is /etc"},
	{"/etc/ssl", R, NULL},
	{"/etc/shadow", R, "/etc/shadow"},
	{"/etc/ssl/private", R, "/etc/ssl/private"},
	{"/boot", W, "below /boot"},
	{"/dev", W, "below /dev"},
	{"/dev/shm", W, "below /dev"},
	{"/dev/shm", R, "below /dev"},
	{"/proc", W, "/proc"},
	{"/proc/sys", R, "below /proc"},
	{"/sys/kernel", W, "below /sys"},
	{"/sys", R, "/sys"},
	{"/run", W, "/run"},
	{"/var/run", R, "/run"},
	{"/var", W, "it is /var"},
	{"/var", R, NULL},
	{"/var/lib", W, NULL},
	{"/home", W, "/home"},
	{"/tmp", W, "it is /tmp"},
	{"/tmp", R, "it is /tmp"},
	{"/opt", W, NULL},
	{"/srv", R, NULL},
};

static int check(
	const struct own_places *own, enum refused_use use, const char *path, struct err *err)
{
	struct refused_paths *refused CLEANUP(refused_paths_free_ptr) = refused_paths_new(own);
	FD_AUTO int fd = open(path, O_PATH | O_CLOEXEC);
	assert_true(fd >= 0);
	MEM_AUTO char *resolved = realpath(path, NULL);
	return refused_paths_check(refused, use, fd, resolved, err);
}

static int try_system_cases(void *data)
{
	struct own_places own = {.home = "/nonexistent"};
	(void)data;
	for (size_t i = 0; i < ARRAY_LEN(system_cases); i++) {
		const struct system_case *it = &system_cases[i];
		struct err err = ERR_INIT;
		if (access(it->path, F_OK) < 0)
			continue;
		int got = check(&own, it->use, it->path, &err);
		bool right = it->words ? got < 0 && err.code == ERR_REFUSED &&
						 strstr(err.text, it->words)
				       : got == 0;
		if (!right) {
			print_error("case %zu, %s: %s\n", i, it->path, err.text);
			return 1;
		}
	}
	return 0;
}

static void system_directories_are_refused_as_the_tables_say(void **state)
{
	(void)state;
	assert_int_equal(try_system_cases(NULL), 0);
	if (geteuid() == 0)
		assert_int_equal(as_nobody(try_system_cases, NULL), 0);
}

static const struct home_case {
	const char *path; /* below the scratch directory; home is u/h */
	enum refused_use use;
	bool refused;
} home_cases[] = {
	{"u/h", W, true},
	{"u", W, true},
	{"u/h", R, true},
	{"u", R, true},
	{".", W, true},
	{"u/h/.ssh", W, true},
	{"u/h/.ssh", R, true},
	{"u/h/.ssh/keys", R, true},
	{"u/h/.config/app", W, true},
	{"u/h/.config/app", R, true},
	{"u/h/.netrc", R, true},
	{"u/h/.bashrc", W, true},
	{"u/h/.bashrc", R, false},
	{"u/h/.local/share", W, true}, /* it holds keyrings */
	{"u/h/.local/share/keyrings", R, true},
	{"u/h/.local/bin", W, false},
	{"u/h/work", W, false},
	{"u/h/.cargo/bin", R, false},
	{"u/other", W, false},
	/* another name of the same directory does not hide it */
	{"alias/.ssh", W, true},
	{"alias", W, true},
	/* the link itself is followed: what it leads to counts */
	{"vault", W, true},
	{"vault/gpg", R, true},
};

static void make_home(const struct scratch *s)
{
	static const char *const dirs[] = {"u/h/.ssh/keys", "u/h/.config/app", "u/h/.local/bin",
		"u/h/.local/share/keyrings", "u/h/work", "u/h/.cargo/bin", "u/other", "vault/gpg"};
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		free(scratch_make_dir(s, dirs[i]));
	free(scratch_write(s, "u/h/.netrc", "machine x"));
	free(scratch_write(s, "u/h/.bashrc", ""));
	free(scratch_link(s, "alias", "u/h"));
	free(scratch_link(s, "u/h/.gnupg", "../../vault/gpg"));
}

static void a_home_its_ancestors_and_its_keys_are_refused(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	make_home(s);
	MEM_AUTO char *home = scratch_path(s, "u/h");
	struct own_places own = {.home = home};
	for (size_t i = 0; i < ARRAY_LEN(home_cases); i++) {
		const struct home_case *it = &home_cases[i];
		MEM_AUTO char *path = scratch_path(s, it->path);
		struct err err = ERR_INIT;
		int got = check(&own, it->use, path, &err);
		if ((got < 0) != it->refused)
			fail_msg("case %zu, %s: %d %s", i, it->path, got, err.text);
	}
	scratch_end(s);
}

static void the_home_of_passwd_counts_beside_the_variable(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	make_home(s);
	MEM_AUTO char *home = scratch_path(s, "u/h");
	MEM_AUTO char *keys = scratch_path(s, "u/h/.ssh");
	struct own_places own = {.home = "/nonexistent", .passwd_home = home};
	struct err err = ERR_INIT;
	assert_int_equal(check(&own, W, keys, &err), -1);
	assert_int_equal(check(&own, W, home, &err), -1);
	assert_non_null(strstr(err.text, "your home directory"));
	scratch_end(s);
}

/* In a mount namespace of its own: 0 when the other name is refused for what it is. */
static int try_bind_mount(void *data)
{
	const struct scratch *s = data;
	MEM_AUTO char *home = scratch_path(s, "u/h");
	MEM_AUTO char *alias = scratch_path(s, "u/other");
	MEM_AUTO char *below = scratch_path(s, "u/other/.ssh/keys");
	struct own_places own = {.home = home};
	struct err err = ERR_INIT;
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount(home, alias, NULL, MS_BIND, NULL) < 0)
		return 77;
	if (check(&own, W, alias, &err) == 0)
		return 1;
	return check(&own, R, below, &err) == 0 ? 2 : 0;
}

static void a_bind_mount_does_not_hide_what_it_is(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	make_home(s);
	int got = in_child(try_bind_mount, s);
	scratch_end(s);
	if (got == 77)
		skip();
	assert_int_equal(got, 0);
}

/* One directory under two names has two ways up: to have walked one of them says nothing of the other. */
static int try_two_ways_up(void *data)
{
	const struct scratch *s = data;
	MEM_AUTO char *real = scratch_path(s, "p/real");
	MEM_AUTO char *alias = scratch_path(s, "m/n/alias");
	struct own_places own = {.home = (char *)"/nonexistent"};
	int result = 0;
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount(real, alias, NULL, MS_BIND, NULL) < 0)
		return 77;
	strv_take(&own.private_dirs, scratch_path(s, "p/real/one"));
	strv_take(&own.private_dirs, scratch_path(s, "m/n/alias/two"));
	static const char *const holders[] = {"p/real", "p", "m/n/alias", "m/n", "m"};
	for (size_t i = 0; i < ARRAY_LEN(holders) && result == 0; i++) {
		MEM_AUTO char *path = scratch_path(s, holders[i]);
		struct err err = ERR_INIT;
		if (check(&own, W, path, &err) == 0)
			result = (int)i + 1;
	}
	strv_release(&own.private_dirs);
	return result;
}

static void every_way_up_is_refused_also_where_two_meet(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	static const char *const dirs[] = {"p/real/one", "p/real/two", "m/n/alias"};
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		free(scratch_make_dir(s, dirs[i]));
	int got = in_child(try_two_ways_up, s);
	scratch_end(s);
	if (got == 77)
		skip();
	assert_int_equal(got, 0);
}

static const struct own_case {
	const char *path; /* private: p/private, absent: p/later/record; programs: b/bin */
	enum refused_use use;
	bool refused;
} own_cases[] = {
	{"p/private", W, true},
	{"p/private/inner", W, true},
	{"p", W, true},
	{"p/private", R, true},
	{"p/private/inner", R, true},
	{"p", R, true},
	{"p/beside", W, false},
	{"q", W, true}, /* would hold q/later/record */
	{"q/beside", W, false},
	{"b/bin", W, true},
	{"b", W, true},
	{"b/bin/src", W, false},
	{"b/bin", R, false},
};

static void own_directories_are_refused_equal_above_or_below(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	static const char *const dirs[] = {"p/private/inner", "p/beside", "q/beside", "b/bin/src"};
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		free(scratch_make_dir(s, dirs[i]));
	struct own_places own = {.home = mem_strdup("/nonexistent")};
	strv_take(&own.private_dirs, scratch_path(s, "p/private"));
	strv_take(&own.private_dirs, scratch_path(s, "q/later/record"));
	strv_take(&own.program_dirs, scratch_path(s, "b/bin"));
	for (size_t i = 0; i < ARRAY_LEN(own_cases); i++) {
		const struct own_case *it = &own_cases[i];
		MEM_AUTO char *path = scratch_path(s, it->path);
		struct err err = ERR_INIT;
		int got = check(&own, it->use, path, &err);
		if ((got < 0) != it->refused)
			fail_msg("case %zu, %s: %d %s", i, it->path, got, err.text);
	}
	own_places_release(&own);
	scratch_end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_directories_are_refused_as_the_tables_say),
		cmocka_unit_test(a_home_its_ancestors_and_its_keys_are_refused),
		cmocka_unit_test(a_bind_mount_does_not_hide_what_it_is),
		cmocka_unit_test(the_home_of_passwd_counts_beside_the_variable),
		cmocka_unit_test(every_way_up_is_refused_also_where_two_meet),
		cmocka_unit_test(own_directories_are_refused_equal_above_or_below),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

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
#include "launch_users.h"
#include "sandbox/plan.h"
#include "sandbox/private_dir.h"
#include "scratch.h"

/* In a directory of the test's own, as in /tmp. */
static char *name_in(const struct scratch *s, const char *run_name)
{
	char path[256];
	assert_true(private_dir_name(s->dir, run_name, path, sizeof(path)));
	return mem_strdup(path);
}

static int make(const char *path)
{
	struct err err = ERR_INIT;
	int fd = -1;
	if (private_dir_make(path, &fd, &err) != 0)
		return -1;
	return fd;
}

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

static void all_of_it_is_the_users_alone(void **state)
{
	static const char *const names[] = {
		"", PRIVATE_TMP, PRIVATE_HOME, PRIVATE_HOME "/.cache", PRIVATE_HOME "/.npm"};
	struct scratch *s = scratch_begin();
	MEM_AUTO char *path = name_in(s, "1-1");
	FD_AUTO int fd = make(path);
	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct stat st;
		MEM_AUTO char *inside = mem_printf("%s/%s", path, names[i]);
		assert_int_equal(lstat(inside, &st), 0);
		assert_int_equal(st.st_mode, S_IFDIR | 0700);
		assert_int_equal(st.st_uid, geteuid());
	}
	assert_int_equal(make(path), -1); /* it is there */
	private_dir_remove(path);
	assert_false(is_there(path));
	scratch_end(s);
}

/* What a command may leave in it, as a script in TMPDIR. */
static const char *const left[] = {
	":",
	"p=.; for i in $(seq 300); do p=$p/dddddddddddddddd; done; mkdir -p $p",
	"mkdir -p a/b/c x/1/2; touch a/b/f; chmod 0 a/b a x/1; ln -s / link; mkfifo fifo",
	"touch 0 1; mkdir 2 3; touch 2/0 3/1; mkdir -p 4/4/4/4; touch 4/4/4/mark",
	"cd ../home/.cache; mkdir -p 0/1/2/3; touch 0/1/2/3/4; chmod 500 0/1/2",
	"d=$(cd .. && pwd) && cd / && chmod 0 $d/home/.cache $d/home $d/mark $d/tmp $d",
	"rm -f ../mark; mkdir ../mark; touch ../mark/x; rm -rf ../mark; touch ../mark",
};

static void nothing_stays_whatever_the_command_left(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(left); i++) {
		struct scratch *s = scratch_begin();
		MEM_AUTO char *path = name_in(s, "1-1");
		MEM_AUTO char *outside = scratch_write(s, "outside/file", "as it was");
		FD_AUTO int fd = make(path);
		assert_true(fd >= 0);
		MEM_AUTO char *script =
			mem_printf("cd %s/" PRIVATE_TMP " && ln -s %s/outside out && %s", path,
				s->dir, left[i]);
		assert_int_equal(system(script), 0);
		private_dir_remove(path);
		if (is_there(path))
			fail_msg("something is left by: %s", left[i]);
		assert_true(is_there(outside));
		scratch_end(s);
	}
}

static void what_nobody_holds_is_tidied_away(void **state)
{
	struct scratch *s = scratch_begin();
	MEM_AUTO char *live = name_in(s, "live");
	MEM_AUTO char *dead = name_in(s, "dead");
	MEM_AUTO char *half = name_in(s, "half-made");
	MEM_AUTO char *mine = scratch_make_dir(s, "exequatur-run-of-mine/thesis");
	MEM_AUTO char *other = scratch_make_dir(s, "other");
	FD_AUTO int live_fd = make(live);
	FD_AUTO int dead_fd = make(dead);
	(void)state;
	assert_true(live_fd >= 0 && dead_fd >= 0);
	assert_int_equal(mkdir(half, 0700), 0);
	fd_close(&dead_fd);
	private_dirs_tidy(live);
	assert_true(is_there(live));
	assert_false(is_there(dead));
	assert_false(is_there(half));
	assert_true(is_there(mine) && is_there(other));
	MEM_AUTO char *parent = path_dirname(mine);
	private_dir_remove(parent);
	assert_true(is_there(mine));
	scratch_end(s);
}

static void a_place_for_it_is_found_on_a_disk_first(void **state)
{
	struct err err = ERR_INIT;
	bool memory;
	(void)state;
	const char *base = private_dir_base(&memory, &err);
	assert_non_null(base);
	assert_int_equal(access(base, W_OK | X_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_is_the_users_alone),
		cmocka_unit_test(nothing_stays_whatever_the_command_left),
		cmocka_unit_test(what_nobody_holds_is_tidied_away),
		cmocka_unit_test(a_place_for_it_is_found_on_a_disk_first),
	};
	return run_as_both_users(tests, ARRAY_LEN(tests));
}

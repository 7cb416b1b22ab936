#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "launch.h"
#include "launch_users.h"

static char *make_file(const struct launch *l, const char *name, const char *text)
{
	struct err err = ERR_INIT;
	char *path = path_join(l->work, name);
	FD_AUTO int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, text, strlen(text), &err), 0);
	return path;
}

static char *make_directory(const struct launch *l, const char *name)
{
	char *path = path_join(l->work, name);
	assert_int_equal(mkdir(path, 0700), 0);
	return path;
}

static void bind_on_itself(struct launch *l, unsigned flags, const char *path)
{
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	struct plan_mount *mount =
		plan_add_mount(&l->plan, PLAN_BIND, flags | PLAN_CHECK, path, path);
	mount->dev = st.st_dev;
	mount->ino = st.st_ino;
}

static void expect_output(struct launch *l, const char *output)
{
	launch_run(l);
	launch_until_silence(l);
	assert_string_equal(str_c(&l->output), output);
	launch_release(l);
}

static void an_empty_file_covers_what_is_there(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, NATIVE,
		"cat file; echo x 2>/dev/null > file || echo refused; rm file 2>/dev/null || echo "
		"kept; "
		"mv file b 2>/dev/null || echo here; chmod 777 file 2>/dev/null || echo same");
	MEM_AUTO char *file = make_file(&l, "file", "secret\n");
	plan_add_mount(&l.plan, PLAN_EMPTY_FILE, PLAN_RO, NULL, file);
	launch_run(&l);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "refused\nkept\nhere\nsame\n");
	struct stat st;
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_size, 7);
	launch_release(&l);
}

static void a_readonly_directory_below_a_writable_one_stays_as_it_is(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, NATIVE,
		"touch a/x 2>/dev/null || echo refused; mv a b 2>/dev/null || echo kept; rmdir a "
		"2>/dev/null || echo here; chmod 700 a 2>/dev/null || echo same; touch file && "
		"echo free");
	MEM_AUTO char *dir = make_directory(&l, "a");
	bind_on_itself(&l, PLAN_RO, dir);
	expect_output(&l, "refused\nkept\nhere\nsame\nfree\n");
}

static void a_tmpfs_is_as_large_as_the_plan_says(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, NATIVE,
		"head -c 900k /dev/zero > /mnt/a && echo fits; rm /mnt/a; head -c 2M /dev/zero "
		"2>/dev/null > "
		"/mnt/a || echo full");
	plan_add_mount(&l.plan, PLAN_TMPFS, 0, NULL, "/mnt")->size = 1u << 20;
	plan_add_rule(&l.plan, PLAN_ACCESS_WRITE, "/mnt");
	expect_output(&l, "fits\nfull\n");
}

static void flags_of_mounts_hold(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, NATIVE,
		"touch /mnt/ro/x 2>/dev/null || echo ro; cp /bin/true /mnt/ne/; /mnt/ne/true "
		"2>/dev/null || "
		"echo noexec; [ -d /mnt/dir ] && echo dir; [ -d /dev/mqueue ] && echo mqueue; "
		"grep -c -e ' /mnt/ne .*nosuid,nodev,noexec' -e ' /usr ro,nosuid,nodev' "
		"/proc/self/mountinfo");
	plan_add_mount(&l.plan, PLAN_TMPFS, PLAN_RO, NULL, "/mnt/ro");
	plan_add_mount(&l.plan, PLAN_TMPFS, 0, NULL, "/mnt/ro/below");
	plan_add_mount(&l.plan, PLAN_TMPFS, PLAN_NOEXEC, NULL, "/mnt/ne")->mode = 01777;
	plan_add_mount(&l.plan, PLAN_DIR, 0, NULL, "/mnt/dir");
	plan_add_mount(&l.plan, PLAN_MQUEUE, 0, NULL, "/dev/mqueue");
	plan_add_rule(&l.plan, PLAN_ACCESS_WRITE, "/mnt");
	expect_output(&l, "ro\nnoexec\ndir\nmqueue\n2\n");
}

/* Another command of the same work directory may put a link where a mount is to come, or nothing: followed, the mount would miss
   its place and the guard would not be there. It is a place that changed, and nothing that speaks against the sandbox. */
static void a_link_in_the_place_of_a_mount_point_is_refused(void **state)
{
	static const char *const targets[] = {"a", "a/below", "gone", "gone/below"};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
		struct launch l;
		launch_init(&l, NATIVE, "echo ran");
		MEM_AUTO char *link = path_join(l.work, "a");
		MEM_AUTO char *target = path_join(l.work, targets[i]);
		assert_int_equal(symlink("/tmp", link), 0);
		plan_add_mount(&l.plan, PLAN_TMPFS, 0, NULL, target);
		launch_start(&l);
		const struct message *failed = launch_expect(&l, MSG_FAILED);
		assert_int_equal(failed->stage, STAGE_PLACES);
		launch_release(&l);
	}
}

static void an_optional_source_may_be_missing(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, NATIVE, "[ -e /mnt ] || echo absent");
	plan_add_mount(&l.plan, PLAN_BIND, PLAN_OPTIONAL, "/no/such/thing", "/mnt");
	expect_output(&l, "absent\n");
}

static unsigned count_roots(const char *work)
{
	STR_AUTO struct str mounts = STR_INIT;
	unsigned roots = 0;
	FD_AUTO int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	assert_int_equal(fd_read_all(fd, 1u << 20, &mounts, NULL), 0);
	assert_null(strstr(str_c(&mounts), work));
	for (const char *at = str_c(&mounts); (at = strstr(at, " / / ")); at++)
		roots++;
	return roots;
}

static void nothing_of_the_mounts_reaches_the_host(void **state)
{
	struct launch l;
	(void)state;
	launch_init(&l, NATIVE, "echo ran");
	unsigned roots = count_roots(l.work);
	launch_start(&l);
	launch_expect(&l, MSG_READY);
	assert_int_equal(count_roots(l.work), roots);
	fd_close(&l.child.control_fd);
	launch_reap(&l);
	launch_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_file_covers_what_is_there),
		cmocka_unit_test(a_readonly_directory_below_a_writable_one_stays_as_it_is),
		cmocka_unit_test(a_tmpfs_is_as_large_as_the_plan_says),
		cmocka_unit_test(flags_of_mounts_hold),
		cmocka_unit_test(a_link_in_the_place_of_a_mount_point_is_refused),
		cmocka_unit_test(an_optional_source_may_be_missing),
		cmocka_unit_test(nothing_of_the_mounts_reaches_the_host),
	};
	return run_as_both_users(tests, ARRAY_LEN(tests));
}

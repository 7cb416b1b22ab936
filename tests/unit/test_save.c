#include "config.h"

#include "app/save.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"

#define BYTES "a\0b\xFF\x1B[31m\r\n"

static char *dir, *before;

static void make_file(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* Works in a directory of its own with "there", a directory "real" and links. */
static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");
	MEM_AUTO char *template = mem_printf("%s/exq-save-XXXXXX", tmp != NULL ? tmp : "/tmp");

	(void)state;
	before = getcwd(NULL, 0);
	if (mkdtemp(template) == NULL)
		return -1;
	dir = realpath(template, NULL);
	if (dir == NULL || chdir(dir) != 0)
		return -1;
	make_file("there", "mine");
	assert_int_equal(mkdir("real", 0700), 0);
	assert_int_equal(symlink("real", "link"), 0);
	assert_int_equal(symlink("nowhere", "dangling"), 0);
	assert_int_equal(setenv("HOME", dir, 1), 0);
	return 0;
}

static int teardown(void **state)
{
	static const char *const names[] = {
		"there", "link", "dangling", "new", "real/new", "at-home", "exact", "cut", "other"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		unlink(names[i]);
	rmdir("real");
	int status = chdir(before);
	status |= rmdir(dir);
	free(dir);
	free(before);
	return status;
}

static struct job *job_with(const char *bytes, size_t len)
{
	struct job *job = mem_alloc(sizeof(*job));

	job->seq = 13;
	job->output_bytes = len;
	str_add_bytes(&job->output, bytes, len);
	return job;
}

static void free_job(struct job *job)
{
	str_release(&job->output);
	free(job);
}

static void assert_holds(const char *path, const char *bytes, size_t len)
{
	STR_AUTO struct str text = STR_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(fd_read_file(path, 1000, &text, &err), 0);
	assert_int_equal(text.len, len);
	assert_memory_equal(text.data, bytes, len);
}

/* Saves under `name`, and compares what is said: @ stands for the directory. */
static void assert_saves(struct job *job, const char *name, bool saves, const char *says)
{
	MEM_AUTO char *text = NULL, *want = NULL;
	const char *at = strchr(says, '@');

	want = mem_printf("%.*s%s%s", (int)(at - says), says, dir, at + 1);
	assert_int_equal(save_output(job, name, &text), saves);
	assert_string_equal(text, want);
}

static void a_new_file_holds_the_bytes_as_they_came(void **state)
{
	struct job *job = job_with(BYTES, sizeof(BYTES) - 1);
	mode_t mask = umask(0);
	struct stat st;

	(void)state;
	assert_saves(job, "exact", true, "saved 11 bytes of #13 to @/exact");
	umask(mask);
	assert_holds("exact", BYTES, sizeof(BYTES) - 1);
	assert_int_equal(stat("exact", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	job->output_dropped = 5;
	assert_saves(job, "cut", true, "saved the first 11 bytes of #13 to @/cut");
	free_job(job);
}

static void a_name_may_lead_into_another_directory(void **state)
{
	struct job *job = job_with("x", 1);
	MEM_AUTO char *absolute = path_join(dir, "other");

	(void)state;
	assert_saves(job, "real/../real/new", true, "saved 1 byte of #13 to @/real/new");
	assert_saves(job, "~/at-home", true, "saved 1 byte of #13 to @/at-home");
	assert_saves(job, absolute, true, "saved 1 byte of #13 to @/other");
	free_job(job);
}

static void nothing_is_written_over_and_no_link_is_followed(void **state)
{
	static const struct {
		const char *name, *says;
	} cases[] = {
		{"there", "not saved: it is there already: @/there"},
		{"real", "not saved: it is there already: @/real"},
		{"link", "not saved: it is there already: @/link"},
		{"dangling", "not saved: it is there already: @/dangling"},
		{"link/new", "not saved: a symbolic link is on the way: @/link/new"},
		{"none/new", "not saved: No such file or directory: @/none/new"},
		{"there/new", "not saved: Not a directory: @/there/new"},
		{"new/", "not saved: Is a directory: @/new"},
		{"", "not saved: No such file or directory: @"},
	};
	struct job *job = job_with("x", 1);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_saves(job, cases[i].name, false, cases[i].says);
	assert_holds("there", "mine", 4);
	assert_int_equal(access("nowhere", F_OK), -1);
	assert_int_equal(access("real/new", F_OK), -1);
	free_job(job);
}

static void what_is_not_there_is_not_saved(void **state)
{
	struct job *job = job_with("", 0);

	(void)state;
	assert_saves(NULL, "new", false, "not saved: the call is not there any more: @/new");
	assert_saves(job, "new", false, "not saved: there is no output: @/new");
	job->forgotten = true;
	job->output_bytes = 7;
	assert_saves(job, "new", false, "not saved: its output is in the record alone: @/new");
	assert_int_equal(access("new", F_OK), -1);
	free_job(job);
}

/* A full disk: part of an output would be taken for all of it. */
static void what_cannot_be_written_whole_leaves_no_file(void **state)
{
	struct rlimit old, small;
	STR_AUTO struct str bytes = STR_INIT;
	MEM_AUTO char *text = NULL;

	(void)state;
	for (unsigned i = 0; i < 5000; i++)
		str_add_char(&bytes, 'x');
	struct job *job = job_with(bytes.data, bytes.len);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){1000, old.rlim_max};
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	bool saved = save_output(job, "new", &text);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, handler);
	assert_false(saved);
	assert_non_null(strstr(text, "not saved: "));
	assert_int_equal(access("new", F_OK), -1);
	free_job(job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_new_file_holds_the_bytes_as_they_came, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_name_may_lead_into_another_directory, setup, teardown),
		cmocka_unit_test_setup_teardown(
			nothing_is_written_over_and_no_link_is_followed, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_not_there_is_not_saved, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_cannot_be_written_whole_leaves_no_file, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "core/config.h"

static char *scratch;

static int make_scratch(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	scratch = mem_printf("%s/exequatur-config-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	return mkdtemp(scratch) ? 0 : -1;
}

static int remove_scratch(void **state)
{
	(void)state;
	int status = rmdir(scratch);

	free(scratch);
	return status;
}

/* A file in the scratch directory; the caller unlinks it. The mode holds whatever the umask is. */
static char *file_with(const char *text, mode_t mode)
{
	char *path = mem_printf("%s/config.toml", scratch);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct err err = ERR_INIT;

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, text, strlen(text), &err), 0);
	assert_int_equal(fchmod(fd, mode), 0);
	fd_close(&fd);
	return path;
}

static void a_file_that_others_may_write_is_refused(void **state)
{
	static const struct {
		mode_t mode;
		bool taken;
	} cases[] = {
		{0600, true},
		{0644, true},
		{0400, true},
		{0755, true},
		{0666, false},
		{0664, false},
		{0622, false},
		{0620, false},
		{0602, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *path MEM_AUTO = file_with("[exequatur]\nmax_running = 9\n", cases[i].mode);
		char *wanted MEM_AUTO = mem_printf("%s can be written by others (mode %04o); chmod "
						   "go-w makes it yours alone",
			path, (unsigned)cases[i].mode);
		struct config config;
		struct err err = ERR_INIT;

		config_init(&config);
		assert_int_equal(
			config_load(&config, path, "/home/mira", &err), cases[i].taken ? 0 : -1);
		assert_int_equal(config.max_running, cases[i].taken ? 9 : 4);
		if (!cases[i].taken) {
			assert_int_equal(err.code, ERR_REFUSED);
			assert_string_equal(err.text, wanted);
		}
		config_release(&config);
		unlink(path);
	}
}

static void a_file_of_somebody_else_is_refused(void **state)
{
	struct config config;
	struct err err = ERR_INIT;

	(void)state;
	if (geteuid() != 0)
		skip(); /* only root can give a file away */
	char *path MEM_AUTO = file_with("", 0600);
	assert_int_equal(chown(path, 65534, 65534), 0);
	config_init(&config);
	assert_int_equal(config_load(&config, path, NULL, &err), -1);
	assert_int_equal(err.code, ERR_REFUSED);
	assert_non_null(strstr(
		err.text, " belongs to user 65534; a configuration must belong to you or to root"));
	config_release(&config);
	unlink(path);
}

static void a_file_that_is_not_there_is_not_found(void **state)
{
	char *path MEM_AUTO = mem_printf("%s/absent", scratch);
	struct config config;
	struct err err = ERR_INIT;

	(void)state;
	config_init(&config);
	assert_int_equal(config_load(&config, path, NULL, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_non_null(strstr(err.text, path));
	config_release(&config);
}

static void what_is_no_file_is_refused_and_does_not_block(void **state)
{
	char *fifo MEM_AUTO = mem_printf("%s/fifo", scratch);
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	const char *const cases[] = {fifo, scratch, "/dev/null"};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct config config;

		config_init(&config);
		assert_int_equal(config_load(&config, cases[i], NULL, &err), -1);
		assert_int_equal(err.code, ERR_REFUSED);
		assert_non_null(strstr(err.text, " is not a regular file"));
		config_release(&config);
	}
	unlink(fifo);
}

static void faults_name_the_file_and_the_line(void **state)
{
	char *path MEM_AUTO = file_with("[security.resources]\nmax_memory_mb = abc\n", 0600);
	char *wanted MEM_AUTO = mem_printf("%s:2: ", path);
	struct config config;
	struct err err = ERR_INIT;

	(void)state;
	config_init(&config);
	assert_int_equal(config_load(&config, path, NULL, &err), -1);
	assert_memory_equal(err.text, wanted, strlen(wanted));
	config_release(&config);
	unlink(path);
}

/* Through a link, what is relative belongs to the directory of the file that was read. */
static void the_record_is_beside_the_real_file(void **state)
{
	char *path MEM_AUTO = file_with("[security.audit]\nlog_path = \"log\"\n", 0600);
	char *link MEM_AUTO = mem_printf("%s/link.toml", scratch);
	char *real MEM_AUTO = realpath(scratch, NULL);
	char *wanted MEM_AUTO = mem_printf("%s/log", real);
	struct config config;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(symlink("config.toml", link), 0);
	config_init(&config);
	assert_int_equal(config_load(&config, link, NULL, &err), 0);
	assert_string_equal(config.log_path, wanted);
	assert_string_equal(config.path, link);
	config_release(&config);
	unlink(link);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_others_may_write_is_refused),
		cmocka_unit_test(a_file_of_somebody_else_is_refused),
		cmocka_unit_test(a_file_that_is_not_there_is_not_found),
		cmocka_unit_test(what_is_no_file_is_refused_and_does_not_block),
		cmocka_unit_test(faults_name_the_file_and_the_line),
		cmocka_unit_test(the_record_is_beside_the_real_file),
	};

	return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}

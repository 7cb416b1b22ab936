#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

static char dir[256];

static int make_dir(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof(dir), "%s/exequatur-fd-XXXXXX", tmp != NULL ? tmp : "/tmp");
	return mkdtemp(dir) == NULL ? -1 : 0;
}

static int remove_dir(void **state)
{
	static const char *const names[] = {"file", "link", "fifo"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		MEM_AUTO char *path = mem_printf("%s/%s", dir, names[i]);

		unlink(path);
	}
	return rmdir(dir);
}

static char *path_of(const char *name)
{
	return mem_printf("%s/%s", dir, name);
}

static char *file_of(const char *text)
{
	char *path = path_of("file");
	FD_AUTO int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct err err = ERR_INIT;

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, text, strlen(text), &err), 0);
	return path;
}

static void closing_keeps_errno_and_forgets_the_number(void **state)
{
	int none = -1;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	errno = E2BIG;
	fd_close(&fd);
	fd_close(&none);
	assert_int_equal(errno, E2BIG);
	assert_int_equal(fd, -1);
	assert_int_equal(none, -1);
}

static void a_file_is_read_whole_up_to_its_limit(void **state)
{
	MEM_AUTO char *path = file_of("hello");
	STR_AUTO struct str out = STR_INIT;
	struct err err = ERR_INIT;

	(void)state;
	str_add(&out, "+");
	assert_int_equal(fd_read_file(path, 5, &out, &err), 0);
	assert_string_equal(str_c(&out), "+hello");
	assert_int_equal(fd_read_file(path, 4, &out, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
}

static void a_missing_file_is_not_found(void **state)
{
	MEM_AUTO char *path = path_of("missing");
	STR_AUTO struct str out = STR_INIT;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fd_read_file(path, 5, &out, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
}

static void a_symlink_is_not_followed(void **state)
{
	MEM_AUTO char *target = file_of("secret");
	MEM_AUTO char *link = path_of("link");
	STR_AUTO struct str out = STR_INIT;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(symlink(target, link), 0);
	assert_int_equal(fd_read_file(link, 100, &out, &err), -1);
	assert_int_equal(err.saved_errno, ELOOP);
	assert_int_equal(out.len, 0);
}

static void a_fifo_neither_hangs_nor_is_read(void **state)
{
	MEM_AUTO char *fifo = path_of("fifo");
	STR_AUTO struct str out = STR_INIT;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(fd_read_file(fifo, 100, &out, &err), -1);
	assert_int_equal(err.code, ERR_REFUSED);
}

static void flags_of_a_descriptor_change_and_change_back(void **state)
{
	FD_AUTO int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fd_set_cloexec(fd, false, &err), 0);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
	assert_int_equal(fd_set_cloexec(fd, true, &err), 0);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(fd_set_nonblock(fd, &err), 0);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_int_equal(fd_set_nonblock(-1, &err), -1);
	assert_int_equal(err.saved_errno, EBADF);
}

static void a_sealed_file_reads_from_its_start_and_cannot_change(void **state)
{
	FD_AUTO int fd = -1;
	STR_AUTO struct str out = STR_INIT;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fd_sealed_memfd("plan", "a\0b", 3, &fd, &err), 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(fd_read_all(fd, 3, &out, &err), 0);
	assert_int_equal(out.len, 3);
	assert_memory_equal(out.data, "a\0b", 3);
	assert_int_equal(pwrite(fd, "x", 1, 0), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(ftruncate(fd, 9), -1);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
	assert_ptr_equal(mmap(NULL, 3, PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
}

static void a_large_write_arrives_whole(void **state)
{
	const size_t len = 300000;
	MEM_AUTO char *bytes = mem_alloc(len);
	MEM_AUTO char *path = file_of("");
	FD_AUTO int fd = open(path, O_RDWR | O_CLOEXEC);
	STR_AUTO struct str out = STR_INIT;
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)(i * 7);
	assert_int_equal(fd_write_all(fd, bytes, len, &err), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(fd_read_all(fd, len, &out, &err), 0);
	assert_int_equal(out.len, len);
	assert_memory_equal(out.data, bytes, len);
	assert_int_equal(fd_write_all(-1, bytes, len, &err), -1);
	assert_int_equal(err.saved_errno, EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closing_keeps_errno_and_forgets_the_number),
		cmocka_unit_test(a_file_is_read_whole_up_to_its_limit),
		cmocka_unit_test(a_missing_file_is_not_found),
		cmocka_unit_test(a_symlink_is_not_followed),
		cmocka_unit_test(a_fifo_neither_hangs_nor_is_read),
		cmocka_unit_test(flags_of_a_descriptor_change_and_change_back),
		cmocka_unit_test(a_sealed_file_reads_from_its_start_and_cannot_change),
		cmocka_unit_test(a_large_write_arrives_whole),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

#include "config.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/packed.h"
#include "base/str.h"

static int file_of(const char *bytes, size_t len)
{
	int fd = memfd_create("packed", MFD_CLOEXEC);
	struct err err = ERR_INIT;

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, bytes, len, &err), 0);
	return fd;
}

static void pack_into(const char *bytes, size_t len, struct str *out)
{
	FD_AUTO int from = file_of(bytes, len);
	FD_AUTO int to = file_of("", 0);
	struct err err = ERR_INIT;

	if (pack_file(from, to, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(lseek(to, 0, SEEK_SET), 0);
	assert_int_equal(fd_read_all(to, SIZE_MAX / 2, out, &err), 0);
}

/* All of it in pieces of `step`; -1 with err, what came before in *out. */
static int unpack_all(const struct str *packed, size_t step, struct str *out, struct err *err)
{
	FD_AUTO int fd = file_of(packed->data, packed->len);
	MEM_AUTO char *block = mem_array(step, 1);
	struct unpack *unpack = NULL;
	size_t n = 1;
	int status = unpack_open(fd, &unpack, err);

	while (status == 0 && n > 0) {
		status = unpack_read(unpack, block, step, &n, err);
		if (status == 0)
			str_add_bytes(out, block, n);
	}
	unpack_close(unpack);
	return status;
}

static void what_is_packed_is_unpacked_the_same(void **state)
{
	static const size_t sizes[] = {0, 1, 300, 131072, 131073, 5000000};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		MEM_AUTO char *bytes = mem_array(sizes[i] + 1, 1);
		STR_AUTO struct str packed = STR_INIT, again = STR_INIT;
		struct err err = ERR_INIT;

		for (size_t k = 0; k < sizes[i]; k++)
			bytes[k] = (char)((k * 2654435761u) >> 13);
		pack_into(bytes, sizes[i], &packed);
		FD_AUTO int fd = file_of(packed.data, packed.len);

		assert_true(packed_begins(fd));
		if (unpack_all(&packed, 70000, &again, &err) != 0)
			fail_msg("%s", err.text);
		assert_int_equal(again.len, sizes[i]);
		assert_memory_equal(str_c(&again), bytes, sizes[i]);
	}
}

static void what_is_not_packed_is_known_by_its_first_bytes(void **state)
{
	FD_AUTO int line = file_of("{\"prev\":", 8), empty = file_of("", 0);
	struct unpack *unpack;
	struct err err = ERR_INIT;

	(void)state;
	assert_false(packed_begins(line));
	assert_false(packed_begins(empty));
	assert_int_equal(unpack_open(line, &unpack, &err), -1);
	assert_int_equal(err.code, ERR_INVALID);
	assert_int_equal(unpack_open(empty, &unpack, &err), -1);
}

static void what_was_damaged_is_an_error_wherever_it_was(void **state)
{
	STR_AUTO struct str packed = STR_INIT;
	char bytes[4000];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)('a' + i * i % 23);
	pack_into(bytes, sizeof(bytes), &packed);
	for (size_t i = 0; i <= packed.len; i++) {
		STR_AUTO struct str hurt = STR_INIT, out = STR_INIT;
		struct err err = ERR_INIT;

		/* One bit turned; cut off there; and at the end something added. */
		str_add_bytes(&hurt, packed.data, packed.len);
		if (i < packed.len)
			hurt.data[i] = (char)(hurt.data[i] ^ 0x20);
		else
			str_add_char(&hurt, 'x');
		bool same = unpack_all(&hurt, 4096, &out, &err) == 0;

		/* Some bits of a header mean nothing: then it holds what it held. */
		assert_true(!same || (out.len == sizeof(bytes) &&
					     memcmp(out.data, bytes, sizeof(bytes)) == 0));
		assert_true(same ? i < 8 : err.code == ERR_INVALID);
		if (i == packed.len)
			continue;
		hurt.len = i;
		str_clear(&out);
		assert_int_equal(unpack_all(&hurt, 4096, &out, &err), -1);
	}
}

/* Frames that no file of ours has: without a size, and with a window of 2 GiB. */
static void a_bomb_is_an_error_before_it_takes_memory(void **state)
{
	static const char no_size[] = "\x28\xb5\x2f\xfd\x00\x58\x19\x00\x00hey";
	static const char window[] = "\x28\xb5\x2f\xfd\xc0\xa8\x00\x00\x00\x00\x01\x00\x00\x00\x02";
	static const struct {
		const char *bytes;
		size_t len;
	} bombs[] = {{no_size, sizeof(no_size) - 1}, {window, sizeof(window) - 1}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bombs); i++) {
		STR_AUTO struct str packed = STR_INIT, out = STR_INIT;
		struct err err = ERR_INIT;

		str_add_bytes(&packed, bombs[i].bytes, bombs[i].len);
		assert_int_equal(unpack_all(&packed, 4096, &out, &err), -1);
		assert_int_equal(err.code, ERR_INVALID);
		assert_int_equal(out.len, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_packed_is_unpacked_the_same),
		cmocka_unit_test(what_is_not_packed_is_known_by_its_first_bytes),
		cmocka_unit_test(what_was_damaged_is_an_error_wherever_it_was),
		cmocka_unit_test(a_bomb_is_an_error_before_it_takes_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/str.h"

/* What log_warn("%s", text) writes to standard error. */
static void capture(const char *text, struct str *ret)
{
	FD_AUTO int before = dup(STDERR_FILENO);
	FD_AUTO int file = memfd_create("stderr", MFD_CLOEXEC);
	struct err err = ERR_INIT;

	assert_true(before >= 0 && file >= 0);
	assert_int_equal(dup2(file, STDERR_FILENO), STDERR_FILENO);
	log_warn("%s", text);
	assert_int_equal(dup2(before, STDERR_FILENO), STDERR_FILENO);
	assert_int_equal(lseek(file, 0, SEEK_SET), 0);
	assert_int_equal(fd_read_all(file, 4096, ret, &err), 0);
}

static void a_warning_is_one_line_without_controls(void **state)
{
	STR_AUTO struct str line = STR_INIT;

	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	capture("config\n: \033[2Jé\u202E", &line);
	assert_string_equal(str_c(&line), "exequatur: config<LF>: <ESC>[2Jé<U+202E>\n");
}

static void without_utf8_a_warning_is_ascii(void **state)
{
	STR_AUTO struct str line = STR_INIT;

	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C"));
	capture("é", &line);
	assert_string_equal(str_c(&line), "exequatur: <U+00E9>\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_warning_is_one_line_without_controls),
		cmocka_unit_test(without_utf8_a_warning_is_ascii),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

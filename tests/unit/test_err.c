#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "base/err.h"

static void setting_an_error_fills_it_and_returns_minus_one(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(err_set(&err, ERR_LIMIT, "more than %d", 7), -1);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_int_equal(err.saved_errno, 0);
	assert_string_equal(err.text, "more than 7");
}

static void an_error_nobody_wants_is_no_crash(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, ERR_INVALID, "x"), -1);
	assert_int_equal(err_set_errno(NULL, "x"), -1);
	assert_int_equal(err_context(NULL, "x"), -1);
}

static void a_system_error_tells_its_reason(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	errno = EACCES;
	err_set_errno(&err, "opening %s", "/x");
	assert_int_equal(err.code, ERR_SYSTEM);
	assert_int_equal(err.saved_errno, EACCES);
	assert_string_equal(err.text, "opening /x: Permission denied");
}

static void a_missing_file_is_not_found(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	errno = ENOENT;
	err_set_errno(&err, "opening");
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_int_equal(err.saved_errno, ENOENT);
}

static void context_goes_before_the_cause(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	err_set(&err, ERR_INVALID, "no colon");
	assert_int_equal(err_context(&err, "line %d", 3), -1);
	err_context(&err, "%s", "config");
	assert_string_equal(err.text, "config: line 3: no colon");
	assert_int_equal(err.code, ERR_INVALID);
}

static void an_error_can_be_made_from_its_own_text(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	err_set(&err, ERR_INVALID, "inner");
	err_set(&err, ERR_REFUSED, "outer: %s", err.text);
	assert_string_equal(err.text, "outer: inner");
}

/* Fills the text so that a character of `size` bytes would be cut after each of its bytes. */
static void expect_whole_cut(const char *character)
{
	char text[ERR_TEXT_BYTES + 16];
	size_t size = strlen(character);

	for (size_t over = 1; over < size; over++) {
		struct err err = ERR_INIT;
		size_t lead = ERR_TEXT_BYTES - 1 - (size - over);

		memset(text, 'a', lead);
		strcpy(text + lead, character);
		err_set(&err, ERR_INVALID, "%s", text);
		assert_int_equal(strlen(err.text), lead);
	}
}

static void long_text_is_cut_at_a_whole_character(void **state)
{
	char text[2 * ERR_TEXT_BYTES];
	struct err err = ERR_INIT;

	(void)state;
	expect_whole_cut("\xC3\xA9");
	expect_whole_cut("\xE8\xAA\x9E");
	expect_whole_cut("\xF0\x9F\x98\x80");
	memset(text, 'b', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&err, ERR_INVALID, "%s", text);
	assert_int_equal(strlen(err.text), ERR_TEXT_BYTES - 1);
	err_context(&err, "%s", text);
	assert_int_equal(strlen(err.text), ERR_TEXT_BYTES - 1);
}

static void a_character_that_just_fits_is_kept(void **state)
{
	char text[ERR_TEXT_BYTES + 1];
	struct err err = ERR_INIT;

	(void)state;
	memset(text, 'a', ERR_TEXT_BYTES - 3);
	strcpy(text + ERR_TEXT_BYTES - 3, "\xC3\xA9z");
	err_set(&err, ERR_INVALID, "%s", text);
	assert_int_equal(strlen(err.text), ERR_TEXT_BYTES - 1);
}

static void a_cleared_error_is_empty(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	err_set(&err, ERR_INVALID, "x");
	err_clear(&err);
	assert_int_equal(err.code, ERR_NONE);
	assert_string_equal(err.text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(setting_an_error_fills_it_and_returns_minus_one),
		cmocka_unit_test(an_error_nobody_wants_is_no_crash),
		cmocka_unit_test(a_system_error_tells_its_reason),
		cmocka_unit_test(a_missing_file_is_not_found),
		cmocka_unit_test(context_goes_before_the_cause),
		cmocka_unit_test(an_error_can_be_made_from_its_own_text),
		cmocka_unit_test(long_text_is_cut_at_a_whole_character),
		cmocka_unit_test(a_character_that_just_fits_is_kept),
		cmocka_unit_test(a_cleared_error_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

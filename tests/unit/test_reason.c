#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "core/reason.h"

static void every_name_is_found_again(void **state)
{
	(void)state;
	for (int i = REASON_NONE + 1; i < REASON_COUNT; i++) {
		enum reason found = REASON_NONE;

		assert_int_equal(reason_from_name(reason_name((enum reason)i), &found), 0);
		assert_int_equal(found, i);
	}
}

static void every_reason_has_a_name_of_lower_case_and_a_word(void **state)
{
	(void)state;
	for (int i = REASON_NONE + 1; i < REASON_COUNT; i++) {
		const char *name = reason_name((enum reason)i);

		assert_true(*name);
		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
		assert_true(*reason_word((enum reason)i));
	}
}

static void success_has_no_name(void **state)
{
	enum reason found = REASON_COUNT;

	(void)state;
	assert_string_equal(reason_name(REASON_NONE), "");
	assert_int_equal(reason_from_name("", &found), -1);
	assert_int_equal(found, REASON_COUNT);
}

static void a_name_that_is_none_is_not_found(void **state)
{
	static const char *const cases[] = {"exit", "Timeout", "timeout ", "time limit", "success"};
	enum reason found = REASON_COUNT;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(reason_from_name(cases[i], &found), -1);
	assert_int_equal(found, REASON_COUNT);
}

static void the_names_of_the_protocol_are_these(void **state)
{
	static const struct {
		enum reason reason;
		const char *name, *word;
	} cases[] = {
		{REASON_INVALID_REQUEST, "invalid_request", "bad request"},
		{REASON_NO_SANDBOX_AVAILABLE, "no_sandbox_available", "no sandbox"},
		{REASON_SANDBOX_UNAVAILABLE, "sandbox_unavailable", "sandbox absent"},
		{REASON_APPROVAL_TIMEOUT, "approval_timeout", "expired"},
		{REASON_APPROVAL_UNAVAILABLE, "approval_unavailable", "no reviewer"},
		{REASON_TIMEOUT, "timeout", "time limit"},
		{REASON_KILLED_BY_OPERATOR, "killed_by_operator", "stopped"},
		{REASON_AUDIT_UNAVAILABLE, "audit_unavailable", "no record"},
		{REASON_SUPERVISOR_LOST, "supervisor_lost", "supervisor lost"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(reason_name(cases[i].reason), cases[i].name);
		assert_string_equal(reason_word(cases[i].reason), cases[i].word);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_is_found_again),
		cmocka_unit_test(every_reason_has_a_name_of_lower_case_and_a_word),
		cmocka_unit_test(success_has_no_name),
		cmocka_unit_test(a_name_that_is_none_is_not_found),
		cmocka_unit_test(the_names_of_the_protocol_are_these),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

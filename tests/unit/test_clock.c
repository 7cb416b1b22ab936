#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"

static void times_are_written_in_utc(void **state)
{
	static const struct {
		int64_t ms;
		const char *utc, *compact;
	} cases[] = {
		{0, "1970-01-01T00:00:00.000Z", "19700101T000000Z"},
		{INT64_C(1796045281123), "2026-11-30T13:28:01.123Z", "20261130T132801Z"},
		{INT64_C(951782399999), "2000-02-28T23:59:59.999Z", "20000228T235959Z"},
		{-1, "1969-12-31T23:59:59.999Z", "19691231T235959Z"},
		{-1000, "1969-12-31T23:59:59.000Z", "19691231T235959Z"},
	};
	char buf[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		clock_format_utc(cases[i].ms, buf);
		assert_string_equal(buf, cases[i].utc);
		clock_format_compact(cases[i].ms, buf);
		assert_string_equal(buf, cases[i].compact);
	}
}

static void a_time_far_out_fits_its_buffer(void **state)
{
	char buf[32];

	(void)state;
	clock_format_utc(INT64_MAX, buf);
	assert_true(strlen(buf) < sizeof(buf));
	clock_format_utc(INT64_MIN, buf);
	assert_true(strlen(buf) < sizeof(buf));
	clock_format_compact(INT64_MAX, buf);
	assert_true(strlen(buf) < sizeof(buf));
}

static void times_of_day_are_local(void **state)
{
	char buf[16];

	(void)state;
	setenv("TZ", "XXX-02:30", 1);
	tzset();
	clock_format_hm(0, buf);
	assert_string_equal(buf, "02:30");
	clock_format_hms(61999, buf);
	assert_string_equal(buf, "02:31:01");
}

static void the_monotonic_clock_does_not_go_back(void **state)
{
	int64_t before = clock_mono_ms();

	(void)state;
	for (int i = 0; i < 1000; i++) {
		int64_t now = clock_mono_ms();

		assert_true(now >= before);
		before = now;
	}
}

static void the_wall_clock_agrees_with_the_system(void **state)
{
	int64_t before = (int64_t)time(NULL) - 1;
	int64_t now = clock_wall_ms() / 1000;
	int64_t after = (int64_t)time(NULL) + 1;

	(void)state;
	assert_true(before <= now && now <= after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_written_in_utc),
		cmocka_unit_test(a_time_far_out_fits_its_buffer),
		cmocka_unit_test(times_of_day_are_local),
		cmocka_unit_test(the_monotonic_clock_does_not_go_back),
		cmocka_unit_test(the_wall_clock_agrees_with_the_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

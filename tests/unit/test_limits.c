#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>

#include "base/mem.h"
#include "core/config.h"
#include "core/limits.h"
#include "core/request.h"

static struct limits limits_with(unsigned ceiling, int64_t asked, unsigned cpus)
{
	struct config config;
	struct request request;
	struct limits limits;

	config_init(&config);
	config.max_cpu_time_seconds = ceiling;
	request_init(&request);
	request.timeout_set = asked != 0;
	request.timeout_s = asked;
	limits_for(&config, &request, cpus, &limits);
	config_release(&config);
	request_release(&request);
	return limits;
}

static void a_request_lowers_the_time_and_never_raises_it(void **state)
{
	static const struct {
		unsigned ceiling;
		int64_t asked;
		unsigned wall, shown_asked;
		bool clamped;
	} cases[] = {
		{60, 0, 60, 0, false},
		{60, 1, 1, 1, false},
		{60, 59, 59, 59, false},
		{60, 60, 60, 60, false},
		{60, 61, 60, 61, true},
		{60, 300, 60, 300, true},
		{1, 2, 1, 2, true},
		{60, (int64_t)UINT_MAX + 30, 60, UINT_MAX, true},
		{60, (int64_t)1 << 53, 60, UINT_MAX, true},
		{60, INT64_MAX, 60, UINT_MAX, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct limits limits = limits_with(cases[i].ceiling, cases[i].asked, 2);

		assert_int_equal(limits.wall_s, cases[i].wall);
		assert_int_equal(limits.wall_ceiling_s, cases[i].ceiling);
		assert_int_equal(limits.wall_asked_s, cases[i].shown_asked);
		assert_int_equal(limits_clamped(&limits), cases[i].clamped);
	}
}

static void cpu_time_is_the_ceiling_of_the_wall_clock_on_every_cpu(void **state)
{
	(void)state;
	assert_int_equal(limits_with(60, 0, 1).cpu_s, 60);
	assert_int_equal(limits_with(60, 0, 8).cpu_s, 480);
	assert_int_equal(limits_with(60, 5, 4).cpu_s, 240);
	assert_int_equal(limits_with(60, 500, 4).cpu_s, 240);
	assert_int_equal(limits_with(604800, 0, 100000).cpu_s, UINT_MAX);
	assert_int_equal(limits_with(60, 0, 0).cpu_s, 60);
}

static void the_defaults_are_those_of_the_contract(void **state)
{
	struct config config;
	struct limits limits;

	(void)state;
	config_init(&config);
	limits_for(&config, NULL, 2, &limits);
	assert_int_equal(limits.wall_s, 60);
	assert_int_equal(limits.grace_s, 2);
	assert_int_equal(limits.memory_mb, 512);
	assert_int_equal(limits.processes, 10);
	assert_int_equal(limits.cpu_percent, 80);
	assert_int_equal(limits.cpu_s, 120);
	assert_int_equal(limits.open_files, 256);
	assert_true(limits.file_bytes == 2147483648ull);
	assert_true(limits.tmp_bytes == 536870912ull);
	assert_true(limits.small_tmpfs_bytes == 268435456ull);
	assert_true(limits.output_bytes == 1048576ull);
	assert_false(limits_clamped(&limits));
	config_release(&config);
}

static void every_limit_of_the_configuration_arrives(void **state)
{
	struct config config;
	struct limits limits;

	(void)state;
	config_init(&config);
	config.kill_grace_seconds = 7;
	config.max_memory_mb = 33;
	config.max_subprocesses = 44;
	config.max_cpu_percent = 55;
	config.max_open_files = 66;
	limits_for(&config, NULL, 1, &limits);
	assert_int_equal(limits.grace_s, 7);
	assert_int_equal(limits.memory_mb, 33);
	assert_int_equal(limits.processes, 44);
	assert_int_equal(limits.cpu_percent, 55);
	assert_int_equal(limits.open_files, 66);
	config_release(&config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_lowers_the_time_and_never_raises_it),
		cmocka_unit_test(cpu_time_is_the_ceiling_of_the_wall_clock_on_every_cpu),
		cmocka_unit_test(the_defaults_are_those_of_the_contract),
		cmocka_unit_test(every_limit_of_the_configuration_arrives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

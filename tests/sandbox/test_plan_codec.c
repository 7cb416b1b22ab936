#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "sandbox/plan.h"

static void fill(struct plan *plan)
{
	plan_init(plan);
	plan->backend = mem_strdup("landlock");
	strv_add(&plan->wrapper, "/usr/bin/wrap");
	strv_add(&plan->wrapper, "");
	strv_add(&plan->env, "PATH=/usr/bin");
	plan->namespaces = 0x10000000;
	struct plan_mount *mount =
		plan_add_mount(plan, PLAN_BIND, PLAN_RO | PLAN_CHECK, "/usr", "/usr");
	mount->dev = 0x1122334455667788;
	mount->ino = 7;
	mount = plan_add_mount(plan, PLAN_TMPFS, PLAN_NOEXEC, NULL, "/tmp");
	mount->size = 1 << 20;
	mount->mode = 01777;
	plan_add_check(plan, "/srv/shop", 3, 4);
	plan_add_rule(plan, PLAN_ACCESS_WRITE, "/tmp");
	plan->landlock = true;
	plan->landlock_net = 1;
	plan->filter = PLAN_FILTER_NO_SOCKETS;
	plan->proofs = PLAN_PROOF_FILES | PLAN_PROOF_NO_TTY;
	for (unsigned i = 0; i < PLAN_NS_COUNT; i++)
		plan->host_ns[i] = 4026531800u + i;
	plan->home = mem_strdup("/home/u");
	plan->cwd = mem_strdup("/srv/shop");
	plan->cwd_make = true;
	plan->command = mem_strdup("echo \xff \n");
	plan->shell = mem_strdup("/bin/sh");
	plan->uid = 1000;
	plan->gid = 1001;
	plan->wall_ms = 60000;
	plan->grace_ms = 2000;
	plan->drain_ms = 200;
	plan->cpu_s = 120;
	plan->open_files = 256;
	plan->file_bytes = 2ull << 30;
	plan->max_processes = 10;
	plan->private_dir = mem_strdup("/tmp/private");
	plan->landlock_abi = 2;
	plan->signals_asked = true;
}

static void a_plan_comes_back_as_it_was(void **state)
{
	(void)state;
	struct plan plan, back;
	STR_AUTO struct str first = STR_INIT;
	STR_AUTO struct str second = STR_INIT;
	struct err err = ERR_INIT;
	fill(&plan);
	plan_encode(&plan, &first);
	assert_int_equal(plan_decode(first.data, first.len, &back, &err), 0);
	plan_encode(&back, &second);
	assert_int_equal(first.len, second.len);
	assert_memory_equal(first.data, second.data, first.len);
	assert_string_equal(back.command, "echo \xff \n");
	assert_null(back.hostname);
	assert_int_equal(back.mount_count, 2);
	assert_int_equal(back.mounts[0].dev, 0x1122334455667788);
	assert_null(back.mounts[1].source);
	assert_int_equal(back.mounts[1].mode, 01777);
	assert_string_equal(back.checks[0].target, "/srv/shop");
	assert_int_equal(back.rules[0].access, PLAN_ACCESS_WRITE);
	assert_int_equal(back.host_ns[PLAN_NS_UTS], 4026531800u + PLAN_NS_UTS);
	assert_int_equal(back.wrapper.count, 2);
	assert_string_equal(back.wrapper.items[1], "");
	assert_int_equal(back.max_processes, 10);
	assert_true(plan_is_flat(&back) && back.signals_asked);
	assert_string_equal(back.private_dir, "/tmp/private");
	assert_int_equal(back.landlock_abi, 2);
	plan_release(&plan);
	plan_release(&back);
}

static void every_field_changes_the_bytes(void **state)
{
	(void)state;
	struct plan plan;
	STR_AUTO struct str before = STR_INIT;
	fill(&plan);
	plan_encode(&plan, &before);
	unsigned *const numbers[] = {&plan.namespaces, &plan.landlock_net, &plan.proofs,
		&plan.mounts[0].flags, &plan.uid, &plan.gid, &plan.max_processes,
		&plan.mounts[1].mode, &plan.landlock_abi};
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		STR_AUTO struct str after = STR_INIT;
		*numbers[i] ^= 1;
		plan_encode(&plan, &after);
		*numbers[i] ^= 1;
		assert_int_equal(before.len, after.len);
		assert_memory_not_equal(before.data, after.data, before.len);
	}
	uint64_t *const large[] = {&plan.wall_ms, &plan.grace_ms, &plan.drain_ms, &plan.cpu_s,
		&plan.open_files, &plan.file_bytes, &plan.host_ns[5], &plan.mounts[0].dev,
		&plan.checks[0].ino, &plan.mounts[1].size};
	for (size_t i = 0; i < ARRAY_LEN(large); i++) {
		STR_AUTO struct str after = STR_INIT;
		*large[i] ^= 1ull << 32;
		plan_encode(&plan, &after);
		*large[i] ^= 1ull << 32;
		assert_memory_not_equal(before.data, after.data, before.len);
	}
	plan_release(&plan);
}

static void a_cut_plan_is_refused_at_every_length(void **state)
{
	(void)state;
	struct plan plan, back;
	STR_AUTO struct str bytes = STR_INIT;
	fill(&plan);
	plan_encode(&plan, &bytes);
	for (size_t len = 0; len < bytes.len; len++) {
		struct err err = ERR_INIT;
		/* A block of exactly this size: a read behind its end is seen by the sanitizer. */
		char *cut = mem_strndup(bytes.data, len);
		assert_int_equal(plan_decode(cut, len, &back, &err), -1);
		assert_int_equal(err.code, ERR_INVALID);
		assert_null(back.command);
		free(cut);
	}
	plan_release(&plan);
}

static void a_changed_byte_is_refused_or_read_as_another_plan(void **state)
{
	(void)state;
	struct plan plan, back;
	STR_AUTO struct str bytes = STR_INIT;
	fill(&plan);
	plan_encode(&plan, &bytes);
	for (size_t i = 0; i < bytes.len; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			bytes.data[i] = (char)(bytes.data[i] ^ (1 << bit));
			if (plan_decode(bytes.data, bytes.len, &back, NULL) == 0) {
				STR_AUTO struct str again = STR_INIT;
				plan_encode(&back, &again);
				assert_int_equal(again.len, bytes.len);
				assert_memory_equal(again.data, bytes.data, bytes.len);
				plan_release(&back);
			}
			bytes.data[i] = (char)(bytes.data[i] ^ (1 << bit));
		}
	}
	plan_release(&plan);
}

static void assert_refused(struct plan *plan, const char *words)
{
	struct plan back;
	struct err err = ERR_INIT;
	STR_AUTO struct str bytes = STR_INIT;
	plan_encode(plan, &bytes);
	assert_int_equal(plan_decode(bytes.data, bytes.len, &back, &err), -1);
	assert_int_equal(err.code, ERR_INVALID);
	assert_non_null(strstr(err.text, words));
}

static void values_that_cannot_be_are_refused_by_name(void **state)
{
	(void)state;
	struct plan plan;
	fill(&plan);
	plan.mounts[0].kind = PLAN_MOUNT_KIND_COUNT;
	assert_refused(&plan, "mounts: kind");
	plan.mounts[0].kind = PLAN_BIND;
	plan.filter = PLAN_FILTER_COUNT;
	assert_refused(&plan, "filter");
	plan.filter = PLAN_FILTER_NONE;
	plan.rules[0].access = PLAN_ACCESS_LIST + 1;
	assert_refused(&plan, "rules: access");
	plan.rules[0].access = PLAN_ACCESS_LIST;
	plan.wall_ms = UINT64_MAX; /* would wrap when a deadline is computed */
	assert_refused(&plan, "wall_ms");
	plan.wall_ms = 1;
	free(plan.command);
	plan.command = NULL;
	assert_refused(&plan, "command");
	plan.command = mem_strdup("true");
	for (unsigned i = 0; i < PLAN_CHECKS_MAX; i++)
		plan_add_check(&plan, "/x", 1, 1);
	assert_refused(&plan, "checks");
	plan_release(&plan);
}

static void more_bytes_behind_the_plan_are_refused(void **state)
{
	(void)state;
	struct plan plan, back;
	struct err err = ERR_INIT;
	STR_AUTO struct str bytes = STR_INIT;
	fill(&plan);
	plan_encode(&plan, &bytes);
	str_add_char(&bytes, '\0');
	assert_int_equal(plan_decode(bytes.data, bytes.len, &back, &err), -1);
	plan_release(&plan);
}

static void a_nul_inside_a_string_is_refused(void **state)
{
	(void)state;
	struct plan plan, back;
	struct err err = ERR_INIT;
	STR_AUTO struct str bytes = STR_INIT;
	fill(&plan);
	plan_encode(&plan, &bytes);
	char *echo = memmem(bytes.data, bytes.len, "echo ", 5);
	assert_non_null(echo);
	echo[4] = '\0';
	assert_int_equal(plan_decode(bytes.data, bytes.len, &back, &err), -1);
	assert_non_null(strstr(err.text, "NUL"));
	plan_release(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_comes_back_as_it_was),
		cmocka_unit_test(every_field_changes_the_bytes),
		cmocka_unit_test(a_cut_plan_is_refused_at_every_length),
		cmocka_unit_test(a_changed_byte_is_refused_or_read_as_another_plan),
		cmocka_unit_test(values_that_cannot_be_are_refused_by_name),
		cmocka_unit_test(more_bytes_behind_the_plan_are_refused),
		cmocka_unit_test(a_nul_inside_a_string_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

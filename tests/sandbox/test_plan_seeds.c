/* The seeds of the plan's fuzz corpus, made from the struct, so that they keep up with it: each is compared with its file.
   GOLDEN=update writes them. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/plan.h"

#define TOO_LARGE 0x7fffffff
#define HEADER_BYTES 12 /* magic and version */

static void small(struct plan *plan)
{
	plan_init(plan);
	plan->backend = mem_strdup("test");
	plan->cwd = mem_strdup("/srv/shop");
	plan->command = mem_strdup("echo a command");
	plan->shell = mem_strdup("/bin/sh");
	plan->uid = plan->gid = 1000;
	plan->wall_ms = 60000;
}

static void set_access(struct plan *plan)
{
	plan_add_rule(plan, (enum plan_access)TOO_LARGE, "/usr");
}

static void set_checks(struct plan *plan)
{
	for (int i = 0; i <= PLAN_CHECKS_MAX; i++)
		plan_add_check(plan, "/srv", 1, 2);
}

static void set_filter(struct plan *plan)
{
	plan->filter = (enum plan_filter)TOO_LARGE;
}

static void set_flags(struct plan *plan)
{
	plan_add_mount(plan, PLAN_BIND, TOO_LARGE, "/usr", "/usr");
}

static void set_kind(struct plan *plan)
{
	plan_add_mount(plan, (enum plan_mount_kind)TOO_LARGE, 0, "/usr", "/usr");
}

static void set_mode(struct plan *plan)
{
	plan_add_mount(plan, PLAN_TMPFS, 0, NULL, "/tmp")->mode = TOO_LARGE;
}

static void set_no_command(struct plan *plan)
{
	free(plan->command);
	plan->command = NULL;
}

static void set_no_target(struct plan *plan)
{
	struct plan_mount *mount = plan_add_mount(plan, PLAN_BIND, 0, "/usr", "/usr");
	free(mount->target);
	mount->target = NULL;
}

static void set_proofs(struct plan *plan)
{
	plan->proofs = TOO_LARGE;
}

static void set_strings(struct plan *plan)
{
	for (int i = 0; i < 4097; i++)
		strv_add(&plan->env, "");
}

static void set_wall(struct plan *plan)
{
	plan->wall_ms = UINT64_MAX;
}

static void set_wrapper(struct plan *plan)
{
	strv_add(&plan->wrapper, "/usr/bin/bwrap");
	strv_add(&plan->wrapper, "--");
	plan_add_check(plan, "/srv/shop", 1, 2);
}

static void set_much(struct plan *plan)
{
	set_wrapper(plan);
	plan->profile = mem_strdup("private-dev\n");
	strv_add(&plan->env, "PATH=/usr/bin");
	plan_add_mount(plan, PLAN_TMPFS, PLAN_RO, NULL, "/")->mode = 0755;
	plan_add_mount(plan, PLAN_BIND, PLAN_CHECK | PLAN_REC, "/srv/shop", "/srv/shop")->ino = 7;
	plan_add_rule(plan, PLAN_ACCESS_LIST, "/");
	plan->landlock = plan->cwd_make = plan->stdin_passed = plan->cgroup_v2 = true;
	plan->hostname = mem_strdup("sandbox");
	plan->home = mem_strdup("/home/u");
	plan->cgroup_memory = mem_strdup("/sys/fs/cgroup/x");
	plan->engine = mem_strdup("/run/docker.sock");
	plan->container = mem_strdup("exequatur-1");
	plan->private_dir = mem_strdup("/tmp/p");
	strv_add(&plan->pasta, "/usr/bin/pasta");
}

/* The first place of the text; its length stands in the four bytes before it. */
static size_t at_text(const struct str *bytes, const char *text)
{
	const char *at = memmem(bytes->data, bytes->len, text, strlen(text));
	assert_non_null(at);
	return (size_t)(at - bytes->data);
}

static void set_length(struct str *bytes, uint32_t value)
{
	size_t at = at_text(bytes, "echo a command") - 4;
	for (size_t i = 0; i < 4; i++)
		bytes->data[at + i] = (char)(value >> (8 * i) & 0xff);
}

static void length_huge(struct str *bytes)
{
	set_length(bytes, 0xfffffff0u);
}

static void length_just_over(struct str *bytes)
{
	size_t at = at_text(bytes, "echo a command");
	set_length(bytes, (uint32_t)(bytes->len - at + 1));
}

/* The count of the wrapper's words follows the backend. */
static void count_huge(struct str *bytes)
{
	memset(bytes->data + at_text(bytes, "test") + 4, 0xee, 4);
}

/* cwd_make follows cwd. */
static void bool_two(struct str *bytes)
{
	bytes->data[at_text(bytes, "/srv/shop") + strlen("/srv/shop")] = 2;
}

static void nul_in_command(struct str *bytes)
{
	bytes->data[at_text(bytes, "echo a command") + 4] = '\0';
}

static void torn(struct str *bytes)
{
	str_truncate(bytes, bytes->len - 1);
}

static void torn_list(struct str *bytes)
{
	str_truncate(bytes, at_text(bytes, "/usr/bin/bwrap") + 3);
}

static void trailing(struct str *bytes)
{
	str_add_char(bytes, 'x');
}

static void version(struct str *bytes)
{
	bytes->data[HEADER_BYTES - 4] = 99;
}

static void magic_only(struct str *bytes)
{
	str_truncate(bytes, HEADER_BYTES);
}

static void nothing(struct str *bytes)
{
	str_clear(bytes);
}

static const struct seed {
	const char *name;
	void (*set)(struct plan *);  /* NULL: nothing */
	void (*alter)(struct str *); /* the bytes; NULL: not */
	bool decodes;
} seeds[] = {
	{"smallest", NULL, NULL, true},
	{"access-too-large", set_access, NULL, false},
	{"bool-two", NULL, bool_two, false},
	{"checks-too-many", set_checks, NULL, false},
	{"count-huge", NULL, count_huge, false},
	{"empty", NULL, nothing, false},
	{"filter-too-large", set_filter, NULL, false},
	{"flags-too-large", set_flags, NULL, false},
	{"kind-too-large", set_kind, NULL, false},
	{"length-huge", NULL, length_huge, false},
	{"length-just-over", NULL, length_just_over, false},
	{"magic-only", NULL, magic_only, false},
	{"missing-command", set_no_command, NULL, false},
	{"mode-too-large", set_mode, NULL, false},
	{"no-target", set_no_target, NULL, false},
	{"nul-in-command", NULL, nul_in_command, false},
	{"proofs-too-large", set_proofs, NULL, false},
	{"strings-too-many", set_strings, NULL, false},
	{"torn", NULL, torn, false},
	{"torn-list", set_wrapper, torn_list, false},
	{"trailing", NULL, trailing, false},
	{"version", NULL, version, false},
	{"wall-wraps", set_wall, NULL, false},
	{"whole", set_much, NULL, true},
	{"wrapped", set_wrapper, NULL, true},
};

static void make(const struct seed *seed, struct str *ret)
{
	struct plan plan;
	small(&plan);
	if (seed->set)
		seed->set(&plan);
	plan_encode(&plan, ret);
	plan_release(&plan);
	if (seed->alter)
		seed->alter(ret);
}

static void compare_or_update(const char *name, const struct str *bytes)
{
	const char *source = getenv("srcdir"), *mode = getenv("GOLDEN");
	MEM_AUTO char *path =
		mem_printf("%s/tests/fuzz/corpus/plan/%s", source ? source : ".", name);
	STR_AUTO struct str expected = STR_INIT;
	struct err err = ERR_INIT;
	if (mode && strcmp(mode, "update") == 0) {
		FD_AUTO int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		assert_true(fd >= 0);
		assert_int_equal(fd_write_all(fd, bytes->data, bytes->len, &err), 0);
		return;
	}
	assert_int_equal(fd_read_file(path, 1 << 20, &expected, &err), 0);
	if (expected.len != bytes->len || memcmp(str_c(&expected), str_c(bytes), bytes->len) != 0)
		fail_msg("%s is not what the struct gives now; GOLDEN=update writes it", path);
}

static void every_seed_is_what_the_struct_gives(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(seeds); i++) {
		STR_AUTO struct str bytes = STR_INIT;
		struct plan plan;
		struct err err = ERR_INIT;
		make(&seeds[i], &bytes);
		compare_or_update(seeds[i].name, &bytes);
		bool decoded = plan_decode(str_c(&bytes), bytes.len, &plan, &err) == 0;
		if (decoded)
			plan_release(&plan);
		if (decoded != seeds[i].decodes)
			fail_msg("%s: %s", seeds[i].name, decoded ? "it decodes" : err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_seed_is_what_the_struct_gives),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

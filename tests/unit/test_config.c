#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "core/config.h"
#include "core/config_keys.h"

static void load(struct config *config, const char *text)
{
	struct err err = ERR_INIT;

	config_init(config);
	if (config_parse(config, text, strlen(text), "c.toml", "/etc/exq", "/home/mira", &err))
		fail_msg("%s", err.text);
}

static void load_sample(struct config *config, const char *name)
{
	struct str text STR_AUTO = STR_INIT;
	struct err err = ERR_INIT;
	char *path MEM_AUTO = mem_printf("%s/samples/%s", TEST_DATA, name);

	assert_int_equal(fd_read_file(path, 1 << 20, &text, &err), 0);
	load(config, str_c(&text));
	assert_int_equal(config_check(config, &err), 0);
}

static void assert_list(const struct strv *v, const char *const *expected)
{
	size_t i = 0;

	for (; expected[i]; i++) {
		assert_true(i < v->count);
		assert_string_equal(v->items[i], expected[i]);
	}
	assert_int_equal(v->count, i);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void assert_origin(const struct config *config, const char *key, const char *expected)
{
	char *origin MEM_AUTO = config_origin(config, key);

	assert_string_equal(origin, expected);
}

static void the_defaults_are_those_of_the_contract(void **state)
{
	struct config c;

	(void)state;
	config_init(&c);
	assert_int_equal(c.enabled, TOGGLE_ABSENT);
	assert_int_equal(c.backend, BACKEND_AUTO);
	assert_string_equal(c.docker_image, "prx-sandbox:latest");
	assert_string_equal(c.docker_network, "none");
	assert_true(c.docker_memory_bytes == 256ull << 20);
	assert_true(c.docker_cpus > 0.999 && c.docker_cpus < 1.001);
	assert_false(c.allow_network);
	assert_int_equal(c.writable_paths.count, 0);
	assert_int_equal(c.max_memory_mb, 512);
	assert_int_equal(c.max_cpu_time_seconds, 60);
	assert_int_equal(c.max_subprocesses, 10);
	assert_true(c.memory_monitoring);
	assert_int_equal(c.max_cpu_percent, 80);
	assert_int_equal(c.max_open_files, 256);
	assert_int_equal(c.policy_default, VERDICT_SUPERVISED);
	assert_false(c.policy_shell_set);
	assert_int_equal(c.approval_timeout_s, 300);
	assert_null(c.log_path);
	assert_int_equal(c.audit_max_size_mb, 100);
	assert_false(c.sign_events);
	assert_false(c.redact);
	assert_null(c.workspace);
	assert_int_equal(c.auto_order_count, 4);
	assert_int_equal(c.auto_order[0], BACKEND_LANDLOCK);
	assert_int_equal(c.auto_order[1], BACKEND_FIREJAIL);
	assert_int_equal(c.auto_order[2], BACKEND_BUBBLEWRAP);
	assert_int_equal(c.auto_order[3], BACKEND_DOCKER);
	assert_int_equal(c.max_running, 4);
	assert_int_equal(c.max_pending, 1000);
	assert_int_equal(c.max_pending_per_sender, 0);
	assert_int_equal(c.kill_grace_seconds, 2);
	assert_true(c.protect_git);
	assert_false(c.accept_partial);
	assert_true(c.mouse);
	assert_string_equal(c.signs, "auto");
	assert_string_equal(c.theme, "auto");
	assert_int_equal(c.lock_after, 0);
	config_release(&c);
}

static void the_flat_sample_loads_with_its_meaning(void **state)
{
	struct config c;

	(void)state;
	load_sample(&c, "sandbox-flat.toml");
	assert_int_equal(c.enabled, TOGGLE_TRUE);
	assert_int_equal(c.backend, BACKEND_AUTO);
	assert_list(&c.firejail_args, LIST("--net=none", "--noroot", "--caps.drop=all"));
	assert_string_equal(c.docker_image, "prx-sandbox:latest");
	assert_list(&c.docker_args, LIST("--network=none", "--read-only"));
	assert_true(c.policy_shell_set);
	assert_int_equal(c.policy_shell, VERDICT_SUPERVISED);
	assert_int_equal(c.max_memory_mb, 512);
	assert_int_equal(c.max_cpu_percent, 80);
	assert_int_equal(c.max_open_files, 256);
	/* An alias is found below the name it stands for. */
	assert_origin(&c, "security.sandbox.docker.image", "c.toml:7");
	assert_origin(&c, "security.sandbox.docker_image", "c.toml:7");
	assert_origin(&c, "security.sandbox.docker.args", "c.toml:8");
	assert_origin(&c, "security.tool_policy.tools.shell", "c.toml:11");
	assert_origin(&c, "security.resources.max_subprocesses", "default");
	config_release(&c);
}

static void the_nested_sample_loads_with_its_meaning(void **state)
{
	struct config c;

	(void)state;
	load_sample(&c, "sandbox-nested.toml");
	assert_int_equal(c.enabled, TOGGLE_TRUE);
	assert_list(&c.firejail_args, LIST("--net=none", "--noroot"));
	assert_string_equal(c.docker_image, "prx-sandbox:latest");
	assert_string_equal(c.docker_network, "none");
	assert_true(c.docker_memory_bytes == 256ull << 20);
	assert_list(&c.writable_paths, LIST("/tmp"));
	assert_list(&c.readonly_paths, LIST("/usr", "/lib"));
	assert_int_equal(c.max_cpu_time_seconds, 60);
	assert_true(c.memory_monitoring);
	assert_origin(&c, "security.sandbox.docker.cpu_limit", "c.toml:12");
	config_release(&c);
}

static void the_other_samples_load_with_their_meaning(void **state)
{
	struct config c;

	(void)state;
	load_sample(&c, "bubblewrap-paths.toml");
	assert_list(&c.writable_paths, LIST("/tmp", "/home/user/workspace"));
	assert_list(&c.readonly_paths, LIST("/usr", "/lib", "/bin"));
	assert_origin(&c, "security.audit.enabled", "c.toml:7");
	config_release(&c);
	load_sample(&c, "firejail.toml");
	assert_int_equal(c.backend, BACKEND_FIREJAIL);
	assert_list(&c.firejail_args, LIST("--net=none", "--noroot", "--nosound", "--no3d"));
	config_release(&c);
	load_sample(&c, "multiline.toml");
	assert_list(&c.writable_paths,
		LIST("/srv/projects/a directory; with a semicolon",
			"/srv/projects/"
			"a-path-long-enough-that-the-whole-array-on-one-line-would-not-fit-"
			"into-a-buffer-of-two-hundred-bytes",
			"/srv/projects/"
			"another-path-long-enough-that-the-whole-array-on-one-line-would-"
			"not-fit-into-two-hundred-bytes"));
	assert_origin(&c, "security.sandbox.bubblewrap.writable_paths", "c.toml:2");
	config_release(&c);
}

static void a_long_comment_sets_nothing(void **state)
{
	char dashes[198];
	struct config c;

	(void)state;
	memset(dashes, '-', 197);
	dashes[197] = '\0';
	char *text MEM_AUTO = mem_printf(
		"[security.sandbox]\nbackend = \"bubblewrap\"\n# %sbackend = none\n", dashes);
	load(&c, text);
	assert_int_equal(c.backend, BACKEND_BUBBLEWRAP);
	config_release(&c);
}

static void a_tilde_is_the_home_directory(void **state)
{
	struct config c;

	(void)state;
	load(&c, "[security.sandbox.bubblewrap]\nwritable_paths = [\"~/work\", \"~\", "
		 "\"/srv//x/./y/\", \"/srv/~\"]\n[exequatur]\nworkspace = '~/w'\n"
		 "[security.audit]\nlog_path = \"~/log\"\n");
	assert_list(&c.writable_paths, LIST("/home/mira/work", "/home/mira", "/srv/x/y", "/srv/~"));
	assert_string_equal(c.workspace, "/home/mira/w");
	assert_string_equal(c.log_path, "/home/mira/log");
	config_release(&c);
}

static void the_record_is_relative_to_the_file(void **state)
{
	struct config c;

	(void)state;
	load(&c, "[security.audit]\nlog_path = \"audit.log\"\n");
	assert_string_equal(c.log_path, "/etc/exq/audit.log");
	config_release(&c);
}

static void numbers_may_stand_bare_where_a_unit_is_usual(void **state)
{
	static const struct {
		const char *memory, *cpus;
		uint64_t bytes;
		double wanted;
	} cases[] = {
		{"\"1g\"", "\"0.5\"", 1ull << 30, 0.5},
		{"\"65536k\"", "2", 64ull << 20, 2},
		{"268435456", "1.5", 256ull << 20, 1.5},
		{"\"268435456\"", "\"0.125\"", 256ull << 20, 0.125},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *text MEM_AUTO =
			mem_printf("[security.sandbox.docker]\nmemory_limit = %s\ncpu_limit = %s\n",
				cases[i].memory, cases[i].cpus);
		struct config c;

		load(&c, text);
		assert_true(c.docker_memory_bytes == cases[i].bytes);
		assert_true(c.docker_cpus > cases[i].wanted - 0.0001 &&
			    c.docker_cpus < cases[i].wanted + 0.0001);
		config_release(&c);
	}
}

static void switched_off_alone_means_none(void **state)
{
	struct config c;
	struct err err = ERR_INIT;

	(void)state;
	load(&c, "[security.sandbox]\nenabled = false\n");
	assert_int_equal(c.backend, BACKEND_NONE);
	assert_int_equal(config_check(&c, &err), 0);
	assert_origin(&c, "security.sandbox.backend", "c.toml:2");
	config_release(&c);
	load(&c, "[security.sandbox]\nenabled = false\nbackend = \"none\"\n");
	assert_int_equal(config_check(&c, &err), 0);
	config_release(&c);
	load(&c, "[security.sandbox]\nbackend = \"none\"\n");
	assert_int_equal(config_check(&c, &err), 0);
	config_release(&c);
}

static void contradictions_are_refused_with_their_lines(void **state)
{
	static const struct {
		const char *text, *option, *sentence;
	} cases[] = {
		{"[security.sandbox]\nenabled = true\nbackend = \"none\"\n", NULL,
			"c.toml:3: backend = \"none\" contradicts enabled = true (c.toml:2); take "
			"one of them out"},
		{"[security.sandbox]\nbackend = \"landlock\"\nenabled = false\n", NULL,
			"c.toml:2: backend = \"landlock\" contradicts enabled = false (c.toml:3); "
			"take one of them out"},
		{"[security.sandbox]\nenabled = true\n", "none",
			"option -b: backend = \"none\" contradicts enabled = true (c.toml:2); take "
			"one of them out"},
		{"[security.sandbox]\nenabled = false\n", "docker",
			"option -b: backend = \"docker\" contradicts enabled = false (c.toml:2); "
			"take one of them out"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct config c;
		struct err err = ERR_INIT;

		load(&c, cases[i].text);
		if (cases[i].option)
			assert_int_equal(config_override_backend(&c, cases[i].option, &err), 0);
		assert_int_equal(config_check(&c, &err), -1);
		assert_string_equal(err.text, cases[i].sentence);
		config_release(&c);
	}
}

static void options_win_and_say_so(void **state)
{
	struct config c;
	struct err err = ERR_INIT;

	(void)state;
	load(&c, "[security.sandbox]\nenabled = true\nbackend = \"none\"\n"
		 "[exequatur]\nworkspace = \"/srv/a\"\n");
	assert_int_equal(config_override_backend(&c, "bubblewrap", &err), 0);
	config_override_workspace(&c, "/srv/b");
	assert_int_equal(config_check(&c, &err), 0);
	assert_int_equal(c.backend, BACKEND_BUBBLEWRAP);
	assert_string_equal(c.workspace, "/srv/b");
	assert_origin(&c, "security.sandbox.backend", "option -b");
	assert_origin(&c, "exequatur.workspace", "option -C");
	assert_int_equal(config_override_backend(&c, "bwrap", &err), -1);
	assert_string_equal(err.text,
		"option -b: there is no backend \"bwrap\"; there are auto, landlock, firejail, "
		"bubblewrap, docker and none");
	assert_int_equal(c.backend, BACKEND_BUBBLEWRAP);
	config_release(&c);
	load(&c, "[security.sandbox]\nenabled = false\n");
	assert_int_equal(config_override_backend(&c, "auto", &err), 0);
	assert_int_equal(c.backend, BACKEND_NONE);
	config_release(&c);
}

static void an_unknown_key_has_no_origin(void **state)
{
	static const char *const cases[] = {
		"backend", "security.sandbox", "security.sandbox.x", ""};
	struct config c;

	(void)state;
	config_init(&c);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_null(config_origin(&c, cases[i]));
	config_release(&c);
}

static void the_default_place_follows_xdg(void **state)
{
	static const struct {
		const char *xdg, *home, *path;
	} cases[] = {
		{"/x", "/home/mira", "/x/exequatur/config.toml"},
		{NULL, "/home/mira", "/home/mira/.config/exequatur/config.toml"},
		{"", "/home/mira", "/home/mira/.config/exequatur/config.toml"},
		{"relative", "/home/mira", "/home/mira/.config/exequatur/config.toml"},
		{"/x", NULL, "/x/exequatur/config.toml"},
		{NULL, NULL, NULL},
		{NULL, "relative", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *path MEM_AUTO = config_default_path(cases[i].xdg, cases[i].home);

		if (cases[i].path)
			assert_string_equal(path, cases[i].path);
		else
			assert_null(path);
	}
}

static void bindings_are_read_in_their_order(void **state)
{
	struct config c;

	(void)state;
	/* Two actions that change places are no conflict, whichever line comes first. */
	load(&c, "[exequatur.keys]\napprove = \"v\"\ndetails = \"a\"\nstop-all = \"Ctrl-X\"\n");
	assert_list(&c.keys, LIST("approve=v", "details=a", "stop-all=Ctrl-X"));
	config_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_defaults_are_those_of_the_contract),
		cmocka_unit_test(the_flat_sample_loads_with_its_meaning),
		cmocka_unit_test(the_nested_sample_loads_with_its_meaning),
		cmocka_unit_test(the_other_samples_load_with_their_meaning),
		cmocka_unit_test(a_long_comment_sets_nothing),
		cmocka_unit_test(a_tilde_is_the_home_directory),
		cmocka_unit_test(the_record_is_relative_to_the_file),
		cmocka_unit_test(numbers_may_stand_bare_where_a_unit_is_usual),
		cmocka_unit_test(switched_off_alone_means_none),
		cmocka_unit_test(contradictions_are_refused_with_their_lines),
		cmocka_unit_test(options_win_and_say_so),
		cmocka_unit_test(an_unknown_key_has_no_origin),
		cmocka_unit_test(the_default_place_follows_xdg),
		cmocka_unit_test(bindings_are_read_in_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

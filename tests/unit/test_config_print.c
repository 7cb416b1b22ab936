#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/config.h"
#include "core/config_keys.h"

static void load(struct config *config, const char *text)
{
	struct err err = ERR_INIT;

	config_init(config);
	if (config_parse(config, text, strlen(text), "c.toml", "/etc/exq", "/home/mira", &err))
		fail_msg("%s\nin\n%s", err.text, text);
}

static char *print(const struct config *config)
{
	struct str out = STR_INIT;

	config_print(config, &out);
	return str_steal(&out);
}

static char *canonical(const struct config *config)
{
	struct str out = STR_INIT;

	config_canonical(config, &out);
	return str_steal(&out);
}

static void assert_has_line(const char *text, const char *line)
{
	char *whole MEM_AUTO = mem_printf("\n%s\n", line);

	if (!strstr(text, whole))
		fail_msg("no line\n%s\nin\n%s", line, text);
}

/* Every type of key away from its default. */
static const char all_set[] =
	"[security.sandbox]\nenabled = true\nbackend = \"bubblewrap\"\n"
	"firejail_args = [\"--a b\", \"\\u001b[2J\", \"\\u202e\\\"\\\\\\n\\t;\"]\n"
	"docker_image = \"img:1\"\ndocker_args = []\n"
	"[security.sandbox.docker]\nnetwork = \"bridge\"\nmemory_limit = 7000000\n"
	"cpu_limit = 2.25\n"
	"[security.sandbox.bubblewrap]\nallow_network = true\n"
	"writable_paths = [\"~/w\", \"/srv/\xd0\xb6\"]\nreadonly_paths = ['/opt']\n"
	"[security.resources]\nmax_memory_mb = 1\nmax_cpu_time_seconds = 2\nmax_subprocesses = 3\n"
	"memory_monitoring = false\nmax_cpu_percent = 4\nmax_open_files = 55\n"
	"[security.tool_policy]\ndefault = \"deny\"\n[security.tool_policy.tools]\n"
	"shell = \"allow\"\n[security.approval]\ntimeout_secs = 6\non_timeout = \"deny\"\n"
	"[security.audit]\nenabled = true\nlog_path = \"log\"\nmax_size_mb = 7\n"
	"sign_events = true\nredact = true\n"
	"[exequatur]\nworkspace = \"~\"\nauto_order = [\"docker\", \"bubblewrap\"]\n"
	"max_running = 8\nmax_pending = 9\nmax_pending_per_sender = 10\nkill_grace_seconds = 11\n"
	"protect_git = false\naccept_partial = true\nsigns = \"ascii\"\ntheme = \"mono\"\nmouse = "
	"false\n"
	"lock_after = 12\n[exequatur.keys]\nfind = \"s\"\nquit = \"\\\"\"\n"
	"film = \"p\"\n";

static void what_is_printed_loads_back_as_the_same(void **state)
{
	static const char *const cases[] = {"", all_set, "[security.sandbox]\nenabled = false\n",
		"[security.tool_policy]\ndefault = \"allow\"\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct config first, second;

		load(&first, cases[i]);
		char *printed MEM_AUTO = print(&first);
		load(&second, printed);
		char *a MEM_AUTO = canonical(&first);
		char *b MEM_AUTO = canonical(&second);
		assert_string_equal(a, b);
		assert_int_equal(first.policy_shell_set, second.policy_shell_set);
		config_release(&first);
		config_release(&second);
	}
}

static void every_key_is_printed_with_value_and_origin(void **state)
{
	struct config c;

	(void)state;
	load(&c, all_set);
	char *text MEM_AUTO = print(&c);
	assert_memory_equal(text, "[security.sandbox]\n", 19);
	assert_has_line(text, "enabled = true    # c.toml:2");
	assert_has_line(text, "backend = \"bubblewrap\"    # c.toml:3");
	assert_has_line(text, "firejail_args = [\"--a b\", \"\\u001b[2J\", "
			      "\"\\u202e\\\"\\\\\\n\\t;\"]    # c.toml:4");
	assert_has_line(text, "# docker_image: another name of [security.sandbox.docker] image");
	assert_has_line(text, "image = \"img:1\"    # c.toml:5");
	assert_has_line(text, "memory_limit = \"7000000\"    # c.toml:9");
	assert_has_line(text, "cpu_limit = \"2.25\"    # c.toml:10");
	assert_has_line(
		text, "writable_paths = [\"/home/mira/w\", \"/srv/\xd0\xb6\"]    # c.toml:13");
	assert_has_line(text, "log_path = \"/etc/exq/log\"    # c.toml:31");
	assert_has_line(text, "auto_order = [\"docker\", \"bubblewrap\"]    # c.toml:37");
	assert_has_line(text, "on_timeout = \"deny\"    # c.toml:28");
	assert_has_line(text, "find = \"s\"    # c.toml:49");
	assert_has_line(text, "film = \"p\"    # c.toml:51");
	config_release(&c);
}

static void defaults_are_printed_as_such(void **state)
{
	struct config c;

	(void)state;
	config_init(&c);
	char *text MEM_AUTO = print(&c);
	assert_has_line(text, "# enabled is not set: detect    # default");
	assert_has_line(text, "backend = \"auto\"    # default");
	assert_has_line(text, "memory_limit = \"256m\"    # default");
	assert_has_line(text, "cpu_limit = \"1.0\"    # default");
	assert_has_line(
		text, "# shell is not set: the stricter of default and supervised    # default");
	assert_has_line(
		text, "# log_path is not set: $XDG_STATE_HOME/exequatur/audit    # default");
	assert_has_line(text, "# workspace is not set: the current directory    # default");
	config_release(&c);
}

static void every_row_of_the_table_has_its_line(void **state)
{
	struct config c;

	(void)state;
	config_init(&c);
	char *text MEM_AUTO = print(&c);
	for (size_t i = 0; i < config_key_count; i++) {
		char *header MEM_AUTO = mem_printf("[%s]\n", config_keys[i].section);
		char *set MEM_AUTO = mem_printf("\n%s = ", config_keys[i].name);
		char *absent MEM_AUTO = mem_printf("\n# %s",
			config_keys[i].type == CONFIG_BINDINGS ? "ACTION" : config_keys[i].name);

		assert_non_null(strstr(text, header));
		assert_true(strstr(text, set) || strstr(text, absent));
	}
	config_release(&c);
}

static void a_long_array_takes_several_rows_and_loads_back(void **state)
{
	struct str text STR_AUTO = STR_INIT;
	struct config first, second;

	(void)state;
	str_add(&text, "[security.sandbox]\nfirejail_args = [\n");
	for (unsigned i = 0; i < 1000; i++)
		str_printf(&text, "\"--argument-%u-\\u202e\\u202e\\u202e; #\",\n", i);
	str_add(&text, "]\n");
	load(&first, str_c(&text));
	char *printed MEM_AUTO = print(&first);
	load(&second, printed);
	assert_int_equal(second.firejail_args.count, 1000);
	for (unsigned i = 0; i < 1000; i++)
		assert_string_equal(first.firejail_args.items[i], second.firejail_args.items[i]);
	config_release(&first);
	config_release(&second);
}

static void options_are_origins_too(void **state)
{
	struct config c;
	struct err err = ERR_INIT;

	(void)state;
	config_init(&c);
	assert_int_equal(config_override_backend(&c, "landlock", &err), 0);
	config_override_workspace(&c, "/srv/\xff\n[x]");
	char *text MEM_AUTO = print(&c);
	assert_has_line(text, "backend = \"landlock\"    # option -b");
	assert_has_line(text, "workspace = \"/srv/\\ufffd\\n[x]\"    # option -C");
	config_release(&c);
}

/* The name of the file is foreign: it may not end its comment. */
static void an_origin_stays_on_its_line(void **state)
{
	static const char text[] = "[exequatur]\nmax_running = 5\n";
	struct config c;
	struct err err = ERR_INIT;

	(void)state;
	config_init(&c);
	assert_int_equal(config_parse(&c, text, sizeof(text) - 1, "/tmp/x\nbackend = \"none\"\033",
				 NULL, NULL, &err),
		0);
	char *printed MEM_AUTO = print(&c);
	assert_has_line(printed, "max_running = 5    # /tmp/x<LF>backend = \"none\"<ESC>:2");
	config_release(&c);
}

static void no_control_reaches_the_print(void **state)
{
	struct config c;

	(void)state;
	load(&c, all_set);
	char *text MEM_AUTO = print(&c);
	assert_true(text_is_utf8(text, strlen(text)));
	for (const char *at = text; *at; at++)
		assert_true(*at == '\n' || (unsigned char)*at >= 0x20);
	assert_null(strstr(text, "\xe2\x80\xae"));
	config_release(&c);
}

static void the_canonical_bytes_follow_the_values_alone(void **state)
{
	struct config a, b, c;
	struct err err = ERR_INIT;

	(void)state;
	load(&a, "[exequatur]\nmax_running = 4\n");
	load(&b, "# a comment\n\n[exequatur]\n");
	load(&c, "[exequatur]\nmax_running = 5\n");
	char *of_a MEM_AUTO = canonical(&a);
	char *of_b MEM_AUTO = canonical(&b);
	char *of_c MEM_AUTO = canonical(&c);
	assert_string_equal(of_a, of_b);
	assert_string_not_equal(of_a, of_c);
	assert_int_equal(config_override_backend(&b, "none", &err), 0);
	char *changed MEM_AUTO = canonical(&b);
	assert_string_not_equal(of_b, changed);
	config_release(&a);
	config_release(&b);
	config_release(&c);
}

static void every_key_has_its_effect(void **state)
{
	(void)state;
	for (size_t i = 0; i < config_key_count; i++)
		if (config_keys[i].no_effect)
			fail_msg("%s: %s", config_keys[i].name, config_keys[i].no_effect);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_printed_loads_back_as_the_same),
		cmocka_unit_test(every_key_is_printed_with_value_and_origin),
		cmocka_unit_test(defaults_are_printed_as_such),
		cmocka_unit_test(every_row_of_the_table_has_its_line),
		cmocka_unit_test(a_long_array_takes_several_rows_and_loads_back),
		cmocka_unit_test(options_are_origins_too),
		cmocka_unit_test(an_origin_stays_on_its_line),
		cmocka_unit_test(no_control_reaches_the_print),
		cmocka_unit_test(the_canonical_bytes_follow_the_values_alone),
		cmocka_unit_test(every_key_has_its_effect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

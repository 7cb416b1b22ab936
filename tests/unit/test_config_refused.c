#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "core/config.h"

struct refusal {
	const char *text;
	const char *sentence;
};

#define SANDBOX "[security.sandbox]\n"
#define BUBBLEWRAP "[security.sandbox.bubblewrap]\n"
#define RESOURCES "[security.resources]\n"
#define DOCKER "[security.sandbox.docker]\n"
#define OURS "[exequatur]\n"

static const struct refusal names[] = {
	{BUBBLEWRAP "alow_network = false\n",
		"2: unknown key alow_network in [security.sandbox.bubblewrap]; the nearest is "
		"allow_network"},
	{"[security.sanbox]\nbackend = \"none\"\n",
		"1: unknown section [security.sanbox]; the nearest is [security.sandbox]"},
	{SANDBOX "Backend = \"none\"\n",
		"2: unknown key Backend in [security.sandbox]; the nearest is backend"},
	{SANDBOX "writable_paths = []\n",
		"2: unknown key writable_paths in [security.sandbox]; it belongs in "
		"[security.sandbox.bubblewrap]"},
	{"backend = \"none\"\n", "1: backend stands before any [section]"},
	{"[security]\n\nworkspace = \"/x\"\n",
		"3: unknown key workspace in [security]; it belongs in [exequatur]"},
	{SANDBOX "docker = \"x\"\n",
		"2: docker is a section of its own; write [security.sandbox.docker]"},
	{"[security]\nx = 1\n", "2: unknown key x: [security] has no keys of its own"},
	{"[security.tool_policy.tools]\nshel = \"deny\"\n",
		"2: unknown key shel in [security.tool_policy.tools]; the nearest is shell"},
};

#define PRX "documented for PRX, not used here: use "

static const struct refusal prx[] = {
	{SANDBOX "extra_path_dirs = [\"/opt\"]\n", "2: security.sandbox.extra_path_dirs is " PRX
						   "security.sandbox.bubblewrap.readonly_paths"},
	{"[autonomy.sandbox]\nbackend = \"landlock\"\n",
		"2: autonomy.sandbox.backend is " PRX "security.sandbox.backend"},
	{"[autonomy.sandbox]\n", "1: [autonomy.sandbox] is " PRX "security.sandbox.backend"},
	{"[autonomy.sandbox]\n\n" RESOURCES,
		"1: [autonomy.sandbox] is " PRX "security.sandbox.backend"},
	{"[autonomy]\nlevel = \"full\"\n",
		"2: autonomy.level is " PRX "security.tool_policy.tools.shell"},
	{"[autonomy.scopes]\ndefault = \"allow\"\n",
		"2: autonomy.scopes.default is " PRX "security.tool_policy.tools.shell"},
	{"[runtime.docker]\nimage = \"alpine\"\n",
		"2: runtime.docker.image is " PRX "security.sandbox.docker.image"},
	{"[runtime.docker]\nmemory_limit_mb = 512\n",
		"2: runtime.docker.memory_limit_mb is " PRX "security.sandbox.docker.memory_limit"},
	{"[security]\nsandbox_backend = \"none\"\n",
		"2: security.sandbox_backend is " PRX "security.sandbox.backend"},
	{"[security.tool_policy.groups]\nautomation = \"allow\"\n",
		"2: security.tool_policy.groups.automation is " PRX
		"security.tool_policy.tools.shell"},
	{"[security.tool_policy.tools]\nfile_read = \"allow\"\n",
		"2: security.tool_policy.tools.file_read is " PRX
		"security.tool_policy.tools.shell"},
	{"[security.approval]\nsupervisor_id = \"admin\"\n",
		"2: security.approval.supervisor_id is " PRX "security.tool_policy.tools.shell"},
	{"[[security.approval.auto_approve]]\ntool = \"shell\"\n",
		"1: [security.approval.auto_approve] is " PRX "security.tool_policy.tools.shell"},
	{"[security.policy]\ndefault_action = \"deny\"\n",
		"2: security.policy.default_action is " PRX "security.tool_policy.tools.shell"},
	{"[security.audit]\nmin_severity = \"info\"\n",
		"2: security.audit.min_severity is " PRX "security.audit.log_path"},
	{"[security.audit.file]\npath = \"audit.log\"\n",
		"2: security.audit.file.path is " PRX "security.audit.log_path"},
	{"[security.audit.database]\nenabled = true\n",
		"2: security.audit.database.enabled is " PRX "security.audit.log_path"},
	/* The hint does not wait for a value that is of no type of ours. */
	{"[autonomy]\nx = 1979-05-27\n",
		"2: autonomy.x is " PRX "security.tool_policy.tools.shell"},
};

static const struct refusal types[] = {
	{RESOURCES "max_memory_mb = abc\n", "2: the value of max_memory_mb must be a string in "
					    "quotes, a number, true, false or "
					    "an array"},
	{RESOURCES "max_memory_mb = \"512\"\n",
		"2: max_memory_mb must be a whole number, not a string"},
	{RESOURCES "max_memory_mb = 1.5\n",
		"2: max_memory_mb must be a whole number, not a number of another form"},
	{RESOURCES "max_memory_mb = 1_000\n",
		"2: max_memory_mb must be a whole number, not a number of another form"},
	{RESOURCES "max_memory_mb = 0x10\n",
		"2: max_memory_mb must be a whole number, not a number of another form"},
	{RESOURCES "max_memory_mb = 010\n",
		"2: max_memory_mb must be a whole number, not a number of another form"},
	{RESOURCES "max_memory_mb = [\"1\"]\n",
		"2: max_memory_mb must be a whole number, not an array"},
	{RESOURCES "max_memory_mb = true\n",
		"2: max_memory_mb must be a whole number, not true or false"},
	{RESOURCES "memory_monitoring = 1\n",
		"2: memory_monitoring must be true or false, not a whole number"},
	{RESOURCES "memory_monitoring = \"true\"\n",
		"2: memory_monitoring must be true or false, not a string"},
	{RESOURCES "memory_monitoring = True\n", "2: the value of memory_monitoring must be a "
						 "string in quotes, a number, true, false "
						 "or an array"},
	{SANDBOX "enabled = \"yes\"\n", "2: enabled must be true or false, not a string"},
	{SANDBOX "backend = true\n", "2: backend must be a string, not true or false"},
	{SANDBOX "firejail_args = \"--net=none\"\n",
		"2: firejail_args must be an array, not a string"},
	{BUBBLEWRAP "writable_paths = \"/tmp\"\n",
		"2: writable_paths must be an array, not a string"},
	{OURS "workspace = [\"/srv\"]\n", "2: workspace must be a string, not an array"},
	{OURS "auto_order = \"landlock\"\n", "2: auto_order must be an array, not a string"},
	{DOCKER "memory_limit = 1.5\n",
		"2: memory_limit must be a string, not a number of another form"},
	{DOCKER "cpu_limit = true\n", "2: cpu_limit must be a string, not true or false"},
	{"[security.tool_policy]\ndefault = false\n",
		"2: default must be a string, not true or false"},
	{"[security.audit]\nenabled = \"true\"\n",
		"2: enabled must be true or false, not a string"},
};

static const struct refusal values[] = {
	{RESOURCES "max_memory_mb = 0\n", "2: max_memory_mb must be from 1 to 1048576, not 0"},
	{RESOURCES "max_memory_mb = -5\n", "2: max_memory_mb must be from 1 to 1048576, not -5"},
	{RESOURCES "max_memory_mb = 99999999999999999999\n",
		"2: max_memory_mb must be from 1 to 1048576, not 99999999999999999999"},
	{RESOURCES "max_memory_mb = 4294967808\n",
		"2: max_memory_mb must be from 1 to 1048576, not 4294967808"},
	{RESOURCES "max_cpu_percent = 101\n", "2: max_cpu_percent must be from 1 to 100, not 101"},
	{RESOURCES "max_open_files = 3\n", "2: max_open_files must be from 16 to 1048576, not 3"},
	{SANDBOX "backend = \"bwrap\"\n",
		"2: backend must be auto, landlock, firejail, bubblewrap, docker or none, not "
		"\"bwrap\""},
	{SANDBOX "backend = \"Landlock\"\n",
		"2: backend must be auto, landlock, firejail, bubblewrap, docker or none, not "
		"\"Landlock\""},
	{SANDBOX "backend = \"\"\n", "2: backend must be auto, landlock, firejail, bubblewrap, "
				     "docker or none, not \"\""},
	{"[security.tool_policy]\ndefault = \"yes\"\n",
		"2: default must be allow, deny or supervised, not \"yes\""},
	{"[security.tool_policy.tools]\nshell = \"Deny\"\n",
		"2: shell must be allow, deny or supervised, not \"Deny\""},
	{"[security.approval]\non_timeout = \"allow\"\n",
		"2: security.approval.on_timeout = allow is refused: a wait that nobody answers is "
		"never a yes"},
	{"[security.audit]\nenabled = false\n",
		"2: security.audit.enabled = false is refused: no record, no run"},
	{OURS "theme = \"blue\"\n", "2: theme must be one of: auto dark light mono; not \"blue\""},
	{OURS "theme = \"auto dark\"\n",
		"2: theme must be one of: auto dark light mono; not \"auto dark\""},
	{OURS "signs = \"\"\n", "2: signs must be one of: auto ascii; not \"\""},
	{OURS "auto_order = []\n", "2: auto_order is empty; name at least one backend"},
	{OURS "auto_order = [\"none\"]\n",
		"2: auto_order takes landlock, firejail, bubblewrap and docker, not \"none\""},
	{OURS "auto_order = [\"auto\"]\n",
		"2: auto_order takes landlock, firejail, bubblewrap and docker, not \"auto\""},
	{OURS "auto_order = [\"docker\",\n\"docker\"]\n", "2: auto_order has \"docker\" twice"},
	{DOCKER "image = \"\"\n", "2: image is empty"},
	{DOCKER "memory_limit = \"256mb\"\n",
		"2: memory_limit must be a size such as \"256m\" or \"1g\", from 6m to 1048576m, "
		"not \"256mb\""},
	{DOCKER "memory_limit = \"-1\"\n",
		"2: memory_limit must be a size such as \"256m\" or \"1g\", from 6m to 1048576m, "
		"not \"-1\""},
	{DOCKER "memory_limit = \"99999999999999999999g\"\n",
		"2: memory_limit must be a size such as \"256m\" or \"1g\", from 6m to 1048576m, "
		"not \"99999999999999999999g\""},
	{DOCKER "cpu_limit = \"1,5\"\n",
		"2: cpu_limit must be a number of CPUs such as \"1.5\", from 0.01 to 1024, not "
		"\"1,5\""},
	{DOCKER "cpu_limit = \"0\"\n",
		"2: cpu_limit must be a number of CPUs such as \"1.5\", from 0.01 to 1024, not "
		"\"0\""},
	{DOCKER "cpu_limit = 1e3\n",
		"2: cpu_limit must be a number of CPUs such as \"1.5\", from 0.01 to 1024, not "
		"\"1e3\""},
	{DOCKER "cpu_limit = -1\n",
		"2: cpu_limit must be a number of CPUs such as \"1.5\", from 0.01 to 1024, not "
		"\"-1\""},
};

static const struct refusal paths[] = {
	{BUBBLEWRAP "writable_paths = [\"work\"]\n",
		"2: writable_paths: \"work\" is relative; it must begin with / or with ~/"},
	{BUBBLEWRAP "writable_paths = [\"/srv\",\n\"\"]\n", "2: writable_paths: a path is empty"},
	{BUBBLEWRAP "writable_paths = [\"/srv/../etc\"]\n",
		"2: writable_paths: \"/srv/../etc\" has \"..\"; write where it leads"},
	{BUBBLEWRAP "readonly_paths = [\"~root/x\"]\n",
		"2: readonly_paths: \"~root/x\": only ~ and ~/ stand for a home directory; write "
		"it "
		"in full"},
	{BUBBLEWRAP "writable_paths = ~/work\n", "2: the value of writable_paths must be a string "
						 "in quotes, a number, true, false or "
						 "an array"},
	{OURS "workspace = \".\"\n",
		"2: workspace: \".\" is relative; it must begin with / or with ~/"},
	{"[security.audit]\nlog_path = \"../log\"\n",
		"2: log_path: \"../log\" has \"..\"; write where it leads"},
};

static const struct refusal twice[] = {
	{SANDBOX "backend = \"none\"\nbackend = \"none\"\n",
		"3: backend is there twice: [security.sandbox] backend was set on line 2"},
	{SANDBOX "\n[exequatur]\n" SANDBOX,
		"4: [security.sandbox] is there twice; it began on line 1"},
	{SANDBOX "docker_image = \"a\"\n" DOCKER "image = \"a\"\n",
		"4: image is there twice: [security.sandbox.docker] image was set on line 2"},
	{DOCKER "args = []\n" SANDBOX "docker_args = [\"--read-only\"]\n",
		"4: docker_args is there twice: [security.sandbox.docker] args was set on line 2"},
	{BUBBLEWRAP "writable_paths = [\n]\nwritable_paths = []\n",
		"4: writable_paths is there twice: [security.sandbox.bubblewrap] writable_paths "
		"was "
		"set on line 2"},
};

static const struct refusal bindings[] = {
	{"[exequatur.keys]\naprove = \"v\"\n",
		"2: unknown action aprove in [exequatur.keys]; the nearest is approve"},
	{"[exequatur.keys]\napprove = 1\n", "2: approve must be the name of a key in quotes"},
	{"[exequatur.keys]\napprove = \"ab\"\n",
		"2: approve: \"ab\" is no key; write one character, Ctrl-A (not H I J M Z, which "
		"are other keys), or a name such as PgDn"},
	{"[exequatur.keys]\napprove = \" \"\n",
		"2: approve: \" \" is no key; write one character, Ctrl-A (not H I J M Z, which "
		"are other keys), or a name such as PgDn"},
	{"[exequatur.keys]\nyes = \"Ctrl-C\"\n",
		"2: yes and cancel are both on Ctrl-C in one view; give one of them another key"},
	{"[exequatur.keys]\nrevoke = \"i\"\n",
		"2: revoke and refuse-sender are both on i in one view; give one of them another "
		"key"},
	{"[exequatur.keys]\nsuspend = \"z\"\n",
		"2: unknown action suspend in [exequatur.keys]; the nearest is open"},
	{"[exequatur.keys]\napprove = \"v\"\n",
		"2: approve and details are both on v in one view; give one of them another key"},
	{"[exequatur.keys]\nfind = \"z\"\nhelp = \"z\"\n",
		"2: find and help are both on z in one view; give one of them another key"},
	{"[exequatur.keys]\nfind = \"z\"\nfind = \"w\"\n",
		"3: find has a key already, from line 2"},
};

/* Action and key: what is said of each of a kind. */
static const struct pair {
	const char *action, *key;
} deciding[] = {{"approve", "Enter"}, {"yes", "Y"}, {"quit", "1"}, {"stop", "Left"},
	{"stop-all", "Space"}, {"revoke", "PgDn"}, {"approve", "Home"}, {"yes", "Tab"},
	{"reject", "Esc"}},
  no_keys[] = {{"lock", "Ctrl-H"}, {"lock", "Ctrl-I"}, {"lock", "Ctrl-J"}, {"lock", "Ctrl-M"},
	  {"lock", "Ctrl-Z"}, {"lock", "F1"}, {"lock", "ab"}},
  asking[] = {{"stop", "y"}, {"stop-all", "y"}, {"quit", "y"}, {"revoke", "y"}, {"approve", "y"},
	  {"again", "y"}};

static void check(const struct refusal *refusal)
{
	char *wanted MEM_AUTO = mem_printf("c.toml:%s", refusal->sentence);
	struct config config;
	struct err err = ERR_INIT;

	config_init(&config);
	if (!config_parse(&config, refusal->text, strlen(refusal->text), "c.toml", "/etc/exq",
		    "/home/mira", &err))
		fail_msg("accepted:\n%s", refusal->text);
	if (strcmp(err.text, wanted))
		fail_msg("%s\n  says   %s\n  wanted %s", refusal->text, err.text, wanted);
	assert_true(err.code == ERR_INVALID || err.code == ERR_REFUSED);
	config_release(&config);
}

static void a_name_that_is_not_there_is_refused_with_the_nearest(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		check(&names[i]);
}

static void what_prx_documents_is_refused_with_what_to_use(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(prx); i++)
		check(&prx[i]);
}

static void a_wrong_type_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		check(&types[i]);
}

static void a_value_out_of_range_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		check(&values[i]);
}

static void a_path_that_means_two_things_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		check(&paths[i]);
}

static void what_is_there_twice_is_refused_with_the_first_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(twice); i++)
		check(&twice[i]);
}

static void check_pair(const struct pair *pair, const char *sentence)
{
	char *text MEM_AUTO =
		mem_printf("[exequatur.keys]\n%s = \"%s\"\n", pair->action, pair->key);
	char *whole MEM_AUTO = mem_printf(sentence, pair->action, pair->key);

	check(&(struct refusal){text, whole});
}

static void a_binding_that_could_decide_by_accident_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(deciding); i++)
		check_pair(&deciding[i],
			"2: %1$s decides, so it cannot be on %2$s (Enter, Space, Tab, Esc, an "
			"arrow, a digit, a capital or another key with a name)");
	for (size_t i = 0; i < ARRAY_LEN(no_keys); i++)
		check_pair(&no_keys[i],
			"2: %1$s: \"%2$s\" is no key; write one character, Ctrl-A (not H I J M Z, "
			"which are other keys), or a name such as PgDn");
	for (size_t i = 0; i < ARRAY_LEN(asking); i++)
		check_pair(&asking[i],
			"2: %1$s and yes are both on %2$s and one answers the other; give one of "
			"them another key");
	for (size_t i = 0; i < ARRAY_LEN(bindings); i++)
		check(&bindings[i]);
}

static void a_tilde_without_a_home_is_refused(void **state)
{
	static const char text[] = BUBBLEWRAP "writable_paths = [\"~/work\"]\n";
	static const char *const homes[] = {NULL, "", "home"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(homes); i++) {
		struct config config;
		struct err err = ERR_INIT;

		config_init(&config);
		assert_int_equal(config_parse(&config, text, sizeof(text) - 1, "c.toml", NULL,
					 homes[i], &err),
			-1);
		assert_string_equal(err.text, "c.toml:2: writable_paths: \"~/work\": HOME is not "
					      "set, so ~ means nothing");
		config_release(&config);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_that_is_not_there_is_refused_with_the_nearest),
		cmocka_unit_test(what_prx_documents_is_refused_with_what_to_use),
		cmocka_unit_test(a_wrong_type_is_refused),
		cmocka_unit_test(a_value_out_of_range_is_refused),
		cmocka_unit_test(a_path_that_means_two_things_is_refused),
		cmocka_unit_test(what_is_there_twice_is_refused_with_the_first_line),
		cmocka_unit_test(a_binding_that_could_decide_by_accident_is_refused),
		cmocka_unit_test(a_tilde_without_a_home_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "core/policy.h"

struct policy_case {
	const char *file;
	bool network;
	enum verdict verdict;
	const char *rule;
};

static const struct policy_case cases[] = {
	{"", false, VERDICT_SUPERVISED, "tool_policy.default = \"supervised\" (default)"},
	{"[security.tool_policy.tools]\nshell = \"deny\"\n", false, VERDICT_DENY,
		"tool_policy.tools.shell = \"deny\" (config.toml:2)"},
	{"[security.tool_policy.tools]\nshell = \"allow\"\n", false, VERDICT_ALLOW,
		"tool_policy.tools.shell = \"allow\" (config.toml:2)"},
	{"[security.tool_policy.tools]\nshell = \"supervised\"\n", true, VERDICT_SUPERVISED,
		"tool_policy.tools.shell = \"supervised\" (config.toml:2)"},
	/* `default` alone opens nothing. */
	{"[security.tool_policy]\ndefault = \"allow\"\n", false, VERDICT_SUPERVISED,
		"tool_policy.default = \"allow\" (config.toml:2); tools.shell is not set, so a "
		"person decides"},
	{"[security.tool_policy]\ndefault = \"deny\"\n", false, VERDICT_DENY,
		"tool_policy.default = \"deny\" (config.toml:2)"},
	/* The tool's own line decides, in both directions. */
	{"[security.tool_policy]\ndefault = \"deny\"\n[security.tool_policy.tools]\n"
	 "shell = \"allow\"\n",
		false, VERDICT_ALLOW, "tool_policy.tools.shell = \"allow\" (config.toml:4)"},
	{"[security.tool_policy]\ndefault = \"allow\"\n[security.tool_policy.tools]\n"
	 "shell = \"deny\"\n",
		false, VERDICT_DENY, "tool_policy.tools.shell = \"deny\" (config.toml:4)"},
	/* Network under `allow` needs a person, unless the file lets policy grant it. */
	{"[security.tool_policy.tools]\nshell = \"allow\"\n", true, VERDICT_SUPERVISED,
		"sandbox.bubblewrap.allow_network = false (default); network was asked for, so a "
		"person decides"},
	{"[security.tool_policy.tools]\nshell = \"allow\"\n[security.sandbox.bubblewrap]\n"
	 "allow_network = false\n",
		true, VERDICT_SUPERVISED,
		"sandbox.bubblewrap.allow_network = false (config.toml:4); network was asked for, "
		"so a person decides"},
	{"[security.tool_policy.tools]\nshell = \"allow\"\n[security.sandbox.bubblewrap]\n"
	 "allow_network = true\n",
		true, VERDICT_ALLOW, "tool_policy.tools.shell = \"allow\" (config.toml:2)"},
	/* allow_network lifts no denial and replaces no person. */
	{"[security.tool_policy.tools]\nshell = \"deny\"\n[security.sandbox.bubblewrap]\n"
	 "allow_network = true\n",
		true, VERDICT_DENY, "tool_policy.tools.shell = \"deny\" (config.toml:2)"},
	{"[security.sandbox.bubblewrap]\nallow_network = true\n", true, VERDICT_SUPERVISED,
		"tool_policy.default = \"supervised\" (default)"},
};

static void a_ruling_says_what_holds_and_which_line_says_so(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct config config;
		struct request request;
		struct ruling ruling = {VERDICT_COUNT, NULL};
		struct err err = ERR_INIT;

		config_init(&config);
		request_init(&request);
		request.network = cases[i].network;
		assert_int_equal(
			config_parse(&config, cases[i].file, strlen(cases[i].file),
				"/home/mira/.config/exequatur/config.toml", NULL, NULL, &err),
			0);
		policy_judge(&request, &config, &ruling);
		assert_int_equal(ruling.verdict, cases[i].verdict);
		assert_string_equal(ruling.rule, cases[i].rule);
		ruling_release(&ruling);
		assert_null(ruling.rule);
		config_release(&config);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ruling_says_what_holds_and_which_line_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

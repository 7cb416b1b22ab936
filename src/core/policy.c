#include "config.h"

#include "core/policy.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/path.h"

/* A rule is quoted to the agent too: it names the file, not the directories of the person who wrote it. */
static char *rule_text(
	const struct config *config, const char *key, const char *value, const char *more)
{
	char *origin MEM_AUTO = config_origin(config, key);

	return mem_printf("%s = %s (%s)%s", key + sizeof("security.") - 1, value,
		path_basename(origin), more);
}

static char *verdict_rule(
	const struct config *config, const char *key, enum verdict verdict, const char *more)
{
	char *quoted MEM_AUTO = mem_printf("\"%s\"", verdict_name(verdict));

	return rule_text(config, key, quoted, more);
}

/* `default` may tighten and never opens: "allow" there was written for tools other than a shell. */
static void judge_shell(const struct config *config, struct ruling *ret)
{
	if (config->policy_shell_set) {
		ret->verdict = config->policy_shell;
		ret->rule = verdict_rule(
			config, "security.tool_policy.tools.shell", config->policy_shell, "");
		return;
	}
	if (config->policy_default == VERDICT_DENY) {
		ret->verdict = VERDICT_DENY;
		ret->rule = verdict_rule(
			config, "security.tool_policy.default", config->policy_default, "");
		return;
	}
	ret->verdict = VERDICT_SUPERVISED;
	ret->rule = verdict_rule(config, "security.tool_policy.default", config->policy_default,
		config->policy_default == VERDICT_ALLOW
			? "; tools.shell is not set, so a person decides"
			: "");
}

void policy_judge(const struct request *request, const struct config *config, struct ruling *ret)
{
	judge_shell(config, ret);
	if (ret->verdict != VERDICT_ALLOW || !request->network || config->allow_network)
		return;
	free(ret->rule);
	ret->verdict = VERDICT_SUPERVISED;
	ret->rule = rule_text(config, "security.sandbox.bubblewrap.allow_network", "false",
		"; network was asked for, so a person decides");
}

void ruling_release(struct ruling *ruling)
{
	free(STEAL(ruling->rule));
}

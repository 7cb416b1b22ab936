/* The seam for rules: a request and the configuration give a ruling. */
#ifndef CORE_POLICY_H
#define CORE_POLICY_H

#include "core/config.h"
#include "core/request.h"

struct ruling {
	enum verdict verdict;
	char *rule; /* the rule that gave it, e.g. "tool_policy.tools.shell = \"deny\" (config.toml:12)" */
};

/* design.md section 6; protocol.md section 4 (a network grant needs a person unless allow_network). */
void policy_judge(const struct request *request, const struct config *config, struct ruling *ret);
void ruling_release(struct ruling *ruling);

#endif

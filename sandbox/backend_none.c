#include "config.h"

#include "sandbox/backend_common.h"

/* Nothing is isolated; the environment is scrubbed and the limits are kept all the same. */

static int offer(
	const struct host *host, const struct confinement *c, struct offer *ret, struct err *err)
{
	if (!host->allow_unsandboxed && host->switch_why[0] != '\0')
		return err_set(err, ERR_REFUSED, ALLOW_UNSANDBOXED_VARIABLE " is refused: %s",
			host->switch_why);
	if (!host->allow_unsandboxed)
		return err_set(err, ERR_REFUSED,
			"running without a sandbox needs " ALLOW_UNSANDBOXED_VARIABLE "=1");
	common_offer(BACKEND_NONE, c, ret);
	common_offer_limits(host, c, ret);
	common_offer_unseen(host, false, ret);
	/* it has the host's network whether it was granted or not */
	ret->network_shared_with_host = true;
	return 0;
}

static int plan(const struct host *host, const struct confinement *c, const struct offer *offered,
	struct plan *ret, struct err *err)
{
	(void)offered;
	(void)err;
	common_plan(host, c, "none", ret);
	common_plan_limits(host, c, ret);
	ret->proofs = PLAN_PROOF_NO_TTY;
	return 0;
}

const struct backend backend_none = {.id = BACKEND_NONE, .offer = offer, .plan = plan};

#include "config.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/str.h"
#include "core/arguments.h"
#include "sandbox/backend_common.h"
#include "sandbox/firejail_view.h"
#include "sandbox/protocol.h"

#define ABI_SCOPE 6

/* firejail makes all of them but the user's as root, whether this kernel lets users make any or not. */
static unsigned namespaces_of(const struct confinement *c)
{
	return common_namespaces(0, c, false) & ~NS_BIT(PLAN_NS_USER);
}

static int check_count(const struct plan *plan, struct err *err)
{
	if (plan->check_count <= PLAN_CHECKS_MAX)
		return 0;
	return err_set(err, ERR_LIMIT, "%zu places would have to be bound, %d can be; list fewer",
		plan->check_count, PLAN_CHECKS_MAX);
}

static int offer(
	const struct host *host, const struct confinement *c, struct offer *ret, struct err *err)
{
	struct firejail_view view;
	if (host->firejail.path == NULL)
		return err_set(err, ERR_UNAVAILABLE, "%s", host->firejail.why);
	if (firejail_view_make(host, c, &view, err) < 0)
		return -1;
	firejail_view_release(&view);
	common_offer(BACKEND_FIREJAIL, c, ret);
	common_offer_limits(host, c, ret);
	common_offer_unseen(host, true, ret);
	if (c->network)
		snprintf(ret->network_why, sizeof(ret->network_why),
			"pasta cannot reach a namespace that firejail makes as root");
	common_isolation(host, c, namespaces_of(c), ret);
	/* The launcher is not the first process there: a command that stopped it, while console and supervisor are killed,
	   would stay. Only the scope of Landlock keeps its signals away. */
	if (host->landlock_abi < ABI_SCOPE)
		ret->facets[FACET_END] = HOLD_PART;
	return 0;
}

static void add_options(const struct firejail_view *view, const struct host *host,
	const struct confinement *c, struct strv *argv)
{
	static const char *const always[] = {"--quiet", "--caps.drop=all", "--nonewprivs",
		"--private-dev", "--ipc-namespace", "--hostname=sandbox",
		/* else /home and the password database are replaced; what is shown of /home is our affair */
		"--allusers",
		/* else /var is not to be executed from, and a place below it neither */
		"--writable-var",
		/* else root gets an empty one, also where a place below it is shown */
		"--writable-var-log"};
	strv_add(argv, host->firejail.path);
	for (size_t i = 0; i < ARRAY_LEN(always); i++)
		strv_add(argv, always[i]);
	strv_printf(argv, "--profile=/proc/self/fd/%d", FIREJAIL_FD_PROFILE);
	strv_printf(
		argv, "--keep-fd=%d,%d,%d", LAUNCHER_FD_STATUS, LAUNCHER_FD_PLAN, LAUNCHER_FD_SELF);
	/* else it is made empty before what lies below it could be shown */
	if (view->shows_var_tmp)
		strv_add(argv, "--keep-var-tmp");
	if (!c->network)
		strv_add(argv, "--net=none");
}

static int plan(const struct host *host, const struct confinement *c, const struct offer *offered,
	struct plan *ret, struct err *err)
{
	struct firejail_view view;
	STR_AUTO struct str profile = STR_INIT;
	(void)offered;
	if (firejail_view_make(host, c, &view, err) < 0)
		return -1;
	common_plan(host, c, "firejail", ret);
	common_plan_limits(host, c, ret);
	common_confine(host, c, namespaces_of(c), ret);
	add_options(&view, host, c, &ret->wrapper);
	firejail_view_profile(&view, host, c, &profile);
	ret->profile = mem_strdup(str_c(&profile));
	arguments_firejail(&host->firejail_args, &ret->wrapper);
	strv_add(&ret->wrapper, "--");
	strv_printf(&ret->wrapper, "/proc/self/fd/%d", LAUNCHER_FD_SELF);
	firejail_view_expect(&view, host, c, ret);
	firejail_view_release(&view);
	if (check_count(ret, err) == 0)
		return 0;
	plan_release(ret);
	return -1;
}

const struct backend backend_firejail = {.id = BACKEND_FIREJAIL, .offer = offer, .plan = plan};
